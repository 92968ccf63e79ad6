package runtimes

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"versweep/sweep"
)

// imageTag is a tag of a repository of images, taken apart:
// "v1.25.3-rc.1-alpine" is version 1.25.3-rc.1 in flavour alpine.
type imageTag struct {
	raw     string
	version string // numbers and prerelease label; empty when it names none
	numbers int    // how many the version has
	label   string // of a prerelease, such as "-rc.1"
	rest    string // what follows the version, without the dash
}

// tagForm takes a leading version off a tag: numbers, then a label of those
// that mean a prerelease in the tags of real projects (0rc1, -rc.1, RC1, -M2,
// -beta-3). What follows has to be set off, so that in "4a8c1f0" and
// "3.18alpine" nothing is taken for a version that is none.
var tagForm = regexp.MustCompile(`(?i)^v?(\d+(?:\.\d+)*)` +
	`([-._]?(?:alpha|beta|preview|pre|rc|milestone|ea|[abcm])[-._]?\d+(?:[.]\d+)*|[-._]?(?:alpha|beta|preview|pre|rc|ea))?` +
	`(?:-(.+))?$`)

func parseImageTag(raw string) imageTag {
	parts := tagForm.FindStringSubmatch(raw)
	if parts == nil {
		return imageTag{raw: raw}
	}
	return imageTag{raw: raw, version: parts[1] + parts[2], numbers: strings.Count(parts[1], ".") + 1, label: parts[2], rest: parts[3]}
}

// selectTags finds the tags that name one release in the flavour asked for, in
// version order, and says of the others why they are left out. A tag that is
// less precise than a repository's releases moves from one to the next: it
// would be measured under a name that is not its own.
func selectTags(raw []string, flavour string, line sweep.LineBy) ([]sweep.Version, []sweep.Skipped) {
	tags := make([]imageTag, len(raw))
	for i, r := range raw {
		tags[i] = parseImageTag(r)
	}
	precision := releasePrecision(tags)
	finer := finerTags(tags)
	var names []string
	tagOf := map[string]string{}
	var skipped []sweep.Skipped
	skip := func(t imageTag, format string, args ...any) {
		skipped = append(skipped, sweep.Skipped{Raw: t.raw, Reason: fmt.Sprintf(format, args...)})
	}
	for _, t := range tags {
		switch {
		case isAttachment(t.raw):
			skip(t, "belongs to another image, such as a signature")
		case t.version == "":
			skip(t, "moving: names no version")
		case finer[t.version] != "":
			skip(t, "moving: less precise than %s", finer[t.version])
		case t.numbers < precision && !endsInDigit(t.label):
			skip(t, "moving: less precise than this repository's releases, which have %d numbers", precision)
		case t.rest != flavour && t.rest == "":
			skip(t, "without the flavour %s", flavour)
		case t.rest != flavour:
			skip(t, "another flavour: %s", t.rest)
		case tagOf[t.version] != "":
			skip(t, "the same version as %s", tagOf[t.version])
		default:
			tagOf[t.version] = t.raw
			names = append(names, t.version)
		}
	}
	versions, bad := sweep.ParseVersions(names, "image", line)
	for i, v := range versions {
		versions[i].Raw = tagOf[v.Raw]
	}
	for _, b := range bad {
		skipped = append(skipped, sweep.Skipped{Raw: tagOf[b.Raw], Reason: b.Reason})
	}
	return versions, skipped
}

// attachment is how signatures and the like are hung on an image in registries
// that know no referrers: "sha256-" and the image's digest.
var attachment = regexp.MustCompile(`^sha256-[0-9a-f]{64}(\..*)?$`)

func isAttachment(tag string) bool { return attachment.MatchString(tag) }

// finerTags tells of each version that is the beginning of more precise ones,
// in whatever flavour, one of those: 1.25 of 1.25.3, 8.0-rc of 8.0-rc1.
func finerTags(tags []imageTag) map[string]string {
	finer := map[string]string{}
	add := func(coarse string, t imageTag) {
		if finer[coarse] == "" {
			finer[coarse] = t.raw
		}
	}
	for _, t := range tags {
		numbers := strings.TrimSuffix(t.version, t.label)
		for dot := strings.LastIndexByte(numbers, '.'); dot > 0; dot = strings.LastIndexByte(numbers[:dot], '.') {
			add(numbers[:dot], t)
		}
		if endsInDigit(t.label) {
			add(strings.TrimRight(t.version, "0123456789."), t)
		}
	}
	return finer
}

func endsInDigit(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }

// releasePrecision is how many numbers most releases of a repository have, of
// two that are as frequent the greater; tags that are the beginning of others
// are no releases.
func releasePrecision(tags []imageTag) int {
	finer := finerTags(tags)
	count := map[int]int{}
	seen := map[string]bool{}
	for _, t := range tags {
		if t.version != "" && finer[t.version] == "" && !seen[t.version] {
			seen[t.version] = true
			count[t.numbers]++
		}
	}
	best := 0
	for _, numbers := range slices.Sorted(maps.Keys(count)) {
		if count[numbers] >= count[best] {
			best = numbers
		}
	}
	return best
}

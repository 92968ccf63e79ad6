package runtimes

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"versweep/sweep"
)

// versionForm is the form of the tags that count, as a definition writes it:
// "v{version}", "{version}-{build}", "jetty-{version}[.v{build}]". {version} is
// a release name that begins with a digit, {build} are digits and dots, and
// what is in brackets need not be there.
//
// A build tells releases of one version apart. It is no prerelease, whatever
// stands before it.
type versionForm struct {
	text string
	re   *regexp.Regexp // nil for the empty form, which takes tags by family
}

const (
	formVersion = "{version}"
	formBuild   = "{build}"
)

// parseVersionForm reads a form; the empty one is right too.
func parseVersionForm(text string) (versionForm, error) {
	if text == "" {
		return versionForm{}, nil
	}
	if strings.Count(text, formVersion) != 1 || strings.Count(text, formBuild) > 1 {
		return versionForm{}, fmt.Errorf("%q is no form of tags: it needs %s once and may have %s once", text, formVersion, formBuild)
	}
	// The shortest version that lets the rest match, or a build in brackets
	// would never be seen.
	pattern := strings.NewReplacer(
		`\{version\}`, `(?P<version>[0-9][0-9A-Za-z._+~-]*?)`, `\{build\}`, `(?P<build>[0-9]+(?:\.[0-9]+)*)`, `\[`, `(?:`, `\]`, `)?`,
	).Replace(regexp.QuoteMeta(text))
	re, err := regexp.Compile("^" + pattern + "$")
	if err != nil {
		return versionForm{}, fmt.Errorf("%q is no form of tags: its brackets do not pair", text)
	}
	return versionForm{text: text, re: re}, nil
}

// taggedVersion is a tag read as a version.
type taggedVersion struct {
	sweep.Version
	family string // what the names of its family begin with; "" for the main one
	build  string // empty when the form has none
}

// read reads one tag. The reason says why it is no version.
func (f versionForm) read(tag string, main mainPrefixes, by sweep.LineBy) (v taggedVersion, reason string) {
	if f.re == nil {
		prefix, text, ok := main.split(tag)
		if !ok {
			return v, sweep.ErrNotVersion.Error()
		}
		return parseTagged(tag, text, main.family(prefix), "", by)
	}
	match := f.re.FindStringSubmatch(tag)
	if match == nil {
		if _, _, ok := main.split(tag); !ok {
			return v, sweep.ErrNotVersion.Error()
		}
		return v, "not of the form " + f.text
	}
	build := ""
	if i := f.re.SubexpIndex("build"); i >= 0 {
		build = match[i]
	}
	return parseTagged(tag, match[f.re.SubexpIndex("version")], "", build, by)
}

func parseTagged(tag, text, family, build string, by sweep.LineBy) (taggedVersion, string) {
	// REL_15_2 and curl-7_88_1 count with underscores.
	if !strings.Contains(text, ".") && underscored.MatchString(text) {
		text = strings.ReplaceAll(text, "_", ".")
	}
	v, err := sweep.ParseVersion(text, by)
	if err != nil {
		return taggedVersion{}, err.Error()
	}
	v.Raw = tag
	return taggedVersion{Version: v, family: family, build: build}, ""
}

// versionsOfTags reads a source's tags into versions in version order, each
// with the tag as its raw name, and tells what is left out and why.
//
// With a form, the tags of that form are taken. Without one, tags are sorted
// into families by what stands before the version, and the family with most
// versions is taken: "std/0.81.0" is of another family than "3.2.0". Prefixes
// that say no more than "version" or the project's name make no family of
// their own, since projects change them in mid-history: v3.0.7, 3.1.0 and
// release-3.2.0 are one family.
//
// Of several builds of a version the highest is taken.
func versionsOfTags(tags []string, form versionForm, project []string, source string, by sweep.LineBy) ([]sweep.Version, []sweep.Skipped) {
	main := newMainPrefixes(project)
	var skipped []sweep.Skipped
	families := map[string][]taggedVersion{}
	for _, tag := range slices.Sorted(slices.Values(tags)) {
		v, reason := form.read(tag, main, by)
		if reason != "" {
			skipped = append(skipped, sweep.Skipped{Raw: tag, Reason: reason})
			continue
		}
		v.Source = source
		families[v.family] = append(families[v.family], v)
	}
	chosen := largestFamily(families)
	for _, family := range slices.Sorted(maps.Keys(families)) {
		if family == chosen {
			continue
		}
		name := family + "*"
		if family == "" {
			name = "tags without a name of their own"
		}
		for _, v := range families[family] {
			skipped = append(skipped, sweep.Skipped{Raw: v.Raw, Reason: "another family: " + name})
		}
	}
	versions, superseded := newestBuilds(families[chosen])
	return sweep.SortVersions(versions), append(skipped, superseded...)
}

// largestFamily names the family with most versions; of equal ones the main
// one, or else the first by name.
func largestFamily(families map[string][]taggedVersion) string {
	chosen, most := "", 0
	for _, family := range slices.Sorted(maps.Keys(families)) {
		if n := len(families[family]); n > most {
			chosen, most = family, n
		}
	}
	return chosen
}

// newestBuilds keeps one tag of each version: the one with the highest build.
// Tags without a build are equal; the first by name stays.
func newestBuilds(tags []taggedVersion) ([]sweep.Version, []sweep.Skipped) {
	var skipped []sweep.Skipped
	best := map[string]taggedVersion{}
	for _, v := range tags {
		other, twice := best[v.Name]
		if !twice {
			best[v.Name] = v
			continue
		}
		loser, reason := v, "the same version as "+other.Raw
		if c := compareBuilds(v.build, other.build); c != 0 {
			winner := other
			if c > 0 {
				winner, loser = v, other
			}
			best[v.Name] = winner
			reason = "superseded by build " + winner.Raw
		}
		skipped = append(skipped, sweep.Skipped{Raw: loser.Raw, Reason: reason})
	}
	versions := make([]sweep.Version, 0, len(best))
	for _, v := range best {
		versions = append(versions, v.Version)
	}
	return versions, skipped
}

// compareBuilds orders builds by their numbers, none before any.
func compareBuilds(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(len(a), len(b))
	}
	return sweep.Version{Name: a}.Compare(sweep.Version{Name: b})
}

// mainPrefixes knows the words that make no family of their own.
type mainPrefixes struct{ words []string } // lower case, the longest first

// prefixSeparators part the words before a version.
const prefixSeparators = "-_./@ "

func newMainPrefixes(project []string) mainPrefixes {
	words := []string{"v", "ver", "version", "rel", "release", "releases", "tag", "tags"}
	for _, name := range project {
		if name != "" {
			words = append(words, strings.ToLower(name))
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return mainPrefixes{words}
}

var underscored = regexp.MustCompile(`^[0-9]+(_[0-9]+)+`)

// split finds where the version of a tag begins: at the first number that a dot
// joins to another, or else an underscore, so that x86_64-http2-1.2.3 is 1.2.3.
// A lone number counts only after a main prefix: v5 is a version, my-key2 is
// none.
func (m mainPrefixes) split(tag string) (prefix, text string, ok bool) {
	underscore, lone := -1, -1
	for i := 0; i < len(tag); {
		end := i + len(leadingNumber(tag[i:]))
		if end == i {
			i++
			continue
		}
		joined := leadingNumber(tag[min(end+1, len(tag)):]) != ""
		switch {
		case joined && tag[end] == '.':
			return m.readable(tag, i)
		case joined && tag[end] == '_' && underscore < 0:
			underscore = i
		}
		if lone < 0 {
			lone = i
		}
		i = end
	}
	switch {
	case underscore >= 0:
		return m.readable(tag, underscore)
	case lone >= 0 && m.family(tag[:lone]) == "":
		return m.readable(tag, lone)
	}
	return "", "", false
}

// readable makes sure that what follows the prefix is a version.
func (m mainPrefixes) readable(tag string, start int) (prefix, text string, ok bool) {
	_, err := sweep.ParseVersion(tag[start:], sweep.LineByMajor)
	return tag[:start], tag[start:], err == nil
}

// family names the family of a prefix; "" is the main one.
func (m mainPrefixes) family(prefix string) string {
	rest := strings.ToLower(prefix)
	for {
		rest = strings.TrimLeft(rest, prefixSeparators)
		if rest == "" {
			return ""
		}
		after, known := m.cutWord(rest)
		if !known {
			break
		}
		rest = after
	}
	// std/v0.1 and std/0.2 are one family too.
	if bare := strings.TrimRight(prefix, "vV"); bare != "" && bare != prefix && strings.ContainsRune(prefixSeparators, rune(bare[len(bare)-1])) {
		return bare
	}
	return prefix
}

func (m mainPrefixes) cutWord(text string) (string, bool) {
	for _, w := range m.words {
		if after, ok := strings.CutPrefix(text, w); ok && (after == "" || strings.ContainsRune(prefixSeparators, rune(after[0]))) {
			return after, true
		}
	}
	return text, false
}

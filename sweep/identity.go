package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MovedFrom tells whether v is for sure another build than w of the same name: a
// tag was moved, or a digest is another. What is not known of either counts as
// the same.
func (v Version) MovedFrom(w Version) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return differ(v.Commit, w.Commit) || differ(v.Digest, w.Digest)
}

// Identity is what tells v from other builds of its name, for people: the
// beginning of its commit or digest; empty when unknown.
func (v Version) Identity() string {
	const shown = 12
	id := v.Commit
	if id == "" {
		id = v.Digest
	}
	kind, rest, cut := strings.Cut(id, ":")
	if cut {
		return kind + ":" + rest[:min(shown, len(rest))]
	}
	return id[:min(shown, len(id))]
}

// replacedAt tells of the versions that were moved since when each is the build that
// it is: when the first sweep of that began.
func replacedAt(sweeps []Sweep) map[string]time.Time {
	is, at := map[string]Version{}, map[string]time.Time{}
	for _, sw := range slices.SortedStableFunc(slices.Values(sweeps), func(a, b Sweep) int { return cmp.Compare(a.ID, b.ID) }) {
		for _, v := range sw.Plan.Versions {
			was, known := is[v.Name]
			if known && v.MovedFrom(was) {
				at[v.Name] = sw.Created
			} else if known {
				v = v.withIdentityOf(was)
			}
			is[v.Name] = v
		}
	}
	return at
}

// withIdentityOf is v with what is known of the same build under the same name.
func (v Version) withIdentityOf(w Version) Version {
	v.Commit, v.Digest = cmp.Or(v.Commit, w.Commit), cmp.Or(v.Digest, w.Digest)
	return v
}

// asTheyAre leaves out of sweeps, oldest first, the samples of versions that have
// been moved since: under one name only the newest build counts. Sweeps that lose
// none are shared with the list given.
func asTheyAre(sweeps []Sweep) (kept []Sweep, warnings []string) {
	newest := map[string]Version{}
	var names []string // of those that moved, in the order in which it was seen
	left := map[string]int{}
	for _, sw := range slices.Backward(sweeps) {
		var former []string
		for _, v := range sw.Plan.Versions {
			is, known := newest[v.Name]
			switch {
			case !known:
				newest[v.Name] = v
			case is.MovedFrom(v):
				former = append(former, v.Name)
			default:
				newest[v.Name] = is.withIdentityOf(v)
			}
		}
		if len(former) > 0 {
			isFormer := func(version string) bool { return slices.Contains(former, version) }
			for _, s := range LastAttempts(sw.Samples) {
				if !isFormer(s.Version) || !s.counts() {
					continue
				}
				if left[s.Version] == 0 {
					names = append(names, s.Version)
				}
				left[s.Version]++
			}
			sw.Samples = slices.DeleteFunc(slices.Clone(sw.Samples), func(s Sample) bool { return isFormer(s.Version) })
			sw.Outcomes = slices.DeleteFunc(slices.Clone(sw.Outcomes), func(o Outcome) bool { return isFormer(o.Version) })
		}
		kept = append(kept, sw)
	}
	slices.Reverse(kept)
	for _, name := range names {
		samples := "samples"
		if left[name] == 1 {
			samples = "sample"
		}
		warnings = append(warnings, fmt.Sprintf("%s was moved to another build: %d %s of the former one left out", name, left[name], samples))
	}
	return kept, warnings
}

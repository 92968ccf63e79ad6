package sweep

import (
	"fmt"
	"slices"
	"strings"
)

// Per thins a selection: the newest of each is kept.
type Per string

const (
	PerLine  Per = "line"  // one version a line: 18.x
	PerMinor Per = "minor" // one version a minor release: 18.20
	PerPatch Per = "patch" // every version
)

// Selection picks the versions of a sweep from those discovered.
type Selection struct {
	Range       string // "" is everything; see ParseRange
	Per         Per
	Prereleases bool // take prereleases that no term names
}

// Chosen is what a Selection took and what it left.
type Chosen struct {
	Versions []Version // in version order
	Missing  []string  // releases that the range names but that were not found
	Empty    []string  // terms of the range that matched nothing

	// How many were left out, each counted once and in this order.
	OutOfRange  int
	Prereleases int
	Thinned     int
}

// Choose applies the selection to versions in version order. A version that
// the range names in full is taken whatever Per and Prereleases say.
func (s Selection) Choose(found []Version) (Chosen, error) {
	r, err := ParseRange(s.Range)
	if err != nil {
		return Chosen{}, err
	}
	var c Chosen
	named := r.named(found)
	in := make([]Version, 0, len(found))
	for _, v := range found {
		switch {
		case named[v.Name]:
			in = append(in, v)
		case !r.contains(v, found):
			c.OutOfRange++
		case v.Prerelease && !s.Prereleases:
			c.Prereleases++
		default:
			in = append(in, v)
		}
	}
	newest := map[string]string{}
	for _, v := range in {
		newest[s.Per.group(v)] = v.Name // later ones are newer
	}
	for _, v := range in {
		if named[v.Name] || newest[s.Per.group(v)] == v.Name {
			c.Versions = append(c.Versions, v)
		} else {
			c.Thinned++
		}
	}
	for _, t := range r.alternatives {
		if slices.ContainsFunc(found, func(v Version) bool { return t.contains(v, found) }) {
			continue
		}
		if t.full() {
			c.Missing = append(c.Missing, t.text)
		} else {
			c.Empty = append(c.Empty, t.text)
		}
	}
	return c, nil
}

func (p Per) group(v Version) string {
	numbers := orderOf(v.Name).numbers
	switch p {
	case PerLine:
		return v.Line
	case PerMinor:
		return strings.Join(numbers[:min(2, len(numbers))], ".")
	}
	return v.Name
}

// Left says in words what was left out, for plans and error messages; empty
// when nothing was.
func (c Chosen) Left() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.OutOfRange, "out of range"}, {c.Prereleases, "prereleases"}, {c.Thinned, "thinned by --per"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return strings.Join(parts, ", ")
}

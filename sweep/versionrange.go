package sweep

import (
	"fmt"
	"slices"
	"strings"
)

// Range is a parsed range of versions.
type Range struct {
	alternatives []conjunction // any of them
}

// conjunction is a run of comparisons that must all hold.
type conjunction struct {
	text        string
	comparisons []comparison
}

// comparison is one bound. A bound without a label ignores labels, and one
// with fewer numbers ignores the rest: <23 leaves out 23.0.0-rc.1.
type comparison struct {
	op    string // "", ">=", ">", "<=", "<", "=", "!=", "^", "~", "latest", "any"
	order order
}

// RangeError tells what is wrong with a range.
type RangeError struct{ Range, Term, Problem string }

func (e *RangeError) Error() string {
	return fmt.Sprintf("version range %q: %s: %q", e.Range, e.Problem, e.Term)
}

var rangeOperators = []string{">=", "<=", "!=", ">", "<", "=", "^", "~"}

// ParseRange reads a range of versions. Terms parted by commas or || are
// alternatives; comparisons parted by blanks must all hold. A comparison is an
// operator (>= > <= < = != ^ ~) and a version of one or more numbers, a bare
// version ("18" is all of 18.x, "20.11.1" that release, "0.10.x" a line),
// "latest" (the newest stable release) or "*". The empty range is everything.
func ParseRange(text string) (Range, error) {
	var r Range
	if strings.TrimSpace(text) == "" {
		return Range{[]conjunction{{"*", []comparison{{op: "any"}}}}}, nil
	}
	for alt := range strings.SplitSeq(strings.ReplaceAll(text, "||", ","), ",") {
		c := conjunction{text: strings.TrimSpace(alt)}
		fields := strings.Fields(alt)
		for i := 0; i < len(fields); i++ {
			term := fields[i]
			if slices.Contains(rangeOperators, term) && i+1 < len(fields) {
				i++
				term += fields[i] // ">= 18"
			}
			cmp, problem := parseComparison(term)
			if problem != "" {
				return Range{}, &RangeError{text, term, problem}
			}
			c.comparisons = append(c.comparisons, cmp)
		}
		if len(c.comparisons) == 0 {
			return Range{}, &RangeError{text, alt, "a term is empty"}
		}
		r.alternatives = append(r.alternatives, c)
	}
	return r, nil
}

func parseComparison(term string) (c comparison, problem string) {
	switch strings.ToLower(term) {
	case "latest":
		return comparison{op: "latest"}, ""
	case "*", "x":
		return comparison{op: "any"}, ""
	}
	rest := term
	for _, op := range rangeOperators {
		if after, ok := strings.CutPrefix(term, op); ok {
			c.op, rest = op, after
			break
		}
	}
	for cut := true; cut; { // 0.10.x and 18.* are 0.10 and 18
		rest, cut = cutWildcard(rest)
	}
	v, err := ParseVersion(rest, LineByMajor)
	if err != nil {
		return comparison{}, "not a version"
	}
	c.order = orderOf(v.Name)
	return c, ""
}

func cutWildcard(s string) (string, bool) {
	for _, w := range []string{".x", ".X", ".*"} {
		if before, ok := strings.CutSuffix(s, w); ok {
			return before, true
		}
	}
	return s, false
}

// contains tells whether v is in the range; found, in version order, says
// what "latest" is.
func (r Range) contains(v Version, found []Version) bool {
	return slices.ContainsFunc(r.alternatives, func(c conjunction) bool { return c.contains(v, found) })
}

// named returns the versions that a term of the range means alone: a full
// version, or "latest".
func (r Range) named(found []Version) map[string]bool {
	named := map[string]bool{}
	for _, c := range r.alternatives {
		if len(c.comparisons) != 1 {
			continue
		}
		if op := c.comparisons[0].op; op != "" && op != "=" && op != "latest" {
			continue
		}
		var matches []Version
		for _, v := range found {
			if c.contains(v, found) {
				matches = append(matches, v)
			}
		}
		if i := slices.IndexFunc(matches, func(v Version) bool { return c.means(v) }); i >= 0 {
			named[matches[i].Name] = true
		}
	}
	return named
}

// full tells whether c can only mean one release: three numbers or a label.
func (c conjunction) full() bool {
	only := c.comparisons[0]
	return len(c.comparisons) == 1 && (only.op == "" || only.op == "=") &&
		(len(only.order.numbers) >= 3 || len(only.order.label) > 0)
}

// means tells whether c, which contains v, is v's own name.
func (c conjunction) means(v Version) bool {
	if c.comparisons[0].op == "latest" {
		return true
	}
	return c.full() && orderOf(v.Name).compare(c.comparisons[0].order) == 0
}

func (c conjunction) contains(v Version, found []Version) bool {
	for _, cmp := range c.comparisons {
		if !cmp.contains(v, found) {
			return false
		}
	}
	return true
}

func (c comparison) contains(v Version, found []Version) bool {
	switch c.op {
	case "any":
		return true
	case "latest":
		latest, ok := Latest(found)
		return ok && latest.Name == v.Name
	}
	o := orderOf(v.Name)
	bound := c.bound(o)
	switch c.op {
	case "", "=":
		return bound == 0
	case "!=":
		return bound != 0
	case ">=":
		return bound >= 0
	case ">":
		return bound > 0
	case "<=":
		return bound <= 0
	case "<":
		return bound < 0
	case "^":
		return bound >= 0 && samePrefix(o.numbers, c.order.numbers, caretLength(c.order.numbers))
	case "~":
		return bound >= 0 && samePrefix(o.numbers, c.order.numbers, min(2, len(c.order.numbers)))
	}
	return false
}

// bound compares a version with the bound, no more precisely than the bound
// was written.
func (c comparison) bound(o order) int {
	if len(c.order.label) > 0 {
		return o.compare(c.order)
	}
	return compareNumbers(o.numbers[:min(len(o.numbers), len(c.order.numbers))], c.order.numbers)
}

// caretLength is how many numbers ^ keeps: up to the first that is not 0.
func caretLength(numbers []string) int {
	for i, n := range numbers {
		if n != "0" {
			return i + 1
		}
	}
	return len(numbers)
}

func samePrefix(a, b []string, n int) bool {
	return compareNumbers(a[:min(n, len(a))], b[:min(n, len(b))]) == 0
}

// Latest is the newest version that is not a prerelease; found is in version
// order.
func Latest(found []Version) (Version, bool) {
	for _, v := range slices.Backward(found) {
		if !v.Prerelease {
			return v, true
		}
	}
	return Version{}, false
}

package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Version is one release on the version axis. The zero value is not a
// version; ParseVersion makes one.
type Version struct {
	Name       string `json:"version"`    // without prefix: "18.20.8"
	Raw        string `json:"raw"`        // as the source has it: "v18.20.8"
	Source     string `json:"source"`     // "npm"
	Line       string `json:"line"`       // "18.x", "0.10.x"
	Prerelease bool   `json:"prerelease"` // has a label such as -rc.1
	Commit     string `json:"commit"`     // git commit; empty when unknown
	Digest     string `json:"digest"`     // integrity hash or image digest; empty when unknown
}

// ErrNotVersion is returned for a name that does not begin with a number.
var ErrNotVersion = errors.New("not a version")

// LineBy says how many numbers tell lines of releases apart.
type LineBy string

const (
	// LineByMajor is 18.x; before 1.0 the second number leads: 0.10.x.
	LineByMajor LineBy = "major"
	// LineByMinor is 1.21.x, for projects whose second number counts releases.
	LineByMinor LineBy = "minor"
)

// maxVersionLength bounds names from outside; real ones stay far below.
const maxVersionLength = 128

// ParseVersion reads a release name such as "v18.20.8", "10.1.0-M2",
// "5.0.0.beta1" or "1.0.0beta". It returns ErrNotVersion for names such as
// "nightly", and for any character that no release name has.
func ParseVersion(raw string, by LineBy) (Version, error) {
	name := raw
	if len(name) > 1 && (name[0] == 'v' || name[0] == 'V') {
		name = name[1:]
	}
	if len(name) > maxVersionLength || strings.ContainsFunc(name, notVersionRune) {
		return Version{}, ErrNotVersion
	}
	o := orderOf(name)
	if len(o.numbers) == 0 {
		return Version{}, ErrNotVersion
	}
	return Version{Name: name, Raw: raw, Line: lineOf(o.numbers, by), Prerelease: len(o.label) > 0}, nil
}

func notVersionRune(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(".-_+~", r))
}

func lineOf(numbers []string, by LineBy) string {
	part := func(i int) string {
		if i < len(numbers) {
			return numbers[i]
		}
		return "0"
	}
	if by == LineByMinor || part(0) == "0" {
		return part(0) + "." + part(1) + ".x"
	}
	return part(0) + ".x"
}

// Compare orders versions: negative when v comes before w.
//
// Numbers compare as numbers, missing ones as 0. A version with a label comes
// before the one without. Labels compare piece by piece, digits as numbers and
// before words, words without regard to case: alpha5 < alpha11 < RC2 < rc9 <
// rc10. This departs from SemVer 2.0.0 §11, which compares rc9 and rc10 as
// text and puts upper case first, because real projects count the way people
// do. What is left equal is ordered by name, so that the order is total.
func (v Version) Compare(w Version) int {
	if c := orderOf(v.Name).compare(orderOf(w.Name)); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(v.Name, w.Name), cmp.Compare(v.Raw, w.Raw))
}

// SortVersions returns the versions in version order, oldest first.
func SortVersions(vs []Version) []Version {
	orders := make(map[string]order, len(vs))
	for _, v := range vs {
		orders[v.Name] = orderOf(v.Name)
	}
	return slices.SortedFunc(slices.Values(vs), func(v, w Version) int {
		return cmp.Or(orders[v.Name].compare(orders[w.Name]), cmp.Compare(v.Name, w.Name), cmp.Compare(v.Raw, w.Raw))
	})
}

// order is the ordering key of a version: its numbers and the pieces of its
// label. Numbers stay text, since build dates outgrow every integer type.
type order struct {
	numbers []string // without leading zeros
	label   []string // digits, or a word in lower case
}

func orderOf(name string) order {
	name, _, _ = strings.Cut(name, "+") // build metadata does not order
	var o order
	rest := name
	for {
		digits := leadingDigits(rest)
		if digits == "" {
			break
		}
		o.numbers = append(o.numbers, trimZeros(digits))
		rest = rest[len(digits):]
		if len(rest) < 2 || rest[0] != '.' || leadingDigits(rest[1:]) == "" {
			break
		}
		rest = rest[1:]
	}
	if len(o.numbers) > 0 {
		o.label = labelPieces(rest)
	}
	return o
}

// labelPieces cuts "-RC.2" into "rc" and "2".
func labelPieces(label string) []string {
	var pieces []string
	for label != "" {
		if digits := leadingDigits(label); digits != "" {
			pieces = append(pieces, trimZeros(digits))
			label = label[len(digits):]
			continue
		}
		end := strings.IndexAny(label, "0123456789.-_~")
		switch end {
		case 0:
			label = label[1:] // a separator
			continue
		case -1:
			end = len(label)
		}
		pieces = append(pieces, strings.ToLower(label[:end]))
		label = label[end:]
	}
	return pieces
}

func (o order) compare(p order) int {
	if c := compareNumbers(o.numbers, p.numbers); c != 0 {
		return c
	}
	if len(o.label) == 0 || len(p.label) == 0 {
		return cmp.Compare(len(p.label), len(o.label)) // no label comes last
	}
	return slices.CompareFunc(o.label, p.label, comparePiece)
}

// compareNumbers compares number by number; missing ones are 0.
func compareNumbers(a, b []string) int {
	for i := range max(len(a), len(b)) {
		x, y := "0", "0"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if c := compareDigits(x, y); c != 0 {
			return c
		}
	}
	return 0
}

func comparePiece(a, b string) int {
	switch aDigits, bDigits := isDigit(a[0]), isDigit(b[0]); {
	case aDigits && bDigits:
		return compareDigits(a, b)
	case aDigits:
		return -1
	case bDigits:
		return 1
	}
	return cmp.Compare(a, b)
}

// compareDigits compares numbers of any size, written without leading zeros.
func compareDigits(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func leadingDigits(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return s
	}
	return s[:end]
}

func trimZeros(digits string) string {
	if t := strings.TrimLeft(digits, "0"); t != "" {
		return t
	}
	return "0"
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Skipped is a name that a source had but that is not on the version axis.
type Skipped struct {
	Raw    string `json:"raw"`
	Reason string `json:"reason"`
}

// ParseVersions reads a source's names into versions in version order, all
// found under source. Names that are not versions, and names that come twice,
// are skipped and told.
func ParseVersions(names []string, source string, by LineBy) ([]Version, []Skipped) {
	var versions []Version
	var skipped []Skipped
	seen := make(map[string]string, len(names))
	for _, raw := range names {
		v, err := ParseVersion(raw, by)
		if err != nil {
			skipped = append(skipped, Skipped{raw, err.Error()})
			continue
		}
		if first, twice := seen[v.Name]; twice {
			skipped = append(skipped, Skipped{raw, fmt.Sprintf("the same version as %s", first)})
			continue
		}
		seen[v.Name] = raw
		v.Source = source
		versions = append(versions, v)
	}
	return SortVersions(versions), skipped
}

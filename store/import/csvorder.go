package imports

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"versweep/sweep"
)

// order puts a series' versions in order: it returns them, for each version of
// s.versions its place among them, and whether the order is the file's.
//
// Names that are no versions are kept in the order of the file, since text has
// none that means anything: nightly-9 would come after nightly-10.
func (s *csvSeries) order(o Order) (ordered []sweep.Version, place []int, listed bool, err error) {
	switch o {
	case OrderFile:
		listed = true
	case OrderVersion:
		err = s.allParsed("--order file keeps the order of the file")
	default:
		listed = s.parsed == 0 || s.commits()
		if !listed {
			err = s.allParsed("they have no common order; --order file keeps that of the file")
		}
	}
	if err != nil {
		return nil, nil, false, err
	}
	ordered = slices.Clone(s.versions)
	if !listed {
		ordered = sweep.SortVersions(ordered)
	}
	at := make(map[string]int, len(ordered))
	for i := range ordered {
		v := &ordered[i]
		at[v.Name] = i
		if listed && s.commits() {
			v.Line, v.Prerelease = "", false
		}
		// A date is read as a year with a label.
		if _, err := time.Parse(time.DateOnly, v.Name[:min(len(v.Name), len(time.DateOnly))]); err == nil {
			v.Prerelease = false
		}
	}
	for _, v := range s.versions {
		place = append(place, at[v.Name])
	}
	return ordered, place, listed, nil
}

// allParsed fails when a name is no version.
func (s *csvSeries) allParsed(hint string) error {
	not, is := -1, -1
	for i, v := range s.versions {
		if _, err := sweep.ParseVersion(v.Raw, sweep.LineByMajor); err != nil && not < 0 {
			not = i
		} else if err == nil && is < 0 {
			is = i
		}
	}
	if not < 0 {
		return nil
	}
	why := csvQuote(s.versions[not].Raw) + " is not a version"
	if is >= 0 {
		why += fmt.Sprintf(", and %s in line %d is one", csvQuote(s.versions[is].Raw), s.lines[is])
	}
	return &CSVError{Line: s.lines[not], Why: why, Hint: hint}
}

// commits tells whether all names are hashes of commits. Some of those begin
// with a digit, as versions do.
func (s *csvSeries) commits() bool {
	letters := false
	for _, v := range s.versions {
		if len(v.Raw) < 7 || len(v.Raw) > 64 || strings.Trim(v.Raw, "0123456789abcdef") != "" {
			return false
		}
		letters = letters || strings.ContainsAny(v.Raw, "abcdef")
	}
	return letters
}

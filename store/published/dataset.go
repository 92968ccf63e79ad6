// Package published holds the figures of the benchmark posts that this project
// began with, each under a short name: what was measured, by whom, with which
// load and on which machine.
//
// A dataset is two files of this folder. NAME.csv has the figures, one a row, in
// the long form that versweep's CSV has everywhere; an empty value is unknown.
// NAME.json says where they come from, what the short names of profiles and
// environments mean, and why figures are unknown. Read reading.go for what the
// files are held to, and sweeps.go for how figures become sweeps.
package published

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"versweep/sweep"
)

//go:embed *.csv *.json
var files embed.FS

// Dataset is the figures of one post, or of one table of it.
type Dataset struct {
	Name   string   `json:"-"`      // short: "node-0.1-0.9"
	Title  string   `json:"title"`  // for people
	Source string   `json:"source"` // the post, its author and place as far as it names them
	URL    string   `json:"url"`    // empty when unknown
	Date   string   `json:"date"`   // "2011-05-16" or "2014-05"; empty when unknown
	Notes  []string `json:"notes"`  // doubts and irregularities, one line each

	Systems      map[string]System      `json:"systems"`      // by Row.Target
	Profiles     map[string]string      `json:"profiles"`     // the load in words, by Row.Profile
	Environments map[string]Environment `json:"environments"` // by Row.Environment
	Metrics      []sweep.Metric         `json:"metrics"`      // those that are not in sweep.Metrics
	Unknown      []Unknown              `json:"unknown"`      // versions without a figure

	Rows []Row `json:"-"` // in the order of the post
}

// System is what was measured.
type System struct {
	Title      string            `json:"title"`
	Line       sweep.LineBy      `json:"line"`       // major when empty
	Commit     string            `json:"commit"`     // of the one version that is no release
	Components map[string]string `json:"components"` // what it ran on, by name
}

// Environment is a machine as far as it is described; the rest is zero.
type Environment struct {
	Name   string `json:"name"`
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	OS     string `json:"os"`
	Memory int64  `json:"memory_bytes"`
}

// Unknown says why versions of a system have no figure at all.
type Unknown struct {
	System   string   `json:"system"`
	Versions []string `json:"versions"`
	Reason   string   `json:"reason"`
}

// Row is one figure.
type Row struct {
	Target, Profile, Environment string
	Version                      string // empty when the post does not give it
	Round                        int    // from 1
	Metric                       string // key
	Value                        float64
	Known                        bool // false where the post has no figure; Value is 0 then
	Unit                         string
}

// UnknownError says that there is no dataset of a name.
type UnknownError struct {
	Name    string
	Nearest string   // the name that is probably meant; empty when none is near
	Names   []string // all there are
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown published figures %q", e.Name)
}

// Of is the dataset with the rows of one target alone and, when parts are given,
// with those only whose profile or environment each part names. It may have none.
func (d Dataset) Of(target string, parts ...string) Dataset {
	d.Rows = slices.DeleteFunc(slices.Clone(d.Rows), func(row Row) bool {
		if row.Target != target {
			return true
		}
		return slices.ContainsFunc(parts, func(part string) bool { return row.Profile != part && row.Environment != part })
	})
	return d
}

// Names lists the datasets in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // an embedded folder can always be listed
	}
	var names []string
	for _, entry := range entries {
		if name, ok := strings.CutSuffix(entry.Name(), ".csv"); ok {
			names = append(names, name)
		}
	}
	return names
}

// All reads every dataset, in alphabetical order of their names.
func All() ([]Dataset, error) {
	var all []Dataset
	for _, name := range Names() {
		d, err := read(files, name)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Find reads one dataset. It fails with an *UnknownError when there is none of
// that name.
func Find(name string) (Dataset, error) {
	names := Names()
	if slices.Contains(names, name) {
		return read(files, name)
	}
	return Dataset{}, &UnknownError{Name: name, Nearest: nearest(name, names), Names: names}
}

// nearest is the name that begins most like the wanted one, for at least half of
// that, or else one that has all of it inside: these names are cut short more
// often than they are misspelt. Only letters and digits count.
func nearest(wanted string, names []string) string {
	wanted = plain(wanted)
	if wanted == "" {
		return ""
	}
	best, longest := "", (len(wanted)-1)/2
	for _, name := range names {
		if n := commonPrefix(plain(name), wanted); n > longest {
			best, longest = name, n
		}
	}
	if best != "" {
		return best
	}
	for _, name := range names {
		if strings.Contains(plain(name), wanted) {
			return name
		}
	}
	return ""
}

func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// commonPrefix is how many bytes a and b begin with in common.
func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

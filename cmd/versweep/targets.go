package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"versweep/docs"
	"versweep/runtimes"
	"versweep/runtimes/strictyaml"
	"versweep/sweep"
)

func (a *app) targetsCommand() *cobra.Command {
	targets := &cobra.Command{
		Use:     "targets",
		Short:   "List what can be swept: the catalogue's targets and your own",
		Example: "  versweep targets show node",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.listTargets()
		},
	}
	targets.AddCommand(&cobra.Command{
		Use:     "show NAME",
		Short:   "Check the definition of one target and print it",
		Example: "  versweep targets show node",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			catalog, err := a.openCatalog()
			if err != nil {
				return err
			}
			if _, err := a.findTarget(args[0]); err != nil {
				return err
			}
			text, err := catalog.Text(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.stdout, text)
			return err
		},
	}, &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON schema of target.yaml, for editors",
		Example: "  versweep targets schema >target.schema.json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(docs.TargetSchema)
			return err
		},
	})
	return targets
}

// targetJSON is one row of the list of targets. What a definition with a
// problem says about itself is null.
type targetJSON struct {
	Target   string          `json:"target"`
	Origin   runtimes.Origin `json:"origin"`
	Path     *string         `json:"path"`   // of target.yaml; null for the catalogue's
	Hidden   bool            `json:"hidden"` // yours of the same name counts
	Title    *string         `json:"title"`
	Homepage *string         `json:"homepage"`
	Sources  []string        `json:"sources"`
	About    *string         `json:"about"`
	Variants []string        `json:"variants"`
	Problem  *string         `json:"problem"`  // what is wrong with the definition
	Untested *string         `json:"untested"` // why nobody has run it yet
}

func (a *app) listTargets() error {
	catalog, err := a.openCatalog()
	if err != nil {
		return err
	}
	for _, odd := range catalog.Odd() {
		a.warn("%q is not read: %s", filepath.Join(a.targetFolder(), odd.Raw), odd.Reason)
	}
	list := []targetJSON{}
	for _, e := range catalog.Entries() {
		t := targetJSON{Target: e.Name, Origin: e.Origin, Path: orNull(e.File), Hidden: e.Hidden, Sources: []string{}, Variants: []string{}}
		d, err := catalog.Read(e)
		switch {
		case err != nil:
			problem := runtimes.WithoutSecrets(err.Error())
			t.Problem = orNull(problem)
			if wrong, ok := errors.AsType[*strictyaml.Error](err); ok && wrong.Line > 0 {
				problem += "; versweep targets show " + e.Name + " shows the place"
			}
			a.warn("%s", problem)
		default:
			t.Title, t.Homepage, t.About, t.Untested = &d.Title, orNull(d.Homepage), &d.About, orNull(d.Untested)
			t.Sources, t.Variants = d.SourceNames(), append([]string{}, slices.Sorted(maps.Keys(d.Variants))...)
		}
		list = append(list, t)
	}
	if a.json {
		return a.printJSON(struct {
			Schema  int          `json:"schema"`
			Targets []targetJSON `json:"targets"`
		}{jsonSchema, list})
	}
	return writeTargets(a.stdout, list)
}

// targetsWidth is how wide the list of targets is at most, in columns of a
// terminal.
const targetsWidth = 100

// writeTargets writes each target's name and sources, with what it is and why
// it is untested broken into lines beside them.
func writeTargets(w io.Writer, list []targetJSON) error {
	const gap = 2
	left := 2 * gap
	for _, column := range []func(targetJSON) string{
		func(t targetJSON) string { return t.Target },
		func(t targetJSON) string { return strings.Join(t.Sources, ", ") },
	} {
		widest := 0
		for _, t := range list {
			widest = max(widest, len(column(t)))
		}
		left += widest
	}
	table := tabwriter.NewWriter(w, 0, 0, gap, ' ', 0)
	for _, t := range list {
		if t.Problem != nil {
			continue // told in a warning
		}
		name, sources := t.Target, strings.Join(t.Sources, ", ")
		for _, line := range t.describe(targetsWidth - left) {
			fmt.Fprintf(table, "%s\t%s\t%s\n", name, sources, line)
			name, sources = "", ""
		}
	}
	return table.Flush()
}

// describe says in lines of at most width characters what the target is.
func (t targetJSON) describe(width int) []string {
	lines := wrap(strings.TrimSuffix(*t.Title+": "+*t.About, ": "), width)
	if len(t.Variants) > 0 {
		names := make([]string, len(t.Variants))
		for i, v := range t.Variants {
			names[i] = t.Target + ":" + v
		}
		lines = append(lines, wrap("Also "+strings.Join(names, ", "), width)...)
	}
	if t.Untested != nil {
		lines = append(lines, wrap("Untested: "+*t.Untested, width)...)
	}
	switch {
	case t.Hidden:
		lines = append(lines, "Of the catalogue; yours counts in its place")
	case t.Path != nil:
		lines = append(lines, "Yours, in "+*t.Path)
	}
	return lines
}

// wrap breaks text between words into lines of at most width characters; a
// longer word has a line to itself.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// jsonSchema is the version of every JSON document that versweep prints.
const jsonSchema = 1

func (a *app) printJSON(document any) error { return writeJSON(a.stdout, document) }

func writeJSON(w io.Writer, document any) error { return sweep.WriteJSON(w, document) }

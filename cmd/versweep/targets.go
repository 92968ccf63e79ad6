package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"versweep/docs"
	"versweep/runtimes"
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
	Untested *string         `json:"untested"`
	Problem  *string         `json:"problem"` // what is wrong with the definition
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
		t := targetJSON{Target: e.Name, Origin: e.Origin, Path: orNull(e.File), Hidden: e.Hidden, Sources: []string{}}
		d, err := catalog.Read(e)
		switch {
		case err != nil:
			problem := err.Error()
			t.Problem = orNull(problem)
			if wrong, ok := errors.AsType[*runtimes.DefinitionError](err); ok && wrong.Line > 0 {
				problem += "; versweep targets show " + e.Name + " shows the place"
			}
			a.warn("%s", problem)
		default:
			t.Title, t.Homepage, t.About, t.Untested = &d.Title, orNull(d.Homepage), orNull(d.About), orNull(d.Untested)
			t.Sources = d.SourceNames()
		}
		list = append(list, t)
	}
	if a.json {
		return a.printJSON(struct {
			Schema  int          `json:"schema"`
			Targets []targetJSON `json:"targets"`
		}{jsonSchema, list})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, t := range list {
		if t.Problem == nil {
			fmt.Fprintf(w, "%s\t%s\t%s\tfrom %s\t%s\n", t.Target, t.whose(), *t.Title, strings.Join(t.Sources, ", "), t.remark())
		}
	}
	return w.Flush()
}

func (t targetJSON) whose() string {
	if t.Hidden {
		return string(t.Origin) + ", hidden by yours"
	}
	return string(t.Origin)
}

func (t targetJSON) remark() string {
	about := ""
	if t.About != nil {
		about = *t.About
	}
	if t.Untested != nil {
		about = strings.TrimSpace(about + " Untested: " + *t.Untested)
	}
	return about
}

// jsonSchema is the version of every JSON document that versweep prints.
const jsonSchema = 1

func (a *app) printJSON(document any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"versweep/runtimes"
)

func (a *app) targetsCommand() *cobra.Command {
	targets := &cobra.Command{
		Use:     "targets",
		Short:   "List what can be swept",
		Example: "  versweep targets show node",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.listTargets()
		},
	}
	targets.AddCommand(&cobra.Command{
		Use:   "show NAME",
		Short: "Print the definition of one target",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			catalog, err := runtimes.EmbeddedCatalog()
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
	})
	return targets
}

func (a *app) listTargets() error {
	catalog, err := runtimes.EmbeddedCatalog()
	if err != nil {
		return err
	}
	type target struct {
		Target   string   `json:"target"`
		Title    string   `json:"title"`
		Homepage string   `json:"homepage"`
		Sources  []string `json:"sources"`
		About    string   `json:"about"`
	}
	var list []target
	for _, name := range catalog.Names() {
		d, err := catalog.Find(name)
		if err != nil {
			return err
		}
		list = append(list, target{d.Name, d.Title, d.Homepage, d.SourceNames(), d.About})
	}
	if a.json {
		return a.printJSON(struct {
			Schema  int      `json:"schema"`
			Targets []target `json:"targets"`
		}{jsonSchema, list})
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, t := range list {
		fmt.Fprintf(w, "%s\t%s\tfrom %s\t%s\n", t.Target, t.Title, strings.Join(t.Sources, ", "), t.About)
	}
	return w.Flush()
}

// jsonSchema is the version of every JSON document that versweep prints.
const jsonSchema = 1

func (a *app) printJSON(document any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(document)
}

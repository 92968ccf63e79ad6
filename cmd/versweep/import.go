package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/store"
	imports "versweep/store/import"
	"versweep/sweep"
)

func (a *app) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FORMAT [VERSION=]FILE…",
		Short: "Take in results that another tool measured",
		Long: `import stores results that were measured elsewhere, so that they can be printed,
drawn and judged. They are series of their own and never mixed with measured ones.
Tables, csv and markdown, come as one FILE; reports of tools as one or more.
docs/import.md has the rules, docs/formats.md what is read of each tool.`,
		Example: `  versweep import csv nightly.csv --target x
  versweep import wrk --target x 1.0=wrk-1.0.txt 1.1=wrk-1.1.txt
  versweep import published`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownFormat,
		// Flags belong to the formats: what is wrong is told by the format's name.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	cmd.AddCommand(a.importCSVCommand(), a.importMarkdownCommand(), a.importPublishedCommand(), a.importAutoCommand())
	for _, format := range imports.Formats() {
		cmd.AddCommand(a.importToolCommand(format))
	}
	return cmd
}

// unknownFormat is what a command does whose formats are commands below it,
// when it is called by itself.
func unknownFormat(cmd *cobra.Command, args []string) error {
	var formats []string
	for _, c := range cmd.Commands() {
		formats = append(formats, c.Name())
	}
	hint := "known are " + strings.Join(formats, ", ")
	if len(args) == 0 {
		return misuse(hint, "there is no format to %s", cmd.Name())
	}
	return misuse(hint, "unknown format %q", args[0])
}

// storeImported stores sweeps, all or none of them, and says what became of each.
// again is whether to store what is there already.
func (a *app) storeImported(ctx context.Context, sweeps []sweep.Sweep, again bool) error {
	st, err := openStore(ctx, a.db)
	if err != nil {
		return err
	}
	defer st.Close()
	stored, err := st.ImportSweeps(ctx, sweeps, again, a.now())
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(newImportJSON(sweeps, stored))
	}
	for i, sw := range sweeps {
		a.printImported(sw, stored[i])
	}
	return nil
}

// openInput opens a file to import, or standard input for -. name is what messages
// call it, base what is kept as the origin of the numbers.
func (a *app) openInput(file string) (in io.ReadCloser, name, base string, err error) {
	if file == "-" {
		return io.NopCloser(a.stdin), "standard input", "standard input", nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, "", "", fmt.Errorf("importing %s: %w", file, errors.Unwrap(err))
	}
	return f, file, filepath.Base(file), nil
}

// importTrouble names the file, and says what to do; nil stays nil.
func importTrouble(name string, err error) error {
	if err == nil {
		return nil
	}
	told := fmt.Errorf("importing %s: %w", name, err)
	switch e, ok := errors.AsType[*imports.CSVError](err); {
	case !ok:
		return told
	case e.Options:
		return misuse(e.Hint, "%v", told)
	default:
		return &hintedError{told, e.Hint}
	}
}

func (a *app) printImported(sw sweep.Sweep, was store.Imported) {
	p := sw.Plan
	if was.Already {
		fmt.Fprintf(a.stdout, "%s: already imported as sweep %d, on %s; --force imports it again\n",
			charts.Printable(seriesName(sw)), was.ID, was.At.Local().Format("2 January 2006 at 15:04"))
		return
	}
	fmt.Fprintf(a.stdout, "%s: imported as sweep %d, %s, %s", charts.Printable(seriesName(sw)), was.ID,
		english.Plural(len(p.Versions), "version", ""), english.Plural(len(sw.Samples), "sample", ""))
	if n := skippedVersions(sw); n > 0 {
		fmt.Fprintf(a.stdout, ", %s without a value", english.Plural(n, "version", ""))
	}
	fmt.Fprintln(a.stdout)
	if p.Foreign.Listed {
		a.say("versions keep the order of the file: their names tell none")
	}
	if !opensDirections(p.Foreign.Format) {
		return
	}
	for _, m := range p.Foreign.Metrics {
		a.say("%s: %s is taken to be better; --better %s=%s says otherwise", m.Key, m.Better, m.Key, otherWay(m.Better))
	}
}

// skippedVersions counts the versions that the file names without a value.
func skippedVersions(sw sweep.Sweep) (n int) {
	for _, o := range sw.Outcomes {
		if o.Reason != "" {
			n++
		}
	}
	return n
}

// opensDirections tells whether a format has metrics of which nothing says which
// direction is better: what a load tool times is better when lower.
func opensDirections(format string) bool {
	switch format {
	case "csv", imports.Markdown, "go-bench", "github-action-benchmark":
		return true
	}
	return false
}

// seriesName is "x, load c100, on lab".
func seriesName(sw sweep.Sweep) string {
	name := sw.Plan.Target
	if sw.Plan.Profile.Label != "" {
		name += ", load " + sw.Plan.Profile.Label
	}
	if sw.Environment.Name != "" {
		name += ", on " + sw.Environment.Name
		if sw.Environment.OS != "" {
			name += ", " + sw.Environment.OS
		}
	}
	return name
}

func otherWay(b sweep.Better) sweep.Better {
	if b == sweep.Higher {
		return sweep.Lower
	}
	return sweep.Higher
}

type importJSON struct {
	Schema   int             `json:"schema"`
	Imported []importedJSON  `json:"imported"`
	Already  []alreadyInJSON `json:"already"`
}

type importedJSON struct {
	Sweep       int64   `json:"sweep"`
	Target      string  `json:"target"`
	Profile     *string `json:"profile"`
	Environment *string `json:"environment"`
	Versions    int     `json:"versions"`
	Samples     int     `json:"samples"`
	Skipped     int     `json:"skipped"` // versions without a value
}

type alreadyInJSON struct {
	Sweep       int64     `json:"sweep"`
	Target      string    `json:"target"`
	Profile     *string   `json:"profile"`
	Environment *string   `json:"environment"`
	At          time.Time `json:"at"`
}

func newImportJSON(sweeps []sweep.Sweep, stored []store.Imported) importJSON {
	doc := importJSON{Schema: jsonSchema, Imported: []importedJSON{}, Already: []alreadyInJSON{}}
	for i, sw := range sweeps {
		profile, environment := orNull(sw.Plan.Profile.Label), orNull(sw.Environment.Name)
		if was := stored[i]; was.Already {
			doc.Already = append(doc.Already, alreadyInJSON{was.ID, sw.Plan.Target, profile, environment, was.At})
			continue
		}
		doc.Imported = append(doc.Imported, importedJSON{
			stored[i].ID, sw.Plan.Target, profile, environment, len(sw.Plan.Versions), len(sw.Samples), skippedVersions(sw),
		})
	}
	return doc
}

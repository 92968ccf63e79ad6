package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
		Use:   "import FORMAT FILE",
		Short: "Take in results that another tool measured",
		Long: `import stores results that were measured elsewhere, so that they can be printed,
drawn and judged. They are series of their own and never mixed with measured ones.`,
		Example: "  versweep import csv nightly.csv --target x",
		Args:    cobra.ArbitraryArgs,
		RunE:    unknownFormat,
	}
	cmd.AddCommand(a.importCSVCommand())
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

func (a *app) importCSVCommand() *cobra.Command {
	var o imports.CSVOptions
	var decimal, line, order string
	var better []string
	var again bool
	cmd := &cobra.Command{
		Use:   "csv FILE",
		Short: "Take in a table of versions and figures",
		Long: `csv reads a table of versions and figures, one row a sample, from FILE or, when
that is -, from standard input. The first row names the columns, in one of two
forms, in any order:

  version,round,qps,p99_ms
  target,profile,environment,version,round,metric,value,unit

Samples of one round are paired. Without rounds, several rows of a version are
samples without pairs. Unknown values are empty cells. docs/import.md has it all.`,
		Example: `  versweep import csv nightly.csv --target x
  versweep import csv - --target x --decimal comma < Tabelle.csv`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]string{"csv", "txt"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.Decimal, o.Line, o.Order = imports.Decimal(decimal), sweep.LineBy(line), imports.Order(order)
			if err := checkCSVOptions(o); err != nil {
				return err
			}
			if o.Better, err = parseBetter(better); err != nil {
				return err
			}
			return a.importCSV(cmd, args[0], o, again)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Target, "target", "", "what was measured (default the column target)")
	flags.StringVar(&o.Profile, "profile", "", "what the load is called (default the column profile, or none)")
	flags.StringVar(&o.Environment, "environment", "", "what the machine is called (default the column environment, or none)")
	flags.StringVar(&decimal, "decimal", string(imports.DecimalAuto), "sign before the fraction: point, comma, or auto to tell from the numbers")
	flags.StringVar(&line, "line", string(sweep.LineByMajor), "what tells lines of releases apart: major (18.x) or minor (1.21.x)")
	flags.StringVar(&order, "order", string(imports.OrderAuto), "order of versions: version, file, or auto for that of the file when none is a version")
	flags.StringArrayVar(&better, "better", nil, "METRIC=higher or METRIC=lower, for metrics that versweep does not know (default higher for rates)")
	flags.BoolVar(&again, "force", false, "import a file that was imported before")
	return cmd
}

// What the flags of import csv may be.
var (
	decimals = []string{string(imports.DecimalAuto), string(imports.DecimalPoint), string(imports.DecimalComma)}
	linesBy  = []string{string(sweep.LineByMajor), string(sweep.LineByMinor)}
	orders   = []string{string(imports.OrderAuto), string(imports.OrderVersion), string(imports.OrderFile)}
)

func checkCSVOptions(o imports.CSVOptions) error {
	for _, f := range []struct {
		flag, value string
		known       []string
	}{
		{"decimal", string(o.Decimal), decimals}, {"line", string(o.Line), linesBy}, {"order", string(o.Order), orders},
	} {
		if !slices.Contains(f.known, f.value) {
			return misuse("use "+strings.Join(f.known, ", "), "--%s: unknown value %q", f.flag, f.value)
		}
	}
	return nil
}

// parseBetter reads "hits=higher".
func parseBetter(flags []string) (map[string]sweep.Better, error) {
	better := map[string]sweep.Better{}
	for _, f := range flags {
		at := strings.LastIndexByte(f, '=')
		direction := sweep.Better(f[at+1:])
		if at <= 0 || direction != sweep.Higher && direction != sweep.Lower {
			return nil, misuse("write METRIC=higher or METRIC=lower", "--better: cannot read %q", f)
		}
		better[f[:at]] = direction
	}
	return better, nil
}

func (a *app) importCSV(cmd *cobra.Command, file string, o imports.CSVOptions, again bool) error {
	name := file
	o.File = filepath.Base(file)
	in := a.stdin
	if file == "-" {
		name, o.File = "standard input", "standard input"
	} else {
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("importing %s: %w", file, errors.Unwrap(err))
		}
		defer f.Close()
		in = f
	}
	sweeps, err := imports.CSV(in, o)
	if err != nil {
		return csvTrouble(name, err)
	}
	st, err := openStore(cmd.Context(), a.db)
	if err != nil {
		return err
	}
	defer st.Close()
	stored, err := st.ImportSweeps(cmd.Context(), sweeps, again, time.Now())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if a.json {
		return a.printJSON(newImportJSON(sweeps, stored))
	}
	for i, sw := range sweeps {
		a.printImported(sw, stored[i])
	}
	return nil
}

// csvTrouble names the file, and says what to do.
func csvTrouble(name string, err error) error {
	told := fmt.Errorf("importing %s: %w", name, err)
	e, ok := errors.AsType[*imports.CSVError](err)
	if !ok {
		return told
	}
	if e.Options {
		return misuse(e.Hint, "%v", told)
	}
	return &hintedError{told, e.Hint}
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
	if n := len(sw.Outcomes); n > 0 {
		fmt.Fprintf(a.stdout, ", %s without a value", english.Plural(n, "version", ""))
	}
	fmt.Fprintln(a.stdout)
	if p.Foreign.Listed {
		a.say("versions keep the order of the file: their names tell none")
	}
	for _, m := range p.Foreign.Metrics {
		a.say("%s: %s is taken to be better; --better %s=%s says otherwise", m.Key, m.Better, m.Key, otherWay(m.Better))
	}
}

// seriesName is "x, load c100, on lab".
func seriesName(sw sweep.Sweep) string {
	name := sw.Plan.Target
	if sw.Plan.Profile.Label != "" {
		name += ", load " + sw.Plan.Profile.Label
	}
	if sw.Environment.Name != "" {
		name += ", on " + sw.Environment.Name
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
			stored[i].ID, sw.Plan.Target, profile, environment, len(sw.Plan.Versions), len(sw.Samples), len(sw.Outcomes),
		})
	}
	return doc
}

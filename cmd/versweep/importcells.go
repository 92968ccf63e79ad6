package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	imports "versweep/store/import"
	"versweep/sweep"
)

func (a *app) importCSVCommand() *cobra.Command {
	var f cellFlags
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
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importCells(cmd.Context(), args[0], imports.CSV, f)
		},
	}
	f.add(cmd.Flags())
	return cmd
}

func (a *app) importMarkdownCommand() *cobra.Command {
	var f cellFlags
	cmd := &cobra.Command{
		Use:   "markdown FILE",
		Short: "Take in the tables of a Markdown file",
		Long: `markdown reads every pipe table of FILE, or of standard input when that is -, that
has a column of versions, as csv reads tables of the first form. Of several tables
each is a load of its own. docs/import.md has it all.`,
		Example:           "  versweep import markdown README.md --target x",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions([]string{"md", "markdown"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importCells(cmd.Context(), args[0], imports.MarkdownSweeps, f)
		},
	}
	f.add(cmd.Flags())
	return cmd
}

// seriesFlags say what results are of, in every format.
type seriesFlags struct {
	target, profile, environment string
	line, order                  string
	better                       []string
	again                        bool
}

// add adds the flags; the texts say what counts without those that name things.
func (f *seriesFlags) add(flags *pflag.FlagSet, target, profile, environment string) {
	flags.StringVar(&f.target, "target", "", "what was measured (default "+target+")")
	flags.StringVar(&f.profile, "profile", "", "what the load is called (default "+profile+")")
	flags.StringVar(&f.environment, "environment", "", "what the machine is called (default "+environment+")")
	flags.StringVar(&f.line, "line", string(sweep.LineByMajor), "what tells lines of releases apart: major (18.x) or minor (1.21.x)")
	flags.StringVar(&f.order, "order", string(imports.OrderAuto), "order of versions: version, file, or auto for that of the file when none is a version")
	flags.StringArrayVar(&f.better, "better", nil, "METRIC=higher or METRIC=lower, for metrics that versweep does not know (default higher for rates)")
	flags.BoolVar(&f.again, "force", false, "import a file that was imported before")
}

// check refuses values that the flags cannot have, and gives the directions.
func (f *seriesFlags) check() (map[string]sweep.Better, error) {
	if err := checkOneOf("--line", f.line, linesBy); err != nil {
		return nil, err
	}
	if err := checkOneOf("--order", f.order, orders); err != nil {
		return nil, err
	}
	return parseBetter(f.better)
}

// cellFlags are the flags of formats that are tables.
type cellFlags struct {
	seriesFlags
	decimal string
}

func (f *cellFlags) add(flags *pflag.FlagSet) {
	f.seriesFlags.add(flags, "the column target", "the column profile, or none", "the column environment, or none")
	flags.StringVar(&f.decimal, "decimal", string(imports.DecimalAuto), "sign before the fraction: point, comma, or auto to tell from the numbers")
}

// What flags of import may be.
var (
	decimals = []string{string(imports.DecimalAuto), string(imports.DecimalPoint), string(imports.DecimalComma)}
	linesBy  = []string{string(sweep.LineByMajor), string(sweep.LineByMinor)}
	orders   = []string{string(imports.OrderAuto), string(imports.OrderVersion), string(imports.OrderFile)}
)

// options checks the flags.
func (f cellFlags) options() (imports.CSVOptions, error) {
	o := imports.CSVOptions{
		Target: f.target, Profile: f.profile, Environment: f.environment,
		Decimal: imports.Decimal(f.decimal), Line: sweep.LineBy(f.line), Order: imports.Order(f.order),
	}
	if err := checkOneOf("--decimal", f.decimal, decimals); err != nil {
		return o, err
	}
	var err error
	o.Better, err = f.check()
	return o, err
}

// checkOneOf refuses a flag's value that is not among the known ones.
func checkOneOf(flag, value string, known []string) error {
	if !slices.Contains(known, value) {
		return misuse("use "+strings.Join(known, ", "), "%s: unknown value %q", flag, value)
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

// importCells stores what read makes of a file.
func (a *app) importCells(ctx context.Context, file string, read func(io.Reader, imports.CSVOptions) ([]sweep.Sweep, error), f cellFlags) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	in, name, base, err := a.openInput(file)
	if err != nil {
		return err
	}
	defer in.Close()
	o.File = base
	sweeps, err := read(in, o)
	if err != nil {
		return importTrouble(name, err)
	}
	return importTrouble(name, a.storeImported(ctx, sweeps, f.again))
}

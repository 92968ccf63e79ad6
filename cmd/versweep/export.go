package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"versweep/store"
	exports "versweep/store/export"
	"versweep/sweep"
	"versweep/sweep/load"
)

func (a *app) exportCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export FORMAT",
		Short: "Write results in a form that other tools read",
		Long: `export writes what is stored for other tools. docs/formats.md shows how each is
used.`,
		Example: `  versweep export csv node -o node.csv
  versweep export go-bench node | benchstat -col /version -`,
		Args: cobra.ArbitraryArgs,
		RunE: unknownFormat,
		// Flags belong to the formats: what is wrong is told by the format's name.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
	}
	cmd.AddCommand(a.exportCSVCommand(), a.exportGoBenchCommand(), a.exportGitHubActionCommand())
	for _, form := range exportForms {
		cmd.AddCommand(a.exportTableCommand(form))
	}
	return cmd
}

// exportFlags say which sweeps to write, and where to.
type exportFlags struct {
	output  string
	sweep   int64
	all     bool
	metrics []string
}

// add adds the flags of formats that hold several sweeps.
func (f *exportFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the file to write (default standard output)")
	flags.Int64Var(&f.sweep, "sweep", 0, "the sweep of this number (default the latest of each target)")
	flags.BoolVar(&f.all, "all", false, "all sweeps, not only the latest of each target")
}

func (f *exportFlags) check(targets []string) error {
	if f.sweep != 0 && (f.all || len(targets) > 0) {
		return misuse("leave out the others", "--sweep names one sweep, so neither targets nor --all can stand beside it")
	}
	return checkOutput(f.output)
}

func (a *app) exportCSVCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "csv [TARGET…]",
		Short: "Write samples as a table, a row a sample and metric",
		Long: `csv writes the latest sweep of each target, or of all targets that were swept, in
the form that import csv reads: a row a sample and metric, with numbers in full.`,
		Example: `  versweep export csv node -o node.csv
  versweep export csv --all --metric qps`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeStored,
		RunE: func(cmd *cobra.Command, targets []string) error {
			if err := f.check(targets); err != nil {
				return err
			}
			return a.exportCSV(cmd.Context(), targets, f)
		},
	}
	f.add(cmd)
	cmd.Flags().StringArrayVar(&f.metrics, "metric", nil, "only this metric; may be given several times (default all)")
	return cmd
}

func (a *app) exportCSV(ctx context.Context, targets []string, f exportFlags) error {
	return a.exportSamples(ctx, targets, f, func(w io.Writer, sweeps iter.Seq2[sweep.Sweep, error]) error {
		return exports.CSV(w, labelled(sweeps), f.metrics)
	})
}

// exportSamples writes the sweeps that are asked for, which are read one by one.
func (a *app) exportSamples(ctx context.Context, targets []string, f exportFlags, write func(io.Writer, iter.Seq2[sweep.Sweep, error]) error) error {
	st, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return err
	}
	defer st.Close()
	ids, err := a.sweepsToExport(ctx, st, targets, f)
	if err != nil {
		return err
	}
	sweeps := oneByOne(ctx, st, ids)
	for _, key := range f.metrics {
		if err := metricOfAny(sweeps, key); err != nil {
			return err
		}
	}
	return a.writeOut(f.output, func(w io.Writer) error { return write(w, sweeps) })
}

// metricOfAny refuses a metric that no sweep can have.
func metricOfAny(sweeps iter.Seq2[sweep.Sweep, error], key string) error {
	if _, known := sweep.MetricByKey(key); known {
		return nil
	}
	var refused error
	for sw, err := range sweeps {
		if err != nil {
			return err
		}
		err := checkMetric(sw.Plan, key)
		if err == nil {
			return nil
		}
		if refused == nil {
			refused = err
		}
	}
	return refused
}

func (a *app) exportGoBenchCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "go-bench [TARGET…]",
		Short: "Write samples in Go's benchmark format, for benchstat",
		Long: `go-bench writes a line a sample, units being the metrics' keys, of the latest sweep
of each target, or of all targets that were swept.`,
		Example:           "  versweep export go-bench node | benchstat -col /version -",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeStored,
		RunE: func(cmd *cobra.Command, targets []string) error {
			if err := f.check(targets); err != nil {
				return err
			}
			return a.exportGoBench(cmd.Context(), targets, f)
		},
	}
	f.add(cmd)
	return cmd
}

func (a *app) exportGoBench(ctx context.Context, targets []string, f exportFlags) error {
	return a.exportSamples(ctx, targets, f, func(w io.Writer, sweeps iter.Seq2[sweep.Sweep, error]) error {
		for sw, err := range sweeps {
			if err != nil {
				return err
			}
			if err := exports.GoBenchmark(w, sw); err != nil {
				return err
			}
		}
		return nil
	})
}

// exportForm is a format that holds one sweep's table, or what is judged of it.
type exportForm struct {
	name, short string
	write       func(io.Writer, sweep.Table, sweep.Judgement) error
}

var exportForms = []exportForm{
	{"openmetrics", "Write a table as OpenMetrics text, for Prometheus", func(w io.Writer, t sweep.Table, _ sweep.Judgement) error { return exports.OpenMetrics(w, t) }},
	{"bencher", "Write a table in the Bencher Metric Format", func(w io.Writer, t sweep.Table, _ sweep.Judgement) error { return exports.Bencher(w, t) }},
	{"junit", "Write verdicts as JUnit XML, for CI", func(w io.Writer, _ sweep.Table, j sweep.Judgement) error { return exports.JUnit(w, j) }},
	{"json", "Write a table as table --json prints it", func(w io.Writer, t sweep.Table, j sweep.Judgement) error { return writeJSON(w, newTableJSON(t, j)) }},
}

func (a *app) exportTableCommand(form exportForm) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:               form.name + " TARGET",
		Short:             form.short,
		Example:           "  versweep export " + form.name + " node -o FILE",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: once(a.completeStored),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.exportTable(cmd, args[0], f, form.write)
		},
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "the file to write (default standard output)")
	addSweepFlag(cmd.Flags(), &f.sweep)
	return cmd
}

// exportDirections are the directions as github-action-benchmark calls them.
var exportDirections = []string{"bigger", "smaller"}

func (a *app) exportGitHubActionCommand() *cobra.Command {
	var f exportFlags
	var better string
	cmd := &cobra.Command{
		Use:     "github-action TARGET",
		Aliases: []string{"github-action-benchmark"},
		Short:   "Write a table for github-action-benchmark",
		Long: `github-action writes the metrics of one direction, since that tool takes no others
in one file: bigger for its customBiggerIsBetter, smaller for customSmallerIsBetter.`,
		Example:           "  versweep export github-action node --better smaller -o latency.json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: once(a.completeStored),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOneOf("--better", better, exportDirections); err != nil {
				return err
			}
			return a.exportTable(cmd, args[0], f, writeGitHubAction(better))
		},
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "the file to write (default standard output)")
	cmd.Flags().StringVar(&better, "better", exportDirections[0], "metrics that are better when bigger, or smaller")
	addSweepFlag(cmd.Flags(), &f.sweep)
	return cmd
}

// writeGitHubAction writes the metrics of one of exportDirections.
func writeGitHubAction(better string) func(io.Writer, sweep.Table, sweep.Judgement) error {
	direction := sweep.Higher
	if better == exportDirections[1] {
		direction = sweep.Lower
	}
	return func(w io.Writer, t sweep.Table, _ sweep.Judgement) error {
		return exports.GitHubAction(w, t, direction)
	}
}

func (a *app) exportTable(cmd *cobra.Command, target string, f exportFlags, write func(io.Writer, sweep.Table, sweep.Judgement) error) error {
	if err := checkSweepFlag(cmd.Flags()); err != nil {
		return err
	}
	if err := checkOutput(f.output); err != nil {
		return err
	}
	return a.exportSweep(cmd.Context(), target, f, write)
}

func (a *app) exportSweep(ctx context.Context, target string, f exportFlags, write func(io.Writer, sweep.Table, sweep.Judgement) error) error {
	sw, j, err := a.storedSweep(ctx, target, f.sweep)
	if err != nil {
		return err
	}
	return a.writeOut(f.output, func(w io.Writer) error { return write(w, sweep.NewTable(sw), j) })
}

// labelled gives sweeps the names of their loads and machines.
func labelled(sweeps iter.Seq2[sweep.Sweep, error]) iter.Seq2[exports.Series, error] {
	return func(yield func(exports.Series, error) bool) {
		for sw, err := range sweeps {
			s := exports.Series{Sweep: sw, Environment: environmentLabel(sw.Environment)}
			if err == nil {
				s.Profile, err = profileLabel(sw.Plan.Profile)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// inMemory goes through sweeps that have been read.
func inMemory(sweeps []sweep.Sweep) iter.Seq2[sweep.Sweep, error] {
	return func(yield func(sweep.Sweep, error) bool) {
		for _, sw := range sweeps {
			if !yield(sw, nil) {
				return
			}
		}
	}
}

// oneByOne reads sweeps as they are asked for, each time anew.
func oneByOne(ctx context.Context, st *store.Store, ids []int64) iter.Seq2[sweep.Sweep, error] {
	return func(yield func(sweep.Sweep, error) bool) {
		for _, id := range ids {
			sw, err := st.LoadSweep(ctx, id)
			if !yield(sw, err) || err != nil {
				return
			}
		}
	}
}

// sweepsToExport finds sweeps that have samples, those of one target together and
// the oldest first. There is at least one.
func (a *app) sweepsToExport(ctx context.Context, st *store.Store, targets []string, f exportFlags) (ids []int64, err error) {
	if f.sweep != 0 {
		_, err := st.LoadSweep(ctx, f.sweep)
		return []int64{f.sweep}, err
	}
	named := len(targets) > 0
	if !named {
		if targets, err = st.Targets(ctx); err != nil {
			return nil, err
		}
	}
	limit := 1
	if f.all {
		limit = 0
	}
	for _, target := range targets {
		list, err := st.Sweeps(ctx, store.Filter{Target: target, Sampled: true, Limit: limit})
		if err == nil && len(list) == 0 && named {
			err = a.unlessUnknown(target, fmt.Errorf("exporting %s: %w", target, store.ErrNoSweep))
		}
		if err != nil {
			return nil, err
		}
		for _, sw := range slices.Backward(list) {
			ids = append(ids, sw.ID)
		}
	}
	if len(ids) == 0 {
		return nil, &hintedError{errors.New("there is no sweep to export"), "versweep run makes one"}
	}
	return ids, nil
}

// profileLabel names a load so that unlike ones have unlike names: a named load
// that flags have changed carries its hash as well.
func profileLabel(p load.Profile) (string, error) {
	if p.Shape == load.ShapeForeign {
		return p.Label, nil
	}
	hash, err := store.ProfileHash(p)
	if err != nil {
		return "", err
	}
	if named, err := load.ProfileByName(p.Name); err == nil {
		if h, err := store.ProfileHash(named); err != nil || h == hash {
			return p.Name, err
		}
	}
	return strings.TrimPrefix(p.Name+"-"+hash, "-"), nil
}

// environmentLabel names a machine; the measuring one by its hash.
func environmentLabel(e sweep.Environment) string {
	if e.Name != "" || e.Hash() == (sweep.Environment{}).Hash() {
		return e.Name
	}
	return e.Hash()
}

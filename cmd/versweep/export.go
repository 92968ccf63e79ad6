package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
		Use:     "export FORMAT",
		Short:   "Write results in a form that other tools read",
		Example: "  versweep export csv node -o node.csv",
		Args:    cobra.ArbitraryArgs,
		RunE:    unknownFormat,
	}
	cmd.AddCommand(a.exportCSVCommand())
	return cmd
}

// exportFlags say which sweeps to write, and where to.
type exportFlags struct {
	output  string
	sweep   int64
	all     bool
	metrics []string
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
		ValidArgsFunction: a.completeTargets,
		RunE: func(cmd *cobra.Command, targets []string) error {
			if f.sweep != 0 && (f.all || len(targets) > 0) {
				return misuse("leave out the others", "--sweep names one sweep, so neither targets nor --all can stand beside it")
			}
			if info, err := os.Stat(f.output); f.output != "" && err == nil && info.IsDir() {
				return misuse("name a file in it", "-o %s: this is a folder", f.output)
			}
			return a.exportCSV(cmd.Context(), targets, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the file to write (default standard output)")
	flags.Int64Var(&f.sweep, "sweep", 0, "the sweep of this number (default the latest of each target)")
	flags.BoolVar(&f.all, "all", false, "all sweeps, not only the latest of each target")
	flags.StringArrayVar(&f.metrics, "metric", nil, "only this metric; may be given several times (default all)")
	return cmd
}

func (a *app) exportCSV(ctx context.Context, targets []string, f exportFlags) error {
	sweeps, err := a.sweepsToExport(ctx, targets, f)
	if err != nil {
		return err
	}
	for _, key := range f.metrics {
		if !slices.ContainsFunc(sweeps, func(sw sweep.Sweep) bool { return checkMetric(sw.Plan, key) == nil }) {
			return checkMetric(sweeps[0].Plan, key)
		}
	}
	series, err := labelled(sweeps)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return exports.CSV(w, series, f.metrics) }
	if f.output == "" {
		return write(a.stdout)
	}
	if err := writeWhole(f.output, write); err != nil {
		return err
	}
	a.say("wrote %s", f.output)
	return nil
}

// labelled gives the sweeps the names of their loads and machines.
func labelled(sweeps []sweep.Sweep) ([]exports.Series, error) {
	var series []exports.Series
	for _, sw := range sweeps {
		profile, err := profileLabel(sw.Plan.Profile)
		if err != nil {
			return nil, err
		}
		series = append(series, exports.Series{Sweep: sw, Profile: profile, Environment: environmentLabel(sw.Environment)})
	}
	return series, nil
}

// sweepsToExport reads sweeps, those of one target together and the oldest
// first. There is at least one.
func (a *app) sweepsToExport(ctx context.Context, targets []string, f exportFlags) ([]sweep.Sweep, error) {
	st, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	if f.sweep != 0 {
		sw, err := st.LoadSweep(ctx, f.sweep)
		return []sweep.Sweep{sw}, err
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
	var sweeps []sweep.Sweep
	for _, target := range targets {
		history, err := st.History(ctx, target, limit)
		if err == nil && len(history) == 0 && named {
			err = a.unlessUnknown(target, fmt.Errorf("exporting %s: %w", target, store.ErrNoSweep))
		}
		if err != nil {
			return nil, err
		}
		sweeps = append(sweeps, history...)
	}
	if len(sweeps) == 0 {
		return nil, &hintedError{errors.New("there is no sweep to export"), "versweep run makes one"}
	}
	return sweeps, nil
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

package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/store"
	"versweep/sweep"
)

const (
	layoutVersions = "versions"
	layoutSeries   = "series"
	layoutHelp     = "versions: a row a version; series: a row of versions and a row of figures a line, newest first (default versions)"
)

func checkLayout(layout string) error {
	switch layout {
	case "", layoutVersions, layoutSeries:
		return nil
	}
	return misuse("use versions or series", "--layout: unknown value %q", layout)
}

func (a *app) tableCommand() *cobra.Command {
	var layout, metric string
	cmd := &cobra.Command{
		Use:     "table TARGET",
		Short:   "Print the per-version table of the latest sweep",
		Example: "  versweep table node --layout series",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLayout(layout); err != nil {
				return err
			}
			if _, err := findMetric(metric); err != nil {
				return err
			}
			t, err := a.latestTable(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.printTable(t, layout, metric)
		},
	}
	cmd.Flags().StringVar(&layout, "layout", "", layoutHelp)
	cmd.Flags().StringVar(&metric, "metric", sweep.QPS, "the figures of --layout series: "+metricKeys())
	return cmd
}

func metricKeys() string {
	var keys []string
	for _, m := range sweep.Metrics {
		keys = append(keys, m.Key)
	}
	return strings.Join(keys, ", ")
}

func findMetric(key string) (sweep.Metric, error) {
	m, ok := sweep.MetricByKey(key)
	if !ok {
		return m, misuse("use one of "+metricKeys(), "unknown metric %q", key)
	}
	return m, nil
}

// latestTable reads the latest sweep of a target. Its definition is not needed
// for that: it may be gone or broken by now.
func (a *app) latestTable(ctx context.Context, target string) (sweep.Table, error) {
	sw, err := a.latestSweep(ctx, target)
	if err != nil {
		return sweep.Table{}, a.unlessUnknown(target, err)
	}
	if sw.Finished.IsZero() {
		a.say("sweep %d of %s is not finished: versweep resume goes on with it", sw.ID, target)
	}
	return sweep.NewTable(sw), nil
}

func (a *app) latestSweep(ctx context.Context, target string) (sweep.Sweep, error) {
	st, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return sweep.Sweep{}, err
	}
	defer st.Close()
	return st.LatestSweep(ctx, target)
}

// printTable prints a table in the form that the flags ask for. metric is what
// the series layout shows.
func (a *app) printTable(t sweep.Table, layout, metric string) error {
	if a.json {
		return a.printJSON(newTableJSON(t))
	}
	if layout == layoutSeries {
		m, err := findMetric(metric)
		if err != nil {
			return err
		}
		return charts.WriteSeries(a.stdout, t, m)
	}
	return charts.WriteTable(a.stdout, t, charts.TableOptions{})
}

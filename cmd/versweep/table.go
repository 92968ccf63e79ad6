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
	layoutMetrics  = "metrics"
	layoutHelp     = "versions: a row a version; series: a row of versions and a row of figures a line, newest first; metrics: a row a metric, a column a version (default versions)"
)

func checkLayout(layout string) error {
	switch layout {
	case "", layoutVersions, layoutSeries, layoutMetrics:
		return nil
	}
	return misuse("use versions, series or metrics", "--layout: unknown value %q", layout)
}

func (a *app) tableCommand() *cobra.Command {
	var layout, metric, posts string
	cmd := &cobra.Command{
		Use:     "table TARGET",
		Short:   "Print the per-version table of the latest sweep",
		Example: "  versweep table node --layout series",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLayout(layout); err != nil {
				return err
			}
			if cmd.Flags().Changed("published") {
				d, err := publishedOf(args[0], posts)
				if err != nil {
					return err
				}
				return a.printPublished(d, layout, metric, cmd.Flags().Changed("metric"))
			}
			t, err := a.latestTable(cmd.Context(), args[0])
			if unknown := checkMetric(t.Plan, metric); unknown != nil {
				return unknown
			}
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("metric") {
				metric = mainMetric(t)
			}
			j, err := a.judgeStored(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.printTable(t, j, layout, metric)
		},
	}
	cmd.Flags().StringVar(&layout, "layout", "", layoutHelp)
	cmd.Flags().StringVar(&metric, "metric", sweep.QPS, "the figures of --layout series: "+metricKeys())
	addPublishedFlag(cmd.Flags(), &posts)
	return cmd
}

func metricKeys() string {
	var keys []string
	for _, m := range sweep.Metrics {
		keys = append(keys, m.Key)
	}
	return strings.Join(keys, ", ")
}

// findMetric finds a metric that samples of the plan may have; any plan's
// metrics are those of a measured sweep at least.
func findMetric(p sweep.Plan, key string) (sweep.Metric, error) {
	m, ok := p.MetricByKey(key)
	if !ok {
		var keys []string
		for _, m := range p.AllMetrics() {
			keys = append(keys, m.Key)
		}
		return m, misuse("use one of "+strings.Join(keys, ", "), "unknown metric %q", key)
	}
	return m, nil
}

func checkMetric(p sweep.Plan, key string) error {
	_, err := findMetric(p, key)
	return err
}

// mainMetric is what to show of a table unless told: throughput, or the first
// metric that there is when another tool measured none.
func mainMetric(t sweep.Table) string {
	for _, m := range t.Plan.AllMetrics() {
		for _, row := range t.Rows {
			if _, ok := row.Metrics[m.Key]; ok {
				return m.Key
			}
		}
	}
	return sweep.QPS
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

// judgeStored is judge with nothing asked for.
func (a *app) judgeStored(ctx context.Context, target string) (sweep.Judgement, error) {
	h, err := a.openHistory(ctx)
	if err != nil {
		return sweep.Judgement{}, err
	}
	defer h.Close()
	return a.judge(ctx, h, target, 0, sweep.JudgeOptions{})
}

// printTable prints a table in the form that the flags ask for, with what the
// judgement j says of neighbours. metric is what the series layout shows.
func (a *app) printTable(t sweep.Table, j sweep.Judgement, layout, metric string) error {
	if a.json {
		return a.printJSON(newTableJSON(t, j))
	}
	if layout == layoutMetrics {
		return charts.WriteMetrics(a.stdout, t)
	}
	if layout == layoutSeries {
		m, err := findMetric(t.Plan, metric)
		if err != nil {
			return err
		}
		return charts.WriteSeries(a.stdout, t, m)
	}
	return charts.WriteTable(a.stdout, t, charts.TableOptions{Judgement: &j})
}

package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

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

// Values of --format that compare does not have.
const (
	formatCSV  = "csv"
	formatJSON = "json"
)

var tableFormats = []string{formatText, formatMarkdown, formatCSV, formatHTML, formatJSON}

// tableFlags are the flags of table.
type tableFlags struct {
	layout, metric string
	posts          string // published figures instead of the store's
	format         string // empty until chosen
	output         string // empty is stdout
	width          int    // columns of the terminal; 0 when there is none
	sweep          int64  // 0 is the latest
}

func (a *app) tableCommand() *cobra.Command {
	var f tableFlags
	cmd := &cobra.Command{
		Use:   "table TARGET",
		Short: "Print the per-version table of a sweep",
		Example: `  versweep table node --layout series
  versweep table node -o node.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.Flags().Changed("published") {
				return nil
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed("metric")
			if err := f.check(a.json, cmd.Flags()); err != nil {
				return err
			}
			if f.output == "" {
				f.width = a.columns()
			}
			if cmd.Flags().Changed("published") {
				d, err := publishedOfArgs(args, f.posts)
				if err != nil {
					return err
				}
				return a.printPublished(d, f, given)
			}
			sw, j, err := a.storedSweep(cmd.Context(), args[0], f.sweep)
			if unknown := checkMetric(sw.Plan, f.metric); unknown != nil {
				return unknown
			}
			if err != nil {
				return err
			}
			t := sweep.NewTable(sw)
			if !given {
				f.metric = mainMetric(t)
			}
			return a.writeOut(f.output, func(w io.Writer) error { return writeTable(w, t, &j, f) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.layout, "layout", "", layoutHelp)
	flags.StringVar(&f.metric, "metric", sweep.QPS, "the figures of --layout series: "+metricKeys())
	flags.StringVar(&f.format, "format", "", strings.Join(tableFormats, ", ")+" (default by the extension of -o, .md, .csv, .html or .json, otherwise text)")
	flags.StringVarP(&f.output, "output", "o", "", "write to this file (default standard output)")
	addSweepFlag(flags, &f.sweep)
	addPublishedFlag(flags, &f.posts)
	return cmd
}

func addSweepFlag(flags *pflag.FlagSet, number *int64) {
	flags.Int64Var(number, "sweep", 0, "the sweep of this number (default the latest of the target)")
}

// check refuses what can be refused without the store, and chooses the format.
func (f *tableFlags) check(json bool, given *pflag.FlagSet) error {
	if err := checkLayout(f.layout); err != nil {
		return err
	}
	switch {
	case json && f.format != "" && f.format != formatJSON:
		return misuse("leave one of them out", "--format %s and --json exclude one another", f.format)
	case json:
		f.format = formatJSON
	case f.format == "":
		var err error
		if f.format, err = formatByName(f.output, tableFormats); err != nil {
			return err
		}
	}
	if err := checkOneOf("--format", f.format, tableFormats); err != nil {
		return err
	}
	if f.format != formatText && (f.layout == layoutSeries || f.layout == layoutMetrics) {
		return misuse("use --format text, or leave --layout out", "--layout %s is text and cannot be %s", f.layout, f.format)
	}
	if given.Changed("metric") && f.layout != layoutSeries {
		return misuse("--layout series shows one metric; leave --metric out for all", "--metric has a meaning with --layout series only")
	}
	if err := checkSweepFlag(given); err != nil {
		return err
	}
	return checkOutput(f.output)
}

// checkSweepFlag refuses numbers that no sweep has, and what excludes them.
func checkSweepFlag(given *pflag.FlagSet) error {
	number, _ := given.GetInt64("sweep")
	switch {
	case !given.Changed("sweep"):
		return nil
	case number < 1:
		return misuse("numbers begin at 1", "--sweep: %d is no number of a sweep", number)
	case given.Changed("published"):
		return misuse("leave one of them out", "--sweep and --published exclude one another")
	}
	return nil
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

// storedSweep reads a sweep of a target by its number, or the latest when that is
// 0, and what the store says of the target up to it. The target's definition is
// not needed for that: it may be gone or broken by now.
func (a *app) storedSweep(ctx context.Context, target string, number int64) (sweep.Sweep, sweep.Judgement, error) {
	st, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return sweep.Sweep{}, sweep.Judgement{}, a.unlessUnknown(target, err)
	}
	defer st.Close()
	var sw sweep.Sweep
	if number != 0 {
		sw, err = st.LoadSweep(ctx, number)
	} else if sw, err = st.LatestSweep(ctx, target); err != nil {
		err = a.unlessUnknown(target, err)
	}
	if err != nil {
		return sw, sweep.Judgement{}, err
	}
	if sw.Plan.Target != target {
		return sw, sweep.Judgement{}, misuse("name that target, or leave --sweep out", "sweep %d is of %s, not of %s", number, sw.Plan.Target, target)
	}
	if sw.Finished.IsZero() {
		a.say("sweep %d of %s is not finished: versweep resume goes on with it", sw.ID, target)
	}
	acks, err := st.Acknowledgements(ctx, target)
	if err != nil {
		return sw, sweep.Judgement{}, err
	}
	j := sweep.Judge([]sweep.Sweep{sw}, sweep.JudgeOptions{})
	sweep.ApplyAcknowledgements(&j, acks)
	return sw, j, nil
}

// printTable prints a table in the form that the flags ask for, with what the
// judgement j says of neighbours. metric is what the series layout shows.
func (a *app) printTable(t sweep.Table, j sweep.Judgement, layout, metric string) error {
	f := tableFlags{layout: layout, metric: metric, format: formatText, width: a.columns()}
	if a.json {
		f.format = formatJSON
	}
	return writeTable(a.stdout, t, &j, f)
}

// columns is how wide the terminal is that stdout is; 0 when it is none.
func (a *app) columns() int {
	f, ok := a.stdout.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// writeTable writes a table; j is nil for none.
func writeTable(w io.Writer, t sweep.Table, j *sweep.Judgement, f tableFlags) error {
	options := charts.TableOptions{Judgement: j, Width: f.width}
	switch {
	case f.format == formatJSON:
		return writeJSON(w, newTableJSON(t, *j))
	case f.format == formatCSV:
		return charts.WriteTableCSV(w, t, options)
	case f.format == formatHTML:
		return charts.WriteTableHTML(w, t, options)
	case f.format == formatMarkdown:
		return charts.WriteTableMarkdown(w, t, options)
	case f.layout == layoutMetrics:
		return charts.WriteMetrics(w, t, f.width)
	case f.layout == layoutSeries:
		m, err := findMetric(t.Plan, f.metric)
		if err != nil {
			return err
		}
		return charts.WriteSeries(w, t, m, f.width)
	}
	return charts.WriteTable(w, t, options)
}

// writeOut writes to a file, whole or not at all, and says so; to stdout when
// none is named.
func (a *app) writeOut(file string, write func(io.Writer) error) error {
	if file == "" {
		return write(a.stdout)
	}
	if err := writeWhole(file, write); err != nil {
		return err
	}
	a.say("wrote %s", file)
	return nil
}

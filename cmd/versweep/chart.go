package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"versweep/charts"
	"versweep/store"
	"versweep/sweep"
)

// chartFlags are the flags of chart.
type chartFlags struct {
	kind     string
	output   string
	theme    string
	metrics  []string
	with     []string
	versions []string
	titles   []string
	posts    string
	sweep    int64

	metricGiven, publishedGiven bool
	options                     charts.Options // format, theme, axis
}

// chartKind is a kind of picture.
type chartKind struct {
	name, about string
	flags       []string // of those that not every kind has
	draw        func(*app, context.Context, []string, chartFlags) error
}

// chartKinds lists the kinds, the default first.
var chartKinds = []chartKind{
	{"trend", "one or more metrics by version, levels and changes marked", []string{"metric", "with", "zoom", "sweep", "published"}, (*app).drawTrend},
	{"ramp", "answers, errors and response time under rising load; a system a FILE", []string{"title"}, (*app).drawRamp},
	{"percentiles", "latency up to 99.99 % of up to six versions", []string{"versions", "sweep"}, (*app).drawPercentiles},
	{"scatter", "every sample in the order in which it was taken", []string{"metric", "sweep"}, (*app).drawScatter},
	{"compare", "two releases in all metrics, or several releases or systems as they are", []string{"metric", "with", "versions", "zoom", "sweep", "published"}, (*app).drawCompare},
	{"history", "one version over the sweeps", []string{"metric", "versions", "zoom"}, (*app).drawHistory},
}

func (a *app) chartCommand() *cobra.Command {
	var f chartFlags
	cmd := &cobra.Command{
		Use:   "chart TARGET -o FILE.png",
		Short: "Draw what was measured of a target",
		Long: `chart draws a target's latest sweep, or what else --kind says:

` + kindList() + `
For --kind ramp there is a FILE a system in place of TARGET, each written by
versweep load --json with a ramp in --rate or --connections.`,
		Example: `  versweep chart node --metric qps,p99_ms -o node.svg
  versweep chart node --with bun --with published -o beside.png --theme dark
  versweep chart node --kind percentiles --versions 18.20.8,latest -o tail.png
  versweep chart --kind ramp cowboy.json node.json -o ramp.png
  versweep chart --kind compare --published five-servers -o servers.png`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := f.check(args, cmd.Flags())
			if err != nil {
				return err
			}
			return kind.draw(a, cmd.Context(), args, f)
		},
		ValidArgsFunction: a.completeChart,
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the picture, a .png or .svg file (no default)")
	flags.StringVar(&f.kind, "kind", chartKinds[0].name, strings.Join(kindNames(), ", "))
	flags.StringVar(&f.theme, "theme", string(charts.Light), "light, or dark for dark pages and slides")
	flags.StringSliceVar(&f.metrics, "metric", []string{sweep.QPS}, "what to draw, a panel each, comma-separated: "+metricKeys())
	flags.StringSliceVar(&f.with, "with", nil, "another TARGET of the store to draw beside, or published for what posts measured of the same releases; may be given several times (default none)")
	flags.StringSliceVar(&f.versions, "versions", nil, "versions, comma-separated, latest and reference among them (default for percentiles all, for compare none, for history the reference)")
	flags.StringArrayVar(&f.titles, "title", nil, "name of a system of --kind ramp, in the order of the files (default the file's name)")
	flags.BoolVar(&f.options.LogY, "log", false, "logarithmic axis")
	flags.BoolVar(&f.options.Zoom, "zoom", false, "leave out what of the axis has no figures, instead of beginning at zero")
	addSweepFlag(flags, &f.sweep)
	addPublishedFlag(flags, &f.posts)
	return cmd
}

func kindNames() []string {
	var names []string
	for _, k := range chartKinds {
		names = append(names, k.name)
	}
	return names
}

func kindList() string {
	var b strings.Builder
	for _, k := range chartKinds {
		fmt.Fprintf(&b, "  %-12s %s\n", k.name, k.about)
	}
	return b.String()
}

// check refuses what can be refused without the store.
func (f *chartFlags) check(args []string, given *pflag.FlagSet) (chartKind, error) {
	if err := checkOneOf("--kind", f.kind, kindNames()); err != nil {
		return chartKind{}, err
	}
	kind := chartKinds[slices.Index(kindNames(), f.kind)]
	for _, flag := range []string{"metric", "with", "versions", "title", "zoom", "sweep", "published"} {
		if given.Changed(flag) && !slices.Contains(kind.flags, flag) {
			return kind, misuse("it belongs to --kind "+strings.Join(kindsWith(flag), ", "), "--%s has no meaning for --kind %s", flag, kind.name)
		}
	}
	f.metricGiven, f.publishedGiven = given.Changed("metric"), given.Changed("published")
	if err := f.checkArguments(args); err != nil {
		return kind, err
	}
	if f.output == "" {
		return kind, misuse("-o FILE.png or -o FILE.svg", "there is no file to draw into")
	}
	if err := checkPicture(f.output); err != nil {
		return kind, err
	}
	var themes []string
	for _, theme := range charts.Themes() {
		themes = append(themes, string(theme))
	}
	if err := checkOneOf("--theme", f.theme, themes); err != nil {
		return kind, err
	}
	f.options.Theme = charts.Theme(f.theme)
	var err error
	if f.options.Format, err = charts.FormatOf(f.output); err != nil {
		return kind, err
	}
	if f.options.LogY && f.options.Zoom {
		return kind, misuse("leave one of them out", "--log and --zoom exclude one another")
	}
	return kind, checkSweepFlag(given)
}

// kindsWith lists the kinds that have a flag.
func kindsWith(flag string) []string {
	var names []string
	for _, k := range chartKinds {
		if slices.Contains(k.flags, flag) {
			names = append(names, k.name)
		}
	}
	return names
}

// Bounds of what colour, shape and room can tell apart.
const (
	mostSeries = 6
	mostPanels = 6
)

func (f *chartFlags) checkArguments(args []string) error {
	switch n := len(args); {
	case f.kind == "ramp" && n == 0:
		return misuse("versweep load URL --rate 100:1200:100 --json > FILE writes one", "there is no file to draw")
	case f.kind == "ramp" && n > mostSeries:
		return misuse("draw several pictures", "%d systems are too many for one picture: at most %d can be told apart", n, mostSeries)
	case len(f.titles) > n:
		return misuse("one for each file, in their order", "--title: there are %d, and %s", len(f.titles), counted(n, "file"))
	case f.kind == "ramp" || n == 0 && f.publishedGiven:
	case n == 0:
		return misuse("versweep chart TARGET -o FILE.png", "there is no target to draw")
	case n > 1:
		return misuse("--with draws others beside it", "%d targets are too many: a picture is of one", n)
	}
	switch {
	case len(f.metrics) > mostPanels:
		return misuse("draw several pictures", "--metric: %d metrics are too many for one picture: at most %d have room", len(f.metrics), mostPanels)
	case len(f.metrics) > 1 && (f.kind == "scatter" || f.kind == "history"):
		return misuse("name one", "--metric: --kind %s shows one metric", f.kind)
	case f.publishedGiven && len(f.with)+len(f.versions) > 0:
		return misuse("leave them out", "--published shows a post alone: --with and --versions have no meaning")
	case len(f.with) >= mostSeries:
		return misuse("draw several pictures", "--with: %d are too many beside the target: at most %d can be told apart", len(f.with), mostSeries-1)
	}
	for i, with := range f.with {
		if slices.Contains(f.with[:i], with) || slices.Contains(args, with) {
			return misuse("name it once", "--with: %s is in the picture already", with)
		}
	}
	for i, key := range f.metrics {
		if slices.Contains(f.metrics[:i], key) {
			return misuse("name it once", "--metric: %s is in the picture already", key)
		}
	}
	return nil
}

// tableMetrics finds the metrics that --metric names; without it, the main one of
// the table.
func (f chartFlags) tableMetrics(t sweep.Table) ([]sweep.Metric, error) {
	keys := f.metrics
	if !f.metricGiven {
		keys = []string{mainMetric(t)}
	}
	var metrics []sweep.Metric
	for _, key := range keys {
		m, err := findMetric(t.Plan, key)
		if err != nil {
			return nil, err
		}
		metrics = append(metrics, m)
	}
	return metrics, nil
}

// orUnknownMetric is err, unless a metric is asked for that there is not: that is
// told first, also where there is no store.
func (f chartFlags) orUnknownMetric(p sweep.Plan, err error) error {
	for _, key := range f.metrics {
		if unknown := checkMetric(p, key); unknown != nil {
			return unknown
		}
	}
	return err
}

// draw writes a picture, whole or not at all.
func (a *app) draw(f chartFlags, draw func(io.Writer) error) error {
	if err := writeWhole(f.output, draw); err != nil {
		return err
	}
	a.say("wrote %s", f.output)
	return nil
}

func (a *app) drawTrend(ctx context.Context, args []string, f chartFlags) error {
	if f.publishedGiven {
		return a.drawPublished(args, f)
	}
	sw, j, err := a.storedSweep(ctx, args[0], f.sweep)
	if err != nil {
		return f.orUnknownMetric(sw.Plan, err)
	}
	t := sweep.NewTable(sw)
	metrics, err := f.tableMetrics(t)
	if err != nil {
		return err
	}
	o := f.options
	o.Metrics, o.Judgement = metrics[1:], &j
	if o.With, err = a.overlays(ctx, t, metrics[0], f.with); err != nil {
		return err
	}
	return a.draw(f, func(w io.Writer) error { return charts.Trend(w, t, metrics[0], o) })
}

// overlays reads what --with names.
func (a *app) overlays(ctx context.Context, t sweep.Table, m sweep.Metric, names []string) ([]charts.Overlay, error) {
	var with []charts.Overlay
	for _, name := range names {
		if name == "published" {
			beside, err := publishedBeside(t, m)
			if err != nil {
				return nil, err
			}
			with = append(with, beside...)
			continue
		}
		other, err := a.latestTable(ctx, name)
		if err != nil {
			return nil, err
		}
		with = append(with, charts.Overlay{Title: cmp.Or(other.Title, other.Target), Table: other})
	}
	if len(with) >= mostSeries {
		return nil, misuse("draw several pictures", "--with: %d series are too many beside the target: at most %d can be told apart", len(with), mostSeries-1)
	}
	return with, nil
}

// latestTable reads the latest sweep of a target.
func (a *app) latestTable(ctx context.Context, target string) (sweep.Table, error) {
	st, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return sweep.Table{}, err
	}
	defer st.Close()
	sw, err := st.LatestSweep(ctx, target)
	if err != nil {
		return sweep.Table{}, a.unlessUnknown(target, err)
	}
	return sweep.NewTable(sw), nil
}

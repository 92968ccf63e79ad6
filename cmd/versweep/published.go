package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"versweep/charts"
	"versweep/store/published"
	"versweep/sweep"
)

// addPublishedFlag adds --published to the commands that show figures.
func addPublishedFlag(flags *pflag.FlagSet, value *string) {
	flags.StringVar(value, "published", "", "figures of a published post instead of the store's: "+strings.Join(published.Names(), ", ")+
		"; NAME/PART takes one load or machine of it, and a post of one target needs no TARGET (default none)")
}

// findPublished reads one of the published datasets.
func findPublished(name string) (published.Dataset, error) {
	d, err := published.Find(name)
	if e, ok := errors.AsType[*published.UnknownError](err); ok {
		hint := "there are " + strings.Join(e.Names, ", ")
		if e.Nearest != "" {
			hint = fmt.Sprintf("did you mean %s? %s", e.Nearest, hint)
		}
		return d, misuse(hint, "%v", err)
	}
	return d, err
}

// publishedOf reads what --published names: the figures of a target in a
// dataset, all or, as in techempower-9/json, those under one profile or in one
// environment. It has at least one sweep.
func publishedOf(target, spec string) (published.Dataset, error) {
	name, rest, _ := strings.Cut(spec, "/")
	d, err := findPublished(name)
	if err != nil {
		return d, err
	}
	whole := d.Of(target)
	if len(whole.Rows) == 0 {
		return d, misuse("it has "+strings.Join(slices.Sorted(maps.Keys(d.Systems)), ", "), "%s has no figures of %s", name, target)
	}
	if rest == "" {
		return whole, nil
	}
	d = whole.Of(target, strings.Split(rest, "/")...)
	if len(d.Rows) == 0 {
		return d, misuse("it has "+strings.Join(partsOf(whole), ", "), "%s has no figures of %s under %s", name, target, rest)
	}
	return d, nil
}

// publishedTarget is the target that is named, or the only one that the dataset
// has.
func publishedTarget(args []string, spec string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	name, _, _ := strings.Cut(spec, "/")
	d, err := findPublished(name)
	if err != nil {
		return "", err
	}
	targets := slices.Sorted(maps.Keys(d.Systems))
	if len(targets) != 1 {
		return "", misuse("it has "+strings.Join(targets, ", "), "--published: %s has figures of %d targets, and none is named", name, len(targets))
	}
	return targets[0], nil
}

// publishedOfArgs is publishedOf for the target of publishedTarget.
func publishedOfArgs(args []string, spec string) (published.Dataset, error) {
	target, err := publishedTarget(args, spec)
	if err != nil {
		return published.Dataset{}, err
	}
	return publishedOf(target, spec)
}

// partsOf lists what --published takes for the single sweeps of a dataset:
// "techempower-9/json".
func partsOf(d published.Dataset) []string {
	var list []string
	for _, row := range d.Rows {
		spec := d.Name
		if slices.ContainsFunc(d.Rows, func(other published.Row) bool { return other.Profile != row.Profile }) {
			spec += "/" + row.Profile
		}
		if slices.ContainsFunc(d.Rows, func(other published.Row) bool { return other.Environment != row.Environment }) {
			spec += "/" + row.Environment
		}
		if !slices.Contains(list, spec) {
			list = append(list, spec)
		}
	}
	return list
}

// publishedTables makes a table of each of a dataset's sweeps.
func publishedTables(d published.Dataset) []sweep.Table {
	var tables []sweep.Table
	for _, sw := range d.Sweeps() {
		tables = append(tables, sweep.NewTable(sw))
	}
	return tables
}

// publishedTable is the one table that a chart or JSON can show.
func publishedTable(d published.Dataset) (sweep.Table, error) {
	tables := publishedTables(d)
	if len(tables) != 1 {
		return sweep.Table{}, misuse("name one: "+strings.Join(partsOf(d), ", "), "--published: %s has %d tables, and one can be shown at a time", d.Name, len(tables))
	}
	return tables[0], nil
}

// publishedMetric is the metric that --metric names. Where it is not given, and
// the usual one has no figure, it is the first that has.
func publishedMetric(t sweep.Table, key string, given bool) (sweep.Metric, error) {
	var keys []string
	var found []sweep.Metric
	for _, m := range t.Plan.AllMetrics() {
		if slices.ContainsFunc(t.Rows, func(row sweep.Row) bool { _, ok := row.Metrics[m.Key]; return ok }) {
			keys, found = append(keys, m.Key), append(found, m)
		}
	}
	if i := slices.Index(keys, key); i >= 0 {
		return found[i], nil
	}
	switch {
	case len(found) == 0:
		return findMetric(t.Plan, key)
	case !given:
		return found[0], nil
	}
	return sweep.Metric{}, misuse("it has "+strings.Join(keys, ", "), "%s has no figures of metric %q", t.Plan.Foreign.File, key)
}

// printPublished prints the tables of a dataset: in the layout asked for, or one
// that suits what there is to show.
func (a *app) printPublished(d published.Dataset, f tableFlags, given bool) error {
	tables := publishedTables(d)
	if f.format != formatText && f.format != formatMarkdown {
		t, err := publishedTable(d)
		if err != nil {
			return err
		}
		tables = []sweep.Table{t}
	}
	var j *sweep.Judgement
	if f.format == formatJSON {
		judged := sweep.Judge(d.Sweeps(), sweep.JudgeOptions{})
		j = &judged
	}
	err := a.writeOut(f.output, func(w io.Writer) error {
		for i, t := range tables {
			if i > 0 {
				fmt.Fprintln(w)
			}
			one := f
			m, err := publishedMetric(t, f.metric, given)
			if err != nil {
				return err
			}
			one.metric = m.Key
			if f.layout == "" && f.format == formatText && len(t.Plan.Foreign.Metrics) > 0 {
				one.layout = layoutMetrics
			}
			if err := writeTable(w, t, j, one); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && f.format != formatJSON {
		a.sayOrigin(d)
	}
	return err
}

// sayOrigin tells where published figures come from, and what is odd in them.
func (a *app) sayOrigin(d published.Dataset) {
	origin := d.Source
	for _, more := range []string{d.Date, d.URL} {
		if more != "" {
			origin += ", " + more
		}
	}
	a.say("from %s", origin)
	for _, note := range d.Notes {
		a.say("note: %s", note)
	}
}

// drawPublished draws the trend of the one table of a dataset.
func (a *app) drawPublished(args []string, f chartFlags) error {
	d, err := publishedOfArgs(args, f.posts)
	if err != nil {
		return err
	}
	t, err := publishedTable(d)
	if err != nil {
		return err
	}
	o := f.options
	m, err := publishedMetric(t, f.metrics[0], f.metricGiven)
	if err != nil {
		return err
	}
	for _, key := range f.metrics[1:] {
		further, err := publishedMetric(t, key, true)
		if err != nil {
			return err
		}
		o.Metrics = append(o.Metrics, further)
	}
	if err := a.draw(f, func(w io.Writer) error { return charts.Trend(w, t, m, o) }); err != nil {
		return err
	}
	a.sayOrigin(d)
	return nil
}

// drawPublishedSystems draws all that a post has, or what it has of one target.
func (a *app) drawPublishedSystems(args []string, f chartFlags) error {
	name, _, _ := strings.Cut(f.posts, "/")
	whole, err := findPublished(name)
	if err != nil {
		return err
	}
	targets := args
	if len(targets) == 0 {
		for _, row := range whole.Rows {
			if !slices.Contains(targets, row.Target) {
				targets = append(targets, row.Target)
			}
		}
	}
	var tables []sweep.Table
	var metrics []sweep.Metric
	for _, target := range targets {
		d, err := publishedOf(target, f.posts)
		if err != nil {
			return err
		}
		t, err := publishedTable(d)
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	for _, key := range f.metrics {
		if !f.metricGiven {
			key = tellingMetric(tables, key)
		}
		m, err := publishedMetric(tables[0], key, f.metricGiven)
		if err != nil {
			return err
		}
		metrics = append(metrics, m)
	}
	var systems []charts.System
	for _, t := range tables {
		for _, row := range t.Rows {
			title := cmp.Or(t.Title, t.Target)
			if row.Version.Name != "unknown" {
				title += " " + row.Version.Name
			}
			systems = append(systems, charts.System{Title: title, Metrics: row.Metrics})
		}
	}
	h := charts.NewHeading(whole.Title, tables[0])
	if err := a.draw(f, func(w io.Writer) error { return charts.Systems(w, h, systems, metrics, f.options) }); err != nil {
		return err
	}
	a.sayOrigin(whole)
	return nil
}

// tellingMetric is what to show of systems unless told: the usual metric where
// there are figures of it, or the first in which the systems differ.
func tellingMetric(tables []sweep.Table, usual string) string {
	for _, m := range append([]sweep.Metric{{Key: usual}}, tables[0].Plan.AllMetrics()...) {
		figures := map[float64]bool{}
		for _, t := range tables {
			for _, row := range t.Rows {
				if e, ok := row.Metrics[m.Key]; ok {
					figures[e.Median] = true
				}
			}
		}
		if len(figures) > 1 {
			return m.Key
		}
	}
	return usual
}

// publishedBeside finds the published figures of t's target and metric m that
// are for releases that t has too, and keeps those releases only.
func publishedBeside(t sweep.Table, m sweep.Metric) ([]charts.Overlay, error) {
	all, err := published.All()
	if err != nil {
		return nil, err
	}
	measured := map[string]bool{}
	for _, row := range t.Rows {
		measured[row.Version.Name] = true
	}
	var found []charts.Overlay
	for _, d := range all {
		d := d.Of(t.Target)
		titles := partsOf(d) // in the order of the tables
		for i, p := range publishedTables(d) {
			p.Rows = slices.DeleteFunc(p.Rows, func(row sweep.Row) bool { return !measured[row.Version.Name] })
			if slices.ContainsFunc(p.Rows, func(row sweep.Row) bool { _, ok := row.Metrics[m.Key]; return ok }) {
				found = append(found, charts.Overlay{Title: titles[i], Table: p})
			}
		}
	}
	if len(found) == 0 {
		return nil, misuse("docs/published.md lists them", "--with published: there are no published figures of %s for these releases", t.Target)
	}
	return found, nil
}

func (a *app) importPublishedCommand() *cobra.Command {
	var again bool
	cmd := &cobra.Command{
		Use:   "published [NAME…]",
		Short: "Take in the figures of published posts",
		Long: `published stores the figures of the posts that this project began with under their
targets; without names, those of all of them. Tables and charts show them without
that, too: see --published there. Known are ` + strings.Join(published.Names(), ", ") + `.`,
		Example:           "  versweep import published node-0.1-0.9",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: words(published.Names),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importPublished(cmd.Context(), args, again)
		},
	}
	cmd.Flags().BoolVar(&again, "force", false, "import posts that were imported before")
	return cmd
}

// importPublished stores published figures under their target, each dataset once
// unless again; without names, all of them.
func (a *app) importPublished(ctx context.Context, names []string, again bool) error {
	if len(names) == 0 {
		names = published.Names()
	}
	var sweeps []sweep.Sweep
	for _, name := range names {
		d, err := findPublished(name)
		if err != nil {
			return err
		}
		sweeps = append(sweeps, d.Sweeps()...)
	}
	return a.storeImported(ctx, sweeps, again)
}

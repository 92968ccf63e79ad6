package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"versweep/charts"
	"versweep/sweep"
)

func (a *app) drawCompare(ctx context.Context, args []string, f chartFlags) error {
	switch {
	case f.publishedGiven:
		return a.drawPublishedSystems(args, f)
	case slices.Contains(f.with, "published"):
		return misuse("--published NAME draws the systems of a post", "--with published belongs to --kind trend")
	case len(f.with) == 0 && len(f.versions) < 2:
		return misuse("--versions OLD,NEW or --with TARGET", "there is nothing to compare %s with", args[0])
	}
	past, err := a.comparedSweeps(ctx, args[0], f)
	if err != nil {
		return f.orUnknownMetric(sweep.Plan{}, err)
	}
	names, err := releaseNames(past, f.versions)
	if err != nil {
		return err
	}
	if len(f.with) == 0 && len(names) < 2 {
		return misuse("name two versions", "%s cannot be compared with itself", names[0])
	}
	if len(f.with) == 0 && len(names) == 2 {
		return a.drawReleases(past, names, f)
	}
	return a.drawSystems(ctx, past, names, f)
}

// comparedSweeps reads the sweeps of a target that a judgement needs, or the one that --sweep names.
func (a *app) comparedSweeps(ctx context.Context, target string, f chartFlags) ([]sweep.Sweep, error) {
	if f.sweep != 0 {
		sw, _, err := a.storedSweep(ctx, target, f.sweep)
		return []sweep.Sweep{sw}, err
	}
	h, err := a.openHistory(ctx)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	past, _, err := a.past(ctx, h, target, sweep.Span{})
	return past, err
}

// drawReleases draws what became of each metric from one release to another.
func (a *app) drawReleases(past []sweep.Sweep, names []string, f chartFlags) error {
	var o sweep.JudgeOptions
	if f.metricGiven {
		o.Metrics = f.metrics
	}
	if err := checkMetrics(past[0].Plan.Target, past, o.Metrics); err != nil {
		return err
	}
	r, err := sweep.CompareReleases(past, names[0], names[1], o)
	if err != nil {
		return err
	}
	t := sweep.Table{Title: r.Title, Target: r.Target, Plan: r.Plan, Environment: r.Environment, Finished: true}
	h := charts.NewHeading(fmt.Sprintf("%s: from %s to %s", cmp.Or(r.Title, r.Target), r.From.Name, r.To.Name), t)
	return a.draw(f, func(w io.Writer) error { return charts.Compare(w, h, r.Comparisons, f.options) })
}

// drawSystems draws releases of the latest sweep as they are, beside the newest
// release of each other target.
func (a *app) drawSystems(ctx context.Context, past []sweep.Sweep, names []string, f chartFlags) error {
	t := sweep.NewTable(past[len(past)-1])
	metrics, err := f.tableMetrics(t)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		name, err := releaseName(past[len(past)-1:], "latest")
		if err != nil {
			return err
		}
		names = []string{name}
	}
	title := cmp.Or(t.Title, t.Target)
	h := charts.NewHeading(title, t)
	var systems []charts.System
	for _, name := range names {
		s, err := systemOf(t, name)
		if err != nil {
			return err
		}
		systems = append(systems, s)
	}
	for _, target := range f.with {
		other, err := a.latestTable(ctx, target)
		if err != nil {
			return err
		}
		s, err := newestSystem(other)
		if err != nil {
			return err
		}
		systems = append(systems, s)
		h.Title += ", " + cmp.Or(other.Title, other.Target)
		h.Add(cmp.Or(other.Title, other.Target), other)
	}
	if len(f.with) == 0 {
		h.Title += ": " + strings.Join(names, ", ")
	}
	return a.draw(f, func(w io.Writer) error { return charts.Systems(w, h, systems, metrics, f.options) })
}

// systemOf is a version of a table as a system; its title is with the target's.
func systemOf(t sweep.Table, version string) (charts.System, error) {
	for _, row := range t.Rows {
		if row.Version.Name != version {
			continue
		}
		if row.Status == sweep.Failed {
			return charts.System{}, &sweep.NotMeasuredError{Target: t.Target, Version: version, Reason: row.Reason}
		}
		return charts.System{Title: cmp.Or(t.Title, t.Target) + " " + version, Metrics: row.Metrics}, nil
	}
	return charts.System{}, &sweep.NotMeasuredError{Target: t.Target, Version: version}
}

// newestSystem is the newest stable version that was measured.
func newestSystem(t sweep.Table) (charts.System, error) {
	var measured []sweep.Version
	for _, row := range t.Rows {
		if row.Status != sweep.Failed {
			measured = append(measured, row.Version)
		}
	}
	if len(measured) == 0 {
		return charts.System{}, fmt.Errorf("comparing with %s: none of its versions was measured", t.Target)
	}
	v, ok := sweep.Latest(measured)
	if !ok {
		v = measured[len(measured)-1]
	}
	return systemOf(t, v.Name)
}

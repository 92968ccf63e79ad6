package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/charts"
	"versweep/store"
	"versweep/sweep"
)

func (a *app) drawScatter(ctx context.Context, args []string, f chartFlags) error {
	sw, _, err := a.storedSweep(ctx, args[0], f.sweep)
	if err != nil {
		return f.orUnknownMetric(sw.Plan, err)
	}
	metrics, err := f.tableMetrics(sweep.NewTable(sw))
	if err != nil {
		return err
	}
	sw.Samples = sweep.LastAttempts(sw.Samples) // those before stand in the same place
	return a.draw(f, func(w io.Writer) error { return charts.Scatter(w, sw, metrics[0], f.options) })
}

func (a *app) drawPercentiles(ctx context.Context, args []string, f chartFlags) error {
	sw, _, err := a.storedSweep(ctx, args[0], f.sweep)
	if err != nil {
		return err
	}
	if sw.Plan.Foreign != nil {
		return fmt.Errorf("%w: imported results of %s do not hold the latencies of single requests", charts.ErrNothingToDraw, args[0])
	}
	names, err := releaseNames([]sweep.Sweep{sw}, f.versions)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		for _, v := range measuredVersions([]sweep.Sweep{sw}) {
			names = append(names, v.Name)
		}
	}
	if len(names) > mostSeries {
		return misuse("name some, such as --versions "+names[0]+",latest", "%d versions are too many for one picture: at most %d can be told apart", len(names), mostSeries)
	}
	st, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return err
	}
	defer st.Close()
	var lines []charts.Percentiles
	for _, name := range names {
		merged, err := mergedLatency(ctx, st, sw, name)
		if err != nil {
			return err
		}
		if merged == nil && len(f.versions) == 0 {
			continue
		}
		title := name
		if name == sw.Plan.Reference {
			title += " (reference)"
		}
		lines = append(lines, charts.Percentiles{Title: title, Latency: merged})
	}
	t := sweep.NewTable(sw)
	h := charts.NewHeading(cmp.Or(t.Title, t.Target)+": latency", t)
	return a.draw(f, func(w io.Writer) error { return charts.LatencyPercentiles(w, h, lines, f.options) })
}

// mergedLatency adds up the latencies of a version's samples, without those that
// are in no figure; nil when there is none.
func mergedLatency(ctx context.Context, st *store.Store, sw sweep.Sweep, version string) (*hdrhistogram.Histogram, error) {
	var samples []sweep.Sample
	for _, s := range sweep.LastAttempts(sw.Samples) {
		if s.Version == version && !s.Twin && s.Status != sweep.Failed && !s.Spoilt() {
			samples = append(samples, s)
		}
	}
	if err := st.LoadHistograms(ctx, samples); err != nil {
		return nil, err
	}
	var merged *hdrhistogram.Histogram
	for _, s := range samples {
		switch {
		case s.Load == nil || s.Load.Latency == nil:
		case merged == nil:
			merged = s.Load.Latency
		default:
			merged.Merge(s.Load.Latency)
		}
	}
	return merged, nil
}

// releaseNames finds the versions that names stand for, each once.
func releaseNames(past []sweep.Sweep, names []string) ([]string, error) {
	var found []string
	for _, name := range names {
		version, err := releaseName(past, name)
		if err != nil {
			return nil, err
		}
		known := slices.ContainsFunc(past, func(sw sweep.Sweep) bool {
			return slices.ContainsFunc(sw.Plan.Versions, func(v sweep.Version) bool { return v.Name == version })
		})
		if !known {
			return nil, &sweep.NotMeasuredError{Target: past[0].Plan.Target, Version: version, Nearest: measuredUnder(past, version)}
		}
		if !slices.Contains(found, version) {
			found = append(found, version)
		}
	}
	return found, nil
}

// measuredUnder lists the measured versions that a name is the beginning of: 18.20.8
// for 18.
func measuredUnder(past []sweep.Sweep, name string) []string {
	var found []string
	for _, v := range measuredVersions(past) {
		if strings.HasPrefix(v.Name, name+".") {
			found = append(found, v.Name)
		}
	}
	return found[max(0, len(found)-3):]
}

// drawHistory draws one version over the sweeps that put the load of the latest
// one on versions of the same source.
func (a *app) drawHistory(ctx context.Context, args []string, f chartFlags) error {
	if len(f.versions) > 1 {
		return misuse("name one", "--versions: --kind history shows one version")
	}
	h, err := a.openHistory(ctx)
	if err != nil {
		return f.orUnknownMetric(sweep.Plan{}, err)
	}
	defer h.Close()
	past, err := a.past(ctx, h, args[0], 0)
	if err != nil {
		return f.orUnknownMetric(sweep.Plan{}, err)
	}
	if past, err = alike(past); err != nil {
		return err
	}
	newest := past[len(past)-1]
	names, err := releaseNames(past, f.versions)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = releaseNames(past, []string{cmp.Or(newest.Plan.Reference, "latest")}); err != nil {
			return err
		}
	}
	metrics, err := f.tableMetrics(sweep.NewTable(newest))
	if err != nil {
		return err
	}
	return a.draw(f, func(w io.Writer) error { return charts.History(w, past, names[0], metrics[0], f.options) })
}

// alike keeps the sweeps that have load and source in common with the last.
func alike(past []sweep.Sweep) ([]sweep.Sweep, error) {
	newest := past[len(past)-1].Plan
	hash, err := store.ProfileHash(newest.Profile)
	if err != nil {
		return nil, err
	}
	var same []sweep.Sweep
	for _, sw := range past {
		h, err := store.ProfileHash(sw.Plan.Profile)
		if err != nil {
			return nil, err
		}
		if h == hash && sw.Plan.Source == newest.Source {
			same = append(same, sw)
		}
	}
	return same, nil
}

func (a *app) drawCompare(ctx context.Context, args []string, f chartFlags) error {
	switch {
	case f.publishedGiven && (len(f.with) > 0 || len(f.versions) > 0):
		return misuse("leave them out", "--published shows all that the post has: --with and --versions have no meaning")
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

// comparedSweeps reads all sweeps of a target, or the one that --sweep names.
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
	return a.past(ctx, h, target, 0)
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

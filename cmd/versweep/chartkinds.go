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
		merged, spoilt, err := mergedLatency(ctx, st, sw, name)
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
		if spoilt {
			title += " (every sample is spoilt)"
		}
		lines = append(lines, charts.Percentiles{Title: title, Latency: merged})
	}
	t := sweep.NewTable(sw)
	h := charts.NewHeading(cmp.Or(t.Title, t.Target)+": latency", t)
	return a.draw(f, func(w io.Writer) error { return charts.LatencyPercentiles(w, h, lines, f.options) })
}

// mergedLatency adds up the latencies of a version's samples, nil when there is
// none. As in tables, spoilt samples count only where all are.
func mergedLatency(ctx context.Context, st *store.Store, sw sweep.Sweep, version string) (merged *hdrhistogram.Histogram, spoilt bool, err error) {
	var samples, doubtful []sweep.Sample
	for _, s := range sweep.LastAttempts(sw.Samples) {
		switch {
		case s.Version != version || s.Twin || s.Status == sweep.Failed:
		case s.Spoilt():
			doubtful = append(doubtful, s)
		default:
			samples = append(samples, s)
		}
	}
	if len(samples) == 0 {
		samples, spoilt = doubtful, len(doubtful) > 0
	}
	if err := st.LoadHistograms(ctx, samples); err != nil {
		return nil, false, err
	}
	for _, s := range samples {
		switch {
		case s.Load == nil || s.Load.Latency == nil:
		case merged == nil:
			merged = s.Load.Latency
		default:
			merged.Merge(s.Load.Latency)
		}
	}
	return merged, spoilt, nil
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

// measuredUnder lists some measured versions that a name is the beginning of,
// such as 18.20.8 for 18; with fewer than two of them the newest of all as well.
func measuredUnder(past []sweep.Sweep, name string) []string {
	var all, found []string
	for _, v := range measuredVersions(past) {
		all = append(all, v.Name)
		if strings.HasPrefix(v.Name, name+".") {
			found = append(found, v.Name)
		}
	}
	if len(found) < 2 {
		for _, v := range all[max(0, len(all)-5):] {
			if !slices.Contains(found, v) {
				found = append(found, v)
			}
		}
		return found
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
	past, _, err := a.past(ctx, h, args[0], sweep.Span{})
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
	if past, err = h.Single(ctx, args[0], names[0], newest.Plan.Reference); err != nil {
		return err
	}
	if past, err = alike(past); err != nil {
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

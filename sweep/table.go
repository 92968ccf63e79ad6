package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"versweep/sweep/load"
	"versweep/sweep/stats"
)

// Estimate is one metric of one version over its samples.
type Estimate struct {
	Median, Lo, Hi float64 // centre, lowest and highest sample
	Samples        int     // at least 1
}

// Row is one version's line in a Table.
type Row struct {
	Version Version
	Status  Status              // OK when every sample was, Failed when none could be used
	Reason  string              // why it is not OK, one line
	Notes   []string            // doubts about the figures, one line each
	Samples int                 // samples that Metrics rest on
	Metrics map[string]Estimate // by metric key; missing is unknown
	// Components are the bundled parts and their versions; nil when unknown.
	Components map[string]string
}

// Table is what a sweep has to say, one row a version in version order,
// versions that could not be measured included.
type Table struct {
	Target      string // name in the catalogue: "node"
	Title       string // for people: "Node.js"
	Sweep       int64  // id in the store
	Plan        Plan
	Environment Environment
	Rows        []Row
	Twin        map[string]Estimate // the reference under its A/A label; empty when never sampled
	Finished    bool                // every planned round was carried out

	Samples int // that were measured, the twin's included
	Starved int // of these, in which something else took the server's CPU
}

// NewTable sums up what a sweep has measured so far.
func NewTable(sw Sweep) Table {
	t := Table{
		Target: sw.Plan.Target, Title: sw.Plan.Title, Sweep: sw.ID, Plan: sw.Plan,
		Environment: sw.Environment, Finished: !sw.Finished.IsZero(),
	}
	byVersion := map[string][]Sample{}
	var twin []Sample
	for _, s := range sw.Samples {
		if s.Twin {
			twin = append(twin, s)
		} else {
			byVersion[s.Version] = append(byVersion[s.Version], s)
		}
	}
	outcomes := map[string]Outcome{}
	for _, o := range sw.Outcomes {
		outcomes[o.Version] = o
	}
	for _, v := range sw.Plan.Versions {
		t.Rows = append(t.Rows, newRow(v, outcomes[v.Name], byVersion[v.Name]))
	}
	t.Twin = estimate(twin)
	for _, s := range sw.Samples {
		if s.Status == Failed {
			continue
		}
		t.Samples++
		if starved(s, sw.Plan.Profile) {
			t.Starved++
		}
	}
	return t
}

// starvedBelow is the share of one CPU below which a closed loop's server was
// kept from working: over many connections it always has something to do.
const starvedBelow = 0.9

// starved tells whether other work on the machine took CPU from the server
// while it was measured.
func starved(s Sample, p load.Profile) bool {
	busy, known := s.Values[ServerCPU]
	return known && busy < starvedBelow && p.Shape == load.ShapeClosed && p.Calls == 0 && s.Load != nil && !s.Load.ClientBound
}

// newRow sums up one version; o is zero when it is still to be obtained.
func newRow(v Version, o Outcome, samples []Sample) Row {
	row := Row{Version: v, Status: OK, Reason: o.Reason, Metrics: estimate(samples), Components: o.Build.Bundled}
	var failed, bound, notKept int
	var failure string
	for _, s := range samples {
		switch s.Status {
		case Failed:
			failed++
			failure = s.Reason
			continue
		case Degraded:
			row.Status, row.Reason = Degraded, s.Reason
		}
		row.Samples++
		if s.Load != nil && s.Load.ClientBound {
			bound++
		}
		if s.Paced != nil && !s.Paced.Sustained {
			notKept++
		}
	}
	switch {
	case row.Samples == 0:
		row.Status = Failed
		row.Reason = cmp.Or(o.Reason, failure, "not sampled yet")
	case failed > 0:
		row.Status = Degraded
		row.Reason = fmt.Sprintf("%d of %d samples failed: %s", failed, len(samples), failure)
	}
	if bound > 0 {
		row.Notes = append(row.Notes, fmt.Sprintf("the load engine was the limit in %d of %d samples: the server may be faster", bound, row.Samples))
	}
	if notKept > 0 {
		row.Notes = append(row.Notes, fmt.Sprintf("the fixed rate was not kept in %d of %d samples: their latency there is left out", notKept, row.Samples))
	}
	return row
}

// estimate sums up the samples' values, metric by metric. Failed samples do
// not count.
func estimate(samples []Sample) map[string]Estimate {
	values := map[string][]float64{}
	for _, s := range samples {
		if s.Status == Failed {
			continue
		}
		for key, v := range s.Values {
			values[key] = append(values[key], v)
		}
	}
	out := make(map[string]Estimate, len(values))
	for key := range maps.Keys(values) {
		vs := values[key]
		out[key] = Estimate{Median: stats.Median(vs), Lo: slices.Min(vs), Hi: slices.Max(vs), Samples: len(vs)}
	}
	return out
}

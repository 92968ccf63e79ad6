package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

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
	Marks   map[MarkKind]int    // samples that are marked as each kind, those left out included
	LeftOut int                 // spoilt samples that Metrics do not rest on
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
	Finished    bool                // carried out to its end
	Rounds      int                 // the highest that has a sample

	Samples int              // that were measured, the twin's included; attempts that were repeated are not
	Marks   map[MarkKind]int // of these, how many are marked as each kind
	LeftOut int              // of these, how many are spoilt and in no figure
	Again   int              // attempts that were repeated because they were spoilt
	Starved int              // samples in which other processes or the hypervisor took CPU
}

// NewTable sums up what a sweep has measured so far.
func NewTable(sw Sweep) Table {
	t := Table{
		Target: sw.Plan.Target, Title: sw.Plan.Title, Sweep: sw.ID, Plan: sw.Plan,
		Environment: sw.Environment, Finished: !sw.Finished.IsZero(),
	}
	samples := LastAttempts(sw.Samples)
	t.Again = len(sw.Samples) - len(samples)
	byVersion := map[string][]Sample{}
	var twin []Sample
	for _, s := range samples {
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
	for _, s := range sw.Samples {
		t.Rounds = max(t.Rounds, s.Round)
	}
	for _, v := range sw.Plan.Versions {
		t.Rows = append(t.Rows, newRow(v, outcomes[v.Name], byVersion[v.Name]))
	}
	twin, left := unspoilt(twin)
	t.Twin = estimate(slices.Concat(twin, bare(left)))
	t.LeftOut = len(left)
	for _, row := range t.Rows {
		t.LeftOut += row.LeftOut
	}
	samples = slices.DeleteFunc(samples, func(s Sample) bool { return s.Status == Failed })
	t.Samples, t.Marks = len(samples), countMarks(samples)
	for _, s := range samples {
		if slices.ContainsFunc(s.Marks, func(m Mark) bool { return m.Kind == OtherWork || m.Kind == Steal }) {
			t.Starved++
		}
	}
	return t
}

// unspoilt splits what was measured into the samples that figures rest on and
// those that are left out. Where all are spoilt, none is: figures with a doubt
// say more than none. Verdicts never rest on them.
func unspoilt(samples []Sample) (used, left []Sample) {
	for _, s := range samples {
		if s.Status != Failed && s.Spoilt() {
			left = append(left, s)
		} else {
			used = append(used, s)
		}
	}
	if !slices.ContainsFunc(used, func(s Sample) bool { return s.Status != Failed }) {
		return samples, nil
	}
	return used, left
}

// bare are spoilt samples with what figures may rest on all the same.
func bare(spoilt []Sample) []Sample {
	var list []Sample
	for _, s := range spoilt {
		values := map[string]float64{}
		for key, v := range s.Values {
			if s.Bears(key) {
				values[key] = v
			}
		}
		s.Values = values
		list = append(list, s)
	}
	return list
}

// countMarks counts the samples that are marked as each kind; nil when none is.
func countMarks(samples []Sample) map[MarkKind]int {
	var counts map[MarkKind]int
	for _, s := range samples {
		for i, m := range s.Marks {
			if slices.ContainsFunc(s.Marks[:i], func(o Mark) bool { return o.Kind == m.Kind }) {
				continue
			}
			if counts == nil {
				counts = map[MarkKind]int{}
			}
			counts[m.Kind]++
		}
	}
	return counts
}

// spoiling is the first mark that spoils one of samples; empty when none does.
func spoiling(samples []Sample) string {
	for _, s := range samples {
		for _, m := range s.Marks {
			if m.Spoils {
				return m.Detail
			}
		}
	}
	return ""
}

// newRow sums up one version; o is zero when it is still to be obtained.
func newRow(v Version, o Outcome, samples []Sample) Row {
	taken := len(samples)
	row := Row{Version: v, Status: OK, Reason: o.Reason, Marks: countMarks(samples), Components: o.Build.Bundled}
	samples, left := unspoilt(samples)
	row.LeftOut, row.Metrics = len(left), estimate(slices.Concat(samples, bare(left)))
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
		row.Reason = fmt.Sprintf("%d of %d samples failed: %s", failed, taken, failure)
	}
	if row.Samples > 0 && spoiling(samples) != "" {
		row.Status = Degraded
		row.Reason = "every sample is spoilt, and none can carry a verdict: " + spoiling(samples)
		if _, known := row.Metrics[BuildSize]; known {
			row.Reason = "every sample is spoilt, and of its figures only the build size can carry a verdict: " + spoiling(samples)
		}
	}
	if row.LeftOut > 0 {
		row.Notes = append(row.Notes, fmt.Sprintf("%d of %d samples are left out: %s", row.LeftOut, taken, spoiling(left)))
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

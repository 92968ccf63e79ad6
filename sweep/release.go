package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"versweep/sweep/stats"
)

// Release is what changed from one version to another, over all metrics.
type Release struct {
	Target, Title string
	From, To      Version
	Verdict       string       // in one sentence: "8 % slower, 30 % more memory"
	Comparisons   []Comparison // of every metric that either has, in the order of Metrics
	Findings      []Finding    // changes between the two
	Between       []Version
	NotMeasured   []Outcome // of the versions between
	Bundled       []ComponentChange
	Environment   Environment
	Plan          Plan    // of the sweep that measured To last
	Sweeps        []int64 // that the comparison rests on
	Older         int     // sweeps that were left out as too old: see Recent
	Samples       int     // of both versions
	Warnings      []string
	Effect        float64 // smallest effect of interest, a fraction
}

// ComponentChange is a bundled component that differs. An empty version means
// that it is not there.
type ComponentChange struct{ Name, Old, New string }

// NotMeasuredError says that a version cannot be compared.
type NotMeasuredError struct {
	Target, Version string
	Reason          string   // why it was not measured; empty when no sweep has it
	Nearest         []string // measured versions with the nearest names
}

func (e *NotMeasuredError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("no sweep of %s has version %q", e.Target, e.Version)
	}
	return fmt.Sprintf("%s %s was not measured: %s", e.Target, e.Version, e.Reason)
}

// CompareReleases compares two versions over all metrics, from the rounds in
// which both were sampled, or else from samples that the reference ties. It
// fails with a NotMeasuredError.
func CompareReleases(history []Sweep, from, to string, o JudgeOptions) (Release, error) {
	return CompareJudged(history, Judge(history, o), from, to, o)
}

// CompareJudged is CompareReleases where the same sweeps have been judged with the
// same options already, as j.
func CompareJudged(history []Sweep, j Judgement, from, to string, o JudgeOptions) (Release, error) {
	strands, warnings := strandsOf(history, o)
	var s *strand
	for _, candidate := range slices.Backward(strands) {
		if candidate.has(from) && candidate.has(to) {
			s = candidate
			break
		}
	}
	if s == nil {
		return Release{}, whyNotMeasured(strands, from, to)
	}
	a, b := s.index(from), s.index(to)
	p := s.newest().Plan
	r := Release{
		Target: p.Target, Title: p.Title, From: s.versions[a], To: s.versions[b], Effect: j.Effect, Warnings: warnings, Older: j.Older,
		Environment: s.newest().Environment, Plan: p,
	}
	if len(strands) == 1 {
		r.Warnings = j.Warnings
	}
	for _, sw := range s.sweeps {
		if sw.measured(from) || sw.measured(to) {
			r.Sweeps = append(r.Sweeps, sw.ID)
			r.Environment, r.Plan = sw.Environment, sw.Plan
		}
		for _, sample := range LastAttempts(sw.Samples) {
			if (sample.Version == from || sample.Version == to) && sample.counts() && !sample.Twin {
				r.Samples++
			}
		}
	}
	low, high := min(a, b), max(a, b)
	for _, v := range s.versions[low+1 : max(high, low+1)] {
		r.Between = append(r.Between, v)
		if i := slices.IndexFunc(s.outcomes, func(o Outcome) bool { return o.Version == v.Name }); i >= 0 {
			r.NotMeasured = append(r.NotMeasured, s.outcomes[i])
		}
	}
	for _, f := range j.Findings {
		if at := s.index(f.To); at > low && at <= high {
			r.Findings = append(r.Findings, f)
		}
	}
	g := judging{strand: s, effect: math.Log1p(j.Effect), j: &j}
	r.Bundled = componentChanges(g.bundled(a), g.bundled(b))
	var changed []Finding
	same := false // in throughput
	for _, m := range s.metrics {
		if len(o.Metrics) > 0 && !slices.Contains(o.Metrics, m.Key) {
			continue
		}
		c, ok := g.compare(s.series[m.Key], a, b)
		if !ok {
			continue
		}
		r.Comparisons = append(r.Comparisons, c)
		same = same || m.Key == QPS && c.Verdict == NoChange
		if c.Verdict == Regression || c.Verdict == Improvement {
			changed = append(changed, Finding{Metric: m, Verdict: c.Verdict, Change: c.Change})
		}
	}
	r.Verdict = cmp.Or(jointWords(changed, same && len(changed) > 0), g.sameWords(r.Comparisons))
	return r, nil
}

// CompareInSweep compares two versions of one sweep by one metric, from that
// sweep's own rounds alone. It may be asked again after every round: that its
// answers are looked at while rounds are taken is allowed for. ok is false while
// either version has no figure.
func CompareInSweep(sw Sweep, from, to, metric string, o JudgeOptions) (c Comparison, ok bool) {
	strands, _ := strandsOf([]Sweep{sw}, JudgeOptions{})
	for _, s := range strands {
		series := s.series[metric]
		if series == nil || !s.bears(from, metric) || !s.bears(to, metric) {
			continue
		}
		j := Judgement{Noise: map[string]float64{}}
		g := judging{strand: s, effect: math.Log1p(effectOf(sw.Plan, o)), looks: s.looks(), j: &j, readings: map[string]*judgedSeries{}}
		return g.compare(series, s.index(from), s.index(to))
	}
	return Comparison{}, false
}

// sameWords is the sentence where nothing changed for sure.
func (g *judging) sameWords(comparisons []Comparison) string {
	for _, c := range comparisons {
		if c.Verdict == Undecided {
			return "undecided"
		}
	}
	return fmt.Sprintf("the same within %.3g %%", 100*math.Expm1(g.effect))
}

// index is the place of a version on the axis; -1 when it has none.
func (s *strand) index(version string) int {
	return slices.IndexFunc(s.versions, func(v Version) bool { return v.Name == version })
}

// bears tells whether the strand has a figure of a version's metric that may enter a
// verdict.
func (s *strand) bears(version, metric string) bool {
	i := s.index(version)
	return i >= 0 && len(s.bearing(metric, i)) > 0
}

// has tells whether the strand has a figure of a version.
func (s *strand) has(version string) bool {
	i := s.index(version)
	return i >= 0 && len(s.machines[i]) > 0
}

func whyNotMeasured(strands []*strand, from, to string) error {
	e := &NotMeasuredError{Version: from}
	var measured []string
	for _, version := range []string{to, from} { // the first that is wanting, from before to
		found := false
		for _, s := range strands {
			found = found || s.has(version)
		}
		if !found {
			e.Version = version
		}
	}
	for _, s := range strands {
		e.Target = s.newest().Plan.Target
		for i, v := range s.versions {
			if len(s.machines[i]) > 0 {
				measured = append(measured, v.Name)
			}
		}
		for _, o := range s.outcomes {
			if o.Version == e.Version {
				e.Reason = o.Reason
			}
		}
	}
	if slices.Contains(measured, from) && slices.Contains(measured, to) {
		e.Version, e.Reason = to, "only on another machine than "+from+", and no reference ties the two"
	}
	e.Nearest = nearestNames(e.Version, measured)
	return e
}

// nearestNames are the measured versions that share the longest beginning.
func nearestNames(name string, measured []string) []string {
	shared := func(s string) int {
		n := 0
		for n < len(s) && n < len(name) && s[n] == name[n] {
			n++
		}
		return n
	}
	near := slices.Clone(measured)
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(shared(b), shared(a)) })
	return near[:min(5, len(near))]
}

// componentChanges lists the components that differ, by name; nil where one side
// is not known.
func componentChanges(old, new map[string]string) []ComponentChange {
	if old == nil || new == nil {
		return nil
	}
	names := map[string]bool{}
	for name := range old {
		names[name] = true
	}
	for name := range new {
		names[name] = true
	}
	var changes []ComponentChange
	for _, name := range slices.Sorted(keys(names)) {
		if old[name] != new[name] {
			changes = append(changes, ComponentChange{name, old[name], new[name]})
		}
	}
	return changes
}

// compare is one metric of two versions. ok is false where neither has it.
func (g *judging) compare(s *series, a, b int) (c Comparison, ok bool) {
	r := &judgedSeries{series: s, places: s.measured(), pairs: map[int]stats.Pair{}}
	if len(s.values[a]) == 0 && len(s.values[b]) == 0 {
		return c, false
	}
	r.compareNeighbours(g.looks)
	var pair stats.Pair
	d := r.differences(a, b)
	if len(d) >= 2 && !g.single {
		pair = stats.ComparePairs(d, stats.PairOptions{Prior: r.prior, Looks: g.looks})
	} else {
		pair = g.unpaired(r, a, b)
	}
	c = g.comparison(r, a, b, pair)
	if len(s.values[a]) == 0 || len(s.values[b]) == 0 {
		c.Verdict, c.RoundsNeeded = NotMeasured, 0
	}
	if is, was := zeroness(s.values[b]), zeroness(s.values[a]); is != 0 && was != 0 && (is < 0 || was < 0) {
		c.Verdict, c.RoundsNeeded = NoChange, 0
		if is != was {
			c.Verdict = verdictOf(s.metric, float64(is))
		}
	}
	return c, true
}

// unpaired compares versions that were not sampled in the same rounds, from
// samples without the effect of their round, as the versions they share tell it.
func (g *judging) unpaired(r *judgedSeries, a, b int) stats.Pair {
	nan := math.NaN()
	unknown := stats.Pair{Change: nan, Lo: nan, Hi: nan, P: nan, SD: nan, SE: nan, SmallestEffect: nan}
	steps := stats.FindSteps(slices.Concat(r.samples, r.twin), stats.StepOptions{Single: g.single})
	var old, new []float64
	for _, o := range steps.Corrected {
		switch o.Place {
		case a:
			old = append(old, o.Y)
		case b:
			new = append(new, o.Y)
		}
	}
	if len(old) == 0 || len(new) == 0 {
		return unknown
	}
	p := unknown
	p.Change = stats.Median(new) - stats.Median(old)
	if change, lo, hi, ok := stats.Welch(old, new, errorRate); ok {
		p.Change, p.Lo, p.Hi = change, lo, hi
		return p
	}
	// One value each: what the levels of the series say, if a change lies between.
	level := func(place int) int {
		return slices.IndexFunc(steps.Levels, func(l stats.Level) bool { return l.From <= place && place < l.To })
	}
	if i, k := level(a), level(b); i >= 0 && k >= 0 && i != k {
		r.levels, r.steps = steps.Levels, steps
		p.Change, p.Lo, p.Hi = levelChange(r, i, k)
	}
	return p
}

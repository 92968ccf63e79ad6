package sweep

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"versweep/sweep/stats"
)

// errorRate is the probability that a judgement of versions without any
// difference tells one, over all its metrics, places and looks.
const errorRate = 0.05

// Judge says what the sweeps of one target, oldest first, have to say: which
// changes there are, how large and how sure, and what is not known. Sweeps of
// several machines are joined by the reference only. It depends on the samples
// alone, not on when or where it runs.
func Judge(history []Sweep, o JudgeOptions) Judgement {
	j := Judgement{
		Joint: map[string]string{}, AgainstReference: map[string]map[string]Comparison{}, Newest: map[string]Comparison{},
		Twin: map[string]Comparison{}, Noise: map[string]float64{}, SmallestEffect: map[string]float64{}, Lasting: map[string]bool{},
	}
	strands, warnings := strandsOf(history, o)
	j.Warnings, j.Replaced = warnings, map[string]time.Time{}
	for _, s := range strands {
		for version, at := range s.replaced {
			if at.After(j.Replaced[version]) {
				j.Replaced[version] = at
			}
		}
		p := s.newest().Plan
		j.Target, j.Title, j.Reference = p.Target, p.Title, p.Reference
		j.Effect = effectOf(p, o)
		jg := judging{strand: s, effect: math.Log1p(j.Effect), looks: s.looks(), j: &j, readings: map[string]*judgedSeries{}}
		jg.run(o.Metrics)
	}
	j.finish()
	return j
}

func effectOf(p Plan, o JudgeOptions) float64 { return cmp.Or(o.Effect, p.Effect, DefaultEffect) }

func keys[K comparable, V any](m map[K]V) iter.Seq[K] { return maps.Keys(m) }

// judging is one strand being judged.
type judging struct {
	*strand
	effect   float64 // logarithm
	looks    stats.Looks
	j        *Judgement
	readings map[string]*judgedSeries
}

// judgedSeries is what the statistics say about one metric.
type judgedSeries struct {
	*series
	places  []int // measured
	steps   stats.Steps
	levels  []stats.Level      // between the changes that hold among all metrics
	pairs   map[int]stats.Pair // of each measured place but the first with the one before it
	prior   stats.Prior
	replica bool // several samples a version, so that pairs can be compared

	levelPrior stats.Prior // of a version against its level
	byPlace    map[int]map[int]float64
}

// rounds is the mean logarithm of a place's samples in each round, the twin's
// included.
func (r *judgedSeries) rounds(place int) map[int]float64 {
	if r.byPlace == nil {
		r.byPlace = meansByRound(r.samples, r.twin)
	}
	return r.byPlace[place]
}

// differences are the log ratios of version b to version a, one for each round
// in which both were sampled. The twin counts for the reference.
func (r *judgedSeries) differences(a, b int) []float64 {
	old, new := r.rounds(a), r.rounds(b)
	var d []float64
	for _, round := range slices.Sorted(keys(new)) {
		if y, ok := old[round]; ok {
			d = append(d, new[round]-y)
		}
	}
	return d
}

func (g *judging) run(wanted []string) {
	for _, m := range g.metrics {
		if len(wanted) > 0 && !slices.Contains(wanted, m.Key) {
			continue
		}
		g.readings[m.Key] = g.read(g.series[m.Key])
		if !slices.Contains(g.j.Metrics, m) {
			g.j.Metrics = append(g.j.Metrics, m)
		}
	}
	told := g.candidates()
	for _, r := range g.readings {
		r.joinLevels(told)
	}
	for _, c := range told {
		g.tell(g.readings[c.metric], c)
	}
	for _, m := range g.metrics {
		r := g.readings[m.Key]
		if r == nil {
			continue
		}
		g.onsets(r)
		g.creep(r)
		g.sum(r)
		if m.Key == g.primary() || len(wanted) > 0 && g.readings[g.primary()] == nil && wanted[0] == m.Key {
			g.neighbours(r)
		}
	}
	g.referenceMoved()
	g.hostDrift()
	known := map[string]bool{}
	for _, v := range g.j.Versions {
		known[v.Name] = true
	}
	for _, v := range g.versions {
		if !known[v.Name] {
			g.j.Versions = append(g.j.Versions, v)
		}
	}
	for _, o := range g.outcomes {
		if !g.allKnown(wanted, g.index(o.Version)) {
			g.j.NotMeasured = append(g.j.NotMeasured, o)
		}
	}
}

// allKnown tells whether a version without a sample that counts has all the same
// whatever was asked for.
func (g *judging) allKnown(wanted []string, place int) bool {
	return len(wanted) > 0 && place >= 0 && !slices.ContainsFunc(wanted, func(metric string) bool {
		s := g.series[metric]
		return s == nil || len(s.values[place]) == 0
	})
}

func (g *judging) read(s *series) *judgedSeries {
	r := &judgedSeries{series: s, places: s.measured(), pairs: map[int]stats.Pair{}}
	r.replica = len(s.samples) >= 2*len(r.places)
	if r.replica && !g.single {
		r.compareNeighbours(g.looks)
	}
	if len(r.places) == 2 && r.replica && !g.single {
		r.steps = r.twoPlaces()
		return r
	}
	r.steps = stats.FindSteps(slices.Concat(s.samples, s.twin), stats.StepOptions{Alpha: errorRate, Looks: g.looks, Single: g.single})
	return r
}

// compareNeighbours compares twice: first each pair by itself, to learn how far
// their noise can be pooled, then with that.
func (r *judgedSeries) compareNeighbours(looks stats.Looks) {
	var alone []stats.Pair
	for k := 1; k < len(r.places); k++ {
		alone = append(alone, stats.ComparePairs(r.differences(r.places[k-1], r.places[k]), stats.PairOptions{Looks: looks}))
	}
	r.prior = stats.FitPrior(alone)
	// Around a level there is half of the variance of a difference of two, and
	// a little for the level's own.
	r.levelPrior = r.prior
	r.levelPrior.Variance *= 0.5 * (1 + 1/float64(max(1, len(r.places)-1)))
	for k := 1; k < len(r.places); k++ {
		r.pairs[r.places[k]] = stats.ComparePairs(r.differences(r.places[k-1], r.places[k]), stats.PairOptions{Prior: r.prior, Looks: looks})
	}
}

// twoPlaces are the steps of an axis of two, where the comparison of the pair
// says all.
func (r *judgedSeries) twoPlaces() stats.Steps {
	a, b := r.places[0], r.places[1]
	p := r.pairs[b]
	old, new := stats.Median(logs(r.values[a])), stats.Median(logs(r.values[b]))
	out := stats.Steps{Noise: p.SD / math.Sqrt2, DF: p.DF, Corrected: r.samples, Levels: []stats.Level{
		{From: a, To: a + 1, Level: old, Error: p.SE / math.Sqrt2, Samples: len(r.values[a])},
		{From: b, To: b + 1, Level: new, Error: p.SE / math.Sqrt2, Samples: len(r.values[b])},
	}}
	if p.P <= errorRate {
		out.Steps = []stats.Step{{At: b, Before: a, Change: p.Change, Lo: p.Lo, Hi: p.Hi, P: p.P, AtLo: b, AtHi: b}}
	}
	return out
}

func logs(values []float64) []float64 {
	var out []float64
	for _, v := range values {
		if v > 0 {
			out = append(out, math.Log(v))
		}
	}
	return out
}

// candidate is a change that the statistics found in one metric.
type candidate struct {
	metric string
	step   int // index into steps.Steps; -1 for a ramp
	ramp   int
	p      float64
	weight float64
}

// candidates picks the changes that are told. Over all metrics the share of false ones
// is held at errorRate (Benjamini & Hochberg), half of it for the primary metric
// (weights of Genovese, Roeder & Wasserman 2006), so that watching many does not
// hide what happened to throughput.
func (g *judging) candidates() []candidate {
	var all []candidate
	primary, others := 0, 0
	for _, m := range g.metrics {
		r := g.readings[m.Key]
		if r == nil {
			continue
		}
		before := len(all)
		for i, s := range r.steps.Steps {
			all = append(all, candidate{m.Key, i, -1, s.P, 1})
		}
		for i, ramp := range r.steps.Ramps {
			all = append(all, candidate{m.Key, -1, i, ramp.P, 1})
		}
		if len(all) == before {
			all = append(all, candidate{m.Key, -1, -1, 1, 1})
		}
		if m.Key == g.primary() {
			primary += len(all) - before
		} else {
			others += len(all) - before
		}
	}
	var ps, weights []float64
	for _, c := range all {
		if c.metric == g.primary() && others > 0 {
			c.weight = float64(others) / float64(primary)
		}
		ps, weights = append(ps, c.p), append(weights, c.weight)
	}
	adjusted := stats.FalseDiscovery(ps, weights)
	var told []candidate
	for i, c := range all {
		if c.p = adjusted[i]; (c.step >= 0 || c.ramp >= 0) && c.p <= errorRate {
			told = append(told, c)
		}
	}
	return told
}

// joinLevels joins the stretches between which no change holds.
func (r *judgedSeries) joinLevels(told []candidate) {
	holds := func(at int) bool {
		return slices.ContainsFunc(told, func(c candidate) bool {
			switch {
			case c.metric != r.metric.Key:
				return false
			case c.step >= 0:
				return r.steps.Steps[c.step].At == at
			}
			ramp := r.steps.Ramps[c.ramp]
			return ramp.From < at && at <= ramp.To
		})
	}
	for _, l := range r.steps.Levels {
		k := len(r.levels) - 1
		if k < 0 || holds(l.From) {
			r.levels = append(r.levels, l)
			continue
		}
		was := r.levels[k]
		n, m := float64(was.Samples), float64(l.Samples)
		r.levels[k] = stats.Level{
			From: was.From, To: l.To, Samples: was.Samples + l.Samples,
			Level: (n*was.Level + m*l.Level) / (n + m), Error: math.Sqrt(n*n*was.Error*was.Error+m*m*l.Error*l.Error) / (n + m),
		}
	}
}

// tell makes a finding of a change, unless it is surely smaller than what is of
// interest. One whose estimate only came out a little under is told.
func (g *judging) tell(r *judgedSeries, c candidate) {
	var f Finding
	var log, lo, hi float64
	if c.ramp >= 0 {
		ramp := r.steps.Ramps[c.ramp]
		log, lo, hi = ramp.Change, ramp.Lo, ramp.Hi
		f = g.finding(KindCreep, r.metric, ramp.From, ramp.To, log, lo, hi)
		f.PlaceLo, f.PlaceHi = f.From, f.To
		g.recovery(&f, r, ramp.From, ramp.To)
	} else {
		s := r.steps.Steps[c.step]
		log, lo, hi = s.Change, s.Lo, s.Hi
		f = g.finding(KindStep, r.metric, s.Before, s.At, log, lo, hi)
		f.PlaceLo, f.PlaceHi = g.versions[g.after(r, s.AtLo)].Name, g.versions[s.AtHi].Name
		g.recovery(&f, r, s.Before, s.At)
		f.Notes = append(f.Notes, g.between(s.Before, s.At)...)
		if !slices.ContainsFunc(g.j.Findings, func(told Finding) bool { return told.From == f.From && told.To == f.To }) {
			f.Notes = append(f.Notes, g.causes(s.Before, s.At)...) // once for all metrics
		}
		if r.metric.Key == QPS {
			f.Notes = append(f.Notes, g.witness(f, s)...)
		}
		if g.seam(r.metric, s.Before, s.At) {
			f.Kind, f.Verdict = KindSeam, EnvironmentChange
			f.Notes = append(f.Notes, "measured on different machines: only the reference ties them")
		}
	}
	if -g.effect <= lo && hi <= g.effect {
		return
	}
	f.Confidence = 1 - c.p
	g.add(f)
}

// add takes a finding in, with the machine it belongs to where there are several.
func (g *judging) add(f Finding) {
	if g.name != "" {
		f.Notes = append(f.Notes, "on "+g.name)
	}
	g.j.Findings = append(g.j.Findings, f)
}

// finding fills in what all kinds have. log is the change as a logarithm.
func (g *judging) finding(kind Kind, m Metric, from, to int, log, lo, hi float64) Finding {
	f := Finding{
		Kind: kind, Metric: m, From: g.versions[from].Name, To: g.versions[to].Name, State: Open,
		Change: math.Expm1(log), Lo: math.Expm1(lo), Hi: math.Expm1(hi), Verdict: verdictOf(m, log),
		PlaceLo: g.versions[to].Name, PlaceHi: g.versions[to].Name,
	}
	f.ID = findingID(g.newest().Plan.Target, m.Key, f.To, kind)
	return f
}

// findingID names a finding so that people can type it: names from outside may
// hold anything.
func findingID(target, metric, version string, kind Kind) string {
	id := target + "-" + metric + "-" + version
	if kind == KindCreep {
		id += "-creep"
	}
	return strings.Map(func(r rune) rune {
		if notVersionRune(r) && r != ':' {
			return '_'
		}
		return r
	}, id)
}

func verdictOf(m Metric, change float64) Verdict {
	if change > 0 == (m.Better == Higher) {
		return Improvement
	}
	return Regression
}

// after is the first place after the measured one before at: where versions in
// between could not be measured, the change may be theirs.
func (g *judging) after(r *judgedSeries, at int) int {
	k := slices.Index(r.places, at)
	if k <= 0 {
		return at
	}
	return r.places[k-1] + 1
}

// recovery looks for a level after a place that is back where the metric was
// before a change.
func (g *judging) recovery(f *Finding, r *judgedSeries, before, at int) {
	if f.Verdict != Regression {
		return
	}
	k := slices.IndexFunc(r.levels, func(l stats.Level) bool { return l.From <= before && before < l.To })
	if k < 0 {
		return
	}
	was := r.levels[k].Level
	for _, l := range r.levels[k+1:] {
		worse := was - l.Level
		if r.metric.Better == Lower {
			worse = -worse
		}
		if l.From > at && worse <= g.effect {
			f.State, f.RecoveredIn = Recovered, g.versions[l.From].Name
			return
		}
	}
}

// between says which versions in a gap could not be measured: the change may
// belong to any of them.
func (g *judging) between(before, at int) []string {
	if at-before < 2 {
		return nil
	}
	var names []string
	for _, v := range g.versions[before+1 : at] {
		names = append(names, v.Name)
	}
	return []string{fmt.Sprintf("somewhere between: %s not measured", strings.Join(shortList(names), ", "))}
}

// shortList keeps the first few names and counts the rest.
func shortList(names []string) []string {
	const most = 6
	if len(names) <= most {
		return names
	}
	return append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
}

// causes names the bundled components that differ between two versions.
func (g *judging) causes(before, at int) []string {
	changes := componentChanges(g.bundled(before), g.bundled(at))
	if len(changes) == 0 {
		return nil
	}
	var words []string
	for _, c := range changes {
		words = append(words, fmt.Sprintf("%s %s → %s", c.Name, cmp.Or(c.Old, "none"), cmp.Or(c.New, "none")))
	}
	return []string{"bundled: " + strings.Join(shortList(words), ", ")}
}

func (g *judging) bundled(place int) map[string]string {
	for _, sw := range slices.Backward(g.sweeps) {
		for _, o := range sw.Outcomes {
			if o.Version == g.versions[place].Name && o.Build.Bundled != nil {
				return o.Build.Bundled
			}
		}
	}
	return nil
}

// witness asks the server's CPU per request, which other work on the machine
// disturbs less, about a change of throughput.
func (g *judging) witness(f Finding, s stats.Step) []string {
	r := g.readings[CPUPerRequest]
	if r == nil || !r.replica {
		return nil
	}
	near := slices.DeleteFunc(slices.Clone(r.steps.Steps), func(other stats.Step) bool {
		return other.At < s.AtLo-1 || other.At > s.AtHi+1
	})
	if slices.ContainsFunc(near, func(other stats.Step) bool { return verdictOf(r.metric, other.Change) == f.Verdict }) {
		return nil
	}
	if len(near) > 0 {
		return []string{fmt.Sprintf("witnesses disagree: server CPU per request changed by %+.1f %% there", 100*math.Expm1(near[0].Change))}
	}
	smallest, _ := r.smallestEffect()
	if !(smallest < math.Abs(f.Change)) {
		return nil // it could not have seen a change of this size
	}
	return []string{fmt.Sprintf("witnesses disagree: server CPU per request shows no change there, and one of %.1f %% would have shown", 100*smallest)}
}

// seam tells whether no machine has measured a metric of both versions.
func (g *judging) seam(m Metric, before, at int) bool {
	was := g.bearing(m.Key, before)
	for machine := range g.bearing(m.Key, at) {
		if was[machine] {
			return false
		}
	}
	return true
}

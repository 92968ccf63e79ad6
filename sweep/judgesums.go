package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"versweep/sweep/stats"
)

// mostOnsets is how often a value may leave zero or go back to it and still be
// told: one that comes and goes more often is chance, not a version's.
const mostOnsets = 2

// onset is a change between all values zero and most not.
type onset struct {
	before, at int
	is         int       // 1 when it is not zero any more, -1 when it is again
	zeros      []float64 // of the versions on the zero side
	others     []float64
}

// onsets finds values that were zero and are not any more, or the other way:
// they have no ratio. A version counts as zero when all its samples are, and as
// not zero when more than half are.
func (g *judging) onsets(r *judgedSeries) {
	all := zeroChanges(r.values)
	if len(all) == 0 {
		return
	}
	if len(all) > mostOnsets {
		g.j.Warnings = append(g.j.Warnings, fmt.Sprintf("%s is 0 here and there: values that come and go are told of no version", withinSentence(r.metric)))
		return
	}
	for _, c := range all {
		nan := math.NaN()
		f := g.finding(KindOnset, r.metric, c.before, c.at, float64(c.is), nan, nan)
		f.Change, f.Confidence = nan, nan
		if c.is < 0 {
			f.Change, f.Lo, f.Hi = -1, -1, -1
		}
		f.PlaceLo = g.versions[c.before+1].Name
		f.Notes = g.between(c.before, c.at)
		if r.replica {
			p := stats.RankTest(c.zeros, c.others) * float64(len(r.values)-1)
			if f.Confidence = 1 - min(1, p); p > errorRate {
				n := g.comparison(r, c.before, c.at, stats.Pair{Change: nan, Lo: nan, Hi: nan, P: p, SmallestEffect: nan})
				n.Verdict, n.RoundsNeeded = Undecided, max(1, len(c.others))
				g.j.Neighbours = append(g.j.Neighbours, n)
				continue
			}
		}
		if f.Verdict == Improvement {
			g.recoverOnset(f)
		}
		g.add(f)
	}
}

// zeroChanges lists where a metric leaves zero or goes back to it.
func zeroChanges(values [][]float64) []onset {
	const most = 50 // that an exact test still takes
	var all []onset
	before, was := -1, 0
	var run []float64 // of the versions that are alike
	for place, vs := range values {
		is := zeroness(vs)
		if is == 0 {
			continue
		}
		if before >= 0 && is != was {
			c := onset{before: before, at: place, is: is, zeros: run, others: vs}
			if is < 0 {
				c.zeros, c.others = vs, run
			}
			all = append(all, c)
			run = nil
		}
		run = append(run, vs...)
		run = run[max(0, len(run)-most):]
		before, was = place, is
	}
	return all
}

// recoverOnset marks what came earlier and is over.
func (g *judging) recoverOnset(over Finding) {
	for i := range g.j.Findings {
		f := &g.j.Findings[i]
		if f.Kind == KindOnset && f.Metric.Key == over.Metric.Key && f.Verdict == Regression && f.State == Open {
			f.State, f.RecoveredIn = Recovered, over.To
		}
	}
}

// zeroness is -1 when all values are 0, 1 when most are not, and 0 otherwise.
func zeroness(values []float64) int {
	nonzero := 0
	for _, v := range values {
		if v != 0 {
			nonzero++
		}
	}
	switch {
	case len(values) == 0:
		return 0
	case nonzero == 0:
		return -1
	case 2*nonzero > len(values):
		return 1
	}
	return 0
}

// creepLevel is the error rate of looking for a slow change where no step was
// found. It comes on top of errorRate, which the step search does not use up.
const creepLevel = 0.01

// creep finds what no single change tells: small steps that add up.
func (g *judging) creep(r *judgedSeries) {
	if len(r.places) < 3 || slices.ContainsFunc(g.j.Findings, func(f Finding) bool { return f.Metric.Key == r.metric.Key && f.Kind == KindCreep }) {
		return
	}
	if !r.replica && len(r.steps.Steps) == 0 && len(r.steps.Ramps) == 0 {
		g.trend(r)
		return
	}
	best, last := g.bestLevel(r), len(r.levels)-1
	if best < 0 || best == last {
		return
	}
	from, to := r.levels[best].To-1, r.levels[last].To-1
	told := slices.ContainsFunc(g.j.Findings, func(f Finding) bool {
		return f.Metric.Key == r.metric.Key && f.Verdict == Regression && g.index(f.To) > from
	})
	change, lo, hi := levelChange(r, best, last)
	if told || -g.effect <= change && change <= g.effect || lo <= 0 && hi >= 0 {
		return
	}
	f := g.finding(KindCreep, r.metric, from, to, change, lo, hi)
	f.Confidence = 1 - stats.StudentP(change/math.Hypot(r.levels[best].Error, r.levels[last].Error), r.steps.DF)
	f.Notes = append(f.Notes, "small changes, each within the smallest effect of interest, add up")
	f.PlaceLo, f.PlaceHi = f.From, f.To
	g.add(f)
}

// trend looks for a slow change in a series of single values (Mann & Kendall),
// and sizes it by the median slope (Theil & Sen).
func (g *judging) trend(r *judgedSeries) {
	ys := make([]float64, len(r.places))
	for i, p := range r.places {
		ys[i] = math.Log(r.values[p][0])
	}
	t := stats.MannKendall(ys)
	n := float64(len(ys))
	change := t.Slope * (n - 1)
	if !(t.P <= creepLevel) || math.Abs(change) < g.effect {
		return
	}
	residuals := make([]float64, len(ys))
	var squares float64
	for i, y := range ys {
		residuals[i] = y - t.Slope*float64(i)
		squares += (float64(i) - (n-1)/2) * (float64(i) - (n-1)/2)
	}
	centre := stats.Median(residuals)
	var rss float64
	for _, e := range residuals {
		rss += (e - centre) * (e - centre)
	}
	noise := math.Sqrt(rss / max(1, n-2))
	half := stats.StudentQuantile(errorRate, max(1, n-2)) * noise / math.Sqrt(squares) * (n - 1)
	r.steps.Noise = noise // around the trend
	first, last := r.places[0], r.places[len(r.places)-1]
	f := g.finding(KindCreep, r.metric, first, last, change, change-half, change+half)
	f.PlaceLo, f.PlaceHi = f.From, f.To
	f.Confidence = 1 - t.P
	for i, p := range r.places {
		if d := ys[i] - ys[0]; math.Abs(d) > g.effect && d > 0 == (change > 0) {
			f.Notes = append(f.Notes, fmt.Sprintf("%+.1f %% by %s, %+.1f %% at the end: no single version did it", 100*math.Expm1(d), g.versions[p].Name, 100*math.Expm1(ys[len(ys)-1]-ys[0])))
			break
		}
	}
	g.add(f)
}

// bestLevel is the index of the best level; -1 when there is none.
func (g *judging) bestLevel(r *judgedSeries) int {
	best := -1
	for i, l := range r.levels {
		if best < 0 || l.Level != r.levels[best].Level && l.Level > r.levels[best].Level == (r.metric.Better == Higher) {
			best = i
		}
	}
	return best
}

// levelChange is the change from one level to another with its interval.
func levelChange(r *judgedSeries, from, to int) (change, lo, hi float64) {
	a, b := r.levels[from], r.levels[to]
	half := stats.StudentQuantile(errorRate, r.steps.DF) * math.Hypot(a.Error, b.Error)
	change = b.Level - a.Level
	return change, change - half, change + half
}

// smallestEffect is the change between neighbours that would have been seen with
// 80 % power, as a fraction; where there is one sample a version, it is lasting:
// of a change in the middle of the axis.
func (r *judgedSeries) smallestEffect() (effect float64, lasting bool) {
	var all []float64
	for _, p := range r.pairs {
		if !math.IsNaN(p.SmallestEffect) {
			all = append(all, p.SmallestEffect)
		}
	}
	if len(all) > 0 {
		return math.Expm1(stats.Median(all)), false
	}
	n := len(r.steps.Corrected)
	if n < 4 || !(r.steps.Noise > 0) {
		return math.NaN(), true
	}
	return math.Expm1((r.steps.Needed + stats.Power80) * r.steps.Noise * 2 / math.Sqrt(float64(n))), true
}

// sum fills in what is said about every metric: noise, smallest effect, the
// reference against itself and against all, the newest against the best.
func (g *judging) sum(r *judgedSeries) {
	key := r.metric.Key
	if len(r.steps.Corrected) > 3 && r.steps.Noise > 0 {
		g.j.Noise[key] = r.steps.Noise
	}
	g.tellOutliers(r)
	if smallest, lasting := r.smallestEffect(); !math.IsNaN(smallest) {
		g.j.SmallestEffect[key], g.j.Lasting[key] = smallest, lasting
	}
	reference := g.index(g.newest().Plan.Reference)
	if reference >= 0 && r.replica && !g.single {
		var twin []float64
		own := meansByRound(r.samples)[reference]
		for _, o := range r.twin {
			if y, ok := own[o.Round]; ok {
				twin = append(twin, o.Y-y)
			}
		}
		if len(twin) > 0 {
			g.j.Twin[key] = g.comparison(r, reference, reference, stats.ComparePairs(twin, stats.PairOptions{Prior: r.prior}))
		}
		for _, p := range r.places {
			if p == reference {
				continue
			}
			name := g.versions[p].Name
			if g.j.AgainstReference[name] == nil {
				g.j.AgainstReference[name] = map[string]Comparison{}
			}
			pair := stats.ComparePairs(r.differences(reference, p), stats.PairOptions{Prior: r.prior, Looks: g.looks})
			g.j.AgainstReference[name][key] = g.comparison(r, reference, p, pair)
		}
	}
	if best, last := g.bestLevel(r), len(r.levels)-1; best >= 0 && best != last {
		change, lo, hi := levelChange(r, best, last)
		from, to := r.levels[best].To-1, r.levels[last].To-1
		c := g.comparison(r, from, to, stats.Pair{Change: change, Lo: lo, Hi: hi, P: math.NaN(), SmallestEffect: math.NaN()})
		c.Verdict, c.RoundsNeeded = NoChange, 0
		if math.Abs(change) > g.effect && (lo > 0 || hi < 0) {
			c.Verdict = verdictOf(r.metric, change)
		}
		g.j.Newest[key] = c
	}
}

// comparison puts a pair of places into words. With the interval on one side of
// 0 the verdict stands; findings say which of them are told.
func (g *judging) comparison(r *judgedSeries, from, to int, p stats.Pair) Comparison {
	c := Comparison{
		Metric: r.metric, From: g.versions[from].Name, To: g.versions[to].Name,
		Old: estimateOf(r.values[from]), New: estimateOf(r.values[to]),
		Change: math.Expm1(p.Change), Lo: math.Expm1(p.Lo), Hi: math.Expm1(p.Hi), P: p.P, Pairs: p.N,
		SmallestEffect: math.Expm1(p.SmallestEffect),
	}
	decision, rounds := p.Decide(math.Expm1(g.effect))
	switch decision {
	case stats.Changed:
		c.Verdict = verdictOf(r.metric, p.Change)
	case stats.Same:
		c.Verdict = NoChange
	default:
		c.Verdict, c.RoundsNeeded = Undecided, rounds
	}
	return c
}

func estimateOf(values []float64) Estimate {
	if len(values) == 0 {
		return Estimate{Median: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	}
	return Estimate{Median: stats.Median(values), Lo: slices.Min(values), Hi: slices.Max(values), Samples: len(values)}
}

// neighbours says of each version how it stands to the one before: where the
// level changes between them, by how much; elsewhere their own ratio. Whether that
// is settled the version's distance from the level around it says, which is half
// as noisy. A change is only told where the samples on both sides tell it: a
// version by itself, one among many, is undecided.
func (g *judging) neighbours(r *judgedSeries) {
	level := map[string]Comparison{}
	for _, c := range g.levels(r) {
		level[c.To] = c
	}
	for k := 1; k < len(r.places); k++ {
		before, at := r.places[k-1], r.places[k]
		settled, compared := level[g.versions[at].Name]
		pair := r.pairs[at]
		i := slices.IndexFunc(r.steps.Steps, func(s stats.Step) bool { return s.At == at && g.told(r, at) })
		if i < 0 && !compared {
			if slices.Contains(r.steps.Outliers, at) && k == len(r.places)-1 {
				g.unconfirmed(r, before, at)
			}
			continue
		}
		if i >= 0 {
			s := r.steps.Steps[i]
			pair.Change, pair.Lo, pair.Hi, pair.P = s.Change, s.Lo, s.Hi, s.P
		}
		c := g.comparison(r, before, at, pair)
		switch {
		case i >= 0:
			c.Verdict, c.RoundsNeeded = verdictOf(r.metric, pair.Change), 0
		case settled.Verdict == NoChange:
			c.Verdict, c.RoundsNeeded = NoChange, 0
		case settled.Verdict == Undecided:
			c.Verdict, c.RoundsNeeded = Undecided, settled.RoundsNeeded
		default:
			c.Verdict, c.RoundsNeeded = Undecided, roundsToTell(settled, r.steps.Needed)
		}
		g.j.Neighbours = append(g.j.Neighbours, c)
	}
}

// roundsToTell is how many more rounds make a difference that a pair shows as
// plain as a step has to be, if it stays what it is.
func roundsToTell(c Comparison, needed float64) int {
	z := stats.NormalQuantile(c.P)
	if !(z > 0) {
		return stats.MaxRoundsNeeded
	}
	more := float64(c.Pairs) * (needed*needed/(z*z) - 1)
	return int(min(max(math.Ceil(more), 1), stats.MaxRoundsNeeded))
}

// told tells whether a change at a place is among the findings.
func (g *judging) told(r *judgedSeries, at int) bool {
	return slices.ContainsFunc(g.j.Findings, func(f Finding) bool { return f.Metric.Key == r.metric.Key && f.To == g.versions[at].Name })
}

// unconfirmed is a single value at the end that stands apart: a step or a spike,
// which only another measurement can tell.
func (g *judging) unconfirmed(r *judgedSeries, before, at int) {
	c := g.comparison(r, before, at, stats.Pair{Change: math.Log(r.values[at][0] / r.values[before][0]), Lo: math.NaN(), Hi: math.NaN(), P: math.NaN(), SmallestEffect: math.NaN()})
	c.Verdict, c.RoundsNeeded = Undecided, 1
	c.Notes = append(c.Notes, "unconfirmed: one value that stands apart is an outlier until it is measured again")
	g.j.Neighbours = append(g.j.Neighbours, c)
	g.j.Warnings = append(g.j.Warnings, fmt.Sprintf("%s: %s stands apart from all before, unconfirmed: measure it again", c.To, withinSentence(r.metric)))
}

// tellOutliers names single values that stand apart from their neighbours, which
// is no change. One at the end may be: see unconfirmed.
func (g *judging) tellOutliers(r *judgedSeries) {
	var names []string
	for _, at := range r.steps.Outliers {
		if at != r.places[len(r.places)-1] {
			names = append(names, g.versions[at].Name)
		}
	}
	if len(names) > 0 {
		g.j.Warnings = append(g.j.Warnings, fmt.Sprintf("outliers, not changes: %s of %s", withinSentence(r.metric), strings.Join(shortList(names), ", ")))
	}
}

// withinSentence is a metric's title as it stands within a sentence.
func withinSentence(m Metric) string {
	title := cmp.Or(m.Title, m.Key)
	if len(title) > 1 && title[1] >= 'a' && title[1] <= 'z' { // not "QPS"
		return strings.ToLower(title[:1]) + title[1:]
	}
	return title
}

// referenceMoved tells of sweeps on one machine between which the reference
// itself moved: then the machine changed, and no version did. All pairs of sweeps
// share creepLevel (Bonferroni): of 150 nights without a change one and a half
// would be told otherwise.
func (g *judging) referenceMoved() {
	r := g.readings[g.primary()]
	reference := g.index(g.newest().Plan.Reference)
	if r == nil || reference < 0 || g.newest().Plan.Foreign != nil {
		return
	}
	bySweep := map[int][]float64{}
	for round, y := range r.rounds(reference) {
		bySweep[round/roundsApart] = append(bySweep[round/roundsApart], y)
	}
	order := slices.Sorted(keys(bySweep))
	for i := 1; i < len(order); i++ {
		old, new := bySweep[order[i-1]], bySweep[order[i]]
		change, lo, hi, ok := stats.Welch(old, new, creepLevel/float64(len(order)-1))
		if g.sweeps[order[i-1]].Environment.Hash() != g.sweeps[order[i]].Environment.Hash() {
			continue // that it differs is known
		}
		if !ok || lo <= 0 && hi >= 0 || math.Abs(change) < g.effect {
			continue
		}
		f := g.finding(KindSeam, r.metric, reference, reference, change, lo, hi)
		f.Verdict = EnvironmentChange
		f.Confidence = 1 - creepLevel
		f.ID += fmt.Sprintf("-seam-%d", g.sweeps[order[i]].ID)
		f.Notes = append(f.Notes, fmt.Sprintf("the reference itself moved between sweep %d and sweep %d: the machine changed, not a version", g.sweeps[order[i-1]].ID, g.sweeps[order[i]].ID))
		g.add(f)
	}
}

// hostDrift warns where nearly all metrics of figures that no round pairs move
// the same way at one version: rather the machine than the version.
func (g *judging) hostDrift() {
	const fewest, share = 5, 0.8
	if len(g.readings) < fewest {
		return
	}
	moved := map[string]map[Verdict]int{}
	for _, f := range g.j.Findings {
		if r := g.readings[f.Metric.Key]; r == nil || r.replica && !g.single || f.Kind != KindStep {
			continue
		}
		if moved[f.To] == nil {
			moved[f.To] = map[Verdict]int{}
		}
		moved[f.To][f.Verdict]++
	}
	for _, version := range slices.Sorted(keys(moved)) {
		for _, verdict := range []Verdict{Regression, Improvement} {
			if n := moved[version][verdict]; float64(n) > share*float64(len(g.readings)) {
				g.j.Warnings = append(g.j.Warnings, fmt.Sprintf("host drift? at %s, %d of %d metrics moved the same way: the machine may have changed rather than the version", version, n, len(g.readings)))
			}
		}
	}
}

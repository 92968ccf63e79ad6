package sweep

import (
	"math"
	"slices"

	"versweep/sweep/stats"
)

// End says why a sweep took no more rounds.
type End string

const (
	EndRounds  End = "rounds"  // all that were planned
	EndSettled End = "settled" // further ones would not change a verdict
	EndBudget  End = "budget"  // another one would not have fitted
)

// settling is which versions of a sweep are settled. Once settled a version
// stays so: the looks taken before are paid for.
type settling struct {
	versions map[string]bool
	aside    map[string]bool // settled, and so are their neighbours, which need them for company
}

// update looks at the samples of the rounds before round, if it is time to.
func (s *settling) update(sw Sweep, round int) {
	if !adaptive(sw.Plan) || round <= sw.Plan.MinRounds {
		return
	}
	if s.versions == nil {
		s.versions = map[string]bool{}
	}
	comparisons := levelComparisons(sw)
	for _, c := range comparisons {
		if c.Verdict != Undecided {
			s.versions[c.To] = true
		}
	}
	s.aside = map[string]bool{}
	for i, c := range comparisons {
		settled := func(k int) bool { return k < 0 || k >= len(comparisons) || s.versions[comparisons[k].To] }
		if settled(i-1) && settled(i) && settled(i+1) && c.To != sw.Plan.Reference {
			s.aside[c.To] = true
		}
	}
}

func adaptive(p Plan) bool { return p.MinRounds > 0 && p.MinRounds < p.Rounds }

// skips tells whether an entry can be left out. The reference and its twin,
// which tie rounds and sweeps together, never are.
func (s *settling) skips(e entry) bool { return s.aside[e.version] }

// left counts the entries that are still sampled.
func (s *settling) left(sw Sweep, entries []entry) int {
	last, n := LastAttempts(sw.Samples), 0
	for _, e := range entries {
		if !s.skips(e) && !givenUp(last, e) {
			n++
		}
	}
	return n
}

// all tells whether nothing is left to learn: every version is settled, or has
// failed.
func (s *settling) all(sw Sweep, entries []entry) bool {
	if len(s.versions) == 0 {
		return false
	}
	last := LastAttempts(sw.Samples)
	return !slices.ContainsFunc(entries, func(e entry) bool { return !e.twin && !s.versions[e.version] && !givenUp(last, e) })
}

// levelComparisons compares every version of a sweep with what its primary
// metric's level is around it.
func levelComparisons(sw Sweep) []Comparison {
	strands, _ := strandsOf([]Sweep{sw}, JudgeOptions{})
	if len(strands) == 0 {
		return nil
	}
	j := Judgement{Noise: map[string]float64{}}
	g := judging{strand: strands[0], effect: math.Log1p(effectOf(sw.Plan, JudgeOptions{})), looks: strands[0].looks(), j: &j, readings: map[string]*judgedSeries{}}
	s := g.series[g.primary()]
	if s == nil {
		return nil
	}
	r := g.read(s)
	r.levels = r.steps.Levels // alone, it has the whole error rate
	return g.levels(r)
}

// levels compares each version with the level that its stretch between changes
// has without it: half as noisy as comparing it with one neighbour. A version
// that is a stretch by itself is compared with the one before.
func (g *judging) levels(r *judgedSeries) []Comparison {
	if !r.replica || g.single {
		return nil
	}
	var all []Comparison
	for _, l := range r.levels {
		var places []int
		for _, p := range r.places {
			if l.From <= p && p < l.To {
				places = append(places, p)
			}
		}
		stretch := r.sumRounds(places)
		for _, p := range places {
			switch k := slices.Index(r.places, p); {
			case len(places) > 1:
				all = append(all, g.comparison(r, p, p, stats.ComparePairs(r.fromLevel(p, stretch), stats.PairOptions{Prior: r.levelPrior, Looks: g.looks})))
			case k > 0:
				all = append(all, g.comparison(r, r.places[k-1], p, r.pairs[p]))
			case len(r.places) > 1: // the first, alone before a change
				c := g.comparison(r, p, r.places[1], r.pairs[r.places[1]])
				c.To = g.versions[p].Name
				all = append(all, c)
			}
		}
	}
	return all
}

// fromLevel are the log ratios of a place to the mean of the other places of its
// stretch, one for each round; stretch sums up all of them.
func (r *judgedSeries) fromLevel(place int, stretch map[int]roundSum) []float64 {
	own := r.rounds(place)
	var d []float64
	for _, round := range slices.Sorted(keys(own)) {
		if all := stretch[round]; all.places > 1 {
			d = append(d, own[round]-(all.sum-own[round])/(all.places-1))
		}
	}
	return d
}

// roundSum adds up the places that were sampled in a round.
type roundSum struct{ sum, places float64 }

func (r *judgedSeries) sumRounds(places []int) map[int]roundSum {
	sums := map[int]roundSum{}
	for _, p := range places {
		for round, y := range r.rounds(p) {
			s := sums[round]
			sums[round] = roundSum{s.sum + y, s.places + 1}
		}
	}
	return sums
}

// before is the sweep as it was when a round began: with the samples of the
// rounds before it.
func (sw *Sweep) before(round int) Sweep {
	then := *sw
	then.Samples = nil
	for _, s := range sw.Samples {
		if s.Round < round {
			then.Samples = append(then.Samples, s)
		}
	}
	return then
}

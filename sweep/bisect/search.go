// Package bisect finds the first bad one of a list of candidates that runs from
// good to bad, where telling good from bad takes noisy measurements. Candidates
// are versions or commits; what is measured and how is the caller's, who carries
// out trials (see Measure) and gets an Answer.
//
// Good and bad are the ends as the caller names them; the search finds out by
// itself which way the metric moved, so that an improvement is found as a
// regression is. It goes in three parts:
//
//   - Ends: good and bad are sampled until they surely differ. Without that there
//     is nothing to find.
//   - Steps: a candidate in the middle is sampled in the same rounds as both
//     ends. It is taken for good once it surely differs from bad, and for bad
//     once it surely differs from good; where the most rounds tell neither, it is
//     passed over as one that does not build. One that surely differs from both
//     takes the place of the nearer end, since there are two changes then, and
//     the search goes on for the larger one.
//   - Confirmation: the last good and the first bad candidate are sampled in
//     fresh rounds until they surely differ from each other. Where they turn out
//     to be alike, the search goes back and on from there.
//
// The confirmation is what guards the answer. If the metric steps once, a wrong
// step anywhere leads the search to a pair of candidates without a difference,
// since one of the two is the candidate that was taken wrongly; so the steps may
// err more often than the answer, which saves rounds, and the answer is wrong
// only if fresh rounds err as well. Noisy binary search that verifies and goes
// back is that of Feige, Raghavan, Peleg & Upfal (SIAM J. Comput. 23, 1994). The
// looks after every round are paid for by stats.Looks. docs/bisect.md has what
// this came to in simulation.
//
// Everything is decided by what Measure returns: the same samples give the same
// answer, so that a search that was broken off is gone on with by asking again.
package bisect

import (
	"context"
	"errors"
	"math"
	"slices"

	"versweep/sweep"
	"versweep/sweep/stats"
)

const (
	// endsAlpha is how often ends without any difference are taken to differ.
	endsAlpha = 0.05
	// stepAlpha is two-sided: one step in forty takes a candidate that is like
	// one end for the other, at most.
	stepAlpha = 0.05
	// confirmAlpha is two-sided for each of the confirmations that a search may
	// take: 1/80 times four is an answer in twenty, at most.
	confirmAlpha     = 0.025
	maxConfirmations = 4
	// mostPassed bounds the candidates between the last good and the first bad
	// one that are passed over before the search gives up to tell them apart.
	mostPassed = 20
	// mostUndecided bounds those of them that cost the most rounds for nothing.
	mostUndecided = 4
)

// Options say how to search.
type Options struct {
	Effect    float64 // smallest change of interest, a fraction; 0 is sweep.DefaultEffect
	MinRounds int     // of a trial; 0 is stats.MinPairs
	MaxRounds int     // of a trial, at least MinRounds
	All       bool    // follow further changes as well
	Way       int     // of the metric from good to bad: 1 up, -1 down; 0 is either
	Told      Told    // what a log says, which is not measured; the zero value is nothing
	// Record is told what was found out, in order; may be nil.
	Record func(Record)
}

// Search looks for the first bad one of so many candidates, at least two, the
// first of which is good and the last bad. It returns one answer, or with
// Options.All one for each change that was found, in the order of the candidates;
// the stretches in which nothing was found are left out unless there is no other.
// An error is one of Measure's; the answers beside it are what was found before
// it, and the stretch that it ended, in state BrokenOff, with what was known there.
func Search(ctx context.Context, candidates int, measure Measure, o Options) ([]Answer, error) {
	if o.Effect == 0 {
		o.Effect = sweep.DefaultEffect
	}
	if o.MinRounds == 0 {
		o.MinRounds = stats.MinPairs
	}
	o.MaxRounds = max(o.MaxRounds, o.MinRounds)
	s := &search{measure: measure, Options: o}
	return s.all(ctx, 0, candidates-1, o.Way)
}

// search is what the stretches of one Search share.
type search struct {
	Options
	measure Measure
	trials  int
	noise   []stats.Pair // of one sample, from the trials that are over
	// spent says that a trial did not fit: no other is begun, or it would have the
	// number that this one gets when the search goes on.
	spent bool
}

// all searches a stretch and, where that is asked for, those parts of it that its
// answer gives reason to.
func (s *search) all(ctx context.Context, good, bad, way int) ([]Answer, error) {
	first, err := s.stretch(ctx, good, bad, way)
	answers := []Answer{first}
	if err != nil || !s.All || first.State != Found && first.State != OneOf {
		return answers, err
	}
	for _, part := range first.parts() {
		var more []Answer
		more, err = s.all(ctx, part[0], part[1], 0)
		for _, a := range more {
			if a.State != NoDifference {
				answers = append(answers, a)
			}
		}
		if err != nil || s.spent {
			break
		}
	}
	slices.SortStableFunc(answers, func(a, b Answer) int { return a.FirstBad - b.FirstBad })
	return answers, err
}

// parts are the stretches beside an answer in which there is another change, as
// its doubts have it.
func (a Answer) parts() [][2]int {
	before, after := []int{a.Good}, []int{a.FirstBad}
	doubtful := [2]bool{}
	// Between these there is none, unless a doubt says so.
	alike := map[[2]int]bool{{a.From, a.LastGood}: true, {a.FirstBad, a.To}: true}
	for _, d := range a.Doubts {
		switch {
		case d.Kind == GoodDiffers:
			doubtful[0], alike[[2]int{a.From, a.LastGood}] = true, false
		case d.Kind == BadDiffers:
			doubtful[1], alike[[2]int{a.FirstBad, a.To}] = true, false
		case d.Kind != SeveralChanges && d.Kind != OtherSide:
		case d.Place <= a.LastGood:
			before, doubtful[0] = append(before, d.Place), true
		case d.Place >= a.FirstBad:
			after, doubtful[1] = append(after, d.Place), true
		}
	}
	before, after = append(before, a.LastGood), append(after, a.Bad)
	var parts [][2]int
	for i, anchors := range [][]int{before, after} {
		slices.Sort(anchors)
		anchors = slices.Compact(anchors)
		for k := 1; k < len(anchors) && doubtful[i]; k++ {
			if part := [2]int{anchors[k-1], anchors[k]}; !alike[part] {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// stretch is one part of the list being searched.
type stretch struct {
	*search
	a     Answer
	way   int // as Options.Way
	sign  float64
	known map[int]Step
}

func (s *search) stretch(ctx context.Context, good, bad, way int) (Answer, error) {
	st := &stretch{search: s, way: way, known: map[int]Step{}}
	st.a = Answer{Good: good, Bad: bad, From: good, To: bad, LastGood: good, FirstBad: bad, Ends: unknownChange(), Step: unknownChange()}
	err := st.run(ctx)
	if errors.Is(err, ErrBudget) {
		st.a.State, s.spent, err = OutOfBudget, true, nil
	} else if err != nil {
		st.a.State = BrokenOff
	}
	return st.a, err
}

func (st *stretch) run(ctx context.Context) error {
	if differ, err := st.ends(ctx); err != nil || !differ {
		return err
	}
	for range maxConfirmations {
		if err := st.narrow(ctx); err != nil {
			return err
		}
		if over, err := st.confirm(ctx); err != nil || over {
			return err
		}
	}
	st.a.State = Contradictory
	return nil
}

// trial samples some places beside the ends until settled says that it is enough,
// or the most rounds are reached.
func (st *stretch) trial(ctx context.Context, purpose Purpose, others []int, alpha float64, settled func(comparing) bool) (comparing, error) {
	st.trials++
	t := Trial{Number: st.trials, Purpose: purpose, Good: st.a.From, Bad: st.a.To, Others: others, MaxRounds: st.MaxRounds}
	c := comparing{trial: t, alpha: alpha, sign: st.sign}
	for rounds := st.MinRounds; ; rounds++ {
		reading, err := st.measure(ctx, t, rounds)
		if err != nil {
			return c, err
		}
		c.reading = reading
		c.looks = stats.Looks{Min: st.MinRounds, Max: st.MaxRounds, Now: rounds}
		c.noise = stats.FitPrior(append(c.ownNoise(), st.noise...))
		if rounds < st.MaxRounds && !settled(c) {
			continue
		}
		st.noise = append(st.noise, c.ownNoise()...)
		for _, place := range others {
			st.noise = append(st.noise, c.noiseOf(t.Good, place))
		}
		st.a.Rounds += len(reading.Twin)
		st.a.Samples += reading.samples()
		return c, nil
	}
}

// ends establishes that there is something to find, and which way it goes.
func (st *stretch) ends(ctx context.Context) (differ bool, err error) {
	if told, ok := st.Told.ends[[2]int{st.a.Good, st.a.Bad}]; ok {
		st.setEnds(told.Change)
		st.turn(&told, told.Differ || told.OtherWay)
		told.Told = true
		st.record(told)
		return told.Differ, nil
	}
	st.sign = 1
	c, err := st.trial(ctx, Ends, nil, endsAlpha, func(c comparing) bool {
		decision, _ := c.pair(c.trial.Good, c.trial.Bad).Decide(st.Effect)
		return decision != stats.Undecided
	})
	if err != nil {
		return false, err
	}
	pair := c.pair(st.a.Good, st.a.Bad)
	decision, needed := pair.Decide(st.Effect)
	st.setEnds(c.change(pair))
	if decision != stats.Changed {
		st.a.RoundsNeeded = needed
	}
	record := Record{Purpose: Ends, Good: st.a.Good, Bad: st.a.Bad, Change: st.a.Ends}
	st.turn(&record, decision == stats.Changed)
	st.record(record)
	return record.Differ, nil
}

// turn says of ends that differ, or do not, whether there is something to find.
func (st *stretch) turn(r *Record, differ bool) {
	r.OtherWay = differ && st.way != 0 && st.a.Higher != (st.way > 0)
	r.Differ = differ && !r.OtherWay
	switch {
	case r.OtherWay:
		st.a.State = OtherWay
	case !r.Differ:
		st.a.State = NoDifference
	}
}

func (st *stretch) setEnds(change Change) {
	st.a.Ends = change
	st.a.Higher = change.Change > 0
	st.sign = -1
	if st.a.Higher {
		st.sign = 1
	}
}

func (s *search) record(r Record) {
	if s.Record != nil {
		s.Record(r)
	}
}

func (st *stretch) effect() float64 { return math.Log1p(st.Effect) }

func unknownChange() Change { return Change{Change: math.NaN(), Lo: math.NaN(), Hi: math.NaN()} }

package bisect

import (
	"context"
	"slices"
)

// narrow takes steps until no candidate between the last good and the first bad
// one is left to be tried.
func (st *stretch) narrow(ctx context.Context) error {
	for {
		place, ok := st.next()
		if !ok {
			return nil
		}
		step, err := st.probe(ctx, place)
		if err != nil {
			return err
		}
		st.learn(step)
		step = st.known[place]
		st.record(Record{Purpose: Probe, Good: st.a.Good, Bad: st.a.Bad, Step: step, Told: step.Told})
	}
}

// learn takes in what a step says.
func (st *stretch) learn(step Step) {
	switch step.Verdict {
	case Good:
		st.a.LastGood = max(st.a.LastGood, step.Place)
	case Bad:
		st.a.FirstBad = min(st.a.FirstBad, step.Place)
	}
	if step.Where == Between && step.Verdict == Good {
		st.a.From = step.Place
	} else if step.Where == Between {
		st.a.To = step.Place
	}
	step.Lo, step.Hi, step.Left = st.a.LastGood, st.a.FirstBad, st.a.FirstBad-st.a.LastGood
	st.known[step.Place] = step
	st.a.Steps = append(st.a.Steps, step)
	if step.Where != AtEnd {
		st.a.doubt(Doubt{Kind: SeveralChanges, Place: step.Place, Where: step.Where})
	}
}

// probe finds out which end a candidate is like.
func (st *stretch) probe(ctx context.Context, place int) (Step, error) {
	if told, ok := st.Told.steps[stepKey{st.a.Good, st.a.Bad, place}]; ok {
		told.From, told.To = st.a.From, st.a.To
		return told, nil
	}
	c, err := st.trial(ctx, Probe, []int{place}, stepAlpha, func(c comparing) bool {
		_, skipped := c.reading.Skipped[place]
		return skipped || c.position(place, st.effect()).verdict() != Undecided
	})
	if err != nil {
		return Step{}, err
	}
	return st.stepOf(c, place), nil
}

// stepOf says what a trial found out about a candidate.
func (st *stretch) stepOf(c comparing, place int) Step {
	step := Step{Place: place, From: st.a.From, To: st.a.To, FromGood: unknownChange(), FromBad: unknownChange(), Rounds: len(c.reading.Twin)}
	if reason, skipped := c.reading.Skipped[place]; skipped {
		step.Verdict, step.Reason = Skipped, reason
		return step
	}
	p := c.position(place, st.effect())
	step.Verdict, step.Where = p.verdict(), p.where()
	step.FromGood, step.FromBad = c.told(st.a.From, place), c.told(st.a.To, place)
	if step.Verdict == Undecided {
		_, g := p.fromGood.Decide(0)
		_, b := p.fromBad.Decide(0)
		step.RoundsNeeded = min(g, b)
	}
	return step
}

// detours are where a stretch is cut when so many candidates of it were passed
// over: away from them and in turns, since those that do not build stand together.
var detours = []float64{1. / 2, 3. / 8, 5. / 8, 1. / 4, 3. / 4, 1. / 8, 7. / 8}

// next chooses the candidate to try: the one that halves what is left, or one
// aside of those that were passed over.
func (st *stretch) next() (place int, ok bool) {
	lo, hi := st.a.LastGood, st.a.FirstBad
	var untried []int
	passed, undecided := 0, 0
	for p := lo + 1; p < hi; p++ {
		step, tried := st.known[p]
		switch {
		case !tried:
			untried = append(untried, p)
		case step.Verdict == Undecided:
			undecided++
			fallthrough
		default:
			passed++
		}
	}
	if len(untried) == 0 || passed >= mostPassed || undecided >= mostUndecided {
		return 0, false
	}
	aim := (lo + hi) / 2
	if passed < len(detours) {
		aim = lo + int(detours[passed]*float64(hi-lo))
	}
	return slices.MinFunc(untried, func(a, b int) int { return distance(a, aim) - distance(b, aim) }), true
}

func distance(a, b int) int { return max(a-b, b-a) }

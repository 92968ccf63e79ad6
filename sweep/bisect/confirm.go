package bisect

import (
	"context"
	"maps"
	"math"
	"slices"
)

// spotGap is how many candidates in a row nobody looked at, on one side of the
// answer, are worth a sample beside the confirmation.
const spotGap = 4

// confirm samples the last good and the first bad candidate in fresh rounds. The
// search is over unless they contradict it.
func (st *stretch) confirm(ctx context.Context) (over bool, err error) {
	good, bad := st.a.LastGood, st.a.FirstBad
	st.a.Suspects = nil
	for p := good + 1; p <= bad && bad-good > 1; p++ {
		st.a.Suspects = append(st.a.Suspects, p)
	}
	if told, ok := st.Told.confirmed[confirmKey{st.a.Good, st.a.Bad, good, bad}]; ok {
		told.Told = true
		for i, step := range told.Fresh {
			told.Fresh[i] = st.takeBack(step)
		}
		if len(told.Fresh) == 0 {
			st.a.Step, st.a.State, over = told.Change, found(st.a.Suspects), true
			for _, d := range told.Doubts {
				st.a.doubt(d)
			}
		}
		st.record(told)
		return over, nil
	}
	spots := st.spots()
	others := slices.DeleteFunc([]int{good, bad}, func(p int) bool { return p == st.a.From || p == st.a.To })
	others = slices.Sorted(slices.Values(append(others, spots...)))
	c, err := st.trial(ctx, Confirm, others, confirmAlpha, func(c comparing) bool {
		return st.gone(c, good, bad) || c.pair(good, bad).Lo > 0 || len(st.contradictions(c, good, bad)) > 0
	})
	if err != nil {
		return false, err
	}
	record := Record{Purpose: Confirm, Good: st.a.Good, Bad: st.a.Bad, LastGood: good, FirstBad: bad, Change: c.told(good, bad)}
	if st.gone(c, good, bad) {
		for _, p := range []int{good, bad} {
			if _, skipped := c.reading.Skipped[p]; skipped {
				record.Fresh = append(record.Fresh, st.takeBack(st.stepOf(c, p)))
			}
		}
		st.record(record)
		return false, nil
	}
	direct := c.pair(good, bad)
	if !(direct.Lo > 0) {
		if again := st.contradictions(c, good, bad); len(again) > 0 {
			for _, step := range again {
				record.Fresh = append(record.Fresh, st.takeBack(step))
			}
			st.record(record)
			return false, nil
		}
	}
	st.a.Step = c.told(good, bad)
	known := len(st.a.Doubts)
	st.lookAround(c, spots)
	record.Doubts = slices.Clone(st.a.Doubts[known:])
	switch {
	case direct.Lo > 0:
		st.a.State, record.Differ = found(st.a.Suspects), true
	case direct.Hi < 0:
		st.a.State = Contradictory
		st.a.doubt(Doubt{Kind: EndsUnlike, Place: bad})
	default:
		st.a.State = Unconfirmed
		_, st.a.RoundsNeeded = direct.Decide(0)
	}
	st.record(record)
	return true, nil
}

func found(suspects []int) State {
	if suspects == nil {
		return Found
	}
	return OneOf
}

// gone tells whether one of the pair does not run any more.
func (st *stretch) gone(c comparing, good, bad int) bool {
	_, g := c.reading.Skipped[good]
	_, b := c.reading.Skipped[bad]
	return g || b
}

// contradictions are what fresh rounds say of the last good and the first bad
// candidate where it is the opposite of what the search took them for.
func (st *stretch) contradictions(c comparing, good, bad int) []Step {
	var steps []Step
	if p := c.position(good, st.effect()); good != st.a.From && p.verdict() == Bad && !p.unlikeBad() {
		steps = append(steps, st.stepOf(c, good))
	}
	if p := c.position(bad, st.effect()); bad != st.a.To && p.verdict() == Good && !p.unlikeGood() {
		steps = append(steps, st.stepOf(c, bad))
	}
	return steps
}

// takeBack puts a fresh verdict in place of an earlier one, and widens the search
// to what is still known then.
func (st *stretch) takeBack(fresh Step) Step {
	was := st.known[fresh.Place].Verdict
	fresh.Fresh = true
	st.a.doubt(Doubt{Kind: Reversed, Place: fresh.Place, Was: was, Is: fresh.Verdict})
	st.known[fresh.Place] = fresh
	// The first change of those that there may now be.
	lo, hi := st.a.From, st.a.To
	for _, p := range slices.Sorted(maps.Keys(st.known)) {
		switch v := st.known[p].Verdict; {
		case v == Good && p < hi:
			lo = max(lo, p)
		case v == Bad && p > lo:
			hi = min(hi, p)
		}
	}
	st.a.LastGood, st.a.FirstBad = lo, hi
	fresh.Lo, fresh.Hi, fresh.Left = lo, hi, hi-lo
	st.known[fresh.Place] = fresh
	st.a.Steps = append(st.a.Steps, fresh)
	return fresh
}

// spots are candidates that nobody looked at, one on each side: in the middle of
// the longest stretch between those that were.
func (st *stretch) spots() []int {
	var spots []int
	for _, side := range [][2]int{{st.a.From, st.a.LastGood}, {st.a.FirstBad, st.a.To}} {
		at, longest := 0, spotGap
		last := side[0]
		for p := side[0] + 1; p <= side[1]; p++ {
			if _, looked := st.known[p]; !looked && p != side[1] {
				continue
			}
			if p-last-1 >= longest {
				at, longest = (p+last)/2, p-last
			}
			last = p
		}
		if at > 0 {
			spots = append(spots, at)
		}
	}
	return spots
}

// lookAround asks the rounds of the confirmation whether there are other changes.
func (st *stretch) lookAround(c comparing, spots []int) {
	for _, p := range spots {
		step := st.stepOf(c, p)
		step.Spot, step.Lo, step.Hi = true, st.a.LastGood, st.a.FirstBad
		st.a.Steps = append(st.a.Steps, step)
		switch {
		case p < st.a.FirstBad && step.Verdict == Bad, p > st.a.LastGood && step.Verdict == Good:
			st.a.doubt(Doubt{Kind: OtherSide, Place: p, Is: step.Verdict})
		case step.Where != AtEnd:
			st.a.doubt(Doubt{Kind: SeveralChanges, Place: p, Where: step.Where})
		}
	}
	for _, d := range []struct {
		kind     DoubtKind
		from, to int
		place    int
	}{{GoodDiffers, st.a.From, st.a.LastGood, st.a.LastGood}, {BadDiffers, st.a.To, st.a.FirstBad, st.a.FirstBad}} {
		if d.from == d.to {
			continue
		}
		if p := c.pair(d.from, d.to); (p.Lo > 0 || p.Hi < 0) && math.Abs(p.Change) > st.effect() {
			st.a.doubt(Doubt{Kind: d.kind, Place: d.place, Change: c.told(d.from, d.to)})
		}
	}
}

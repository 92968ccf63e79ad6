package bisect

import "slices"

// Record is one thing that a search found out. The records of a search, in order,
// are its log.
type Record struct {
	Purpose   Purpose
	Good, Bad int  // ends of the stretch
	Told      bool // by a log, not measured

	Step Step // of Probe

	// Change is of Ends and Confirm: of bad against good, or of FirstBad
	// against LastGood. Differ says that it is surely there.
	Change Change
	Differ bool
	// OtherWay is of Ends that differ, but not in the way of Options.Way; in
	// place of Differ.
	OtherWay bool

	LastGood, FirstBad int     // of Confirm
	Fresh              []Step  // of Confirm: what it took back, in place of Differ
	Doubts             []Doubt // of Confirm: what its rounds say of other candidates
}

// Told is what a log says of a search: see Tell. The zero value says nothing.
type Told struct {
	ends      map[[2]int]Record
	steps     map[stepKey]Step
	confirmed map[confirmKey]Record
}

type stepKey struct{ good, bad, place int }

type confirmKey struct{ good, bad, lastGood, firstBad int }

// Tell makes something to replay of records. Confirmations that told nothing are
// left to be measured again.
func Tell(records []Record) Told {
	t := Told{ends: map[[2]int]Record{}, steps: map[stepKey]Step{}, confirmed: map[confirmKey]Record{}}
	for _, r := range records {
		switch {
		case r.Purpose == Probe:
			r.Step.Told, r.Step.Rounds = true, 0
			t.steps[stepKey{r.Good, r.Bad, r.Step.Place}] = r.Step
		case r.Purpose == Ends:
			t.ends[[2]int{r.Good, r.Bad}] = r
		case r.Purpose == Confirm && (r.Differ || len(r.Fresh) > 0):
			r.Fresh = slices.Clone(r.Fresh)
			for i := range r.Fresh {
				r.Fresh[i].Told = true
			}
			t.confirmed[confirmKey{r.Good, r.Bad, r.LastGood, r.FirstBad}] = r
		}
	}
	return t
}

package bisect

import "math"

// Verdict says which end a candidate is like.
type Verdict string

const (
	Good      Verdict = "good"
	Bad       Verdict = "bad"
	Undecided Verdict = "undecided" // the most rounds did not tell; it is passed over as Skipped is
	Skipped   Verdict = "skip"      // it does not build or run
)

// Where says that a candidate's metric is not the one of the end that it is taken
// for.
type Where string

const (
	AtEnd      Where = ""            // nothing speaks against it
	Between    Where = "between"     // surely neither like good nor like bad, but in between
	BeyondGood Where = "beyond good" // on the far side of good, by more than the effect
	BeyondBad  Where = "beyond bad"  // on the far side of bad
)

// Change is a measured difference: fractions, new/old - 1. What cannot be told is
// NaN.
type Change struct {
	Change, Lo, Hi float64 // with a 95 % interval that allows for all looks
	Rounds         int     // that it is from; 0 where a log told it
}

// Step is what was found out about one candidate.
type Step struct {
	Place   int
	Verdict Verdict
	Where   Where
	Reason  string // why it was skipped, one line

	// From and To are the ends that it was compared with: those of the stretch,
	// or a candidate in between that took the place of one.
	From, To int

	FromGood, FromBad Change // of the candidate against From and To
	Rounds            int    // 0 where a log told the verdict
	RoundsNeeded      int    // of Undecided: how many more would probably tell
	Told              bool   // taken from a log, not measured
	Fresh             bool   // from the confirmation, in place of what a step said
	Spot              bool   // sampled beside a confirmation, to see whether its side is all alike

	// Left is how many candidates may still be the first bad one after it, and
	// Lo and Hi are the last known good and the first known bad one.
	Left, Lo, Hi int
}

// State is what a search came to.
type State string

const (
	Found         State = "found"         // FirstBad is the first bad candidate, confirmed by fresh rounds
	OneOf         State = "one of"        // so is one of several, which cannot be told apart
	Unconfirmed   State = "unconfirmed"   // fresh rounds did not tell the last good from the first bad one
	Contradictory State = "contradictory" // fresh rounds contradicted the search time and again
	NoDifference  State = "no difference" // good and bad are not different
	OtherWay      State = "other way"     // bad differs from good, but not in the way of Options.Way
	OutOfBudget   State = "out of budget" // the search was not over when the time was
	BrokenOff     State = "broken off"    // an error of Measure ended the search
)

// Answer is what a search of one stretch found.
type Answer struct {
	State     State
	Good, Bad int    // ends of the stretch
	Ends      Change // of bad against good
	From, To  int    // ends at last, which candidates in between may have taken the place of
	// Higher tells whether bad's metric is higher than good's.
	Higher bool

	// LastGood and FirstBad are next to each other where State is Found. Else
	// they are the last known good one and the first known bad one, and what is
	// between them was not told.
	LastGood, FirstBad int
	// Suspects are the places that may be the first bad one, FirstBad the last
	// of them, once a confirmation was asked about several; nil else.
	Suspects []int
	Step     Change // of FirstBad against LastGood, from fresh rounds

	Steps        []Step // in the order in which they were found out
	RoundsNeeded int    // how many more would probably tell, of NoDifference and Unconfirmed; 0 is none would
	Doubts       []Doubt
	Rounds       int // of all trials
	Samples      int // figures that they gave
}

// DoubtKind is a reason to mistrust an answer.
type DoubtKind string

const (
	// SeveralChanges: Place is surely neither like good nor like bad.
	SeveralChanges DoubtKind = "several changes"
	// Reversed: fresh rounds of Place said another thing than its step.
	Reversed DoubtKind = "reversed"
	// OtherSide: Place, on the good side, is like bad, or the other way round.
	OtherSide DoubtKind = "other side"
	// GoodDiffers, BadDiffers: the last good candidate differs from Answer.From,
	// or the first bad one from Answer.To, by more than the effect.
	GoodDiffers DoubtKind = "last good differs from good"
	BadDiffers  DoubtKind = "first bad differs from bad"
	// EndsUnlike: fresh rounds did not show the ends to differ as before.
	EndsUnlike DoubtKind = "ends"
)

// Doubt is something that a reader of an answer should know.
type Doubt struct {
	Kind   DoubtKind
	Place  int
	Where  Where   // of SeveralChanges
	Change Change  // of GoodDiffers and BadDiffers: against that end
	Was    Verdict // of Reversed: what the step had said
	Is     Verdict // of Reversed and OtherSide: what fresh rounds say
}

// Between is how many candidates there are between the last known good and the
// first known bad one.
func (a Answer) Between() int { return a.FirstBad - a.LastGood - 1 }

// Begun tells whether anything says that there is something to find: before that,
// good and bad are only what somebody called so.
func (a Answer) Begun() bool { return !math.IsNaN(a.Ends.Change) || len(a.Steps) > 0 }

// Over tells whether the search of the stretch came to its end.
func (a Answer) Over() bool { return a.State != OutOfBudget && a.State != BrokenOff }

func (a *Answer) doubt(d Doubt) {
	for _, known := range a.Doubts {
		if known.Kind == d.Kind && known.Place == d.Place {
			return
		}
	}
	a.Doubts = append(a.Doubts, d)
}

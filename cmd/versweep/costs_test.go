package main

import (
	"testing"

	"versweep/sweep"
)

func TestWhySamplesWereTakenAgain(t *testing.T) {
	spoilt := func(attempt int, kind sweep.MarkKind) sweep.Sample {
		return sweep.Sample{Attempt: attempt, Marks: []sweep.Mark{{Kind: sweep.ClientBound}, {Kind: kind, Spoils: true}}}
	}
	taken := []sweep.Sample{{}, spoilt(0, sweep.Steal), spoilt(1, sweep.OtherWork), {Attempt: 2}, spoilt(0, sweep.Steal)}
	if got, want := takenAgain(taken), "2 samples taken again because the machine spoilt the attempt before: other-work 1, steal 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := takenAgain(taken[:2]); got != "" {
		t.Errorf("nothing was taken again: %q", got)
	}
}

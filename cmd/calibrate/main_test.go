package main

import (
	"strings"
	"testing"
)

func TestCalibrate(t *testing.T) {
	var first, second strings.Builder
	for _, out := range []*strings.Builder{&first, &second} {
		if err := calibrate([]string{"-only", "coverage,families", "-runs", "20"}, out); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Error("two runs print different figures")
	}
	for _, want := range []string{"### Coverage", "| two-level | ", "### False alarms of a sweep"} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("%q is missing from\n%s", want, &first)
		}
	}
	for _, args := range [][]string{{"-only", "coverage,luck"}, {"-runs", "0"}, {"coverage"}} {
		if err := calibrate(args, &first); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

func TestTally(t *testing.T) {
	got := tally{changed: []int{5, 9, 28}, same: []int{12, 30}, undecided: 5}
	if mean, ninth := got.rounds(30); mean != (5+9+28+12+30+5*30)/10.0 || ninth != 30 {
		t.Errorf("rounds are %v, %v", mean, ninth)
	}
	if got.changedBy(9) != 20 || got.changedBy(28) != 30 {
		t.Errorf("changed by 9: %v, by 28: %v", got.changedBy(9), got.changedBy(28))
	}
	none := trial{shape: pairedShapes()[0], change: 1, looks: looks5to30, effect: 0.03, together: 3}.run(6, 1)
	if len(none.changed) != 6 || none.changedBy(5) != 100 {
		t.Errorf("a factor of e is settled as %+v", none)
	}
}

package main

import (
	"strings"
	"testing"

	"versweep/sweep/nightly/simulated"
)

// A large change is told of the release that brought it, by throughput and by CPU
// per request, and so is its end; nothing else is.
func TestPlainChangeIsWatched(t *testing.T) {
	s := watch(simulated.NewWorld(1, 8), -0.3)
	if s.told != 1 || s.witness != 1 || s.recovered != 1 || !s.place || !s.near || s.wrong > 0 || s.unfounded > 0 || s.change > -0.2 {
		t.Errorf("%+v", s)
	}
	if up := watch(simulated.NewWorld(2, 8), 0.3); up.told != 1 || !up.place || up.wrong > 0 || up.change < 0.2 {
		t.Errorf("%+v", up)
	}
	if none := watch(simulated.NewWorld(3, 8), 0); none.told > 0 || none.recovered > 0 {
		t.Errorf("without a change: %+v", none)
	}
}

func TestPlantedRow(t *testing.T) {
	var out strings.Builder
	plantedRow(&out, -0.05, []watched{
		{told: 1, recovered: 1, place: true, near: true, size: true, confirmed: true, change: -0.06, width: 0.04, witness: 5},
		{told: 3, recovered: 2, near: true, change: -0.04, width: 0.02, witness: 7},
		{told: 6, near: true, change: -0.05, width: 0.03, wrong: 2, unfounded: 1},
		{},
	})
	want := "| -5 % | 25 | 25 | 50 | 50 | 33 / 100 | 33 / 33 | -5.0, 3.0 | 25 | 33 / 67 | 1 | 2 |\n"
	if out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
	out.Reset()
	plantedRow(&out, 0.01, make([]watched, 2))
	if want := "| +1 % | 0 | 0 | 0 | 0 | | | | 0 | | 0 | 0 |\n"; out.String() != want {
		t.Errorf("%q, want %q", &out, want)
	}
}

func TestWithin(t *testing.T) {
	for version, want := range map[string]bool{"1.8.0": false, "1.9.0": true, "1.10.0": true, "1.11.0": true, "1.12.0": false} {
		if within(version, "1.9.0", "1.11.0") != want {
			t.Errorf("%s: %v", version, !want)
		}
	}
}

package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestMatched(t *testing.T) {
	for _, c := range []struct {
		found, truth []int
		want         hits
	}{
		{nil, nil, hits{}},
		{nil, []int{5}, hits{lost: 1}},
		{[]int{4}, []int{5}, hits{right: 1}},
		{[]int{7}, []int{5}, hits{wrong: 1, lost: 1}},
		{[]int{4, 5}, []int{5}, hits{right: 1, wrong: 1}},
		{[]int{5, 6, 20}, []int{6, 9}, hits{right: 1, wrong: 2, lost: 1}},
	} {
		if got := matched(c.found, c.truth); got != c.want {
			t.Errorf("%v of %v is %+v, want %+v", c.found, c.truth, got, c.want)
		}
	}
}

// All detectors see a step that is plain, and nothing where there is no noise to
// speak of.
func TestDetectorsSeePlainSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := plan{versions: 20, rounds: 8, noise: normal(0.002), wander: 0.05}
	for _, d := range append([]detector{{"FindSteps", findSteps}}, baselines...) {
		if got := d.find(p.draw(rng, stairs(rng, 20, []int{8}, 0.2))); !slices.Contains(got, 8) {
			t.Errorf("%s: steps at %v, want 8", d.name, got)
		}
	}
	if got := fixedThreshold(p.draw(rng, make([]float64, 20))); got != nil {
		t.Errorf("without a difference the threshold is passed at %v", got)
	}
}

func TestSweepsArePrinted(t *testing.T) {
	var out strings.Builder
	if err := calibrate([]string{"-only", "sweeps,intervals", "-runs", "8"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### A step of 5 % that stays", "| drift within rounds | ", "### Intervals of a step", "| 10 × 5, 10 % | "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing from\n%s", want, &out)
		}
	}
}

package stats

import (
	"math"
	"slices"
	"testing"
)

// Case S10: Benjamini-Hochberg keeps three where Bonferroni keeps one.
func TestFalseDiscovery(t *testing.T) {
	p := []float64{0.004, 0.011, 0.020, 0.30, 0.80}
	kept := 0
	for _, q := range FalseDiscovery(p, nil) {
		if q <= 0.05 {
			kept++
		}
	}
	if kept != 3 {
		t.Errorf("%d are kept", kept)
	}
	if got := FalseDiscovery(nil, nil); len(got) != 0 {
		t.Errorf("no tests give %v", got)
	}
}

func TestFalseDiscoveryWithGaps(t *testing.T) {
	nan := math.NaN()
	got := FalseDiscovery([]float64{nan, 0.80, 0.004, nan, 0.30, 0.011, 0.020}, nil)
	for i, want := range []float64{nan, 0.80, 0.02, nan, 0.375, 0.0275, 0.1 / 3} {
		if math.IsNaN(want) != math.IsNaN(got[i]) || math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("adjusted %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestFalseDiscoveryWithWeights(t *testing.T) {
	p := []float64{0.02, 0.02, 0.5, 0}
	// Weights 2, 1, 1 and 0 have the mean 1.
	got := FalseDiscovery(p, []float64{2, 1, 1, 0})
	for i, want := range []float64{0.04, 0.04, 0.5 * 4 / 3, 1} {
		near(t, "adjusted", got[i], want, 1e-12)
	}
	even := FalseDiscovery(p, []float64{7, 7, 7, 7})
	for i, want := range FalseDiscovery(p, nil) {
		near(t, "with even weights", even[i], want, 1e-12)
	}
	if got := FalseDiscovery(p, make([]float64, 4)); !slices.Equal(got, []float64{1, 1, 1, 1}) {
		t.Errorf("tests that were all given up are %v", got)
	}
}

package stats

import (
	"math"
	"testing"
)

// Case S4: each step is small, and all go the same way.
func TestMannKendallSeesCreep(t *testing.T) {
	got := MannKendall([]float64{1.00, 1.04, 1.08, 1.12, 1.17, 1.21})
	if got.S != 15 {
		t.Errorf("S is %d", got.S)
	}
	near(t, "p", got.P, 2.0/720, 1e-12)
	near(t, "slope", got.Slope, 0.042, 0.01)
}

func TestMannKendallWithGapsAndTies(t *testing.T) {
	nan := math.NaN()
	got := MannKendall([]float64{nan, 1, nan, 3, math.Inf(1), 5})
	if got.N != 3 || got.S != 3 {
		t.Errorf("1, 3, 5 with gaps are %+v", got)
	}
	near(t, "slope over gaps", got.Slope, 1, 1e-12)
	for _, y := range [][]float64{nil, {1}, {nan}} {
		if got := MannKendall(y); !math.IsNaN(got.P) || !math.IsNaN(got.Slope) {
			t.Errorf("%v has the trend %+v", y, got)
		}
	}
	for _, n := range []int{5, maxExactTrend + 1} {
		if got := MannKendall(make([]float64, n)); got.P != 1 || got.Slope != 0 {
			t.Errorf("%d zeros have the trend %+v", n, got)
		}
	}
}

// The approximation takes over where it agrees.
func TestKendallApproximation(t *testing.T) {
	ties := []int{1, 1, 3, 5, 2, 1, 1, 1, 4, 1, 6, 2, 2, 3, 1, 1, 1, 1, 1, 2}
	for _, s := range []int{0, 50, 130, -150} {
		near(t, "p", kendallNormal(ties, s), kendallTail(ties, s), 0.05)
	}
}

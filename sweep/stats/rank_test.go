package stats

import (
	"math"
	"slices"
	"testing"
)

func TestRankTestOfLittle(t *testing.T) {
	nan := math.NaN()
	for _, ab := range [][2][]float64{{nil, nil}, {{1}, nil}, {{nan}, {1}}} {
		if got := RankTest(ab[0], ab[1]); !math.IsNaN(got) {
			t.Errorf("%v has p %v", ab, got)
		}
	}
	near(t, "all equal", RankTest([]float64{5, 5, 5}, []float64{5, 5}), 1, 1e-12)
	near(t, "all equal, many", RankTest(make([]float64, 50), make([]float64, 50)), 1, 1e-12)
	near(t, "infinite values", RankTest([]float64{math.Inf(-1), 1, 2}, []float64{3, math.Inf(1), nan, 4}), 0.1, 1e-12)
}

func TestRankTestInvariances(t *testing.T) {
	a, b := []float64{3, 1, 4, 1, 5}, []float64{9, 2, 6, 5, 3, 5}
	p := RankTest(a, b)
	turned := func(xs []float64, scale, shift float64) []float64 {
		ys := slices.Clone(xs)
		slices.Reverse(ys)
		for i := range ys {
			ys[i] = ys[i]*scale + shift
		}
		return ys
	}
	near(t, "scaled and shifted", RankTest(turned(a, 3, 7), turned(b, 3, 7)), p, 1e-12)
	near(t, "turned round", RankTest(turned(a, -1, 0), turned(b, -1, 0)), p, 1e-12)
}

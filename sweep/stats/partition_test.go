package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// All ways to cut a short axis, one by one.
func TestPartitionIsTheBestOfAll(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 6))
		n, rounds := 3+rng.IntN(8), 1+rng.IntN(4)
		a := newAxis(noisy(seed, n, rounds, 1+rng.IntN(n-1), 0.2*rng.NormFloat64()), false)
		a.polish()
		d := newNoise([]component{{0.9, 0, 0.04}, {0.1, 0.02, 0.12}}, floorWeight)
		penalty := 1 + 5*rng.Float64()
		total := func(cuts []int) float64 {
			sum := penalty * float64(len(cuts))
			for _, s := range stretches(cuts, n) {
				if s[1]-s[0] < a.minimal {
					return math.Inf(1)
				}
				_, cost := a.best(d, s[0], s[1])
				sum += cost
			}
			return sum
		}
		least := math.Inf(1)
		for set := range 1 << (n - 1) {
			var cuts []int
			for c := 1; c < n; c++ {
				if set&(1<<(c-1)) != 0 {
					cuts = append(cuts, c)
				}
			}
			least = min(least, total(cuts))
		}
		// The levels of the grid are a little off the best.
		if got := total(a.partition(d, penalty)); got > least+0.01 {
			t.Errorf("seed %d: %d places × %d rounds are cut at a cost of %v, where %v is possible", seed, n, rounds, got, least)
		}
	}
}

package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"versweep/sweep/stats"
)

// plan is a sweep to simulate: every version once a round, in random order, on a
// machine whose level wanders.
type plan struct {
	versions, rounds int
	noise            Shape
	// wander is the standard deviation of a round's level, which its versions
	// have in common, and within of what the level wanders during a round.
	wander, within float64
	// missing is the share of samples that fail.
	missing float64
	// noisy is a version, from 1, that has normal noise of 20 % besides; 0 is none.
	noisy int
}

// draw carries the sweep out. levels are the true levels of the versions, natural
// logarithms; samples come round by round.
func (p plan) draw(rng *rand.Rand, levels []float64) []stats.Observation {
	var samples []stats.Observation
	for round := range p.rounds {
		level := 10 + p.wander*rng.NormFloat64()
		order := make([]int, p.versions)
		for i := range order {
			order[i] = i
		}
		if p.within > 0 {
			order = rng.Perm(p.versions)
		}
		for _, v := range order {
			if p.within > 0 {
				level += p.within / math.Sqrt(float64(p.versions)) * rng.NormFloat64()
			}
			noise := p.noise.Draw(rng)
			if v+1 == p.noisy {
				noise += 0.2 * rng.NormFloat64()
			}
			y := level + levels[v] + noise
			if p.missing > 0 && rng.Float64() < p.missing {
				continue
			}
			samples = append(samples, stats.Observation{Place: v, Round: round, Y: y})
		}
	}
	return samples
}

// until is the samples of the first rounds.
func until(samples []stats.Observation, rounds int) []stats.Observation {
	end, _ := slices.BinarySearchFunc(samples, rounds, func(o stats.Observation, r int) int { return o.Round - r })
	return samples[:end]
}

// leastApart is how many versions are between two true steps, and between a step
// and the ends of the axis.
const leastApart = 3

// randomSteps are 1 to most places that are leastApart, in order.
func randomSteps(rng *rand.Rand, versions, most int) []int {
	want := 1 + rng.IntN(most)
	for {
		var at []int
		for range 100 * want {
			c := leastApart + rng.IntN(versions-2*leastApart+1)
			if !slices.ContainsFunc(at, func(other int) bool { return max(other-c, c-other) < leastApart }) {
				at = append(at, c)
			}
			if len(at) == want {
				slices.Sort(at)
				return at
			}
		}
	}
}

// stairs are levels with a step of ±size, a fraction, at each place.
func stairs(rng *rand.Rand, versions int, at []int, size float64) []float64 {
	levels := make([]float64, versions)
	for _, c := range at {
		step := math.Log1p(size)
		if rng.IntN(2) == 0 {
			step = math.Log1p(-size)
		}
		for v := c; v < versions; v++ {
			levels[v] += step
		}
	}
	return levels
}

// simulate calls run so many times on all processors, each time with its own
// fixed randomness, and gives what they return in order.
func simulate[T any](runs int, seed uint64, run func(rng *rand.Rand) T) []T {
	results := make([]T, runs)
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			for i := w; i < runs; i += workers {
				results[i] = run(rand.New(rand.NewPCG(uint64(i), seed)))
			}
		})
	}
	wait.Wait()
	return results
}

// share is the percentage of results that hold.
func share[T any](results []T, holds func(T) bool) float64 {
	n := 0
	for _, r := range results {
		if holds(r) {
			n++
		}
	}
	return 100 * float64(n) / float64(len(results))
}

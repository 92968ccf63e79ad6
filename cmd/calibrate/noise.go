package main

import (
	"math"
	"math/rand/v2"
)

// Shape is a kind of noise that real sweeps show.
type Shape struct {
	Name string
	// Draw is the noise of one sample, a difference of natural logarithms.
	Draw func(rng *rand.Rand) float64
}

func normal(sd float64) Shape {
	return Shape{"normal", func(rng *rand.Rand) float64 { return sd * rng.NormFloat64() }}
}

// heavy has 6 % of samples with four times the standard deviation.
func heavy(sd float64) Shape {
	return Shape{"heavy", func(rng *rand.Rand) float64 {
		if rng.Float64() < 0.06 {
			return 4 * sd * rng.NormFloat64()
		}
		return sd * rng.NormFloat64()
	}}
}

// twoLevel has 30 % of samples 8 % lower; sd is within a level.
func twoLevel(sd float64) Shape {
	return Shape{"two-level", func(rng *rand.Rand) float64 { return lower(rng, 0.3, 0.92) + sd*rng.NormFloat64() }}
}

// outliers has 2 % of samples 30 % lower.
func outliers(sd float64) Shape {
	return Shape{"outliers", func(rng *rand.Rand) float64 { return lower(rng, 0.02, 0.7) + sd*rng.NormFloat64() }}
}

func lower(rng *rand.Rand, share, factor float64) float64 {
	if rng.Float64() < share {
		return math.Log(factor)
	}
	return 0
}

// Package stats estimates and compares. It sees only numbers: what they mean
// is for package sweep to say.
package stats

import (
	"math"
	"slices"
)

// Median is the middle value, or the mean of the two middle values; NaN when
// there is none. xs is left as it is.
func Median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	return sortedMedian(slices.Clone(xs))
}

// sortedMedian is the median of at least one value; it sorts xs.
func sortedMedian(xs []float64) float64 {
	slices.Sort(xs)
	mid := len(xs) / 2
	if len(xs)%2 == 1 {
		return xs[mid]
	}
	// Halving first keeps the sum of two huge values finite.
	return xs[mid-1]/2 + xs[mid]/2
}

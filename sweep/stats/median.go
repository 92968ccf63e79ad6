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
	s := slices.Sorted(slices.Values(xs))
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid]
	}
	// Halving first keeps the sum of two huge values finite.
	return s[mid-1]/2 + s[mid]/2
}

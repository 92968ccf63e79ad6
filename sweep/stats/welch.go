package stats

import "math"

// StudentQuantile is the t at least as far from 0 as which Student's t with df
// degrees of freedom is with the probability level, two-sided; 0 < level < 1, df
// above 0 and possibly infinite.
func StudentQuantile(level, df float64) float64 { return studentQuantile(level, df) }

// StudentP is the probability that Student's t with df degrees of freedom is at
// least as far from 0 as t.
func StudentP(t, df float64) float64 { return student(t, df) }

// NormalQuantile is the z at least as far from 0 as which a standard normal value
// is with the probability level, two-sided; 0 < level <= 1.
func NormalQuantile(level float64) float64 { return normalQuantile(level) }

// Welch compares the means of samples that nothing pairs, such as logarithms from
// different days, with an interval that fails with the probability level (Welch,
// Biometrika 34, 1947):
//
//	b - a ± t √(sa²/na + sb²/nb)
//
// with Satterthwaite's degrees of freedom. ok is false with fewer than two
// samples on a side; the samples have to be finite.
func Welch(a, b []float64, level float64) (change, lo, hi float64, ok bool) {
	if len(a) < 2 || len(b) < 2 {
		return math.NaN(), math.NaN(), math.NaN(), false
	}
	meanA, sdA := moments(a)
	meanB, sdB := moments(b)
	va, vb := sdA*sdA/float64(len(a)), sdB*sdB/float64(len(b))
	change = meanB - meanA
	if va+vb == 0 {
		return change, change, change, true
	}
	df := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	half := studentQuantile(level, df) * math.Sqrt(va+vb)
	return change, change - half, change + half, true
}

package stats

import (
	"math"
	"slices"
)

// location is where values lie, with the noise of one of them.
type location struct {
	centre float64
	sd     float64 // standard error times √n
	df     float64 // degrees of freedom of sd
}

// huberK is where values begin to count as far out, in standard deviations. With
// 1.5 only 93.5 % of the 95 % intervals of 20 rounds hold under two-level noise.
// From 1.75 to 2.25 the share of changes of 5 % that are found in 28 rounds falls
// from 79 to 75 % under heavy tails and hardly rises without, and false alarms
// get a little rarer.
const huberK = 2

// locate estimates the centre of at least one finite value with Huber's
// M-estimator and his "proposal 2" for the scale (Huber & Ronchetti, Robust
// Statistics, 2nd ed., chapter 6): centre m and scale s solve
//
//	Σ ψ((x-m)/s) = 0,    Σ ψ((x-m)/s)² = (n-1) β,    ψ(u) = max(-k, min(u, k))
//
// with k huberK and β = E ψ(Z)² of a standard normal Z. With a the share of
// values that ψ leaves alone, the variance of m is K² s² β / (n a²), and K is
// 1 + (1-a)/((n-1) a) (ibid., chapter 7). Values held in tell little about the
// noise: each takes half a degree of freedom.
//
// Of up to six values none can lie 2 s from the centre, so there it is mean and
// standard deviation, and so it is where so many values are equal that s would
// be 0. The scale is found together with the centre, rather than taken from the
// median deviation, because two-level noise often has most of few values within a
// tenth of its standard deviation: then four that agree by chance would shut out
// a fifth, and raise false alarms.
func locate(x []float64) location {
	// In order, so that the sums do not depend on the order of rounds.
	s := slices.Sorted(slices.Values(x))
	n := float64(len(s))
	mean, sd := moments(s)
	plain := location{mean, sd, n - 1}
	if !(sd > 0) {
		return plain
	}
	m, scale := mean, sd
	for range 1000 {
		sum, squares, whole := 0.0, 0.0, 0.0
		for _, v := range s {
			u := (v - m) / scale
			if math.Abs(u) < huberK {
				whole++
			}
			u = max(-huberK, min(u, huberK))
			sum += u
			squares += u * u
		}
		step, factor := sum*scale/n, math.Sqrt(squares/((n-1)*huberBeta))
		if scale*factor < 1e-6*sd {
			return plain
		}
		if math.Abs(step) < 1e-10*scale && math.Abs(factor-1) < 1e-10 {
			a := whole / n
			k := 1 + (1-a)/((n-1)*a)
			return location{m, k * scale * math.Sqrt(huberBeta) / a, (n+whole)/2 - 1}
		}
		m += step
		scale *= factor
	}
	return plain
}

// huberBeta is E ψ(Z)².
var huberBeta = func() float64 {
	inside := math.Erf(huberK / math.Sqrt2)
	return inside - 2*huberK*density(huberK) + huberK*huberK*(1-inside)
}()

// moments are the mean and the standard deviation, which is NaN of one value.
func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	squares := 0.0
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(squares / float64(len(x)-1))
}

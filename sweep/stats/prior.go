package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Prior is what the rest of a sweep says about the noise of a difference. The
// zero value says nothing.
type Prior struct {
	Variance float64 // of one difference of natural logarithms
	DF       float64 // how many degrees of freedom it is worth; may be infinite
}

func (p Prior) known() bool { return p.Variance > 0 && !math.IsInf(p.Variance, 1) && p.DF > 0 }

// FitPrior learns the prior from many comparisons of one metric. Pairs without a
// noise of their own are left out; with fewer than three of them nothing is
// known.
//
// The variances s² with d degrees of freedom are taken to be s0² F(d, d0), and s0²
// and d0 are fitted to the mean and the variance of log s² (Smyth, Stat. Appl.
// Genet. Mol. Biol. 3, 2004). So the more the comparisons differ in their noise,
// the less each borrows. d0 is at most the sum of all d, which is what samples
// with the very same noise are worth.
func FitPrior(pairs []Pair) Prior {
	// Not Pair.DF, which holds the prior that a pair had.
	var squares, d, e []float64
	for _, p := range pairs {
		if p.N >= 2 && p.SD >= 0 {
			squares = append(squares, p.SD*p.SD)
			d = append(d, float64(p.N-1))
		}
	}
	// A variance of 0 has no logarithm, and one next to 0 would say more than
	// all others: as in Bioconductor's limma, 1e-5 of the median is the least.
	least := 1e-5 * Median(squares)
	if len(squares) < 3 || !(least > 0) {
		return Prior{}
	}
	total, mean, expected := 0.0, 0.0, 0.0
	for i, s := range squares {
		e = append(e, math.Log(max(s, least))-mathext.Digamma(d[i]/2)+math.Log(d[i]/2))
		mean += e[i] / float64(len(squares))
		expected += trigamma(d[i]/2) / float64(len(squares))
		total += d[i]
	}
	excess := -expected
	for _, v := range e {
		excess += (v - mean) * (v - mean) / float64(len(e)-1)
	}
	df := total
	if excess > 0 {
		df = min(2*trigammaInverse(excess), total)
	}
	return Prior{Variance: math.Exp(mean + mathext.Digamma(df/2) - math.Log(df/2)), DF: df}
}

func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// trigammaInverse is the x > 0 of which the trigamma function is y > 0, by
// bisection: the function falls from infinity to 0, between 1/x and 1/x + 1/x².
func trigammaInverse(y float64) float64 {
	lo := 1 / y
	hi := (1 + math.Sqrt(1+4*y)) / (2 * y)
	for range 100 {
		mid := lo + (hi-lo)/2
		if trigamma(mid) > y {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}

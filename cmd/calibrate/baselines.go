package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"versweep/sweep/stats"
)

// Baselines are the usual ways to look for changes, in the simplest form that is
// fair: all get the samples by version, with the effects of the rounds removed
// where there are any.
var baselines = []detector{
	{"t-test of windows", tTestWindows},
	{"5 % between neighbours", fixedThreshold},
	{"least squares, BIC", leastSquares},
}

// byVersion is the samples of each version, without the mean of each round.
func byVersion(samples []stats.Observation) [][]float64 {
	sum, count := map[int]float64{}, map[int]float64{}
	versions := 0
	for _, o := range samples {
		sum[o.Round] += o.Y
		count[o.Round]++
		versions = max(versions, o.Place+1)
	}
	out := make([][]float64, versions)
	for _, o := range samples {
		out[o.Place] = append(out[o.Place], o.Y-sum[o.Round]/count[o.Round])
	}
	return out
}

// tTestWindows compares the values of up to windowWidth versions before each
// place with those from it on, by Student's t at 1 %, and keeps the plainest
// place within windowWidth.
func tTestWindows(samples []stats.Observation) []int {
	const windowWidth, level = 5, 0.01
	rows := byVersion(samples)
	p := make([]float64, len(rows))
	for c := range rows {
		p[c] = 1
		before := slices.Concat(rows[max(0, c-windowWidth):c]...)
		after := slices.Concat(rows[c:min(len(rows), c+windowWidth)]...)
		if len(before) < 2 || len(after) < 2 {
			continue
		}
		m, n := mean(before), mean(after)
		df := float64(len(before) + len(after) - 2)
		pooled := (squares(before) + squares(after)) / df
		t := math.Abs(n-m) / math.Sqrt(pooled*(1/float64(len(before))+1/float64(len(after))))
		p[c] = 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(t)
	}
	var at []int
	for c, v := range p {
		near := p[max(0, c-windowWidth+1):min(len(p), c+windowWidth)]
		if v <= level && v == slices.Min(near) {
			at = append(at, c)
		}
	}
	return at
}

// fixedThreshold takes every difference of more than 5 % between the medians of
// neighbours.
func fixedThreshold(samples []stats.Observation) []int {
	rows := byVersion(samples)
	var at []int
	for c := 1; c < len(rows); c++ {
		if math.Abs(stats.Median(rows[c])-stats.Median(rows[c-1])) > math.Log(1.05) {
			at = append(at, c)
		}
	}
	return at
}

// leastSquares cuts the means of versions so that the sum of squares plus 2 log n
// times the variance a cut is least (optimal partitioning, which is what PELT
// gives, with Schwarz's penalty for a place and a level). The variance is that of
// neighbours' differences, from their median.
func leastSquares(samples []stats.Observation) []int {
	rows := byVersion(samples)
	n := len(rows)
	sum, square := make([]float64, n+1), make([]float64, n+1)
	var differences []float64
	for i, row := range rows {
		m := mean(row)
		sum[i+1], square[i+1] = sum[i]+m, square[i]+m*m
		if i > 0 {
			differences = append(differences, math.Abs(m-mean(rows[i-1])))
		}
	}
	sd := stats.Median(differences) / 0.6745 / math.Sqrt2
	penalty := 2 * math.Log(float64(n)) * sd * sd
	best, from := make([]float64, n+1), make([]int, n+1)
	best[0] = -penalty
	for end := 1; end <= n; end++ {
		best[end] = math.Inf(1)
		for begin := range end {
			s := sum[end] - sum[begin]
			cost := best[begin] + penalty + square[end] - square[begin] - s*s/float64(end-begin)
			if cost < best[end] {
				best[end], from[end] = cost, begin
			}
		}
	}
	var at []int
	for c := from[n]; c > 0; c = from[c] {
		at = append(at, c)
	}
	slices.Reverse(at)
	return at
}

func mean(xs []float64) (m float64) {
	for _, x := range xs {
		m += x / float64(len(xs))
	}
	return m
}

// squares are those of the distances from the mean, summed up.
func squares(xs []float64) (sum float64) {
	m := mean(xs)
	for _, x := range xs {
		sum += (x - m) * (x - m)
	}
	return sum
}

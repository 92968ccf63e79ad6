package stats

import (
	"cmp"
	"math"
	"slices"
)

// RankTest is the two-sided p-value of the Wilcoxon-Mann-Whitney test for no
// difference between two unpaired sets of samples: how often a random division
// of all values has a sum of ranks at least as far from its mean. Tied values
// have the mean of their ranks.
//
// Up to maxExactRanks values it is exact, ties included; beyond, the normal
// approximation with the variance corrected for ties and a continuity correction
// of a half. NaN are left out; infinite values rank. It is NaN when a side has
// none.
func RankTest(a, b []float64) float64 {
	a, b = slices.DeleteFunc(slices.Clone(a), math.IsNaN), slices.DeleteFunc(slices.Clone(b), math.IsNaN)
	m, n := len(a), len(b)
	if m == 0 || n == 0 {
		return math.NaN()
	}
	ranks, tied := doubledRanks(slices.Concat(a, b))
	sum := 0
	for _, r := range ranks[:m] {
		sum += r
	}
	off := math.Abs(float64(sum - m*(m+n+1))) // of twice the sum
	if m+n > maxExactRanks {
		size := float64(m + n)
		variance := float64(m*n) / 12 * (size + 1 - tied/(size*(size-1)))
		if variance <= 0 {
			return 1
		}
		return math.Erfc(max(0, off/2-0.5) / math.Sqrt(variance) / math.Sqrt2)
	}
	p := 0.0
	for s, share := range rankSums(ranks, m) {
		if math.Abs(float64(s-m*(m+n+1))) >= off {
			p += share
		}
	}
	return min(p, 1)
}

const maxExactRanks = 60

// doubledRanks are twice the ranks, which are whole with ties too, and the sum
// of t³-t over groups of t tied values.
func doubledRanks(xs []float64) (ranks []int, tied float64) {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(xs[i], xs[j]) })
	ranks = make([]int, len(xs))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && xs[order[to]] == xs[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = from + to + 1
		}
		t := float64(to - from)
		tied += t*t*t - t
		from = to
	}
	return ranks, tied
}

// rankSums is the distribution of the sum of m of the ranks, drawn at random:
// the probability of each sum.
func rankSums(ranks []int, m int) []float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	// share[k][s]: k of the ranks seen so far are drawn and sum up to s, given
	// that each draw of m is as likely.
	share := make([][]float64, m+1)
	for k := range share {
		share[k] = make([]float64, total+1)
	}
	share[0][0] = 1
	for seen, r := range ranks {
		left := float64(len(ranks) - seen)
		for k := min(m, seen+1); k >= 0; k-- {
			stay := max(0, 1-float64(m-k)/left)
			for s := total; s >= 0; s-- {
				p := share[k][s] * stay
				if k > 0 && s >= r {
					p += share[k-1][s-r] * float64(m-k+1) / left
				}
				share[k][s] = p
			}
		}
	}
	return share[m]
}

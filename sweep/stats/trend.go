package stats

import (
	"cmp"
	"math"
	"slices"
)

// Trend is whether values rise or fall along the axis, which tells slow creep
// of which no step is large.
type Trend struct {
	N     int     // values
	S     int     // pairs that rise less pairs that fall
	P     float64 // two-sided, for no trend; NaN with fewer than two values
	Slope float64 // a step of the axis; NaN with fewer than two values
}

// MannKendall tests for a trend (Mann, Econometrica 13, 1945; Kendall 1975) and
// fits a line (Theil 1950, Sen 1968: the median of the slopes of all pairs).
// Values are in the order of the axis, one step apart; those that are not finite
// leave a gap.
//
// The distribution of S over all orders of the values, ties included, is exact
// up to maxExactTrend values. Beyond, P is the normal approximation with the
// variance
//
//	(n(n-1)(2n+5) - Σ t(t-1)(2t+5)) / 18
//
// over groups of t tied values, and a continuity correction of 1. Time and
// memory grow with the square of the number of values: a thousand take some 10 ms.
func MannKendall(y []float64) Trend {
	var values, slopes []float64
	s := 0
	for j, b := range y {
		if !isFinite(b) {
			continue
		}
		values = append(values, b)
		for i, a := range y[:j] {
			if isFinite(a) {
				s += cmp.Compare(b, a)
				slopes = append(slopes, b/float64(j-i)-a/float64(j-i))
			}
		}
	}
	t := Trend{N: len(values), S: s, P: math.NaN(), Slope: Median(slopes)}
	if t.N < 2 {
		return t
	}
	tail := kendallTail
	if t.N > maxExactTrend {
		tail = kendallNormal
	}
	t.P = tail(groups(values), s)
	return t
}

const maxExactTrend = 40

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// groups are the sizes of the groups of equal values.
func groups(xs []float64) []int {
	var sizes []int
	s := slices.Sorted(slices.Values(xs))
	for i, x := range s {
		if i == 0 || x != s[i-1] {
			sizes = append(sizes, 0)
		}
		sizes[len(sizes)-1]++
	}
	return sizes
}

// kendallTail is how often |S| is at least |s| when values of such groups are in
// random order. Group by group in the order of value, the pairs that a group
// forms with those below it are what the Mann-Whitney statistic counts, and
// independent of all before.
func kendallTail(groups []int, s int) float64 {
	falls := []float64{1} // distribution of the pairs that fall
	below, pairs := 0, 0
	for _, g := range groups {
		ranks := make([]int, below+g)
		for i := range ranks {
			ranks[i] = i
		}
		between := rankSums(ranks, g)
		least := g * (g - 1) / 2
		next := make([]float64, len(falls)+below*g)
		for i, p := range falls {
			for j, q := range between[least : least+below*g+1] {
				next[i+j] += p * q
			}
		}
		falls = next
		pairs += below * g
		below += g
	}
	tail := 0.0
	for f, p := range falls {
		if d := pairs - 2*f; max(d, -d) >= max(s, -s) {
			tail += p
		}
	}
	return min(tail, 1)
}

// kendallNormal approximates kendallTail.
func kendallNormal(groups []int, s int) float64 {
	n, ties := 0.0, 0.0
	for _, size := range groups {
		g := float64(size)
		n += g
		ties += g * (g - 1) * (2*g + 5)
	}
	variance := (n*(n-1)*(2*n+5) - ties) / 18
	if variance <= 0 {
		return 1
	}
	return math.Erfc(float64(max(s, -s, 1)-1) / math.Sqrt(variance) / math.Sqrt2)
}

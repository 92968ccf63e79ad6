package stats

import (
	"cmp"
	"math"
	"slices"
)

// FalseDiscovery adjusts the p-values of a family of tests: those whose adjusted
// value is at most q are discoveries, of which a share of q is expected to be
// false (Benjamini & Hochberg, J. R. Statist. Soc. B 57, 1995).
//
//	adjusted of the i-th smallest = min over j >= i of p_j m/j, at most 1
//
// with m tests. weights, when not nil, is one number from 0 a test: how much more
// likely a change is there (Genovese, Roeder & Wasserman, Biometrika 93, 2006).
// They are scaled to the mean 1 and must not be chosen by looking at the
// p-values; p_j is then divided by its weight, and a test with the weight 0 is
// never a discovery.
//
// A p-value that is NaN is no test: its adjusted value is NaN, and m leaves it
// out.
func FalseDiscovery(p, weights []float64) (adjusted []float64) {
	adjusted = make([]float64, len(p))
	var tests []int
	total := 0.0
	for i := range p {
		adjusted[i] = math.NaN()
		if !math.IsNaN(p[i]) {
			tests = append(tests, i)
			if weights != nil {
				total += weights[i]
			}
		}
	}
	m := float64(len(tests))
	for _, i := range tests {
		adjusted[i] = p[i]
		if weights != nil {
			adjusted[i] = min(1, p[i]*total/m/weights[i]) // infinite with the weight 0
			if weights[i] == 0 {
				adjusted[i] = 1 // 0/0 too
			}
		}
	}
	slices.SortStableFunc(tests, func(i, j int) int { return cmp.Compare(adjusted[j], adjusted[i]) })
	least := 1.0
	for rank, i := range tests {
		least = min(least, adjusted[i]*m/(m-float64(rank)))
		adjusted[i] = least
	}
	return adjusted
}

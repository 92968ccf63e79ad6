package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"versweep/sweep/stats"
)

// families prints how often a whole sweep of comparisons raises an alarm.
func families(out io.Writer, runs int) {
	// Each sweep is a thousand comparisons.
	runs = max(1, runs/10)
	fmt.Fprintf(out, "### False alarms of a sweep\n\n")
	fmt.Fprintf(out, "Percent of %d sweeps of 40 versions without a difference, each compared with the one before after every round from 5 to 30, "+
		"in which any comparison was significant at any look: with Benjamini-Hochberg at 5 %% over the p-values that allow for all looks, "+
		"and without it.\n\n", runs)
	fmt.Fprint(out, "| noise | Benjamini-Hochberg | each at 5 % |\n|---|---|---|\n")
	for i, shape := range []Shape{normal(0.05), heavy(0.05), twoLevel(0.01), outliers(0.05)} {
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		family, each := 0, 0
		for range runs {
			f, e := alarms(rng, shape)
			if f {
				family++
			}
			if e {
				each++
			}
		}
		fmt.Fprintf(out, "| %s | %.1f | %.1f |\n", shape.Name, 100*float64(family)/float64(runs), 100*float64(each)/float64(runs))
	}
	fmt.Fprintln(out)
}

// alarms carries out one sweep and says whether the family, or any of its
// comparisons on its own, raised an alarm.
func alarms(rng *rand.Rand, shape Shape) (family, each bool) {
	const versions, first, last, q = 40, 5, 30, 0.05
	d := make([][]float64, versions-1)
	results := make([]stats.Pair, len(d))
	p := make([]float64, len(d))
	for round := 1; round <= last; round++ {
		before := shape.Draw(rng)
		for i := range d {
			after := shape.Draw(rng)
			d[i] = append(d[i], after-before)
			before = after
		}
		if round < first {
			continue
		}
		for i := range d {
			results[i] = stats.ComparePairs(d[i], stats.PairOptions{})
		}
		o := stats.PairOptions{Prior: stats.FitPrior(results), Looks: stats.Looks{Min: first, Max: last, Now: round}}
		for i := range d {
			p[i] = stats.ComparePairs(d[i], o).P
			each = each || p[i] <= q
		}
		for _, adjusted := range stats.FalseDiscovery(p, nil) {
			family = family || adjusted <= q
		}
	}
	return family, each
}

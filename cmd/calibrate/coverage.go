package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"versweep/sweep/stats"
)

// coverage prints how often the 95 % interval of a pair holds the truth.
func coverage(out io.Writer, runs int) {
	fmt.Fprintf(out, "### Coverage of the 95 %% interval\n\n")
	fmt.Fprintf(out, "Percent of %d comparisons, at a single look: the noise learnt from the pair alone / from 20 pairs.\n\n", runs)
	rounds := []int{5, 8, 10, 20, 30}
	fmt.Fprint(out, "| noise |")
	for _, n := range rounds {
		fmt.Fprintf(out, " %d rounds |", n)
	}
	fmt.Fprint(out, "\n|---|---|---|---|---|---|\n")
	for _, shape := range pairedShapes() {
		fmt.Fprintf(out, "| %s |", shape.name)
		for _, n := range rounds {
			fmt.Fprintf(out, " %.1f / %.1f |", 100*covered(shape, n, 1, runs), 100*covered(shape, n, 20, runs))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}

// covered is the share of intervals that hold the true change, of sweeps with so
// many rounds and pairs.
func covered(shape paired, rounds, together, runs int) float64 {
	const truth = 0.02
	rng := rand.New(rand.NewPCG(uint64(rounds), uint64(together)))
	held, tried := 0, 0
	for tried < runs {
		d := make([][]float64, together)
		results := make([]stats.Pair, together)
		for i := range d {
			next := shape.start(rng)
			for range rounds {
				d[i] = append(d[i], truth+next())
			}
			results[i] = stats.ComparePairs(d[i], stats.PairOptions{})
		}
		o := stats.PairOptions{Prior: stats.FitPrior(results)}
		for i := range d {
			if p := stats.ComparePairs(d[i], o); p.Lo <= truth && truth <= p.Hi {
				held++
			}
			tried++
		}
	}
	return float64(held) / float64(tried)
}

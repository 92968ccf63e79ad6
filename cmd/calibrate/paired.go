package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"versweep/sweep/stats"
)

// paired draws what a comparison sees of two versions without a difference.
type paired struct {
	name string
	// start begins a sweep; the function it returns is the log ratio of the next
	// round.
	start func(rng *rand.Rand) func() float64
}

// pairedShapes are the shapes that pairs are tried on, with a standard deviation
// of 5 % a sample, but within a level of two-level noise 1 %.
func pairedShapes() []paired {
	var shapes []paired
	for _, s := range []Shape{normal(0.05), heavy(0.05), twoLevel(0.01), outliers(0.05)} {
		shapes = append(shapes, paired{s.Name, func(rng *rand.Rand) func() float64 {
			return func() float64 { return s.Draw(rng) - s.Draw(rng) }
		}})
	}
	return append(shapes, paired{"drift", drift})
}

// drift is normal noise on a machine that gets slower by 0.5 % a round and
// wanders by another 5 % a round. Between rounds that cancels; within a round of
// twelve samples in random order it does not.
func drift(rng *rand.Rand) func() float64 {
	const samples, sd, wander, slowing = 12, 0.05, 0.05, 0.005
	return func() float64 {
		order := rng.Perm(samples)
		level, at := 0.0, [samples]float64{}
		for i := range at {
			level += wander/math.Sqrt(samples)*rng.NormFloat64() - slowing/samples
			at[i] = level
		}
		return at[order[0]] - at[order[1]] + sd*(rng.NormFloat64()-rng.NormFloat64())
	}
}

// trial is a comparison carried out many times.
type trial struct {
	shape  paired
	change float64 // true log ratio
	looks  stats.Looks
	effect float64 // smallest of interest, a fraction
	// together is how many comparisons a sweep has that learn their noise from
	// each other; 1 is a comparison on its own.
	together int
	// careless takes the 95 % interval of a single look at every look.
	careless bool
}

// tally is how comparisons ended.
type tally struct {
	changed, same []int // the rounds at which they were settled
	undecided     int
}

func (t trial) run(runs int, seed uint64) tally {
	rng := rand.New(rand.NewPCG(seed, 1))
	var sum tally
	for sum.runs() < runs {
		t.sweep(rng, &sum)
	}
	return sum
}

// sweep samples every comparison until it is settled.
func (t trial) sweep(rng *rand.Rand, sum *tally) {
	next := make([]func() float64, t.together)
	d := make([][]float64, t.together)
	results := make([]stats.Pair, t.together)
	var open []int
	for i := range next {
		next[i] = t.shape.start(rng)
		open = append(open, i)
	}
	for round := 1; round <= t.looks.Max; round++ {
		for _, i := range open {
			d[i] = append(d[i], t.change+next[i]())
		}
		if round < t.looks.Min {
			continue
		}
		var o stats.PairOptions
		if !t.careless {
			o.Looks = stats.Looks{Min: t.looks.Min, Max: t.looks.Max, Now: round}
		}
		if t.together > 1 {
			for _, i := range open {
				results[i] = stats.ComparePairs(d[i], stats.PairOptions{})
			}
			o.Prior = stats.FitPrior(results)
		}
		open = slices.DeleteFunc(open, func(i int) bool {
			decision, _ := stats.ComparePairs(d[i], o).Decide(t.effect)
			switch decision {
			case stats.Changed:
				sum.changed = append(sum.changed, round)
			case stats.Same:
				sum.same = append(sum.same, round)
			default:
				return false
			}
			return true
		})
	}
	sum.undecided += len(open)
}
func (t tally) runs() int { return len(t.changed) + len(t.same) + t.undecided }

// percent of all comparisons.
func (t tally) percent(n int) float64 { return 100 * float64(n) / float64(t.runs()) }

// changedBy is the percentage called changed by a round.
func (t tally) changedBy(round int) float64 {
	n := 0
	for _, r := range t.changed {
		if r <= round {
			n++
		}
	}
	return t.percent(n)
}

// rounds that comparisons took, of which the undecided took last: the mean, and
// what nine tenths do not exceed.
func (t tally) rounds(last int) (mean float64, ninth int) {
	all := slices.Concat(t.changed, t.same, slices.Repeat([]int{last}, t.undecided))
	slices.Sort(all)
	for _, r := range all {
		mean += float64(r) / float64(len(all))
	}
	return mean, all[(len(all)*9+9)/10-1]
}

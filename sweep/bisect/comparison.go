package bisect

import (
	"math"

	"versweep/sweep/stats"
)

// comparing is how the samples of one trial are compared.
type comparing struct {
	trial   Trial
	reading Reading
	looks   stats.Looks
	alpha   float64 // two-sided
	sign    float64 // 1 where bad is higher than good, otherwise -1
	noise   stats.Prior
}

// variance of a difference of two places, in units of that of one sample: the
// good end is sampled twice.
func (c comparing) variance(from, to int) float64 {
	if from == c.trial.Good || to == c.trial.Good {
		return 1.5
	}
	return 2
}

// pair compares two places, turned so that bad is above good.
func (c comparing) pair(from, to int) stats.Pair {
	d := c.reading.differences(c.trial, from, to)
	for i := range d {
		d[i] *= c.sign
	}
	prior := c.noise
	prior.Variance *= c.variance(from, to)
	return stats.ComparePairs(d, stats.PairOptions{Confidence: 1 - c.alpha, Prior: prior, Looks: c.looks})
}

// ownNoise is what the trial's own ends, and the good end against itself, say
// about the noise of one sample. Neither depends on a candidate.
func (c comparing) ownNoise() []stats.Pair {
	return []stats.Pair{c.noiseOf(c.trial.Good, c.trial.Bad), c.twinNoise()}
}

// noiseOf is a comparison as FitPrior takes it, its noise that of one sample.
func (c comparing) noiseOf(from, to int) stats.Pair {
	p := stats.ComparePairs(c.reading.differences(c.trial, from, to), stats.PairOptions{})
	return stats.Pair{N: p.N, SD: p.SD / math.Sqrt(c.variance(from, to))}
}

func (c comparing) twinNoise() stats.Pair {
	p := stats.ComparePairs(subtract(c.reading.Twin, c.reading.Logs[c.trial.Good]), stats.PairOptions{})
	return stats.Pair{N: p.N, SD: p.SD / math.Sqrt2}
}

// position is where a candidate stands, as far as its samples tell.
type position struct {
	fromGood, fromBad stats.Pair
	effect            float64 // logarithm
}

func (c comparing) position(place int, effect float64) position {
	return position{c.pair(c.trial.Good, place), c.pair(c.trial.Bad, place), effect}
}

// An interval that cannot be told is NaN, and NaN is neither above nor below.
func (p position) unlikeGood() bool { return p.fromGood.Lo > 0 }
func (p position) unlikeBad() bool  { return p.fromBad.Hi < 0 }

// verdict is what the position says.
func (p position) verdict() Verdict {
	good, bad := p.unlikeBad(), p.unlikeGood()
	switch {
	case good && bad: // between them: the nearer one
		if p.fromGood.Change < -p.fromBad.Change {
			return Good
		}
		return Bad
	case good:
		return Good
	case bad:
		return Bad
	}
	return Undecided
}

// where says of a candidate that is neither like good nor like bad on which side
// it is. What is nearer to one of them than the effect is like it, however sure
// the difference.
func (p position) where() Where {
	switch {
	case p.fromGood.Hi < -p.effect:
		return BeyondGood
	case p.fromBad.Lo > p.effect:
		return BeyondBad
	case p.unlikeGood() && p.unlikeBad() && p.fromGood.Change > p.effect && -p.fromBad.Change > p.effect:
		return Between
	}
	return AtEnd
}

// change is a comparison as it is told: a fraction, new/old - 1, unturned.
func (c comparing) change(p stats.Pair) Change {
	lo, hi := c.sign*p.Lo, c.sign*p.Hi
	if lo > hi {
		lo, hi = hi, lo
	}
	return Change{Change: math.Expm1(c.sign * p.Change), Lo: math.Expm1(lo), Hi: math.Expm1(hi), Rounds: p.N}
}

// told compares as an answer tells it, with a 95 % interval over all looks.
func (c comparing) told(from, to int) Change {
	c.alpha = 0.05
	return c.change(c.pair(from, to))
}

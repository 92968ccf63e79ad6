package stats

import (
	"math"
	"sort"
)

// PairOptions say how to compare. The zero value asks for a 95 % interval of a
// single look, from the samples alone.
type PairOptions struct {
	Confidence float64 // of the interval; 0 is 0.95
	Prior      Prior   // noise of a difference in the rest of the sweep
	Looks      Looks   // Looks.Now 0 is the number of differences
}

// Pair is the comparison of two sets of samples that are paired by round.
// Changes are differences of natural logarithms. What cannot be told is NaN.
type Pair struct {
	N      int     // differences
	Change float64 // estimate
	// Lo and Hi enclose the change with the confidence asked for, at this look
	// and all others at once: a repeated confidence interval (Jennison &
	// Turnbull, J. R. Statist. Soc. B 51, 1989).
	Lo, Hi float64
	// P is two-sided, for no change, and allows for all looks.
	P  float64
	SD float64 // noise of one difference, as its samples tell it
	DF float64 // degrees of freedom behind the interval, the prior's included
	SE float64 // standard error of Change, the prior allowed for
	// SmallestEffect is the change that would have been seen with 80 % power.
	SmallestEffect float64

	alpha float64 // 1 - confidence
	looks Looks
}

// MinPairs is the number of differences from which on intervals are to be
// trusted, and the fewest rounds to plan.
const MinPairs = 5

// ComparePairs compares from the log ratios by round. Their order is of no
// account; those that are not finite are missing.
//
// The estimate and its noise s with d degrees of freedom are those of Huber's
// M-estimator (see locate). With n differences and a prior noise s0 of d0
// degrees of freedom, the standard error and its degrees of freedom are
//
//	√((d0 s0² + d s²)/(d0 + d) / n),    d0 + d
//
// which is the moderated t of Smyth (Stat. Appl. Genet. Mol. Biol. 3, 2004). The
// interval has Student's quantile at the level of the look. The smallest effect
// is that quantile plus the one of 80 %, times the standard error.
//
// Differences that are all equal have no noise to go by. Without a prior their P
// is that of the exact rank test on samples of which each is on its own side,
// 2/(2n over n), and the interval is a point as soon as that is significant. Looks
// do not matter to it: differences that are all equal now were so at every look.
func ComparePairs(d []float64, o PairOptions) Pair {
	d = finite(d)
	p := Pair{N: len(d), Change: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), P: math.NaN(),
		SD: math.NaN(), DF: math.NaN(), SE: math.NaN(), SmallestEffect: math.NaN()}
	confidence := o.Confidence
	if !(confidence > 0 && confidence < 1) {
		confidence = 0.95
	}
	p.alpha, p.looks = 1-confidence, o.Looks
	if p.looks.Now == 0 {
		p.looks.Now = p.N
	}
	if p.N == 0 {
		return p
	}
	l := locate(d)
	p.Change, p.SD, p.DF = l.centre, l.sd, l.df
	variance := p.SD * p.SD
	switch {
	case o.Prior.known():
		if !(p.DF > 0) {
			variance, p.DF = 0, 0
		}
		// An infinite DF leaves nothing but the prior.
		own := p.DF / (p.DF + o.Prior.DF)
		variance = own*variance + (1-own)*o.Prior.Variance
		p.DF += o.Prior.DF
	case p.N < 2:
		p.DF = math.NaN()
		return p
	case p.SD <= roundingNoise:
		p.constant()
		return p
	}
	p.SE = math.Sqrt(variance / float64(p.N))
	half := p.SE * studentQuantile(p.looks.Level(p.alpha), p.DF)
	p.Lo, p.Hi = p.Change-half, p.Change+half
	p.P = p.looks.P(student(p.Change/p.SE, p.DF))
	p.SmallestEffect = half + p.SE*studentQuantile(0.4, p.DF)
	return p
}

// roundingNoise is what equal ratios may differ by.
const roundingNoise = 1e-12

func (p *Pair) constant() {
	p.SE = 0
	// Not 1e-17 where it is none.
	if math.Abs(p.Change) <= roundingNoise {
		p.Change = 0
	}
	apart := 2.0
	for i := 1; i <= p.N; i++ {
		apart *= float64(i) / float64(p.N+i)
	}
	if apart <= p.alpha {
		p.Lo, p.Hi, p.SmallestEffect = p.Change, p.Change, 0
	}
	p.P = 1
	if p.Change != 0 {
		p.P = apart
	}
}

// Decision is what a comparison says.
type Decision int

const (
	Undecided Decision = iota
	Changed            // the interval excludes no change, and reaches beyond the effect
	Same               // the interval lies within the effect
)

// Decide says whether there is a change that matters. effect is the smallest
// change of interest, a fraction from 0: 0.03 is a factor of up to 1.03, up or
// down. With 0 nothing is the same.
//
// The interval decides, so a change of exactly the effect is told once there are
// rounds enough, and whether the estimate falls short of it is of no account.
// Of an undecided comparison rounds is how many more will probably settle it, at
// most MaxRoundsNeeded; otherwise it is 0.
func (p Pair) Decide(effect float64) (d Decision, rounds int) {
	within := math.Log1p(max(effect, 0))
	switch {
	case math.IsNaN(p.Lo):
		return Undecided, max(MinPairs-p.N, 1)
	case effect > 0 && -within <= p.Lo && p.Hi <= within:
		return Same, 0
	case p.Lo > 0 || p.Hi < 0:
		return Changed, 0
	}
	return Undecided, p.roundsNeeded(within)
}

// MaxRoundsNeeded is what Decide asks for at most; it then means "too many".
const MaxRoundsNeeded = 1000

// roundsNeeded is how many more rounds make the interval narrow enough, if the
// estimate and the noise stay what they are. Rounds past the plan are given the
// level of its last look.
func (p Pair) roundsNeeded(within float64) int {
	// Excluding no change takes a half width below the estimate; lying within
	// the effect one below the rest of it.
	half := max(math.Abs(p.Change), within-math.Abs(p.Change))
	return 1 + sort.Search(MaxRoundsNeeded-1, func(i int) bool {
		n, more := float64(p.N), float64(i+1)
		then := p.looks
		then.Now = max(then.Now, min(then.Now+i+1, then.Max))
		return p.SE*math.Sqrt(n/(n+more))*studentQuantile(then.Level(p.alpha), p.DF+more) <= half
	})
}

func finite(xs []float64) []float64 {
	kept := make([]float64, 0, len(xs))
	for _, x := range xs {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			kept = append(kept, x)
		}
	}
	return kept
}

package stats

import (
	"cmp"
	"math"
	"slices"
)

// bar is how high the evidence for a step must be on an axis.
type bar struct {
	places int
	df     float64 // of the noise
	each   float64 // how much of Alpha each further step adds
	o      StepOptions
}

// evidence is how many nats a step must be worth when it is the k-th of an axis.
//
// For the first it holds the probability of any step where there is none at
// Alpha: with c the two-sided quantile of Student's t at the level that this look
// has of Alpha over the effective places, it is c²/2. Further ones are allowed
// more: see stepDown.
func (b bar) evidence(k int) float64 {
	c := studentQuantile(b.level(k), b.df)
	return c * c / 2
}

// level is what the p-value of the k-th step alone must not exceed.
func (b bar) level(k int) float64 {
	alpha := b.o.Alpha
	if alpha == 0 {
		alpha = 0.05
	}
	alpha = min(alpha*b.shared(k), mostAlpha)
	return b.o.Looks.Level(alpha / effectivePlaces(b.places))
}

const (
	mostShared = 8   // steps
	mostAlpha  = 0.5 // that Alpha times shared is held to
	// eachShare is what a further step adds to the error that is allowed. By
	// measurement: with 1 easy steps bring false ones, and with 0 steps of 3 % in
	// noise of 4 % are lost.
	eachShare = 0.5
)

// shared is how many times Alpha k steps may go wrong.
func (b bar) shared(k int) float64 { return 1 + b.each*float64(min(k, mostShared)-1) }

// p is the probability that noise alone gives a deviate of z at some place and
// look.
func (b bar) p(z float64) float64 {
	return min(1, effectivePlaces(b.places)*b.o.Looks.P(student(z, b.df)))
}

// effectivePlaces is how many independent places an axis of n has in effect. The
// power is fitted to simulations (`make calibrate`, section steps): statistics of
// neighbouring places overlap, so there are fewer than places, and more than the
// logarithm that theory gives for a single step in the limit, as a short stretch
// between two cuts may stand out too.
func effectivePlaces(n int) float64 {
	if n <= 2 {
		return 1
	}
	return 1 + 3*math.Pow(float64(n-2), 0.6)
}

// stepDown finds the cuts. The first has to reach the bar for the whole axis.
// Where k are found, the bar for one more allows an error of shared(k+1) times
// Alpha in all, until no more are found. That keeps the expected share of false
// steps among those told below Alpha (Benjamini & Hochberg 1995, taken from the
// top: Gavrilov, Benjamini & Sarkar, Ann. Statist. 37, 2009, with half of the
// allowance). On an axis without a step nothing is different, as none passes the
// first bar.
func (a *axis) stepDown(d *noise, b bar) []int {
	var cuts []int
	for {
		need := b.evidence(len(cuts) + 1)
		more := a.prune(d, a.partition(d, need), need)
		if len(more) <= len(cuts) {
			return cuts
		}
		cuts = more
		if b.evidence(len(cuts)+1) == need {
			return cuts
		}
	}
}

// shareErrors makes the P of steps what stepDown decided by: the smallest Alpha
// at which a step is told with those that are plainer.
func (b bar) shareErrors(steps []Step) {
	order := make([]*Step, len(steps))
	for i := range steps {
		order[i] = &steps[i]
	}
	slices.SortStableFunc(order, func(x, y *Step) int { return cmp.Compare(x.P, y.P) })
	least := 0.0
	for k, s := range order {
		s.P = max(least, s.P/b.shared(k+1))
		least = s.P
	}
}

package stats

import (
	"math"
	"sync"
)

// Looks says when a comparison is looked at: after every round from Min to Max,
// and how many rounds there are now. The zero value, and Min equal to Max, is a
// single look.
//
// Whoever looks after every round and stops at the first difference finds one
// sooner or later, even where there is none. So the allowed error alpha is spent
// in portions over the looks (Lan & DeMets, Biometrika 70, 1983). After k rounds
// at most
//
//	spent(k) = 0.9 alpha (0.2 + 0.8 ((k-Min)/(Max-Min))³)    Min <= k <= Max
//	spent(k) = alpha (0.95 - 0.05 Max/k)                     k > Max
//
// of it may be used up. The cube is the power family of Kim & DeMets (Biometrika
// 74, 1987), which keeps most for late looks. A fifth at the first look, which
// they do not have, is for Student's t: with 4 degrees of freedom a level of
// 0.001 would ask for a difference of nine standard errors, and large steps
// would not be told early. Other shares and powers were tried with 5 to 30
// looks: with the square, or with more at the first look, a change of 5 % under
// noise of 5 % is not found in 28 rounds with 90 % power any more.
//
// Early is for axes, where the samples of many versions tell the noise and a
// step is often plain after a few rounds. It has 0.3 in place of 0.2 and the
// square root in place of the cube, which makes nearly the same critical value
// at every look, as Pocock (Biometrika 64, 1977) has it.
//
// Half of what is left by Max is for sweeps that are resumed with more rounds
// than planned: Max stays what it was when the first look was taken, and the
// error stays below alpha however long the sweep goes on. The other half is
// what the quantiles of Student's t in place of normal ones cost. After a single
// look nothing is left, and further looks are not guarded.
//
// A comparison that is looked at before Min, because the sweep was broken off,
// gets the portion of the first look.
type Looks struct {
	Min, Max int  // rounds
	Now      int  // rounds so far
	Early    bool // spend more at early looks; FindSteps sets it
}

const (
	spentByMax  = 0.9  // of alpha
	spentAtLast = 0.95 // of alpha, without end
)

// spending is the share of what is spent by Max that goes to the first look, and
// the power by which the rest follows.
func (l Looks) spending() (first, power float64) {
	if l.Early {
		return 0.3, 0.5
	}
	return 0.2, 3
}

// MaxLooks bounds the looks that are told apart. Max is held to it too, and later
// looks get the level of the last.
const MaxLooks = 2000

func (l Looks) single() bool { return max(l.Min, 1) >= l.Max }

// spent is the share of alpha that may be used up after k rounds.
func (l Looks) spent(k int) float64 {
	if k > l.Max {
		return spentAtLast - (spentAtLast-spentByMax)*float64(l.Max)/float64(k)
	}
	u := float64(k-l.Min) / float64(l.Max-l.Min)
	first, power := l.spending()
	return spentByMax * (first + (1-first)*math.Pow(u, power))
}

// Critical is how far from 0 a standard normal statistic has to be at this look
// so that all looks together go wrong with the probability alpha, two-sided;
// 0 < alpha < 1. The statistic after k rounds is the sum of k differences over
// its standard deviation.
//
// Looks of the same Min, Max and alpha share their work, which is kept. A first
// call takes about 2 ms for 100 rounds and 100 ms for 1,000. It may be called by
// several goroutines.
func (l Looks) Critical(alpha float64) float64 {
	if l.single() {
		return normalQuantile(alpha)
	}
	l.Min = max(l.Min, 1)
	l.Max = min(l.Max, max(l.Min+1, MaxLooks))
	now := min(max(l.Now, l.Min), l.Min+MaxLooks)
	l.Now = 0
	key := boundaryKey{l, alpha}

	boundaries.Lock()
	defer boundaries.Unlock()
	b := boundaries.known[key]
	if b == nil {
		if len(boundaries.known) >= maxBoundaries {
			clear(boundaries.known)
		}
		if boundaries.known == nil {
			boundaries.known = map[boundaryKey]*boundary{}
		}
		b = &boundary{looks: l, alpha: alpha}
		boundaries.known[key] = b
	}
	for len(b.critical) <= now-l.Min {
		b.next()
	}
	return b.critical[now-l.Min]
}

// Level is the two-sided nominal level of this look: a p-value of this look
// alone, at most Level(alpha), is significant at alpha over all looks.
func (l Looks) Level(alpha float64) float64 {
	if l.single() {
		return alpha
	}
	return math.Erfc(l.Critical(alpha) / math.Sqrt2)
}

// P turns the p-value of this look alone into one that allows for all looks: the
// smallest alpha of which Level is at least p, between the steps of a grid that
// has three a decade. Jennison & Turnbull (2000, chapter 9) call it the
// repeated p-value.
func (l Looks) P(p float64) float64 {
	if l.single() || !(p > 0) || p >= 1 {
		return p
	}
	const perDecade, smallest = 3, 1e-12
	logp := math.Log(p)
	// Above: what an alpha allows; the level of 1 is 1.
	aboveAlpha, aboveLevel := 0.0, 0.0
	for i := 0; ; i++ {
		alpha := math.Pow(10, -float64(i+1)/perDecade)
		logAlpha, logLevel := math.Log(alpha), math.Log(l.Level(alpha))
		if logLevel <= logp || alpha < smallest {
			slope := (aboveAlpha - logAlpha) / (aboveLevel - logLevel)
			return math.Exp(logAlpha + slope*(logp-logLevel))
		}
		aboveAlpha, aboveLevel = logAlpha, logLevel
	}
}

// boundaries keeps what was worked out. Each takes up to some 10 KB.
var boundaries struct {
	sync.Mutex
	known map[boundaryKey]*boundary
}

const maxBoundaries = 1000

type boundaryKey struct {
	looks Looks // Now is 0
	alpha float64
}

// boundary is worked out look by look, with the recursion of Armitage, McPherson
// & Rowe (J. R. Statist. Soc. A 132, 1969). With S the sum of k differences that
// have the mean 0 and the variance 1, f_k(x) is the density of S at x on paths
// that have not left the boundary at any look up to k:
//
//	f_{k+1}(x) = ∫ f_k(y) φ(x-y) dy    over |y| < b_k
//	P(first left at k+1) = ∫ f_k(y) (Φ(y-b) + Φ(-y-b)) dy    over |y| < b_k
//
// and b_{k+1} is the b that makes the latter what may be spent. Both sides are
// alike, so only y >= 0 is kept.
type boundary struct {
	looks    Looks
	alpha    float64
	critical []float64 // b_k/√k, from looks.Min on
	// The density on [0, b_k], times the weight of its node.
	nodes, mass []float64
}

// gauss are the nodes and weights of Gauss-Legendre quadrature with six points
// on [-1, 1]. On panels of two standard deviations of a difference they make
// boundaries right to seven digits.
var gauss = [6][2]float64{
	{-0.932469514203152, 0.171324492379170}, {-0.661209386466265, 0.360761573048139}, {-0.238619186083197, 0.467913934572691},
	{0.238619186083197, 0.467913934572691}, {0.661209386466265, 0.360761573048139}, {0.932469514203152, 0.171324492379170},
}

const (
	panel = 2.5 // standard deviations of one difference
	reach = 7.5 // beyond which a normal density is nothing
)

func (b *boundary) next() {
	k := b.looks.Min + len(b.critical)
	portion := b.alpha * b.looks.spent(k)
	if len(b.critical) == 0 {
		b.first(k, normalQuantile(portion))
		return
	}
	portion -= b.alpha * b.looks.spent(k-1)
	b.further(k, b.edge(portion, b.critical[len(b.critical)-1]*math.Sqrt(float64(k))))
}

// first takes the first look, after k rounds.
func (b *boundary) first(k int, critical float64) {
	b.critical = append(b.critical, critical)
	sd := math.Sqrt(float64(k))
	b.keep(critical*sd, func(x float64) float64 { return density(x/sd) / sd })
}

// further takes the look after k rounds, with its boundary at edge.
func (b *boundary) further(k int, edge float64) {
	b.critical = append(b.critical, edge/math.Sqrt(float64(k)))
	nodes, mass := b.nodes, b.mass
	from := 0
	b.keep(edge, func(x float64) float64 {
		for from < len(nodes) && nodes[from] < x-reach {
			from++
		}
		f := 0.0
		for i := from; i < len(nodes) && nodes[i] < x+reach; i++ {
			f += mass[i] * density(x-nodes[i])
			if x+nodes[i] < reach {
				f += mass[i] * density(x+nodes[i])
			}
		}
		return f
	})
}

// keep lays nodes over [0, edge] and puts the density f on them, from left to
// right.
func (b *boundary) keep(edge float64, f func(x float64) float64) {
	panels := int(edge/panel) + 1
	half := edge / float64(panels) / 2
	nodes, mass := make([]float64, 0, 6*panels), make([]float64, 0, 6*panels)
	for i := range panels {
		for _, g := range gauss {
			x := half * (float64(2*i+1) + g[0])
			nodes = append(nodes, x)
			mass = append(mass, f(x)*g[1]*half)
		}
	}
	b.nodes, b.mass = nodes, mass
}

// outside is the probability that S after the next difference is at least edge
// away from 0, and minus its slope there.
func (b *boundary) outside(edge float64) (p, slope float64) {
	for i, x := range b.nodes {
		// Twice the tail, since both sides are alike.
		if z := edge - x; z < reach {
			p += b.mass[i] * math.Erfc(z/math.Sqrt2)
			slope += 2 * b.mass[i] * density(z)
		}
		if z := edge + x; z < reach {
			p += b.mass[i] * math.Erfc(z/math.Sqrt2)
			slope += 2 * b.mass[i] * density(z)
		}
	}
	return p, slope
}

// edge is where S has to end to be outside with the probability portion, by
// Newton's method on the logarithm of the probability, which is nearly straight.
func (b *boundary) edge(portion, guess float64) float64 {
	for range 50 {
		p, slope := b.outside(guess)
		step := math.Log(p/portion) * p / slope
		guess = max(0, guess+min(max(step, -1), 1))
		if math.Abs(step) < 1e-9*guess {
			break
		}
	}
	return guess
}

// density is the standard normal one.
func density(z float64) float64 {
	const perSqrt2Pi = 0.3989422804014327
	return perSqrt2Pi * math.Exp(-z*z/2)
}

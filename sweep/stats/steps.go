package stats

import (
	"math"
	"slices"
)

// Step is a change of level between two places.
type Step struct {
	At       int     // first place of the new level
	Before   int     // last place of the old level; At-1 unless places between have no value
	Change   float64 // new level - old level, natural logarithm
	Lo, Hi   float64 // 95 % interval of Change
	P        float64 // smallest Alpha at which it is told, with the steps that are plainer
	Z        float64 // the same as a standard normal deviate, before the axis is allowed for
	AtLo     int     // earliest and
	AtHi     int     // latest place that At may be (95 %)
	Evidence float64 // nats by which two levels explain the samples better than one
}

// Level is a stretch of places with one level.
type Level struct {
	From, To int     // places, To not included
	Level    float64 // natural logarithm
	Error    float64 // its standard error
	Samples  int
}

// Steps is what a series of places has to say.
type Steps struct {
	Steps    []Step
	Ramps    []Ramp
	Levels   []Level // stretches, those that a ramp is cut into included
	Outliers []int   // places whose only value stands apart from its neighbours
	// Noise is the standard deviation of one sample around its level, round
	// effects removed, and DF the degrees of freedom it was estimated with.
	Noise float64
	DF    float64
	// Needed is how many standard errors a further step has to be large to be told.
	Needed float64
	// Corrected are the samples without their round effects, by place.
	Corrected []Observation
}

// StepOptions say how FindSteps decides. The zero value is one look at 5 %.
type StepOptions struct {
	Alpha  float64 // probability of any step on an axis that has none; 0.05 when 0
	Looks  Looks   // when the decision can be taken more than once
	Single bool    // rounds have nothing in common: do not remove round effects
}

// FindSteps finds the places at which the level of a series changes, from
// samples taken in rounds.
//
// It minimises, over all ways to cut the axis into stretches of one level each,
//
//	sum over samples of -log f(y - round effect - level)  +  penalty x steps
//
// exactly, by optimal partitioning (Jackson et al. 2005) in the form that keeps
// for every possible level the best cost so far (FPOP: Maidstone et al. 2017;
// with costs that are bounded in outliers: Fearnhead & Rigaill 2019), on a grid
// of levels. f is the shape of the noise as estimated from the samples: see
// noise. The penalty holds the probability of any false step at Alpha for the
// length of the axis, and then the share of false ones among those told: see bar.
//
// The answer depends on the samples only, not on their order.
func FindSteps(observations []Observation, o StepOptions) Steps {
	o.Looks.Early = true
	a := newAxis(observations, o.Single)
	if len(a.places) == 0 {
		return Steps{}
	}
	return a.find(o)
}

// leastNoise is what cannot be told from rounding.
const leastNoise = 1e-4

func (a *axis) find(o StepOptions) Steps {
	levels := a.polish()
	within := float64(max(1, len(a.y)-a.rows()-len(a.effect)+1))
	df, sd, eager, times := within, 0.0, 1.0, refinements
	switch {
	case !a.replica:
		times = 2 // a third changes nothing
		df, sd = max(1, singleFreedom*float64(len(a.y))), a.differenceNoise(levels)
	default:
		sd = rootMeanSquare(a.residuals(levels)) * math.Sqrt(float64(len(a.y))/within)
		if a.rows() >= fewRows {
			df, eager = float64(len(a.y)-len(a.effect)), eagerness
		}
	}
	sd = max(sd, leastNoise)
	d := newNoise([]component{{0.9, 0, sd}, {0.1, 0, 3 * sd}}, floorWeight)
	b := bar{places: a.rows(), df: df, o: o}
	if a.replica {
		b.each = eachShare
	}
	if a.replica && a.rows() < fewRows {
		// Of few versions, one that is noisy would pass for the noise of all.
		typical := max(leastNoise, a.typicalNoise())
		a.findNoisy(newNoise([]component{{0.9, 0, typical}, {0.1, 0, 3 * sd}}, floorWeight), b)
	}
	for range times {
		// A step that is not told yet must not count as noise: what is only
		// likely is enough here.
		fitted := a.fitted(d, a.partition(d, eager*b.evidence(1)))
		residuals, scale := a.noiseResiduals(d, fitted)
		if !(rootMeanSquare(residuals) > leastNoise) {
			break
		}
		d = fitNoise(residuals, floorWeight, scale, !a.smallRounds())
		a.findNoisy(d, b)
		a.alignRounds(d, fitted)
	}
	return a.report(d, a.stepDown(d, b), b)
}

// smallRounds tells whether rounds have so few samples that what is taken for their
// effect takes the shape of the noise with it: of three samples one ends up at
// nearly 0, and the spike that they make would pass for very quiet noise.
func (a *axis) smallRounds() bool { return len(a.effect) > 1 && len(a.y) < smallRound*len(a.effect) }

// noiseResiduals are what the noise is estimated from: around the level of each
// stretch, or of each place where there are so few that a stretch could hide a
// step. scale makes up for what fitting took away.
func (a *axis) noiseResiduals(d *noise, fitted []float64) (residuals []float64, scale float64) {
	levels, spent := fitted, len(a.effect)
	if a.replica && a.rows() < fewRows {
		levels = make([]float64, a.rows())
		for i := range a.rows() {
			levels[i], _ = a.best(d, i, i+1)
		}
	}
	for i := 1; i < len(levels); i++ {
		if levels[i] != levels[i-1] {
			spent++
		}
	}
	return a.residuals(levels), math.Sqrt(float64(len(a.y)) / float64(max(1, len(a.y)-spent)))
}

const (
	// smallRound is how many samples a round needs for the shape of the noise to
	// be told. By measurement: see TestIntervalsOfSmallRounds.
	smallRound = 9
	// floorWeight is the share of samples that are taken for broken.
	floorWeight = 0.01
	refinements = 3
	// fewRows is how many places are too few to tell the noise from the
	// stretches that were found among them.
	fewRows = 10
	// singleFreedom is what a single value is worth when the noise is told
	// from the values themselves, steps and all.
	singleFreedom = 0.75
	// eagerness is the share of the evidence that a step needs not to be taken
	// for noise. By measurement: with 1 the noise of sweeps with steps is too
	// wide, and a tenth of the steps is lost; with less, false ones come.
	eagerness = 0.8
)

// differenceNoise is the noise of single values: from the differences of
// neighbours, of which steps and outliers spoil only a few, so that the largest
// tenth is left out. The median alone would take noise of two levels for the
// noise within one of them.
func (a *axis) differenceNoise(levels []float64) float64 {
	if len(levels) < 2 {
		return 0
	}
	diffs := make([]float64, len(levels)-1)
	for i := range diffs {
		diffs[i] = math.Abs(levels[i+1] - levels[i])
	}
	slices.Sort(diffs)
	kept := diffs[:len(diffs)-(len(diffs)+9)/10]
	if len(kept) == 0 {
		return 0
	}
	return max(spreadAround(diffs, 0), rootMeanSquare(kept)) / math.Sqrt2
}

// alignRounds estimates each round's effect anew, given the levels.
func (a *axis) alignRounds(d *noise, levels []float64) {
	if len(a.effect) == 1 {
		return
	}
	rounds, calm := a.byRound(levels)
	for r, ys := range rounds {
		a.effect[r], _ = d.locate(ys, calm[r], a.effect[r]-d.sd, a.effect[r]+d.sd, 24, d.sd*1e-3)
	}
	a.correct()
}

// fitted is the level of each row's stretch.
func (a *axis) fitted(d *noise, cuts []int) []float64 {
	out := make([]float64, a.rows())
	for _, s := range stretches(cuts, a.rows()) {
		level, _ := a.best(d, s[0], s[1])
		for i := s[0]; i < s[1]; i++ {
			out[i] = level
		}
	}
	return out
}

// stretches are the rows between cuts.
func stretches(cuts []int, n int) [][2]int {
	var out [][2]int
	from := 0
	for _, c := range append(slices.Clone(cuts), n) {
		out = append(out, [2]int{from, c})
		from = c
	}
	return out
}

// best is the level of rows from..to that costs least, and its cost.
func (a *axis) best(d *noise, from, to int) (level, cost float64) {
	m := a.middle(from, to)
	return a.bestBetween(d, from, to, m, m)
}

// bestBetween looks between two levels and 1.5 standard deviations around.
func (a *axis) bestBetween(d *noise, from, to int, lo, hi float64) (level, cost float64) {
	lo, hi = min(lo, hi)-1.5*d.sd, max(lo, hi)+1.5*d.sd
	points := int(min(200, 8*(hi-lo)/d.sd))
	return d.locate(a.samples(from, to), a.calm[a.first[from]:a.first[to]], lo, hi, points, d.sd*1e-4)
}

func (a *axis) cost(d *noise, from, to int, level float64) float64 {
	return d.cost(a.samples(from, to), a.calm[a.first[from]:a.first[to]], level)
}

// minimise looks for the least value of f between lo and hi: on a grid of
// points, then around the best of them by golden sections, to within tolerance.
func minimise(f func(float64) float64, lo, hi float64, points int, tolerance float64) (x, y float64) {
	step := (hi - lo) / float64(points)
	x, y = lo, math.Inf(1)
	for i := range points + 1 {
		at := lo + float64(i)*step
		if v := f(at); v < y {
			x, y = at, v
		}
	}
	const golden = 0.6180339887498949
	l, r := x-step, x+step
	p, q := r-golden*(r-l), l+golden*(r-l)
	fp, fq := f(p), f(q)
	for r-l > tolerance {
		if fp <= fq {
			r, q, fq = q, p, fp
			p = r - golden*(r-l)
			fp = f(p)
		} else {
			l, p, fp = p, q, fq
			q = l + golden*(r-l)
			fq = f(q)
		}
	}
	if v := f((l + r) / 2); v < y {
		return (l + r) / 2, v
	}
	return x, y
}

package stats

import (
	"math"
	"slices"
)

// prune drops, weakest first, the cuts that are not worth their evidence when
// the levels around them are fitted exactly.
func (a *axis) prune(d *noise, cuts []int, need float64) []int {
	for len(cuts) > 0 {
		weakest, least := 0, math.Inf(1)
		for k := range cuts {
			if e := a.evidence(d, cuts, k); e < least {
				weakest, least = k, e
			}
		}
		if least >= need {
			break
		}
		cuts = append(cuts[:weakest:weakest], cuts[weakest+1:]...)
	}
	return cuts
}

// around is the stretches before and after a cut.
func (a *axis) around(cuts []int, k int) (from, to int) {
	from, to = 0, a.rows()
	if k > 0 {
		from = cuts[k-1]
	}
	if k+1 < len(cuts) {
		to = cuts[k+1]
	}
	return from, to
}

// evidence is by how many nats a cut explains the samples around it better: by
// itself, or together with the next or the one before, of which each is then
// worth half. A stretch that stands apart between two like ones has been picked
// from among many with both its ends, and neither may take the credit for both.
func (a *axis) evidence(d *noise, cuts []int, k int) float64 {
	least := a.worth(d, cuts, k, k+1)
	if k > 0 {
		least = min(least, a.worth(d, cuts, k-1, k+1)/2)
	}
	if k+1 < len(cuts) {
		least = min(least, a.worth(d, cuts, k, k+2)/2)
	}
	return least
}

// worth is by how many nats the cuts first..last, last not included, explain the
// samples around them better than one level does.
func (a *axis) worth(d *noise, cuts []int, first, last int) float64 {
	from, _ := a.around(cuts, first)
	_, to := a.around(cuts, last-1)
	lo, hi := math.Inf(1), math.Inf(-1)
	var apart float64
	begin := from
	for _, end := range append(slices.Clone(cuts[first:last]), to) {
		level, cost := a.best(d, begin, end)
		lo, hi, apart = min(lo, level), max(hi, level), apart+cost
		begin = end
	}
	_, whole := a.bestBetween(d, from, to, lo, hi)
	return whole - apart
}

func (a *axis) report(d *noise, cuts []int, b bar) Steps {
	out := Steps{Noise: d.sd, DF: b.df, Needed: math.Sqrt(2 * b.evidence(len(cuts)+1))}
	out.Corrected = a.corrected()
	for _, s := range stretches(cuts, a.rows()) {
		level, _ := a.best(d, s[0], s[1])
		n := len(a.samples(s[0], s[1]))
		out.Levels = append(out.Levels, Level{a.places[s[0]], a.places[s[1]-1] + 1, level, a.levelError(d, s[0], s[1]), n})
	}
	ramps, alone := a.ramps(d, cuts, b)
	out.Ramps = ramps
	for k, c := range cuts {
		if !slices.Contains(alone, c) {
			continue
		}
		l, r := out.Levels[k], out.Levels[k+1]
		e := a.evidence(d, cuts, k)
		s := Step{At: a.places[c], Before: a.places[c-1], Change: r.Level - l.Level, Evidence: e, Z: math.Sqrt(2 * max(0, e))}
		half := studentQuantile(0.05, b.df) * math.Hypot(l.Error, r.Error)
		s.Lo, s.Hi = s.Change-half, s.Change+half
		s.P = b.p(s.Z)
		from, to := a.around(cuts, k)
		lo, hi := a.placeInterval(d, from, to, l.Level, r.Level)
		s.AtLo, s.AtHi = a.places[min(lo, c)], a.places[max(hi, c)]
		out.Steps = append(out.Steps, s)
	}
	b.shareErrors(out.Steps)
	if !a.replica {
		out.Outliers = a.outliers(out.Levels)
	}
	return out
}

// levelError is the standard error of the level of rows from..to. The shape of
// the noise is fitted to the same samples, which makes it look more telling than
// it is: with shapeCost samples' worth more of variance, intervals of small
// sweeps hold as often as they say.
func (a *axis) levelError(d *noise, from, to int) float64 {
	return math.Sqrt((1 + shapeCost/float64(len(a.y))) / (a.weight(from, to) * d.info))
}

const shapeCost = 15

// outlierDistance is how many standard deviations a single value is off its
// level to be an outlier.
const outlierDistance = 4.5

// outliers are the places whose only value is far from its stretch's level.
func (a *axis) outliers(levels []Level) []int {
	var residuals []float64
	k := 0
	for i, place := range a.places {
		if place >= levels[k].To {
			k++
		}
		residuals = append(residuals, a.middle(i, i+1)-levels[k].Level)
	}
	limit := outlierDistance * max(leastNoise, spreadAround(residuals, 0))
	var out []int
	for i, r := range residuals {
		if math.Abs(r) > limit {
			out = append(out, a.places[i])
		}
	}
	return out
}

// placeInterval is the shortest run of rows around the best that holds the
// first row of the new level with 95 %, all places being equally likely before.
func (a *axis) placeInterval(d *noise, from, to int, left, right float64) (lo, hi int) {
	gain := make([]float64, to-from) // of row i+from still being at the left level
	sum, top := 0.0, math.Inf(-1)
	best := from + 1
	for i := from + 1; i < to; i++ {
		sum += a.cost(d, i-1, i, right) - a.cost(d, i-1, i, left)
		gain[i-from] = sum
		if sum > top {
			top, best = sum, i
		}
	}
	var total float64
	for i := from + 1; i < to; i++ {
		gain[i-from] = math.Exp(gain[i-from] - top)
		total += gain[i-from]
	}
	lo, hi = best, best
	held := gain[best-from]
	for held < 0.95*total {
		switch {
		case lo-1 > from && (hi+1 >= to || gain[lo-1-from] >= gain[hi+1-from]):
			lo--
			held += gain[lo-from]
		case hi+1 < to:
			hi++
			held += gain[hi-from]
		default:
			return lo, hi
		}
	}
	return lo, hi
}

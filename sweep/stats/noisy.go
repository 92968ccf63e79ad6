package stats

import (
	"math"
	"slices"
)

// findNoisy finds the rows whose noise is plainly more than that of the others:
// a version that is unstable itself. Their samples would pass for steps of the
// calm ones. The noise of a row is the scale, of a few, that makes its samples
// most likely under the shape that all have in common,
//
//	n log scale + min over level of sum of -log f((y - level) / scale) + noisyCharge
//
// so that a far sample, of which f knows, makes no row noisy. No row is taken to
// be calmer than the rest, and only rows that spread more than suspicious are
// looked at. A scale that is told from n samples is uncertain: it is raised by
// what Student's t with n-1 degrees of freedom needs more than with all samples.
func (a *axis) findNoisy(d *noise, b bar) {
	calm := make([]float64, 0, len(a.y))
	for i := range a.rows() {
		ys := a.samples(i, i+1)
		scale := 1.0
		if _, sd := moments(ys); len(ys) >= leastForScale && sd > suspicious*d.sd {
			if scale = a.scale(d, i); scale > 1 {
				scale *= min(mostDoubt, studentQuantile(b.level(1), float64(len(ys)-1))/studentQuantile(b.level(1), b.df))
			}
		}
		for range ys {
			calm = append(calm, 1/scale)
		}
	}
	a.calm = calm
}

// typicalNoise is the median of the standard deviations within rows.
func (a *axis) typicalNoise() float64 {
	var sds []float64
	for i := range a.rows() {
		if ys := a.samples(i, i+1); len(ys) >= leastForScale {
			_, sd := moments(ys)
			sds = append(sds, sd)
		}
	}
	if sds == nil {
		return 0
	}
	return sortedMedian(sds)
}

// scale is how many times the common noise the noise of a row is.
func (a *axis) scale(d *noise, row int) float64 {
	ys, m := a.samples(row, row+1), a.middle(row, row+1)
	best, least := 1.0, math.Inf(1)
	for _, scale := range noisyScales {
		calm := slices.Repeat([]float64{1 / scale}, len(ys))
		_, cost := d.locate(ys, calm, m-1.5*scale*d.sd, m+1.5*scale*d.sd, 24, 0.05*d.sd)
		cost += float64(len(ys)) * math.Log(scale)
		if scale > 1 {
			cost += noisyCharge
		}
		if cost < least {
			best, least = scale, cost
		}
	}
	return best
}

var noisyScales = []float64{1, 1.5, 2, 3, 4.5, 7, 10}

const (
	// noisyCharge is in nats. By measurement: with 2, noise of two levels 1 % wide
	// passes for noisy versions at 5 rounds, and 14 % of sweeps raise a false alarm;
	// with more, alarms at noisy versions among heavy tails come back.
	noisyCharge   = 4
	suspicious    = 1.3 // standard deviations
	leastForScale = 3   // samples
	mostDoubt     = 4   // times
)

// weight is how many calm samples rows from..to are worth.
func (a *axis) weight(from, to int) (sum float64) {
	for _, c := range a.calm[a.first[from]:a.first[to]] {
		sum += c * c
	}
	return sum
}

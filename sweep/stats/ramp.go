package stats

import "math"

// Ramp is a slow change over a span of places, of which no step stands out.
type Ramp struct {
	From, To int     // first and last place of the span
	Change   float64 // from one end to the other, natural logarithm
	Lo, Hi   float64 // 95 % interval of Change
	P        float64 // that the noise alone makes such a change somewhere on this axis
}

// ramps takes runs of steps in the same direction for one slow change where a
// line between two places explains the samples better. A slope and two ends are
// charged as three steps, so that fewer stay what they are.
func (a *axis) ramps(d *noise, cuts []int, b bar) (found []Ramp, left []int) {
	levels := a.fitted(d, cuts)
	up := func(k int) bool { return levels[cuts[k]] > levels[cuts[k]-1] }
	for k := 0; k < len(cuts); {
		end := k + 1
		for end < len(cuts) && up(end) == up(k) {
			end++
		}
		if r, ok := a.ramp(d, cuts, k, end, b); ok {
			found = append(found, r)
		} else {
			left = append(left, cuts[k:end]...)
		}
		k = end
	}
	return found, left
}

const rampCharge = 3 // steps

// ramp tries lines that begin within the stretch before cuts[k] and end within
// the one after cuts[end-1].
func (a *axis) ramp(d *noise, cuts []int, k, end int, b bar) (Ramp, bool) {
	if end-k < rampCharge {
		return Ramp{}, false
	}
	from, _ := a.around(cuts, k)
	_, to := a.around(cuts, end-1)
	levels := a.fitted(d, cuts)
	before, after := levels[from], levels[to-1]
	var stepped float64
	for i := from; i < to; i++ {
		stepped += a.cost(d, i, i+1, levels[i])
	}
	best, first, last := math.Inf(1), 0, 0
	for _, f := range evenly(from, cuts[k]) {
		for _, l := range evenly(cuts[end-1], to-1) {
			if cost := a.slopedCost(d, from, to, f, l, before, after); cost < best {
				best, first, last = cost, f, l
			}
		}
	}
	change, cost := minimise(func(c float64) float64 {
		middle := (before + after) / 2
		return a.slopedCost(d, from, to, first, last, middle-c/2, middle+c/2)
	}, 0.5*(after-before), 1.5*(after-before), 16, math.Abs(after-before)*1e-3)
	if need := b.evidence(len(cuts)); cost+rampCharge*need > stepped+float64(end-k)*need {
		return Ramp{}, false
	}
	_, flat := a.best(d, from, to)
	var squares float64 // of what a change of 1 moves each sample by, from the middle
	for i := from; i < to; i++ {
		x := along(i, first, last) - 0.5
		squares += a.weight(i, i+1) * x * x
	}
	half := studentQuantile(0.05, b.df) * math.Sqrt((1+shapeCost/float64(len(a.y)))/(d.info*squares))
	return Ramp{
		From: a.places[first], To: a.places[last], Change: change, Lo: change - half, Hi: change + half,
		P: b.p(math.Sqrt(2 * max(0, flat-cost))),
	}, true
}

// slopedCost is the cost of rows from..to whose level goes from before to after
// between the rows first and last.
func (a *axis) slopedCost(d *noise, from, to, first, last int, before, after float64) (sum float64) {
	for i := from; i < to; i++ {
		sum += a.cost(d, i, i+1, before+(after-before)*along(i, first, last))
	}
	return sum
}

// along is how far row i is on the way from first to last, 0 to 1.
func along(i, first, last int) float64 {
	return min(1, max(0, float64(i-first)/float64(last-first)))
}

// evenly is some numbers from lo to hi, both included.
func evenly(lo, hi int) []int {
	const most = 12
	stride := (hi-lo)/most + 1
	out := []int{hi}
	for i := lo; i < hi; i += stride {
		out = append(out, i)
	}
	return out
}

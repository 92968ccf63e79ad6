package stats

import (
	"math"
	"slices"
)

// partition finds the cuts, each the first row of a new level, that cost least
// in all when each is charged penalty.
func (a *axis) partition(d *noise, penalty float64) []int {
	lo, step, size := a.grid(d)
	var levels []float64
	var table *costTable
	if step > coarsest*d.sd {
		levels = a.scattered(d)
		size = len(levels)
	} else {
		table = newCostTable(d, lo, step, size)
		levels = make([]float64, size)
		for j := range levels {
			levels[j] = lo + float64(j)*step
		}
	}
	cost := make([]float64, size)          // of the best way to here that is at this level now
	since := make([]int32, size)           // first row of its last stretch
	window := make([][]float64, a.minimal) // costs of the last rows by level
	for k := range window {
		window[k] = make([]float64, size)
	}
	best := make([]float64, a.rows()+1) // of all ways to the end of a row
	from := make([]int32, a.rows()+1)   // first row of the last stretch of that way
	sum := make([]float64, size)
	for i := range a.rows() {
		now := window[i%a.minimal]
		if table != nil && a.calm[a.first[i]] == 1 {
			table.row(a.samples(i, i+1), now)
		} else {
			for j := range now {
				now[j] = a.cost(d, i, i+1, levels[j])
			}
		}
		start := i - a.minimal + 1 // a stretch that is just long enough begins here
		fresh := math.Inf(1)
		if start > 0 {
			fresh = best[start] + penalty
		}
		if start >= 0 {
			copy(sum, now)
			for k, w := range window {
				if k != i%a.minimal {
					for j := range sum {
						sum[j] += w[j]
					}
				}
			}
		}
		least, at := math.Inf(1), 0
		for j := range cost {
			stay := cost[j] + now[j]
			if start <= 0 {
				if start == 0 {
					stay = sum[j]
				} else {
					stay = math.Inf(1)
				}
			} else if jump := fresh + sum[j]; jump < stay {
				stay, since[j] = jump, int32(start)
			}
			cost[j] = stay
			if stay < least {
				least, at = stay, j
			}
		}
		best[i+1], from[i+1] = least, since[at]
	}
	if math.IsInf(best[a.rows()], 1) {
		return nil
	}
	var cuts []int
	for end := a.rows(); end > 0; {
		begin := int(from[end])
		if begin == 0 {
			break
		}
		cuts = append(cuts, begin)
		end = begin
	}
	slices.Reverse(cuts)
	return cuts
}

const (
	leastLevels = 150
	mostLevels  = 4096
	mostWork    = 1_500_000 // levels times samples
	coarsest    = 0.75      // standard deviations between levels of an even grid
)

// grid is the levels that partition tries: from the lowest to the highest
// corrected sample that is no outlier of its place, fine enough for the level of
// half the samples.
func (a *axis) grid(d *noise) (lo, step float64, size int) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range a.rows() {
		m := a.middle(i, i+1)
		lo, hi = min(lo, m), max(hi, m)
	}
	lo, hi = lo-1.5*d.sd, hi+1.5*d.sd
	fine := d.sd / math.Sqrt(float64(len(a.y))) / 2
	size = int(min(mostLevels, mostWork/float64(len(a.y)), (hi-lo)/fine)) + 1
	size = max(size, leastLevels)
	return lo, (hi - lo) / float64(size-1), size
}

// scattered are levels about those of the rows only, for an axis of which the
// levels are so far apart, next to the noise, that an even grid would miss them.
func (a *axis) scattered(d *noise) []float64 {
	at := make([]float64, a.rows())
	for i := range at {
		at[i] = a.middle(i, i+1)
	}
	slices.Sort(at)
	step := max(1.0/4, 3*float64(len(at))/mostLevels) * d.sd
	var levels []float64
	end := math.Inf(-1)
	for _, m := range at {
		for x := max(end, m-1.5*d.sd); x <= m+1.5*d.sd; x += step {
			levels = append(levels, x)
			end = x + step
		}
	}
	return levels
}

// costTable is -log f in steps that divide those of the grid, so that a row's
// cost at all levels is read off at even distances, without looking at where
// each level is.
type costTable struct {
	lo, step float64   // of the residuals
	stride   int       // entries from one level to the next
	cost     []float64 // from the highest residual to the lowest
	size     int       // levels
	top      float64   // residual of the first entry
}

// finest is how far apart entries may be, in standard deviations.
const finest = 0.04

func newCostTable(d *noise, lo, step float64, size int) *costTable {
	stride := max(1, int(math.Ceil(step/(finest*d.sd))))
	t := &costTable{lo: lo, step: step / float64(stride), stride: stride, size: size}
	// Beyond the reach of f all costs are the floor: no need to go further.
	margin := (tableReach + 1) * d.sd * 2
	t.top = float64(size-1)*step + margin
	entries := int((t.top+float64(size-1)*step+margin)/t.step) + 2
	t.cost = make([]float64, entries)
	for i := range t.cost {
		t.cost[i] = d.at(t.top - float64(i)*t.step)
	}
	return t
}

// row writes the cost of a row at every level of the grid.
func (t *costTable) row(ys, out []float64) {
	clear(out)
	last := float64(len(t.cost)-2-(t.size-1)*t.stride) - 1e-9
	for _, y := range ys {
		at := (t.top - (y - t.lo)) / t.step
		at = max(0, min(at, last))
		k := int(at)
		w := at - float64(k)
		for j := range out {
			out[j] += t.cost[k]*(1-w) + t.cost[k+1]*w
			k += t.stride
		}
	}
}

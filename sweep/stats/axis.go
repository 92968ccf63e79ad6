package stats

import (
	"cmp"
	"math"
	"slices"
)

// axis is the samples by place, places without a value left out. A row is what
// one place has.
type axis struct {
	places  []int     // place of each row
	first   []int     // index of each row's first sample; one more for the end
	raw     []float64 // samples, row by row
	round   []int32   // of each sample, an index into effect
	effect  []float64 // of each round
	y       []float64 // raw without the effect of its round
	calm    []float64 // of each sample: 1, or less where its place is noisier than the others
	numbers []int     // of the rounds, as they were given
	replica bool      // places have several values, so that noise can be told from levels
	minimal int       // rows in the shortest stretch
	buffer  []float64 // scratch
}

// largest is beyond the logarithm of any number; what is further from 0, or not
// finite, is left out.
const largest = 1000

func newAxis(observations []Observation, single bool) *axis {
	clean := slices.DeleteFunc(slices.Clone(observations), func(o Observation) bool { return !(math.Abs(o.Y) <= largest) })
	slices.SortFunc(clean, func(x, y Observation) int {
		return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.Round, y.Round), cmp.Compare(x.Y, y.Y))
	})
	a := &axis{raw: make([]float64, len(clean)), y: make([]float64, len(clean)), round: make([]int32, len(clean))}
	index := map[int]int32{}
	for i, o := range clean {
		if n := len(a.places); n == 0 || a.places[n-1] != o.Place {
			a.places = append(a.places, o.Place)
			a.first = append(a.first, i)
		}
		if single {
			o.Round = 0
		}
		r, ok := index[o.Round]
		if !ok {
			r = int32(len(index))
			index[o.Round] = r
			a.numbers = append(a.numbers, o.Round)
		}
		a.raw[i], a.y[i], a.round[i] = o.Y, o.Y, r
	}
	a.first = append(a.first, len(clean))
	a.calm = slices.Repeat([]float64{1}, len(clean))
	a.effect = make([]float64, len(index))
	a.replica = len(clean) >= 2*len(a.places)
	a.minimal = 1
	if !a.replica {
		a.minimal = 2 // a single value that stands apart is an outlier
	}
	return a
}

// rows are their number.
func (a *axis) rows() int { return len(a.places) }

// samples are the corrected samples of rows from..to.
func (a *axis) samples(from, to int) []float64 { return a.y[a.first[from]:a.first[to]] }

// correct takes the effects of the rounds off the samples.
func (a *axis) correct() {
	for i, y := range a.raw {
		a.y[i] = y - a.effect[a.round[i]]
	}
}

// middle is the median of the corrected samples of rows from..to, of many rows
// only of samples at even distances: it is where a search begins.
func (a *axis) middle(from, to int) float64 {
	const enough = 256
	ys := a.samples(from, to)
	a.buffer = a.buffer[:0]
	for i := 0; i < len(ys); i += 1 + len(ys)/enough {
		a.buffer = append(a.buffer, ys[i])
	}
	return sortedMedian(a.buffer)
}

// polish removes round effects from levels and levels from rounds by medians in
// turn (Tukey's median polish), and returns the level of each row.
func (a *axis) polish() []float64 {
	levels := make([]float64, a.rows())
	for range polishing {
		for i := range levels {
			levels[i] = a.middle(i, i+1)
		}
		if len(a.effect) == 1 {
			break
		}
		rounds, _ := a.byRound(levels)
		for r, ys := range rounds {
			a.effect[r] = sortedMedian(ys)
		}
		a.correct()
	}
	return levels
}

const polishing = 8

// byRound is the samples of each round around the levels of their rows, the
// effects of the rounds left in, and how calm they are.
func (a *axis) byRound(levels []float64) (ys, calm [][]float64) {
	ys, calm = make([][]float64, len(a.effect)), make([][]float64, len(a.effect))
	for i, level := range levels {
		for k := a.first[i]; k < a.first[i+1]; k++ {
			r := a.round[k]
			ys[r] = append(ys[r], a.raw[k]-level)
			calm[r] = append(calm[r], a.calm[k])
		}
	}
	return ys, calm
}

// residuals are the corrected samples around the levels of their rows, each in
// proportion to the noise of its place.
func (a *axis) residuals(levels []float64) []float64 {
	out := make([]float64, len(a.y))
	for i, level := range levels {
		for k := a.first[i]; k < a.first[i+1]; k++ {
			out[k] = (a.y[k] - level) * a.calm[k]
		}
	}
	return out
}

// corrected are the samples without the effects of their rounds.
func (a *axis) corrected() []Observation {
	out := make([]Observation, 0, len(a.y))
	for i, place := range a.places {
		for k := a.first[i]; k < a.first[i+1]; k++ {
			out = append(out, Observation{Place: place, Round: a.numbers[a.round[k]], Y: a.y[k]})
		}
	}
	return out
}

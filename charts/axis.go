package charts

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// valueAxis is the y axis: a range with a positive span and its ticks, in
// shown units (see display).
type valueAxis struct {
	min, max float64
	log      bool
	places   bool        // it has rows, not values
	ticks    []plot.Tick // rising; those without a label only get a grid line
}

// scale is how gonum places values on the axis.
func (a valueAxis) scale() plot.Normalizer {
	if a.log {
		return plot.LogScale{}
	}
	return plot.LinearScale{}
}

// at is where v stands along the axis, in units of its own: the value itself,
// or the logarithm to base 10.
func (a valueAxis) at(v float64) float64 {
	if a.log {
		return math.Log10(v)
	}
	return v
}

// cut tells whether the axis leaves zero out though it could show it.
func (a valueAxis) cut() bool { return !a.log && !a.places && (a.min > 0 || a.max < 0) }

// linearAxis covers lo to hi and zero, with about n steps between round
// numbers.
func linearAxis(lo, hi float64, n int) valueAxis {
	lo, hi = min(lo, 0), max(hi, 0)
	if lo == hi {
		hi = 1
	}
	return steppedAxis(lo, hi, n)
}

// zoomedAxis covers lo to hi alone.
func zoomedAxis(lo, hi float64, n int) valueAxis {
	const least = 1e-6 // of the values: finer ticks would all read the same
	if size := max(math.Abs(lo), math.Abs(hi)); size == 0 {
		hi = 1
	} else if hi-lo < least*size {
		lo, hi = lo-least*size, hi+least*size
	}
	return steppedAxis(lo, hi, n)
}

// steppedAxis covers lo to hi, which is above lo, from one round number to
// another.
func steppedAxis(lo, hi float64, n int) valueAxis {
	step := roundStep((hi - lo) / float64(n))
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	places := stepDecimals(step)
	a := valueAxis{min: first * step, max: last * step}
	for i := first; i <= last; i++ {
		label := "0"
		if i != 0 {
			label = fixed(i*step, places)
		}
		a.ticks = append(a.ticks, plot.Tick{Value: i * step, Label: label})
	}
	return a
}

// roundStep is the smallest of 1, 2, 2.5, 5 and 10 times a power of ten that
// is at least rough.
func roundStep(rough float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, digit := range []float64{1, 2, 2.5, 5} {
		if digit*power >= rough*(1-1e-9) {
			return digit * power
		}
	}
	return 10 * power
}

// stepDecimals is how many digits after the decimal point tell multiples of
// step apart.
func stepDecimals(step float64) int {
	power := math.Floor(math.Log10(step) + 1e-9)
	places := max(0, -int(power))
	if digit := step / math.Pow(10, power); math.Abs(digit-2.5) < 1e-6 && power < 1 {
		places++
	}
	return places
}

// logAxis covers lo to hi, both above zero, from one of 1, 2 and 5 times a
// power of ten to another, with about n labels.
func logAxis(lo, hi float64, n int) valueAxis {
	from, to := logIndex(lo, math.Floor), logIndex(hi, math.Ceil)
	if from == to { // a single value is placed in the middle
		from, to = from-1, to+1
	}
	a := valueAxis{min: logValue(from), max: logValue(to), log: true}
	// From one step in three on, only powers of ten are labelled, so that
	// labels stay round: 1, 10, 100, then 1, 100, 10,000.
	every := 1
	for (to-from)/every > n+1 {
		if every == 1 {
			every = 3
		} else {
			every += 3
		}
	}
	for i := from; i <= to; i++ {
		v := logValue(i)
		switch {
		case every == 1 || mod(i, every) == 0:
			a.ticks = append(a.ticks, plot.Tick{Value: v, Label: fixed(v, max(0, -logPower(i)))})
		case every == 3:
			a.ticks = append(a.ticks, plot.Tick{Value: v})
		}
	}
	return a
}

// logValue numbers the values …, 0.5, 1, 2, 5, 10, … so that 1 has index 0.
func logValue(i int) float64 {
	return []float64{1, 2, 5}[mod(i, 3)] * math.Pow(10, float64(logPower(i)))
}

// logPower is the power of ten of logValue(i).
func logPower(i int) int { return (i - mod(i, 3)) / 3 }

// logIndex is the index of the value next to v, downwards (math.Floor) or
// upwards (math.Ceil); v itself when it is one of them.
func logIndex(v float64, round func(float64) float64) int {
	power := math.Floor(math.Log10(v))
	digit := v / math.Pow(10, power)
	between := [][2]float64{{1, 2}, {2, 5}, {5, 10}}
	i := 0
	for i < len(between)-1 && digit >= between[i][1]*(1-1e-9) {
		i++
	}
	part := (digit - between[i][0]) / (between[i][1] - between[i][0])
	if math.Abs(part) < 1e-9 {
		part = 0
	}
	return int(power)*3 + i + int(round(min(part, 1)))
}

// mod is the remainder of i / n that is never negative.
func mod(i, n int) int { return ((i % n) + n) % n }

// gridLines draws a thin line at every tick of the y axis and the x axis line
// itself, below the marks. gonum's own grid leaves out ticks without a label.
type gridLines struct {
	ticks []plot.Tick
	look  theme
}

// Plot implements plot.Plotter.
func (g gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, tick := range g.ticks {
		c.StrokeLine2(stroke(g.look.grid, 1*px), c.Min.X, y(tick.Value), c.Max.X, y(tick.Value))
	}
	c.StrokeLine2(stroke(g.look.ink, 1*px), c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
}

// uprights draws a thin line at every tick of a numeric x axis.
type uprights struct {
	ticks []plot.Tick
	look  theme
}

// Plot implements plot.Plotter.
func (u uprights) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, tick := range u.ticks {
		c.StrokeLine2(stroke(u.look.grid, 1*px), x(tick.Value), c.Min.Y, x(tick.Value), c.Max.Y)
	}
}

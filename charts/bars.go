package charts

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bar is one row of a panel of lying bars.
type bar struct {
	name          string // on the left
	text          string // on the right
	known         bool   // there is a value
	value, lo, hi float64
	hasInterval   bool
	ink           color.Color
}

// bars paints lying bars, the first at the top, each with its interval and
// text; on an axis that does not begin at zero, where a bar's length would
// mean nothing, points.
type bars struct {
	list []bar
	x    valueAxis
	line float64 // where an upright line shows what is compared with; NaN for none
	look theme
	face typeface
	cell vg.Length // how wide the panel is with names and texts
}

const (
	barRow      = 26  // CSS pixels a row
	barHead     = 150 // CSS pixels of what stands around a panel
	maxBars     = 60
	barWidth    = vg.Length(12 * px)
	whiskerArm  = vg.Length(3.5 * px)
	besideGap   = vg.Length(10 * px)
	maxBarName  = vg.Length(220 * px)
	maxBarText  = vg.Length(230 * px)
	nameShare   = 0.3 // of a narrow panel, for names
	textShare   = 0.34
	barFill     = 0.75 // how strong bars are against their whiskers
	whiskerLine = vg.Length(1.6 * px)
)

// rows is the y axis of bars.
func (d bars) rows() valueAxis {
	y := valueAxis{min: -0.5, max: float64(len(d.list)) - 0.5, places: true}
	for i, b := range d.list {
		y.ticks = append(y.ticks, plot.Tick{Value: float64(len(d.list) - 1 - i), Label: d.face.legible(fitLabel(b.name, min(maxBarName, nameShare*d.cell), d.face))})
	}
	return y
}

// beside is the room that the texts need on the right.
func (d bars) beside() vg.Length {
	var widest vg.Length
	for _, b := range d.list {
		widest = max(widest, d.face.width(d.fitted(b)))
	}
	return widest + besideGap
}

func (d bars) fitted(b bar) string {
	return shorten(b.text, d.face.within(min(maxBarText, textShare*d.cell)))
}

// Plot implements plot.Plotter.
func (d bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	place := func(v float64) vg.Length {
		if d.x.log && v <= 0 {
			return x(p.X.Min)
		}
		return x(min(max(d.x.at(v), p.X.Min), p.X.Max))
	}
	thick := min(barWidth, (y(1)-y(0))*0.7)
	c.StrokeLine2(stroke(d.look.ink, 1*px), c.Min.X, c.Min.Y, c.Max.X, c.Min.Y)
	if drawable(d.line) {
		c.StrokeLine2(stroke(d.look.reference, 1.2*px, 4*px, 3*px), place(d.line), c.Min.Y, place(d.line), c.Max.Y)
	}
	pointed := d.x.cut() || d.x.log
	for i, b := range d.list {
		height := y(float64(len(d.list) - 1 - i))
		face := d.face
		face.color = d.look.ink
		face.write(c, vg.Point{X: c.Max.X + besideGap, Y: height}, d.fitted(b), alignLeft, 0)
		if !b.known {
			continue
		}
		if !pointed {
			left, right := place(min(b.value, 0)), place(max(b.value, 0))
			c.FillPolygon(d.look.faded(b.ink, barFill), []vg.Point{{X: left, Y: height - thick/2}, {X: right, Y: height - thick/2}, {X: right, Y: height + thick/2}, {X: left, Y: height + thick/2}})
		}
		if b.hasInterval {
			style := stroke(d.look.ink, whiskerLine)
			lo, hi := place(b.lo), place(b.hi)
			c.StrokeLine2(style, lo, height, hi, height)
			for _, end := range []float64{b.lo, b.hi} {
				if d.side(end) == 0 {
					c.StrokeLine2(style, place(end), height-whiskerArm, place(end), height+whiskerArm)
				}
			}
		}
		for _, v := range b.ends() {
			if side := d.side(v); side != 0 {
				arrowhead(c, d.look, vg.Point{X: place(v), Y: height}, side)
			}
		}
		if pointed {
			var disc vg.Path
			circle(&disc, vg.Point{X: place(b.value), Y: height}, 4*px)
			c.SetColor(b.ink)
			c.Fill(disc)
		}
	}
}

// ends are the value and the ends of its interval.
func (b bar) ends() []float64 {
	if !b.hasInterval {
		return []float64{b.value}
	}
	return []float64{b.value, b.lo, b.hi}
}

// side tells whether v lies beyond the axis: -1 below, 1 above, 0 within.
func (d bars) side(v float64) int {
	const rounding = 1e-6 // of what the axis covers
	above, below := d.x.max+rounding*(d.x.max-d.x.min), d.x.min-rounding*(d.x.max-d.x.min)
	if d.x.log {
		below = d.x.min * (1 - rounding)
	}
	switch {
	case v > above:
		return 1
	case v < below:
		return -1
	}
	return 0
}

// beyond tells whether a bar goes on beyond the axis.
func (d bars) beyond(b bar) bool {
	return b.known && slices.ContainsFunc(b.ends(), func(v float64) bool { return d.side(v) != 0 })
}

// arrowhead points along a bar that goes on: to the right, or with side -1 to the
// left. Its point is at.
func arrowhead(c draw.Canvas, look theme, at vg.Point, side int) {
	back := at.X - vg.Length(side)*7*px
	c.FillPolygon(look.ink, []vg.Point{at, {X: back, Y: at.Y + 5*px}, {X: back, Y: at.Y - 5*px}})
}

// addTo makes a panel of the bars.
func (d bars) addTo(f *frame, title, xTitle string) {
	x := numberAxis(d.x, xTitle)
	p := f.addPanel(x, d.rows(), title)
	p.beside = d.beside()
	p.plot.Add(uprights{ticks: x.ticks, look: f.theme}, d)
}

// spanOf is the lowest and highest value or end of an interval; false when no
// bar has a value.
func spanOf(list []bar, log bool) (lo, hi float64, ok bool) {
	var points []point
	for _, b := range list {
		if b.known {
			q := newPoint(0, b.value, log)
			if b.hasInterval {
				q.lo, q.hi = min(b.lo, b.value), max(b.hi, b.value)
			}
			points = append(points, q)
		}
	}
	return rangeOf(log, points)
}

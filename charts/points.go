package charts

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// point is one figure at a place on a numeric x axis, in the axes' units.
type point struct {
	x    float64
	kind markKind
	y    float64 // only of kinds with a figure
	// lo and hi are the ends of its bar; both y when it has none.
	lo, hi float64
}

// newPoint places a figure that may be unknown or, on a logarithmic axis, too
// low to be shown.
func newPoint(x, y float64, log bool) point {
	p := point{x: x, y: y, lo: y, hi: y}
	switch {
	case !drawable(y):
		p.kind = markUnknown
	case log && y <= 0:
		p.kind = markOffScale
	}
	return p
}

func (p point) hasFigure() bool { return p.kind == markMeasured || p.kind == markDegraded }

// points is one series over a numeric x axis.
type points struct {
	list       []point // rising in x where they are joined
	joined     bool    // neighbours are joined, but for gaps
	breaks     []int   // positions before which the line breaks as well
	bare       bool    // the line alone, without a mark for each point
	look       theme
	ink        color.Color // nil for the series' own
	series, of int
}

func (d points) color() color.Color {
	if d.ink != nil {
		return d.ink
	}
	return d.look.series(d.series)
}

// Plot implements plot.Plotter.
func (d points) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(q point, v float64) vg.Point {
		return vg.Point{X: x(q.x), Y: y(min(max(v, p.Y.Min), p.Y.Max))}
	}
	var bars, discs, rings vg.Path
	radius := maxRadius
	if len(d.list) > 150 {
		radius = 2 * px
	}
	for _, q := range d.list {
		switch q.kind {
		case markFailed, markUnknown, markOffScale:
			d.foot(c, q.kind, vg.Point{X: x(q.x), Y: c.Min.Y})
			continue
		case markDegraded:
			shape(&rings, d.series, at(q, q.y), max(radius, minHollow))
		default:
			shape(&discs, d.series, at(q, q.y), radius)
		}
		if q.hi > q.lo {
			bars.Move(at(q, q.lo))
			bars.Line(at(q, q.hi))
		}
	}
	ink := d.color()
	c.SetLineStyle(stroke(d.look.faded(ink, barShare), maxBar-1*px))
	c.Stroke(bars)
	if d.joined {
		d.line(c, ink, at)
	}
	if d.bare && d.joined && len(d.list) > 1 {
		return
	}
	c.SetColor(ink)
	c.Fill(discs)
	trendMarks{look: d.look}.fillRings(c, rings, ink)
}

// line joins neighbours.
func (d points) line(c draw.Canvas, ink color.Color, at func(point, float64) vg.Point) {
	var run []vg.Point
	end := func() {
		if len(run) > 1 {
			c.StrokeLines(stroke(ink, joinWidth), run)
		}
		run = nil
	}
	breaks := map[int]bool{}
	for _, i := range d.breaks {
		breaks[i] = true
	}
	for i, q := range d.list {
		if !q.hasFigure() || breaks[i] {
			end()
		}
		if q.hasFigure() {
			run = append(run, at(q, q.y))
		}
	}
	end()
}

// foot marks a point without a figure on the x axis.
func (d points) foot(c draw.Canvas, kind markKind, at vg.Point) {
	marks := trendMarks{look: d.look, series: d.series, of: d.of}
	if d.ink != nil { // the series' colour stands for something else
		marks.of = 1
	}
	switch kind {
	case markFailed:
		marks.cross(c, at, crossArm)
	case markUnknown:
		marks.post(c, at)
	case markOffScale:
		marks.arrow(c, at)
	}
}

// sample is the series' mark in a legend.
func (d points) sample(c draw.Canvas, at vg.Point) {
	ink := d.color()
	if d.joined {
		c.StrokeLine2(stroke(ink, joinWidth), at.X-legendMark/2, at.Y, at.X+legendMark/2, at.Y)
	}
	if d.bare {
		return
	}
	var mark vg.Path
	shape(&mark, d.series, at, maxRadius)
	c.SetColor(ink)
	c.Fill(mark)
}

// rangeOf is the lowest and highest figure of all, bars included; false when
// there is none. On a logarithmic axis a bar that reaches zero does not count.
func rangeOf(log bool, all ...[]point) (lo, hi float64, ok bool) {
	for _, list := range all {
		for _, q := range list {
			if !q.hasFigure() {
				continue
			}
			low := q.lo
			if log && low <= 0 {
				low = q.y
			}
			if !ok {
				lo, hi, ok = low, q.hi, true
			}
			lo, hi = min(lo, low), max(hi, q.hi)
		}
	}
	return lo, hi, ok
}

// footLegend explains the marks on the x axis that occur.
func footLegend(look theme, all ...[]point) (entries []legendEntry) {
	d := points{look: look, of: 1}
	for _, one := range []struct {
		kind markKind
		text string
		rise vg.Length
	}{{markDegraded, degradedText, 0}, {markFailed, "failed", 0}, {markUnknown, "no figure", postHeight / 2}, {markOffScale, "zero, not on a log scale", arrowHeight / 2}} {
		found := false
		for _, list := range all {
			for _, q := range list {
				found = found || q.kind == one.kind
			}
		}
		if !found {
			continue
		}
		entries = append(entries, legendEntry{one.text, func(c draw.Canvas, at vg.Point) {
			if one.kind == markDegraded {
				var ring vg.Path
				shape(&ring, 0, at, maxRadius)
				trendMarks{look: look}.fillRings(c, ring, look.muted)
				return
			}
			d.foot(c, one.kind, at.Sub(vg.Point{Y: one.rise}))
		}})
	}
	return entries
}

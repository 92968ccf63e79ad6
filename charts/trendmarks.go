package charts

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// trendMarks paints a trend into a plot's data area.
type trendMarks struct {
	*trend
	look       theme
	face       typeface // of the legend
	series, of int      // which of how many
}

const (
	maxRadius    = vg.Length(3.4 * px)
	minRadius    = vg.Length(0.8 * px)
	minHollow    = vg.Length(2.2 * px) // a smaller ring would look like a disc
	maxBar       = vg.Length(5 * px)
	joinWidth    = vg.Length(1.5 * px)
	crossArm     = vg.Length(3.6 * px)
	arrowHeight  = vg.Length(6.5 * px)
	postHeight   = vg.Length(8 * px)
	twinDistance = vg.Length(8 * px)
	barShare     = 0.38 // how strong the range bars are against the line
)

// Plot implements plot.Plotter.
func (d trendMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	part := x(1) - x(0)
	aside := d.aside(part)
	at := func(i int, v float64) vg.Point { return vg.Point{X: x(float64(i)) + aside, Y: y(max(v, p.Y.Min))} }

	if d.reference >= 0 && d.series == 0 {
		height := y(d.marks[d.reference].median)
		c.StrokeLine2(d.referenceLine(), c.Min.X, height, c.Max.X, height)
	}
	radius := min(max(part*0.3, minRadius), maxRadius)
	bar := min(max(part*0.5/vg.Length(d.of), 0.6*px), maxBar)
	for n, line := range d.coloured() {
		d.drawLine(c, line, d.ink(n), at, bar, radius)
	}
	if d.twin.samples > 0 && d.of == 1 {
		beside := vg.Point{X: min(part*0.4, twinDistance)}
		c.StrokeLines(stroke(d.look.faded(d.look.ink, barShare), bar/2), []vg.Point{
			at(d.reference, d.twin.lo).Add(beside), at(d.reference, d.twin.hi).Add(beside)})
		d.diamond(c, at(d.reference, d.twin.median).Add(beside))
	}
	for i, k := range d.marks {
		foot := vg.Point{X: x(float64(i)) + aside, Y: c.Min.Y}
		switch k.kind {
		case markFailed:
			d.cross(c, foot, min(crossArm, max(part*0.4, 1.6*px)))
		case markUnknown:
			d.post(c, foot)
		case markOffScale:
			d.arrow(c, foot)
		}
	}
}

// aside is how far a series stands from the middle of a version's slot, which is
// part wide: series of one version stand beside each other where that has room,
// and none nearer to the next version than to its own.
func (d trendMarks) aside(part vg.Length) vg.Length {
	step := min(part*0.2, part*0.6/vg.Length(max(d.of-1, 1)), 6*px)
	return (vg.Length(d.series) - vg.Length(d.of-1)/2) * step
}

// ink is the colour of the n-th stretch: its line's, or the series' own.
func (d trendMarks) ink(n int) color.Color {
	if d.of > 1 {
		return d.look.series(d.series)
	}
	return d.look.line(n)
}

// coloured is the stretches of versions that have a colour each.
func (d trendMarks) coloured() []interval {
	if !d.banded || d.of > 1 {
		return []interval{{0, len(d.marks)}}
	}
	stretches := make([]interval, len(d.lines))
	for i, line := range d.lines {
		stretches[i] = line.interval
	}
	return stretches
}

// drawLine paints one stretch: bars below, then the joining line, then the
// medians. Marks of a kind go into one path, which is many times faster than
// a path each when there are a thousand.
func (d trendMarks) drawLine(c draw.Canvas, line interval, ink color.Color, at func(int, float64) vg.Point, bar, radius vg.Length) {
	var bars, discs, rings vg.Path
	for i := line.from; i < line.to; i++ {
		k := d.marks[i]
		if !k.hasFigure() {
			continue
		}
		if k.hi > k.lo {
			bars.Move(at(i, k.lo))
			bars.Line(at(i, k.hi))
		}
		if k.kind == markDegraded {
			shape(&rings, d.series, at(i, k.median), max(radius, minHollow))
		} else {
			shape(&discs, d.series, at(i, k.median), radius)
		}
	}
	c.SetLineStyle(stroke(d.look.faded(ink, barShare), bar))
	c.Stroke(bars)
	for _, run := range d.runs {
		if run.from < line.from || run.to > line.to || run.to-run.from < 2 {
			continue
		}
		points := make([]vg.Point, 0, run.to-run.from)
		for i := run.from; i < run.to; i++ {
			if d.marks[i].hasFigure() {
				points = append(points, at(i, d.marks[i].median))
			}
		}
		c.StrokeLines(stroke(ink, min(joinWidth, max(radius, 1*px))), points)
	}
	c.SetColor(ink)
	c.Fill(discs)
	d.fillRings(c, rings, ink)
}

// sample is the series' mark in a legend.
func (d trendMarks) sample(c draw.Canvas, at vg.Point) {
	ink := d.ink(0)
	if d.of == 1 && d.banded {
		ink = d.look.muted
	}
	c.StrokeLine2(stroke(d.look.faded(ink, barShare), maxBar), at.X, at.Y-6*px, at.X, at.Y+6*px)
	c.StrokeLine2(stroke(ink, joinWidth), at.X-legendMark/2, at.Y, at.X+legendMark/2, at.Y)
	var disc vg.Path
	shape(&disc, d.series, at, maxRadius)
	c.SetColor(ink)
	c.Fill(disc)
}

// legend explains the kinds of marks that occur in a series on its own.
func (d trendMarks) legend(reference string) []legendEntry {
	entries := append([]legendEntry{{samplesPhrase(d.trend), d.sample}}, d.kinds("", []trendMarks{d})...)
	if d.trend.reference >= 0 {
		entries = append(entries, d.referenceEntry(reference))
	}
	if d.twin.samples > 0 {
		entries = append(entries, legendEntry{twinLabel, d.diamond})
	}
	return entries
}

func (d trendMarks) referenceEntry(reference string) legendEntry {
	return legendEntry{"reference " + fitLabel(reference, maxLabelWidth, d.face), func(c draw.Canvas, at vg.Point) {
		c.StrokeLine2(d.referenceLine(), at.X-legendMark/2, at.Y, at.X+legendMark/2, at.Y)
	}}
}

// kinds explains the marks that some of the series have. The samples, when
// they are said, come first.
func (d trendMarks) kinds(samples string, all []trendMarks) (entries []legendEntry) {
	ink := d.look.muted
	if !d.banded && len(all) == 1 {
		ink = d.look.lines[0]
	}
	some := func(kind markKind) bool {
		return slices.ContainsFunc(all, func(one trendMarks) bool { return one.has(kind) })
	}
	add := func(shown bool, text string, mark func(c draw.Canvas, at vg.Point)) {
		if shown {
			entries = append(entries, legendEntry{text, mark})
		}
	}
	add(samples != "", samples, func(c draw.Canvas, at vg.Point) {
		c.StrokeLine2(stroke(d.look.faded(ink, barShare), maxBar), at.X, at.Y-6*px, at.X, at.Y+6*px)
	})
	add(some(markDegraded), degradedText, func(c draw.Canvas, at vg.Point) {
		var ring vg.Path
		shape(&ring, 0, at, maxRadius)
		d.fillRings(c, ring, ink)
	})
	add(some(markFailed), "failed", func(c draw.Canvas, at vg.Point) {
		one := d
		one.of = 1
		one.cross(c, at, crossArm)
	})
	add(some(markUnknown), "no figure", func(c draw.Canvas, at vg.Point) {
		d.post(c, at.Add(vg.Point{Y: -postHeight / 2}))
	})
	add(some(markOffScale), "zero, not on a log scale", func(c draw.Canvas, at vg.Point) {
		d.arrow(c, at.Add(vg.Point{Y: -arrowHeight / 2}))
	})
	return entries
}

func (d trendMarks) referenceLine() draw.LineStyle {
	return stroke(d.look.reference, 1*px, 4*px, 3*px)
}

// fillRings draws hollow marks.
func (d trendMarks) fillRings(c draw.Canvas, rings vg.Path, ink color.Color) {
	c.SetColor(d.look.background)
	c.Fill(rings)
	c.SetLineStyle(stroke(ink, 1.4*px))
	c.Stroke(rings)
}

// cross marks a failed version.
func (d trendMarks) cross(c draw.Canvas, at vg.Point, arm vg.Length) {
	ink := color.Color(d.look.ink)
	if d.of > 1 {
		ink = d.look.series(d.series)
	}
	style := stroke(ink, min(1.6*px, arm*0.5))
	c.StrokeLine2(style, at.X-arm, at.Y-arm, at.X+arm, at.Y+arm)
	c.StrokeLine2(style, at.X-arm, at.Y+arm, at.X+arm, at.Y-arm)
}

// post marks a version whose figure is unknown.
func (d trendMarks) post(c draw.Canvas, at vg.Point) {
	c.StrokeLine2(stroke(d.look.muted, 2*px), at.X, at.Y, at.X, at.Y+postHeight)
}

// arrow marks a version below a logarithmic axis.
func (d trendMarks) arrow(c draw.Canvas, at vg.Point) {
	c.FillPolygon(d.look.muted, []vg.Point{
		{X: at.X - arrowHeight/2, Y: at.Y + arrowHeight}, {X: at.X + arrowHeight/2, Y: at.Y + arrowHeight}, at})
}

// diamond marks the median of the reference's A/A twin.
func (d trendMarks) diamond(c draw.Canvas, at vg.Point) {
	const arm = 3.8 * px
	points := []vg.Point{{X: at.X - arm, Y: at.Y}, {X: at.X, Y: at.Y + arm}, {X: at.X + arm, Y: at.Y}, {X: at.X, Y: at.Y - arm}}
	c.FillPolygon(d.look.background, points)
	c.StrokeLines(stroke(d.look.ink, 1.2*px), append(points, points[0]))
}

// shape adds the n-th series' closed mark to path: disc, square, triangle,
// diamond, triangle on its tip, hexagon.
func shape(path *vg.Path, n int, centre vg.Point, radius vg.Length) {
	corners := []struct {
		count int
		size  vg.Length // so that all look equally large
		first float64   // angle of the first corner
	}{{0, 1, 0}, {4, 1.25, math.Pi / 4}, {3, 1.45, math.Pi / 2}, {4, 1.3, 0}, {3, 1.45, -math.Pi / 2}, {6, 1.15, 0}}[n%maxSeries]
	if corners.count == 0 {
		circle(path, centre, radius)
		return
	}
	for i := range corners.count {
		p := centre.Add(turned(vg.Point{X: radius * corners.size}, corners.first+2*math.Pi*float64(i)/float64(corners.count)))
		if i == 0 {
			path.Move(p)
		} else {
			path.Line(p)
		}
	}
	path.Close()
}

// circle adds a closed circle to path.
func circle(path *vg.Path, centre vg.Point, radius vg.Length) {
	path.Move(centre.Add(vg.Point{X: radius}))
	path.Arc(centre, radius, 0, 2*math.Pi)
	path.Close()
}

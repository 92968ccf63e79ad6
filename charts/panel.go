package charts

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel is one field of marks with its axes.
type panel struct {
	plot   *plot.Plot
	yTitle string
	x      xAxis
	y      valueAxis
	above  vg.Length // room over the data, for the names of lines
	beside vg.Length // room on the right of the data, for texts

	// Set by frame.layout.
	left, width, top vg.Length      // of its cell
	area             vg.Rectangle   // of the data with the y axis labels
	data             vg.Rectangle   // of the marks alone
	labels           []versionLabel // relative to the lower left corner of data
	shift, overhang  vg.Length      // room that x axis labels need beyond the y axis and on the right
}

// addPanel adds an empty panel to f.
func (f *frame) addPanel(x xAxis, y valueAxis, yTitle string) *panel {
	p := &panel{plot: plot.New(), x: x, y: y, yTitle: yTitle}
	p.plot.BackgroundColor = nil // the whole picture is filled at once
	p.plot.HideX()
	p.plot.X.Padding, p.plot.Y.Padding = 0, 2*px
	p.plot.X.Min, p.plot.X.Max = x.min, x.max
	p.plot.Y.Min, p.plot.Y.Max, p.plot.Y.Scale = y.min, y.max, y.scale()
	p.plot.Y.LineStyle.Width, p.plot.Y.Tick.LineStyle.Width = 0, 0
	p.plot.Y.Tick.Marker = plot.ConstantTicks(y.ticks)
	style := f.labelFace.style
	style.XAlign, style.YAlign = draw.XRight, draw.YCenter
	p.plot.Y.Tick.Label = style
	f.panels = append(f.panels, p)
	return p
}

// setData finds the field of the marks within area.
func (p *panel) setData() {
	p.data = p.plot.DataCanvas(draw.Canvas{Rectangle: p.area}).Rectangle
}

// dataLeft is where the marks' field begins.
func (p *panel) dataLeft() vg.Length {
	p.setData()
	return p.data.Min.X
}

// fit chooses the labels for the place that the panel has now. It tells
// whether they need no more room beside it than they were given.
func (p *panel) fit(face typeface) bool {
	p.labels = p.x.labels(p.data.Size().X, face)
	left, _ := labelsExtent(p.labels)
	missing := p.left - (p.data.Min.X - left)
	p.shift += max(missing, 0)
	var right vg.Length
	for _, l := range p.labels {
		for _, corner := range l.corners() {
			right = max(right, p.data.Min.X+corner.X-(p.left+p.width))
		}
	}
	p.overhang += right
	return missing <= 0 && right <= 0
}

// draw paints the panel; its x axis only when labelled.
func (p *panel) draw(c draw.Canvas, f *frame, labelled bool) {
	f.axisFace.write(c, vg.Point{X: p.left, Y: p.top - yTitleLine/2}, shorten(p.yTitle, f.axisFace.within(p.width)), alignLeft, 0)
	p.drawX(c, f, labelled)
	p.plot.Draw(draw.Canvas{Canvas: c.Canvas, Rectangle: p.area})
	if p.y.cut() {
		drawBreak(c, p.data.Min, f.theme)
	}
}

func (p *panel) drawX(c draw.Canvas, f *frame, labelled bool) {
	origin := p.data.Min
	tick := func(x, length vg.Length) {
		c.StrokeLine2(stroke(f.theme.muted, 1*px), origin.X+x, origin.Y, origin.X+x, origin.Y-length)
	}
	for _, x := range p.x.minor(p.data.Size().X) {
		tick(x, minorLength)
	}
	if !labelled {
		return
	}
	strong := f.labelFace
	strong.color = f.theme.ink
	for _, l := range p.labels {
		tick(l.tick, tickLength)
		face := f.labelFace
		if p.x.strong[l.index] {
			face = strong
		}
		face.write(c, l.at.Add(origin), l.text, l.align, l.angle)
	}
	if p.x.title != "" {
		_, reach := labelsExtent(p.labels)
		y := origin.Y - reach - xTitleLine + f.axisFace.style.Font.Size*capHeight/2
		f.axisFace.write(c, vg.Point{X: (origin.X + p.data.Max.X) / 2, Y: y}, shorten(p.x.title, f.axisFace.within(p.width)), alignCenter, 0)
	}
}

// drawBreak marks a y axis that does not begin at zero, at the lower left
// corner of the data.
func drawBreak(c draw.Canvas, at vg.Point, look theme) {
	const wide, high = 4 * px, 3 * px
	at.Y += 3 * px
	zigzag := []vg.Point{at, at.Add(vg.Point{X: -wide, Y: high}), at.Add(vg.Point{X: wide, Y: 3 * high}), at.Add(vg.Point{Y: 4 * high})}
	c.StrokeLines(stroke(look.background, 4*px), zigzag)
	c.StrokeLines(stroke(look.ink, 1.4*px), append([]vg.Point{{X: at.X, Y: at.Y - 3*px}}, append(zigzag, zigzag[3].Add(vg.Point{Y: 4 * px}))...))
}

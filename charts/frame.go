package charts

import (
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame is a picture over the version axis without its marks: heading,
// captions, legend, axes. A kind of picture fills in what it says, calls
// layout once, and then draws. gonum's plot carries the axes' ranges, the
// grid and the marks; title, legend and version labels are set here, because
// a plot centres its title over the data, stacks its legend on top of the
// data and does not keep labels apart.
type frame struct {
	theme    theme
	plot     *plot.Plot
	title    string
	captions []string
	yTitle   string
	xTitle   string
	legend   []legendEntry
	names    []string  // of the versions, as found
	prefer   []int     // versions to label before others
	above    vg.Length // room over the data, for the names of lines

	titleFace, captionFace, axisFace, labelFace typeface

	// Set by layout.
	size       vg.Point
	legendRows [][]legendEntry
	legendSide bool           // the legend stands beside the y axis title, not above it
	plotArea   vg.Rectangle   // of the plot with its y axis labels
	dataArea   vg.Rectangle   // of the marks alone
	labels     []versionLabel // relative to the lower left corner of dataArea
}

const (
	margin       = vg.Length(20 * px)
	captionLine  = vg.Length(16 * px)
	sectionGap   = vg.Length(14 * px)
	yTitleLine   = vg.Length(20 * px)
	xTitleLine   = vg.Length(19 * px)
	legendBelow  = vg.Length(5 * px) // between a legend of its own and the y axis title
	titleBelow   = vg.Length(3 * px)
	tickLength   = vg.Length(4 * px)
	minorLength  = vg.Length(2.5 * px)
	minTickPart  = vg.Length(3 * px) // below, ticks of unlabelled versions would form a bar
	yTitleMargin = vg.Length(24 * px)
)

func newFrame(t theme, names []string, y valueAxis) *frame {
	f := &frame{
		theme:       t,
		names:       names,
		plot:        plot.New(),
		titleFace:   newTypeface(titleSize, xfont.WeightBold, t.ink),
		captionFace: newTypeface(textSize, xfont.WeightNormal, t.muted),
		axisFace:    newTypeface(textSize, xfont.WeightBold, t.ink),
		labelFace:   newTypeface(labelSize, xfont.WeightNormal, t.muted),
	}
	p := f.plot
	p.BackgroundColor = nil // the whole picture is filled at once
	p.HideX()
	p.X.Padding, p.Y.Padding = 0, 2*px
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.Y.Min, p.Y.Max, p.Y.Scale = y.min, y.max, y.scale()
	p.Y.LineStyle.Width, p.Y.Tick.LineStyle.Width = 0, 0
	p.Y.Tick.Marker = plot.ConstantTicks(y.ticks)
	style := f.labelFace.style
	style.XAlign, style.YAlign = draw.XRight, draw.YCenter
	p.Y.Tick.Label = style
	return f
}

// layout decides where everything goes in a picture of the given size.
func (f *frame) layout(width, height vg.Length) {
	f.size = vg.Point{X: width, Y: height}
	inner := vg.Rectangle{Min: vg.Point{X: margin, Y: margin}, Max: vg.Point{X: width - margin, Y: height - margin}}
	across := inner.Size().X

	f.legendRows = legendRows(f.legend, across-f.axisFace.width(f.yTitle)-yTitleMargin, f.captionFace)
	f.legendSide = len(f.legendRows) == 1
	if !f.legendSide {
		f.legendRows = legendRows(f.legend, across, f.captionFace)
	}
	inner.Max.Y = f.yTitleHeight() - yTitleLine - f.above
	inner.Min.Y += xTitleLine

	// Labels and the axis's left end depend on each other: a slanted first
	// label may need more room on the left than the y axis does.
	var shift vg.Length
	for range 3 {
		below := xTitleLine
		if f.labels != nil {
			_, reach := labelsExtent(f.labels)
			below = reach
		}
		f.plotArea = inner
		f.plotArea.Min.X += shift
		f.plotArea.Min.Y += below
		f.dataArea = f.plot.DataCanvas(draw.Canvas{Rectangle: f.plotArea}).Rectangle
		f.labels = versionLabels(f.names, f.prefer, f.dataArea.Size().X, f.labelFace)
		left, reach := labelsExtent(f.labels)
		missing := inner.Min.X - (f.dataArea.Min.X - left)
		if missing <= 0 && reach == below {
			break
		}
		shift += max(missing, 0)
	}
}

// yTitleHeight is the height of the y axis title's middle.
func (f *frame) yTitleHeight() vg.Length {
	y := f.size.Y - margin - f.titleFace.lineHeight() - titleBelow - captionLine*vg.Length(len(f.captions)) - sectionGap
	if !f.legendSide {
		y -= legendLine*vg.Length(len(f.legendRows)) + legendBelow
	}
	return y - yTitleLine/2
}

// draw paints the laid out picture.
func (f *frame) draw(c draw.Canvas) {
	c.SetColor(f.theme.background)
	c.Fill(c.Rectangle.Path())
	f.drawHeading(c)
	f.drawVersionAxis(c)
	f.plot.Draw(draw.Canvas{Canvas: c.Canvas, Rectangle: f.plotArea})
}

func (f *frame) drawHeading(c draw.Canvas) {
	across := f.size.X - 2*margin
	fits := func(face typeface) func(string) bool {
		return func(s string) bool { return face.width(s) <= across }
	}
	at := vg.Point{X: margin, Y: f.size.Y - margin - f.titleFace.lineHeight()/2}
	f.titleFace.write(c, at, shorten(f.title, fits(f.titleFace)), alignLeft, 0)
	at.Y += -f.titleFace.lineHeight()/2 - titleBelow + captionLine/2
	for _, caption := range f.captions {
		at.Y -= captionLine
		f.captionFace.write(c, at, shorten(caption, fits(f.captionFace)), alignLeft, 0)
	}

	y := f.yTitleHeight()
	f.axisFace.write(c, vg.Point{X: margin, Y: y}, shorten(f.yTitle, fits(f.axisFace)), alignLeft, 0)
	for i, row := range f.legendRows {
		at := vg.Point{X: margin, Y: y + legendBelow + legendLine*vg.Length(len(f.legendRows)-i)}
		if f.legendSide {
			at = vg.Point{X: f.size.X - margin - legendWidth(row, f.captionFace), Y: y}
		}
		drawLegendRow(c, row, at, f.captionFace)
	}
}

func (f *frame) drawVersionAxis(c draw.Canvas) {
	origin := f.dataArea.Min
	part := f.dataArea.Size().X / vg.Length(len(f.names))
	tick := func(i int, length vg.Length) {
		x := origin.X + part*(vg.Length(i)+0.5)
		c.StrokeLine2(stroke(f.theme.muted, 1*px), x, origin.Y, x, origin.Y-length)
	}
	if part >= minTickPart {
		for i := range f.names {
			tick(i, minorLength)
		}
	}
	for _, l := range f.labels {
		tick(l.index, tickLength)
		f.labelFace.write(c, l.at.Add(origin), l.text, l.align, l.angle)
	}
	f.axisFace.write(c, vg.Point{X: (origin.X + f.dataArea.Max.X) / 2, Y: margin + f.axisFace.style.Font.Size*capHeight/2},
		f.xTitle, alignCenter, 0)
}

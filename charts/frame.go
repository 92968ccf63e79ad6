package charts

import (
	"fmt"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame is a picture without its marks: heading, captions, legend, and panels
// with their axes. A kind of picture fills in what it says, calls layout once,
// and then draws. gonum's plot carries the axes' ranges, the y axis labels and
// the marks; title, legend and x axis labels are set here, because a plot
// centres its title over the data, stacks its legend on top of the data and
// does not keep labels apart.
type frame struct {
	theme    theme
	title    string
	captions []string
	legend   []legendEntry
	panels   []*panel // row by row
	columns  int      // panels side by side
	sharedX  bool     // panels of a column have one x axis, under the last

	titleFace, captionFace, axisFace, labelFace typeface

	// Set by layout.
	size       vg.Point
	legendRows [][]legendEntry
	legendSide bool // the legend stands beside the y axis title, not above it
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
	panelGap     = vg.Length(10 * px) // between rows of panels
	columnSpace  = vg.Length(26 * px) // between panels side by side
	furtherRow   = 110                // CSS pixels that a further row of panels needs
)

func newFrame(t theme) *frame {
	return &frame{
		theme:       t,
		columns:     1,
		titleFace:   newTypeface(titleSize, xfont.WeightBold, t.ink),
		captionFace: newTypeface(textSize, xfont.WeightNormal, t.muted),
		axisFace:    newTypeface(textSize, xfont.WeightBold, t.ink),
		labelFace:   newTypeface(labelSize, xfont.WeightNormal, t.muted),
	}
}

// rows is how many panels stand below each other.
func (f *frame) rows() int { return (len(f.panels) + f.columns - 1) / f.columns }

// cell is the width of one panel with all that belongs to it.
func (f *frame) cell(o Options) vg.Length {
	width, _ := o.size()
	return (width - 2*margin - columnSpace*vg.Length(f.columns-1)) / vg.Length(f.columns)
}

// layout decides where everything goes in a picture of the given size. It
// returns an error when the panels would have no room below each other.
func (f *frame) layout(width, height vg.Length) error {
	f.size = vg.Point{X: width, Y: height}
	if least := minHeight + furtherRow*(f.rows()-1); height < vg.Length(least)*px*0.999 {
		return fmt.Errorf("picture height %.0f pixels: %d panels below each other need at least %d", float64(height/px), f.rows(), least)
	}
	across := width - 2*margin
	for i, e := range f.legend {
		f.legend[i].text = shorten(e.text, f.captionFace.within(across-legendMark-legendPad))
	}
	f.legendSide = false
	if len(f.panels) == 1 {
		f.legendRows = legendRows(f.legend, across-f.axisFace.width(f.panels[0].yTitle)-yTitleMargin, f.captionFace)
		f.legendSide = len(f.legendRows) == 1
	}
	if !f.legendSide {
		f.legendRows = legendRows(f.legend, across, f.captionFace)
	}
	part := (across - columnSpace*vg.Length(f.columns-1)) / vg.Length(f.columns)

	// Labels and the axes' ends depend on each other: a slanted first label
	// may need more room on the left than the y axis does.
	for range 3 {
		if f.place(part) {
			break
		}
	}
	return nil
}

// place puts every panel into its cell of the given width. It tells whether
// the labels are as they were before, so that the room left for them is right.
func (f *frame) place(part vg.Length) (settled bool) {
	rows := f.rows()
	overheads := make([]vg.Length, rows) // of a row, but for the data
	total := f.yTitleHeight() + yTitleLine/2 - margin - panelGap*vg.Length(rows-1)
	for i, p := range f.panels {
		row := i / f.columns
		overheads[row] = max(overheads[row], 1.5*yTitleLine+p.above+f.below(i))
	}
	for _, o := range overheads {
		total -= o
	}
	each := max(total/vg.Length(rows), 1)

	settled = true
	top := f.yTitleHeight() + yTitleLine/2
	for row := range rows {
		for column := range f.columns {
			i := row*f.columns + column
			if i >= len(f.panels) {
				break
			}
			p := f.panels[i]
			p.left = margin + (part+columnSpace)*vg.Length(column)
			p.width = part
			p.top = top
			p.area.Min = vg.Point{X: p.left + p.shift, Y: top - overheads[row] - each + f.below(i)}
			p.area.Max = vg.Point{X: p.left + part - max(p.overhang, p.beside), Y: top - 1.5*yTitleLine - p.above}
		}
		top -= overheads[row] + each + panelGap
	}
	f.align()
	for i, p := range f.panels {
		before := f.below(i)
		if !p.fit(f.labelFace) || f.below(i) != before {
			settled = false
		}
	}
	return settled
}

// align gives the panels of a column the same left end of their data.
func (f *frame) align() {
	for column := range f.columns {
		var left vg.Length
		for i := column; i < len(f.panels); i += f.columns {
			left = max(left, f.panels[i].dataLeft())
		}
		for i := column; i < len(f.panels); i += f.columns {
			p := f.panels[i]
			p.area.Min.X += left - p.dataLeft()
			p.setData()
		}
	}
}

// labelled tells whether the i-th panel shows its x axis.
func (f *frame) labelled(i int) bool { return !f.sharedX || i+f.columns >= len(f.panels) }

// below is the room that the i-th panel's x axis takes.
func (f *frame) below(i int) vg.Length {
	if !f.labelled(i) {
		return tickLength
	}
	p := f.panels[i]
	reach := xTitleLine
	if p.labels != nil {
		_, reach = labelsExtent(p.labels)
	}
	if p.x.title != "" {
		reach += xTitleLine
	}
	return reach
}

// yTitleHeight is the height of the first y axis title's middle.
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
	for i, p := range f.panels {
		p.draw(c, f, f.labelled(i))
	}
}

func (f *frame) drawHeading(c draw.Canvas) {
	across := f.size.X - 2*margin
	at := vg.Point{X: margin, Y: f.size.Y - margin - f.titleFace.lineHeight()/2}
	f.titleFace.write(c, at, shorten(f.title, f.titleFace.within(across)), alignLeft, 0)
	at.Y += -f.titleFace.lineHeight()/2 - titleBelow + captionLine/2
	for _, caption := range f.captions {
		at.Y -= captionLine
		f.captionFace.write(c, at, shorten(caption, f.captionFace.within(across)), alignLeft, 0)
	}
	y := f.yTitleHeight()
	for i, row := range f.legendRows {
		at := vg.Point{X: margin, Y: y + legendBelow + legendLine*vg.Length(len(f.legendRows)-i)}
		if f.legendSide {
			at = vg.Point{X: f.size.X - margin - legendWidth(row, f.captionFace), Y: y}
		}
		drawLegendRow(c, row, at, f.captionFace)
	}
}

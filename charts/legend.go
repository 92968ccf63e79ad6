package charts

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendEntry explains one kind of mark.
type legendEntry struct {
	text string
	// mark draws the sample, centred on at and at most legendMark wide.
	mark func(c draw.Canvas, at vg.Point)
}

const (
	legendMark = 16 * px            // room for the sample mark
	legendPad  = 5 * px             // between the mark and its text
	legendGap  = vg.Length(14 * px) // between entries
	legendLine = 17 * px            // between rows
)

func (e legendEntry) width(face typeface) vg.Length {
	return legendMark + legendPad + face.width(e.text)
}

// legendRows spreads the entries over rows no wider than width. An entry
// wider than that has a row of its own.
func legendRows(entries []legendEntry, width vg.Length, face typeface) [][]legendEntry {
	var rows [][]legendEntry
	var used vg.Length
	for _, e := range entries {
		w := e.width(face)
		if len(rows) == 0 || used+legendGap+w > width {
			rows, used = append(rows, nil), -legendGap
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += legendGap + w
	}
	return rows
}

// legendWidth is the width of one row.
func legendWidth(row []legendEntry, face typeface) vg.Length {
	width := -legendGap
	for _, e := range row {
		width += legendGap + e.width(face)
	}
	return width
}

// drawLegendRow writes one row from at to the right.
func drawLegendRow(c draw.Canvas, row []legendEntry, at vg.Point, face typeface) {
	for _, e := range row {
		e.mark(c, at.Add(vg.Point{X: legendMark / 2}))
		face.write(c, at.Add(vg.Point{X: legendMark + legendPad}), e.text, alignLeft, 0)
		at.X += e.width(face) + legendGap
	}
}

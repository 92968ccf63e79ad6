package charts

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// interval is the positions on the version axis from and up to, but not
// including, to.
type interval struct{ from, to int }

// releaseLine is neighbouring versions of one line, such as 18.x.
type releaseLine struct {
	interval
	name string
}

// lineBands tells lines of releases apart: it shades every second one and
// names as many as have room, the newest first.
type lineBands struct {
	lines   []releaseLine
	look    theme
	face    typeface // of the names
	plain   bool     // names are muted, since colours mean something else
	unnamed bool     // names stand over another panel
}

// bandHead is the room over the data that a picture with bands must leave
// for the lines' names.
const bandHead = vg.Length(18 * px)

const bandGap = vg.Length(4 * px) // between neighbouring names

// Plot implements plot.Plotter.
func (b lineBands) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	top := c.Max.Y + bandHead
	if b.unnamed {
		top = c.Max.Y
	}
	for n, line := range b.lines {
		left, right := x(float64(line.from)-0.5), x(float64(line.to)-0.5)
		c.FillPolygon(b.look.bands[n%len(b.look.bands)], []vg.Point{
			{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right, Y: top}, {X: left, Y: top}})
	}
	if b.unnamed {
		return
	}
	for _, name := range b.names(x, c.Min.X, c.Max.X) {
		face := b.face
		if !b.plain {
			face.color = b.look.name(name.line)
		}
		face.write(c, vg.Point{X: name.from, Y: c.Max.Y + bandHead/2}, name.text, alignLeft, 0)
	}
}

// bandName is a line's name over the data.
type bandName struct {
	line     int
	text     string
	from, to vg.Length
}

// names places the lines' names between left and right, apart from each
// other: first those that fit into their own band, newest first, then those
// that find room beyond it. The rest must do with colour and axis labels.
func (b lineBands) names(x func(float64) vg.Length, left, right vg.Length) []bandName {
	var placed []bandName
	var wide []bandName
	place := func(n bandName) {
		for _, other := range placed {
			if n.from < other.to+bandGap && other.from < n.to+bandGap {
				return
			}
		}
		placed = append(placed, n)
	}
	for n := len(b.lines) - 1; n >= 0; n-- {
		line := b.lines[n]
		from, to := x(float64(line.from)-0.5), x(float64(line.to)-0.5)
		text := fitLabel(line.name, max(to-from-bandGap, maxLabelWidth/2), b.face)
		width := b.face.width(text)
		start := max(left, min((from+to-width)/2, right-width))
		name := bandName{line: n, text: text, from: start, to: start + width}
		if width+bandGap <= to-from {
			place(name)
		} else {
			wide = append(wide, name)
		}
	}
	for _, name := range wide {
		place(name)
	}
	return placed
}

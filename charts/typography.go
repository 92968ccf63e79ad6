package charts

import (
	"image/color"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of type.
const (
	titleSize = 18 * px
	textSize  = 11.5 * px
	labelSize = 11 * px
)

// capHeight is the height of capitals and digits in Liberation Sans, as a
// share of the type size.
const capHeight = 0.69

// Alignments of a text, as the share of its width that lies left of the
// point where it is written.
const (
	alignLeft   = 0
	alignCenter = 0.5
	alignRight  = 1
)

// typeface is one size, weight and colour of Liberation Sans, which comes
// with gonum.
type typeface struct {
	style text.Style
	color color.Color
}

func newTypeface(size vg.Length, weight xfont.Weight, c color.Color) typeface {
	return typeface{
		style: text.Style{
			Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
			Color:   c,
			Handler: text.Plain{Fonts: font.DefaultCache},
		},
		color: c,
	}
}

func (f typeface) width(s string) vg.Length { return f.style.Width(f.legible(s)) }

// legible puts a box in the place of each character that the font lacks; gonum
// would leave nothing there.
func (f typeface) legible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0 {
		return s
	}
	letters := f.face().Face
	var scratch sfnt.Buffer
	return strings.Map(func(r rune) rune {
		if i, err := letters.GlyphIndex(&scratch, r); err != nil || i == 0 {
			return '□'
		}
		return r
	}, s)
}

func (f typeface) face() font.Face {
	return f.style.Handler.Cache().Lookup(f.style.Font, f.style.Font.Size)
}

// within is a condition for shorten.
func (f typeface) within(limit vg.Length) func(string) bool {
	return func(s string) bool { return f.width(s) <= limit }
}

// lineHeight is the distance at which two lines of this type do not touch.
func (f typeface) lineHeight() vg.Length {
	e := f.style.FontExtents()
	return e.Ascent + e.Descent
}

// write puts s on c, its capitals centred on the height of at, turned by
// angle (radians, counterclockwise) about at. gonum's own alignment centres
// the box with ascenders and descenders, which sets digits visibly too low.
func (f typeface) write(c vg.Canvas, at vg.Point, s string, align, angle float64) {
	if s == "" {
		return
	}
	c.Push()
	defer c.Pop()
	c.SetColor(f.color)
	c.Translate(at)
	if angle != 0 {
		c.Rotate(angle)
	}
	c.FillString(f.face(), vg.Point{
		X: -vg.Length(align) * f.width(s),
		Y: -f.style.Font.Size * capHeight / 2,
	}, f.legible(s))
}

// turned is the point p turned by angle (radians) about the origin.
func turned(p vg.Point, angle float64) vg.Point {
	sin, cos := math.Sincos(angle)
	x, y := float64(p.X), float64(p.Y)
	return vg.Point{X: vg.Length(x*cos - y*sin), Y: vg.Length(x*sin + y*cos)}
}

// stroke is a line of the given colour, width and dashes.
func stroke(c color.Color, width vg.Length, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width, Dashes: dashes}
}

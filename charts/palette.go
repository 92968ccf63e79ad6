package charts

import "image/color"

// Theme is what a picture is drawn on.
type Theme string

const (
	Light Theme = "light" // for paper and light pages
	Dark  Theme = "dark"  // for dark pages and slides
)

// Themes lists every theme, the default first.
func Themes() []Theme { return []Theme{Light, Dark} }

// theme is the colours of a picture. Its tests hold text to a contrast of 4.5
// and marks to one of 3 (WCAG 2.1, 1.4.3 and 1.4.11).
type theme struct {
	background color.NRGBA
	ink        color.NRGBA   // title, axis line, failed marks
	muted      color.NRGBA   // everything read second: captions, labels
	grid       color.NRGBA   // lines that only guide the eye
	bands      []color.NRGBA // background of every second line of releases
	lines      []color.NRGBA // lines of releases, taken in turn
	names      []color.NRGBA // the same where they are the colour of text
	further    []color.NRGBA // of series, beyond lines
	reference  color.NRGBA
	worse      color.NRGBA // a regression
	better     color.NRGBA // an improvement
}

// look is the theme's colours.
func (t Theme) look() theme {
	if t == Dark {
		return darkTheme()
	}
	return lightTheme()
}

// lightTheme takes its line colours from Okabe and Ito, "Color Universal
// Design" (2008), which readers with any colour vision can tell apart. Their
// yellow, orange and sky blue are too pale for thin lines on white.
func lightTheme() theme {
	return theme{
		background: gray(0xff),
		ink:        gray(0x22),
		muted:      gray(0x5c),
		grid:       gray(0xe2),
		bands:      []color.NRGBA{gray(0xf5), gray(0xff)},
		lines: []color.NRGBA{
			rgb(0x0072b2), // blue
			rgb(0xd55e00), // vermilion
			rgb(0x009068), // bluish green, darkened
			rgb(0x8c2a6c), // reddish purple, darkened
		},
		names:     []color.NRGBA{rgb(0x006ba8), rgb(0xae4c00), rgb(0x00755a), rgb(0x8c2a6c)},
		further:   []color.NRGBA{rgb(0x8a6a00), gray(0x44)},
		reference: gray(0x77),
		worse:     rgb(0xc24e00),
		better:    rgb(0x0072b2),
	}
}

// darkTheme takes the bright ones of the same colours, which are too pale on
// white and right on black.
func darkTheme() theme {
	return theme{
		background: rgb(0x15181d),
		ink:        gray(0xee),
		muted:      rgb(0xabb0b8),
		grid:       rgb(0x343942),
		bands:      []color.NRGBA{rgb(0x1e2229), rgb(0x15181d)},
		lines: []color.NRGBA{
			rgb(0x56b4e9), // sky blue
			rgb(0xf0803c), // vermilion, lightened
			rgb(0x2fbf93), // bluish green, lightened
			rgb(0xdb8fbb), // reddish purple, lightened
		},
		names:     []color.NRGBA{rgb(0x56b4e9), rgb(0xf0803c), rgb(0x2fbf93), rgb(0xdb8fbb)},
		further:   []color.NRGBA{rgb(0xd9c14a), gray(0xc8)},
		reference: rgb(0x9aa0a8),
		worse:     rgb(0xff8a3d),
		better:    rgb(0x56b4e9),
	}
}

func gray(v uint8) color.NRGBA { return color.NRGBA{R: v, G: v, B: v, A: 0xff} }

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// line is the colour of the n-th line of releases.
func (t theme) line(n int) color.Color { return t.lines[n%len(t.lines)] }

// name is the colour in which the n-th line's name is written.
func (t theme) name(n int) color.Color { return t.names[n%len(t.names)] }

// series is the colour of the n-th series.
func (t theme) series(n int) color.Color {
	all := append(t.lines[:len(t.lines):len(t.lines)], t.further...)
	return all[n%len(all)]
}

// maxSeries is how many series colour and shape can tell apart.
const maxSeries = 6

// faded mixes c over the background, as an opaque colour: marks that overlap
// must not add up to a stronger one that means something else.
func (t theme) faded(c color.Color, share float64) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	mix := func(v, under uint8) uint8 { return uint8(float64(v)*share + float64(under)*(1-share) + 0.5) }
	return color.NRGBA{R: mix(n.R, t.background.R), G: mix(n.G, t.background.G), B: mix(n.B, t.background.B), A: 0xff}
}

package charts

import "image/color"

// theme is the colours of a picture.
type theme struct {
	background color.Color
	ink        color.Color   // title, axis line, failed marks
	muted      color.Color   // everything read second: captions, labels
	grid       color.Color   // lines that only guide the eye
	bands      []color.Color // background of every second line of releases
	lines      []color.Color // lines of releases, taken in turn
	reference  color.Color
}

// lightTheme takes its line colours from Okabe and Ito, "Color Universal
// Design" (2008), which readers with any colour vision can tell apart. Their
// yellow, orange and sky blue are too pale for thin lines on white.
func lightTheme() theme {
	return theme{
		background: color.White,
		ink:        color.Gray{Y: 0x22},
		muted:      color.Gray{Y: 0x5c},
		grid:       color.Gray{Y: 0xe2},
		bands:      []color.Color{color.Gray{Y: 0xf5}, color.White},
		lines: []color.Color{
			color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, // blue
			color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, // vermilion
			color.NRGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, // bluish green
			color.NRGBA{R: 0xb0, G: 0x5a, B: 0x8c, A: 0xff}, // reddish purple, darkened
		},
		reference: color.Gray{Y: 0x77},
	}
}

// line is the colour of the n-th line of releases.
func (t theme) line(n int) color.Color { return t.lines[n%len(t.lines)] }

// faded mixes c over white, as an opaque colour: marks that overlap must not
// add up to a darker one that means something else.
func faded(c color.Color, share float64) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	mix := func(v uint8) uint8 { return uint8(float64(v)*share + 255*(1-share) + 0.5) }
	return color.NRGBA{R: mix(n.R), G: mix(n.G), B: mix(n.B), A: 0xff}
}

package charts

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"versweep/sweep"
)

// ErrNothingToDraw is returned when no selected version has a figure that the
// picture could show. The error that wraps it names what was selected.
var ErrNothingToDraw = errors.New("nothing to draw")

// Format is a picture's file format.
type Format string

const (
	PNG Format = "png"
	SVG Format = "svg"
)

// FormatOf reads the format off a file name's extension, in any case.
func FormatOf(file string) (Format, error) {
	switch f := Format(strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))); f {
	case PNG, SVG:
		return f, nil
	default:
		return "", fmt.Errorf("picture file %s: the name must end in .png or .svg", Printable(file))
	}
}

// Options is how a picture is made. The zero value is a PNG of 1600 × 900
// pixels whose type is readable when it is shown 800 pixels wide.
type Options struct {
	Format Format // PNG when empty

	// Width and Height are in CSS pixels (1/96 inch), the unit in which type
	// and lines keep their size; 800 and 450 when 0.
	Width, Height int

	// Scale is how many PNG pixels a CSS pixel gets; 2 when 0. An SVG
	// ignores it.
	Scale int

	Theme Theme // Light when empty

	LogY bool // logarithmic y axis; a zero cannot be shown and becomes a gap
	Zoom bool // the y axis need not begin at zero; it is marked where it does not

	// Judgement is what is known of a trend's changes; nil for none.
	Judgement *sweep.Judgement
	// With are further series of a trend, at most 5.
	With []Overlay
	// Metrics are further metrics of a trend, a panel each, at most 5.
	Metrics []sweep.Metric
}

const (
	defaultWidth  = 800
	defaultHeight = 450
	defaultScale  = 2

	minWidth, minHeight = 320, 240
	maxSide, maxScale   = 4000, 4

	// px is one CSS pixel. Lengths below are written as multiples of it.
	px = vg.Inch / cssDPI

	cssDPI = 96
)

// withDefaults fills in what was left zero and refuses sizes that would leave
// no room for the data or exhaust memory.
func (o Options) withDefaults() (Options, error) {
	if o.Format == "" {
		o.Format = PNG
	}
	if o.Theme == "" {
		o.Theme = Light
	}
	if o.Width == 0 {
		o.Width = defaultWidth
	}
	if o.Height == 0 {
		o.Height = defaultHeight
	}
	if o.Scale == 0 {
		o.Scale = defaultScale
	}
	switch {
	case o.Format != PNG && o.Format != SVG:
		return o, fmt.Errorf("picture format %q: it must be png or svg", string(o.Format))
	case !slices.Contains(Themes(), o.Theme):
		return o, fmt.Errorf("theme %q: it must be light or dark", string(o.Theme))
	case o.Width < minWidth || o.Width > maxSide || o.Height < minHeight || o.Height > maxSide:
		return o, fmt.Errorf("picture size %d × %d pixels: it must lie between %d × %d and %d × %d",
			o.Width, o.Height, minWidth, minHeight, maxSide, maxSide)
	case o.Scale < 1 || o.Scale > maxScale:
		return o, fmt.Errorf("picture scale %d: it must lie between 1 and %d", o.Scale, maxScale)
	}
	return o, nil
}

// size is the picture's size in points.
func (o Options) size() (width, height vg.Length) {
	return vg.Length(o.Width) * px, vg.Length(o.Height) * px
}

// render draws onto a canvas of the wanted format and writes the file in one
// go, so that a failure leaves nothing half written.
func render(w io.Writer, o Options, paint func(draw.Canvas)) error {
	var file bytes.Buffer
	width, height := o.size()
	if o.Format == SVG {
		canvas := newSVGCanvas(width, height)
		paint(draw.New(canvas))
		if _, err := canvas.WriteTo(&file); err != nil {
			return err
		}
	} else {
		canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(cssDPI*o.Scale))
		paint(draw.New(canvas))
		if err := png.Encode(&file, canvas.Image()); err != nil {
			return err
		}
	}
	_, err := w.Write(file.Bytes())
	return err
}

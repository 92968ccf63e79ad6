package charts

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svgCanvas is gonum's SVG canvas with texts that keep their width. The file
// names its fonts rather than holding them, which would make it a megabyte;
// where a reader lacks them, another font would run texts into each other.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length // of the texts so far, in the order of writing
}

func newSVGCanvas(width, height vg.Length) *svgCanvas {
	return &svgCanvas{Canvas: vgsvg.New(width, height)}
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(face font.Face, pt vg.Point, s string) {
	c.widths = append(c.widths, face.Width(s))
	c.Canvas.FillString(face, pt, s)
}

// WriteTo writes the file: gonum's, with each text element's width and
// fonts of nearly the same shapes added. What the texts say cannot be taken
// for an attribute, because quotes in it are escaped.
func (c *svgCanvas) WriteTo(w io.Writer) (int64, error) {
	var file bytes.Buffer
	if _, err := c.Canvas.WriteTo(&file); err != nil {
		return 0, err
	}
	const fontName = `style="font-family:Liberation Sans;`
	pieces := bytes.Split(file.Bytes(), []byte(fontName))
	if len(pieces) != len(c.widths)+1 {
		return 0, fmt.Errorf("SVG holds %d texts, not the %d that were written", len(pieces)-1, len(c.widths))
	}
	var out bytes.Buffer
	out.Write(pieces[0])
	for i, piece := range pieces[1:] {
		fmt.Fprintf(&out, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, c.widths[i].Points())
		out.WriteString(`style="font-family:Liberation Sans,Arial,Helvetica,sans-serif;`)
		out.Write(piece)
	}
	return out.WriteTo(w)
}

package charts

import (
	"image/color"
	"math"
	"testing"
)

// luminance and contrast follow WCAG 2.1, "relative luminance" and "contrast
// ratio".
func luminance(c color.NRGBA) float64 {
	part := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.03928 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}

func contrast(a, b color.NRGBA) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func TestContrastKnownAnswers(t *testing.T) {
	if c := contrast(gray(0), gray(0xff)); math.Abs(c-21) > 1e-9 {
		t.Errorf("black on white: %v, want 21", c)
	}
	if c := contrast(gray(0x77), gray(0xff)); math.Abs(c-4.48) > 0.005 {
		t.Errorf("#777 on white: %v, want 4.48", c)
	}
}

func TestThemeContrast(t *testing.T) {
	for _, name := range Themes() {
		look := name.look()
		grounds := append([]color.NRGBA{look.background}, look.bands...)
		check := func(what string, least float64, colors ...color.NRGBA) {
			for i, c := range colors {
				for _, ground := range grounds {
					if got := contrast(c, ground); got < least {
						t.Errorf("%s: %s %d %v on %v: contrast %.2f, want %v", name, what, i, c, ground, got, least)
					}
				}
			}
		}
		const text, marks = 4.5, 3
		check("text", text, look.ink, look.muted)
		check("name", text, look.names...)
		check("line", marks, look.lines...)
		check("series", marks, look.further...)
		check("mark", marks, look.reference, look.worse, look.better)
		level := color.NRGBAModel.Convert(look.faded(look.ink, levelShare)).(color.NRGBA)
		check("level", marks, level)
		if n := len(look.lines) + len(look.further); n != maxSeries {
			t.Errorf("%s: %d colours for %d series", name, n, maxSeries)
		}
	}
}

// Neighbouring series stay apart for readers who see no red or no green
// (Machado, Oliveira and Fernandes, "A Physiologically-based Model for
// Simulation of Color Vision Deficiency", 2009, severity 1.0).
func TestThemeForColourBlindReaders(t *testing.T) {
	kinds := map[string][3][3]float64{
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	}
	for _, name := range Themes() {
		look := name.look()
		for kind, m := range kinds {
			seen := func(c color.NRGBA) [3]float64 {
				in := [3]float64{float64(c.R), float64(c.G), float64(c.B)}
				var out [3]float64
				for i := range out {
					for j := range in {
						out[i] += m[i][j] * in[j]
					}
				}
				return out
			}
			apart := func(a, b color.NRGBA) {
				x, y := seen(a), seen(b)
				if d := math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]); d < 40 {
					t.Errorf("%s, %s: %v and %v are %.0f apart of 441", name, kind, a, b, d)
				}
			}
			for i := range look.lines {
				apart(look.lines[i], look.lines[(i+1)%len(look.lines)])
			}
			apart(look.worse, look.better)
		}
	}
}

package charts

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// overlap tells whether two convex boxes share more than a hair, by looking
// for a side of one that separates them.
func overlap(a, b [4]vg.Point) bool {
	const hair = 0.01
	for _, box := range [][4]vg.Point{a, b} {
		for i := range box {
			side := box[(i+1)%4].Sub(box[i])
			length := vg.Length(math.Hypot(float64(side.X), float64(side.Y)))
			if length == 0 {
				continue
			}
			normal := vg.Point{X: -side.Y / length, Y: side.X / length}
			loA, hiA := extent(a, normal)
			loB, hiB := extent(b, normal)
			if hiA <= loB+hair || hiB <= loA+hair {
				return false
			}
		}
	}
	return true
}

// extent is how far a box reaches along a direction.
func extent(box [4]vg.Point, along vg.Point) (lo, hi vg.Length) {
	lo, hi = vg.Length(math.Inf(1)), vg.Length(math.Inf(-1))
	for _, p := range box {
		at := p.X*along.X + p.Y*along.Y
		lo, hi = min(lo, at), max(hi, at)
	}
	return lo, hi
}

// Case G3: no overlap, first and last shown, all of it inside the picture.
func TestVersionLabels(t *testing.T) {
	for _, o := range []Options{{}, {Width: 400, Height: 300}, {Width: 1600, Height: 500}} {
		for _, n := range []int{1, 2, 28, 40, 837} {
			t.Run(fmt.Sprintf("%d in %d", n, o.Width), func(t *testing.T) {
				table := manyTable(n)
				_, f := laidOut(t, table, o)
				checkLabels(t, f, n)
			})
		}
	}
}

func checkLabels(t *testing.T, f *frame, n int) {
	t.Helper()
	if f.panels[0].labels[0].index != 0 || f.panels[0].labels[len(f.panels[0].labels)-1].index != n-1 {
		t.Errorf("labels from %d to %d, want 0 to %d", f.panels[0].labels[0].index, f.panels[0].labels[len(f.panels[0].labels)-1].index, n-1)
	}
	for i, label := range f.panels[0].labels {
		for _, other := range f.panels[0].labels[:i] {
			if overlap(label.corners(), other.corners()) {
				t.Errorf("%q and %q overlap", other.text, label.text)
			}
		}
		for _, p := range label.corners() {
			if p = p.Add(f.panels[0].data.Min); p.X < 0 || p.X > f.size.X || p.Y < 0 || p.Y > f.panels[0].data.Min.Y {
				t.Errorf("%q reaches %v, out of the picture or into the data", label.text, p)
			}
		}
	}
}

func TestVersionLabelsShowAllThatFit(t *testing.T) {
	for _, n := range []int{1, 2, 28, 40} {
		if _, f := laidOut(t, manyTable(n), Options{}); len(f.panels[0].labels) != n {
			t.Errorf("%d of %d versions have a label", len(f.panels[0].labels), n)
		}
	}
}

func TestVersionLabelsKeepFailedVersions(t *testing.T) {
	tr, f := laidOut(t, manyTable(120), Options{})
	for i, k := range tr.marks {
		shown := slices.ContainsFunc(f.panels[0].labels, func(l versionLabel) bool { return l.index == i })
		near := slices.ContainsFunc(tr.lines, func(l releaseLine) bool { return i-l.from > -5 && i-l.from < 5 }) || len(tr.marks)-i < 5
		if k.kind == markFailed && !shown && !near {
			t.Errorf("failed version %s has no label", tr.names[i])
		}
	}
}

func TestVersionLabelsOfLongAndForeignNames(t *testing.T) {
	long := strings.Repeat("0123456789", 6)
	for _, n := range []int{1, 2, 40} {
		names := make([]string, n)
		values := make([]float64, n)
		for i := range names {
			names[i], values[i] = fmt.Sprintf("%d.0.0", i+1), 100
		}
		names[0] = long
		names[n/2] = "версия-é-版"
		if n == 1 {
			names[0] = long
		}
		_, f := laidOut(t, tableOf(names, values), Options{})
		checkLabels(t, f, n)
		if text := f.panels[0].labels[0].text; !strings.HasPrefix(text, "0123") || !strings.HasSuffix(text, "789") || !strings.Contains(text, ellipsis) {
			t.Errorf("%d versions: the long name became %q", n, text)
		}
		if f.panels[0].labels[0].width > maxLabelWidth {
			t.Errorf("%d versions: the long name is %v wide", n, f.panels[0].labels[0].width)
		}
	}
}

func TestLineNamesKeepApart(t *testing.T) {
	for _, n := range []int{40, 120, 837} {
		tr, f := laidOut(t, manyTable(n), Options{})
		part := f.panels[0].data.Size().X / vg.Length(n)
		x := func(v float64) vg.Length { return f.panels[0].data.Min.X + part*vg.Length(v+0.5) }
		names := lineBands{lines: tr.lines, look: f.theme, face: f.labelFace}.names(x, f.panels[0].data.Min.X, f.panels[0].data.Max.X)
		if len(names) == 0 {
			t.Errorf("%d versions: no line is named", n)
		}
		for i, a := range names {
			for _, b := range names[:i] {
				if a.from < b.to && b.from < a.to {
					t.Errorf("%d versions: %s and %s overlap", n, a.text, b.text)
				}
			}
		}
	}
}

package charts

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// xAxis is a panel's x axis: names in equal parts, the i-th at i, or numbers
// from min to max with ticks.
type xAxis struct {
	title    string
	min, max float64
	names    []string
	prefer   []int        // names to label before others
	strong   map[int]bool // names written in ink
	ticks    []plot.Tick  // of numbers; those without a label are short
}

// nameAxis has a part for each name.
func nameAxis(names []string, title string) xAxis {
	return xAxis{title: title, min: -0.5, max: float64(len(names)) - 0.5, names: names}
}

// numberAxis has the ticks and range of a value axis. On a logarithmic one the
// marks' x is the value's place by at.
func numberAxis(a valueAxis, title string) xAxis {
	x := xAxis{title: title, min: a.at(a.min), max: a.at(a.max)}
	for _, t := range a.ticks {
		x.ticks = append(x.ticks, plot.Tick{Value: a.at(t.Value), Label: t.Label})
	}
	return x
}

// labels places what has room on an axis of the given width.
func (a xAxis) labels(width vg.Length, face typeface) []versionLabel {
	if a.names != nil {
		return versionLabels(a.names, a.prefer, width, face)
	}
	var labels []versionLabel
	end := -width
	for i, t := range a.ticks {
		if t.Label == "" {
			continue
		}
		x := a.place(t.Value, width)
		l := versionLabel{index: i, tick: x, text: fitLabel(t.Label, maxLabelWidth, face), align: alignCenter,
			at: vg.Point{X: x, Y: -labelDrop}, height: face.lineHeight()}
		l.width = face.width(l.text)
		if x-l.width/2 < end+labelGap {
			continue
		}
		end = x + l.width/2
		labels = append(labels, l)
	}
	return labels
}

// minor is where short ticks stand.
func (a xAxis) minor(width vg.Length) []vg.Length {
	var at []vg.Length
	if n := len(a.names); n > 0 && width/vg.Length(n) >= minTickPart {
		for i := range a.names {
			at = append(at, a.place(float64(i), width))
		}
	}
	for _, t := range a.ticks {
		at = append(at, a.place(t.Value, width))
	}
	return at
}

func (a xAxis) place(v float64, width vg.Length) vg.Length {
	return vg.Length((v-a.min)/(a.max-a.min)) * width
}

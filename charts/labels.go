package charts

import (
	"math"

	"gonum.org/v1/plot/vg"
)

// versionLabel is one version's name under the x axis.
type versionLabel struct {
	index  int       // of the version on the axis
	tick   vg.Length // from the axis line's left end to its tick
	text   string    // shortened when it was too long
	at     vg.Point  // from the axis line's left end to where the text is written
	align  float64   // which share of the text lies before at
	angle  float64   // radians
	width  vg.Length // of the text before it was turned
	height vg.Length
}

// corners are the four corners of the label's box, in turn.
func (l versionLabel) corners() [4]vg.Point {
	left, up := -l.width*vg.Length(l.align), l.height/2
	box := [4]vg.Point{{X: left, Y: -up}, {X: left + l.width, Y: -up}, {X: left + l.width, Y: up}, {X: left, Y: up}}
	for i, p := range box {
		box[i] = turned(p, l.angle).Add(l.at)
	}
	return box
}

const (
	slantAngle    = math.Pi / 4
	maxLabelWidth = 96 * px // a longer name loses its middle
	labelGap      = 9 * px  // between neighbours written level
	labelDrop     = 14 * px // from the axis line to the middle of a level label
	slantDrop     = 9 * px  // from the axis line to the end of a slanted label
)

// versionLabels places the names of all versions, or of as many as fit, on an
// axis of the given width where version i stands in the middle of the i-th of
// len(names) equal parts.
//
// The first and the last are always labelled. Then come those of prefer, in
// its order, as far as boxes do not overlap, then versions that divide what is
// left between them evenly. All are written level when that leaves none out, otherwise at a
// slant.
func versionLabels(names []string, prefer []int, width vg.Length, face typeface) []versionLabel {
	if labels := levelLabels(names, width, face); labels != nil {
		return labels
	}
	n := len(names)
	height := face.lineHeight()
	part := width / vg.Length(n)
	// Slanted boxes are parallel strips: they are apart when their axes are
	// a line height apart, measured across the slant.
	apart := height / vg.Length(math.Sin(slantAngle))
	stride := max(1, int(math.Ceil(float64(apart/part)-1e-9)))

	chosen := make([]bool, n)
	choose := func(i int) {
		for j := max(0, i-stride+1); j < min(n, i+stride); j++ {
			if chosen[j] {
				return
			}
		}
		chosen[i] = true
	}
	choose(0)
	choose(n - 1)
	for _, i := range prefer {
		choose(i)
	}
	for last, i := 0, 1; i < n; i++ { // divide what lies between evenly
		if !chosen[i] {
			continue
		}
		parts := (i - last) / stride
		for j := 1; j < parts; j++ {
			chosen[last+j*(i-last)/parts] = true
		}
		last = i
	}

	var labels []versionLabel
	for i, name := range names {
		if !chosen[i] {
			continue
		}
		label := versionLabel{
			index: i, tick: part * (vg.Length(i) + 0.5), text: fitLabel(name, maxLabelWidth, face),
			at: vg.Point{X: part * (vg.Length(i) + 0.5), Y: -slantDrop}, align: alignRight, angle: slantAngle, height: height,
		}
		label.width = face.width(label.text)
		labels = append(labels, label)
	}
	return labels
}

// levelLabels writes every name level; nil when they do not fit.
func levelLabels(names []string, width vg.Length, face typeface) []versionLabel {
	part := width / vg.Length(len(names))
	labels := make([]versionLabel, len(names))
	for i, name := range names {
		label := versionLabel{
			index: i, tick: part * (vg.Length(i) + 0.5), text: fitLabel(name, maxLabelWidth, face),
			at: vg.Point{X: part * (vg.Length(i) + 0.5), Y: -labelDrop}, align: alignCenter, height: face.lineHeight(),
		}
		label.width = face.width(label.text)
		if label.width+labelGap > part {
			return nil
		}
		labels[i] = label
	}
	return labels
}

// fitLabel is a foreign name made safe and no wider than limit.
func fitLabel(name string, limit vg.Length, face typeface) string {
	const longest = 200 // runes; what is cut away anyway need not be measured
	text := Printable(name)
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest/2]) + string(runes[len(runes)-longest/2:])
	}
	return shortenMiddle(text, func(s string) bool { return face.width(s) <= limit })
}

// labelsExtent is how far the labels reach left of the axis's left end and
// below the axis line; both at least 0.
func labelsExtent(labels []versionLabel) (left, below vg.Length) {
	for _, l := range labels {
		for _, p := range l.corners() {
			left, below = max(left, -p.X), max(below, -p.Y)
		}
	}
	return left, below
}

package charts

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// callouts are texts beside points of a panel, apart from each other and, as
// far as there is room, from the marks.
type callouts struct {
	area   vg.Rectangle
	look   theme
	ground func(draw.Canvas, vg.Rectangle) // paints what a text stands on, over grid and leaders
	marks  []vg.Rectangle                  // better not covered
	clear  []vg.Rectangle                  // never covered
	placed []callout
}

// callout is one text in its place.
type callout struct {
	text   string
	face   typeface
	box    vg.Rectangle
	leader []vg.Point // from the point to the text; nil when they are close
}

const (
	maxCallouts   = 40 // more would be read by nobody
	calloutPad    = vg.Length(3 * px)
	calloutStep   = vg.Length(11 * px) // by which places for a text differ
	calloutLeader = vg.Length(8 * px)  // a text farther away is led to
)

func (n *callouts) avoid(r vg.Rectangle)     { n.marks = append(n.marks, r) }
func (n *callouts) keepClear(r vg.Rectangle) { n.clear = append(n.clear, r) }

// add finds the best place for text near a mark at the given point: close, and
// over few marks. A text for which there is no place is left out.
func (n *callouts) add(text string, at vg.Point, radius vg.Length, face typeface) {
	if len(n.placed) >= maxCallouts {
		return
	}
	width, height := face.width(text)+2*calloutPad, face.lineHeight()
	if width > n.area.Size().X {
		return
	}
	best, bestCost := callout{}, -1.0
	for up := at.Y - 30*calloutStep; up <= at.Y+30*calloutStep; up += calloutStep {
		for _, align := range []vg.Length{0.5, 0, 1} {
			left := at.X - align*width
			switch align {
			case 0:
				left += radius + calloutPad
			case 1:
				left -= radius + calloutPad
			}
			left = max(n.area.Min.X, min(left, n.area.Max.X-width))
			box := vg.Rectangle{Min: vg.Point{X: left, Y: up - height/2}, Max: vg.Point{X: left + width, Y: up + height/2}}
			if box.Min.Y < n.area.Min.Y+crossArm || box.Max.Y > n.area.Max.Y || n.taken(box) {
				continue
			}
			covered := n.covered(box)
			cost := float64(distance(at, box)) + 60*float64(min(covered, 8))
			if align != 0.5 {
				cost += 2
			}
			if bestCost < 0 || cost < bestCost {
				best, bestCost = callout{text: text, face: face, box: box}, cost
			}
		}
	}
	if bestCost < 0 {
		return
	}
	if to := nearest(at, best.box); distance(at, best.box) > radius+calloutLeader {
		away := to.Sub(at)
		length := vg.Length(math.Hypot(float64(away.X), float64(away.Y)))
		best.leader = []vg.Point{at.Add(away.Scale((radius + 1.5*px) / length)), to}
	}
	n.placed = append(n.placed, best)
}

func (n *callouts) taken(box vg.Rectangle) bool {
	for _, r := range n.clear {
		if overlapping(box, r) {
			return true
		}
	}
	for _, c := range n.placed {
		if overlapping(box, c.box) {
			return true
		}
	}
	return false
}

// covered is how many marks box would cover.
func (n *callouts) covered(box vg.Rectangle) int {
	covered := 0
	for _, r := range n.marks {
		if overlapping(box, r) {
			covered++
		}
	}
	return covered
}

func (n *callouts) draw(c draw.Canvas) {
	for _, one := range n.placed {
		if one.leader != nil {
			c.StrokeLines(stroke(n.look.muted, 0.8*px), one.leader)
		}
	}
	for _, one := range n.placed {
		n.ground(c, one.box)
		one.face.write(c, vg.Point{X: one.box.Min.X + calloutPad, Y: (one.box.Min.Y + one.box.Max.Y) / 2}, one.text, alignLeft, 0)
	}
}

func overlapping(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// around is a square about a point.
func around(p vg.Point, radius vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: p.X - radius, Y: p.Y - radius}, Max: vg.Point{X: p.X + radius, Y: p.Y + radius}}
}

// nearest is the point of r that is next to p.
func nearest(p vg.Point, r vg.Rectangle) vg.Point {
	return vg.Point{X: max(r.Min.X, min(p.X, r.Max.X)), Y: max(r.Min.Y, min(p.Y, r.Max.Y))}
}

// distance is from p to r, the longer of across and up.
func distance(p vg.Point, r vg.Rectangle) vg.Length {
	q := nearest(p, r)
	return max(q.X-p.X, p.X-q.X, q.Y-p.Y, p.Y-q.Y)
}

package charts

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"versweep/sweep"
	"versweep/sweep/stats"
)

// changes is what a judgement says of one metric, in places on the version
// axis.
type changes struct {
	steps  []step
	levels []level // between the steps; none without steps
	seams  []seam
	noise  float64 // change that could not be told from noise, a fraction; 0 when unknown
}

// step is a change between two versions or over a span of them.
type step struct {
	finding  sweep.Finding
	to       int     // first version after it
	at       float64 // where it is marked: between two versions, or in the middle of a creep
	from     int     // of a creep: the last version before it
	earliest float64 // where it may lie
	latest   float64
}

// muted tells whether people know of it and want to see it second.
func (s step) muted() bool {
	return s.finding.State == sweep.Acknowledged || s.finding.State == sweep.Expected
}

// hollow tells whether it is over.
func (s step) hollow() bool { return s.finding.State == sweep.Recovered }

// label is "-3.0 % (-4.2 to -1.9)", without the interval when it must be
// short.
func (s step) label(short bool) string {
	f := s.finding
	if math.IsNaN(f.Change) || math.IsInf(f.Change, 0) {
		return "from zero" + s.suffix()
	}
	label := signedPercent(f.Change, 1)
	if short {
		return label
	}
	if drawable(f.Lo) && drawable(f.Hi) {
		label += fmt.Sprintf(" (%s to %s)", signed(f.Lo, 1), signed(f.Hi, 1))
	}
	return label + s.suffix()
}

func (s step) suffix() string {
	switch {
	case s.finding.State == sweep.Acknowledged:
		return ", known"
	case s.finding.State == sweep.Expected:
		return ", expected"
	case s.finding.State == sweep.Recovered:
		return ", recovered"
	case s.finding.Kind == sweep.KindCreep:
		return ", creeping"
	}
	return ""
}

// level is how high the metric stood over some versions, in shown units.
type level struct {
	interval
	value float64
}

// crowded tells whether there are so many steps that their labels must be
// short.
func (c changes) crowded() bool { return len(c.steps) > 9 }

// seam is where the environment changed.
type seam struct {
	at    float64
	label string
}

// newChanges picks out what j says of m. Findings about versions that lie
// outside of those shown are left out.
func newChanges(tr *trend, j sweep.Judgement, m sweep.Metric) changes {
	var c changes
	if e := j.SmallestEffect[m.Key]; e > 0 && e < 1 {
		c.noise = e
	}
	n := len(tr.names)
	for _, f := range j.Findings {
		to := tr.boundary(f.To)
		if to <= 0 || to >= n {
			continue
		}
		at := float64(to) - 0.5
		if f.Kind == sweep.KindSeam {
			if f.Metric.Key == "" || f.Metric.Key == m.Key {
				c.addSeam(at)
			}
			continue
		}
		if f.Metric.Key != m.Key {
			continue
		}
		s := step{finding: f, to: to, at: at, earliest: at, latest: at, from: to - 1}
		if f.Kind == sweep.KindCreep {
			s.from = min(tr.boundary(f.From), to-1)
			s.at = float64(s.from+to) / 2
			s.earliest, s.latest = s.at, s.at
		} else {
			if f.PlaceLo != "" {
				s.earliest = min(at, float64(tr.boundary(f.PlaceLo))-0.5)
			}
			if f.PlaceHi != "" {
				s.latest = max(at, min(float64(tr.boundary(f.PlaceHi)), float64(n))-0.5)
			}
		}
		c.steps = append(c.steps, s)
	}
	c.levels = levelsOf(tr, c.steps)
	return c
}

// addSeam adds one seam a place: every metric has a finding about it.
func (c *changes) addSeam(at float64) {
	if !slices.ContainsFunc(c.seams, func(s seam) bool { return s.at == at }) {
		c.seams = append(c.seams, seam{at: at, label: "environment changed"})
	}
}

// levelsOf are the medians of the versions' medians between the steps. A
// spike that recovered has a level of its own.
func levelsOf(tr *trend, steps []step) []level {
	cuts := []int{0}
	for _, s := range steps {
		if s.finding.Kind == sweep.KindCreep {
			continue
		}
		cuts = append(cuts, s.to)
		if s.hollow() && s.finding.RecoveredIn != "" {
			cuts = append(cuts, tr.boundary(s.finding.RecoveredIn))
		}
	}
	if len(cuts) == 1 {
		return nil
	}
	cuts = append(cuts, len(tr.marks))
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var levels []level
	for i := 1; i < len(cuts); i++ {
		var medians []float64
		for _, k := range tr.marks[cuts[i-1]:cuts[i]] {
			if k.hasFigure() {
				medians = append(medians, k.median)
			}
		}
		if len(medians) > 0 {
			levels = append(levels, level{interval{cuts[i-1], cuts[i]}, stats.Median(medians)})
		}
	}
	return levels
}

// changeMarks paints changes into a panel.
type changeMarks struct {
	changes
	main  *trend
	all   []*trend // main and what is drawn with it
	panel *panel   // whose labels say which versions are named on the axis
	look  theme
	face  typeface

	unnamedSeams bool // another panel names them
}

const (
	levelWidth   = vg.Length(4.5 * px)
	creepWidth   = vg.Length(2.2 * px)
	changeRadius = vg.Length(4.6 * px)
	placeArm     = vg.Length(3 * px)
	bandShare    = 0.16
	levelShare   = 0.6 // of ink: enough to be seen below the marks
)

// groundwork is what a trend's own marks are painted over: the band around the
// reference, and the levels.
type groundwork struct{ changeMarks }

// Plot implements plot.Plotter.
func (g groundwork) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if g.noise > 0 && g.main.reference >= 0 {
		centre := g.main.marks[g.main.reference].median
		lo, hi := centre*(1-g.noise), centre*(1+g.noise)
		low := y(max(min(lo, hi), p.Y.Min))
		high := y(min(max(lo, hi), p.Y.Max))
		c.FillPolygon(g.look.faded(g.look.reference, bandShare), []vg.Point{
			{X: c.Min.X, Y: low}, {X: c.Max.X, Y: low}, {X: c.Max.X, Y: high}, {X: c.Min.X, Y: high}})
	}
	for _, l := range g.levels {
		if p.Y.Min <= l.value {
			c.StrokeLine2(g.levelLine(), x(float64(l.from)-0.45), y(l.value), x(float64(l.to)-0.55), y(l.value))
		}
	}
}

func (d changeMarks) levelLine() draw.LineStyle {
	return stroke(d.look.faded(d.look.ink, levelShare), levelWidth)
}

// Plot implements plot.Plotter.
func (d changeMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	part := x(1) - x(0)
	notes := callouts{area: c.Rectangle, look: d.look, ground: d.ground(x)}
	for _, tr := range d.all {
		for i, k := range tr.marks {
			if k.hasFigure() {
				notes.avoid(vg.Rectangle{
					Min: vg.Point{X: x(float64(i)) - part/2, Y: y(max(k.lo, p.Y.Min)) - maxRadius},
					Max: vg.Point{X: x(float64(i)) + part/2, Y: y(max(k.hi, p.Y.Min)) + maxRadius}})
			}
		}
	}
	for _, s := range d.seams {
		d.drawSeam(c, x(s.at))
		notes.keepClear(vg.Rectangle{Min: vg.Point{X: x(s.at) - 2*px, Y: c.Min.Y}, Max: vg.Point{X: x(s.at) + 2*px, Y: c.Max.Y}})
	}
	for _, s := range d.steps {
		if s.finding.Kind == sweep.KindCreep {
			a, b := d.levelAt(s.from), d.levelAt(s.to)
			c.StrokeLine2(stroke(d.tone(s), creepWidth, 2*px, 2.5*px), x(float64(s.from)), y(max(a, p.Y.Min)), x(float64(s.to)), y(max(b, p.Y.Min)))
		}
	}
	for _, s := range d.steps {
		at := vg.Point{X: x(s.at), Y: y(max(d.height(s), p.Y.Min))}
		if s.latest > s.earliest {
			d.drawPlace(c, s, x(s.earliest), x(s.latest), at.Y)
		}
		d.drawChange(c, s, at)
		notes.keepClear(around(at, changeRadius+2*px))
	}
	for _, s := range d.byWeight() {
		at := vg.Point{X: x(s.at), Y: y(max(d.height(s), p.Y.Min))}
		text := s.label(d.crowded())
		if !d.named(s.to) {
			text = fitLabel(d.main.names[s.to], maxLabelWidth, d.face) + ": " + text
		}
		face := d.face
		if !s.muted() {
			face.color = d.look.ink
		}
		notes.add(text, at, changeRadius, face)
	}
	for _, s := range d.seams {
		if d.unnamedSeams {
			break
		}
		notes.add(s.label, vg.Point{X: x(s.at), Y: c.Max.Y - d.face.lineHeight()}, 0, d.face)
	}
	notes.draw(c)
}

// ground paints over what a text would cover, in the colours of the lines'
// bands.
func (d changeMarks) ground(x func(float64) vg.Length) func(draw.Canvas, vg.Rectangle) {
	return func(c draw.Canvas, box vg.Rectangle) {
		c.SetColor(d.look.background)
		c.Fill(box.Path())
		if !d.main.banded {
			return
		}
		for n, line := range d.main.lines {
			piece := box
			piece.Min.X = max(box.Min.X, x(float64(line.from)-0.5))
			piece.Max.X = min(box.Max.X, x(float64(line.to)-0.5))
			if piece.Min.X < piece.Max.X {
				c.SetColor(d.look.bands[n%len(d.look.bands)])
				c.Fill(piece.Path())
			}
		}
	}
}

// byWeight is the steps in the order in which they get a label: what people
// have still to look at first, then the largest.
func (d changeMarks) byWeight() []step {
	return slices.SortedStableFunc(slices.Values(d.steps), func(a, b step) int {
		rank := func(s step) int {
			switch {
			case s.muted():
				return 2
			case s.hollow():
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(math.Abs(b.finding.Change), math.Abs(a.finding.Change)))
	})
}

// levelAt is how high the metric stood at the i-th version.
func (d changeMarks) levelAt(i int) float64 {
	for _, l := range d.levels {
		if l.from <= i && i < l.to {
			return l.value
		}
	}
	for distance := range len(d.main.marks) {
		for _, j := range []int{i - distance, i + distance} {
			if j >= 0 && j < len(d.main.marks) && d.main.marks[j].hasFigure() {
				return d.main.marks[j].median
			}
		}
	}
	return 0
}

// height is where a step is marked: half way between its levels.
func (d changeMarks) height(s step) float64 {
	a, b := d.levelAt(s.from), d.levelAt(s.to)
	if d.panel.y.log && a > 0 && b > 0 {
		return math.Sqrt(a) * math.Sqrt(b)
	}
	return a/2 + b/2
}

// named tells whether the axis names the i-th version.
func (d changeMarks) named(i int) bool {
	return slices.ContainsFunc(d.panel.labels, func(l versionLabel) bool { return l.index == i })
}

// tone is a step's colour.
func (d changeMarks) tone(s step) color.Color {
	switch {
	case s.muted():
		return d.look.muted
	case s.finding.Verdict == sweep.Regression:
		return d.look.worse
	case s.finding.Verdict == sweep.Improvement:
		return d.look.better
	}
	return d.look.ink
}

// drawChange marks a step: a triangle for worse, a square for better, a
// diamond when neither can be said; hollow when it is over.
func (d changeMarks) drawChange(c draw.Canvas, s step, at vg.Point) {
	n := 3
	switch s.finding.Verdict {
	case sweep.Regression:
		n = 2
	case sweep.Improvement:
		n = 1
	}
	var edge, mark vg.Path
	shape(&edge, n, at, changeRadius+2*px)
	shape(&mark, n, at, changeRadius)
	c.SetColor(d.look.background)
	c.Fill(edge)
	if !s.hollow() {
		c.SetColor(d.tone(s))
		c.Fill(mark)
	}
	c.SetLineStyle(stroke(d.tone(s), 1.6*px))
	c.Stroke(mark)
}

// drawPlace shows between which versions a step may lie.
func (d changeMarks) drawPlace(c draw.Canvas, s step, from, to, height vg.Length) {
	style := stroke(d.tone(s), 1.2*px)
	c.StrokeLine2(style, from, height, to, height)
	for _, x := range []vg.Length{from, to} {
		c.StrokeLine2(style, x, height-placeArm, x, height+placeArm)
	}
}

func (d changeMarks) drawSeam(c draw.Canvas, x vg.Length) {
	c.StrokeLine2(d.seamLine(), x, c.Min.Y, x, c.Max.Y)
}

func (d changeMarks) seamLine() draw.LineStyle {
	return stroke(d.look.ink, 1.2*px, 6*px, 3*px, 1.5*px, 3*px)
}

// hasBand tells whether there is a band around the reference.
func (p trendPanel) hasBand() bool { return p.changes.noise > 0 && p.trends[0].reference >= 0 }

// changeLegend explains the marks of changes that occur in some panel.
func (p *trendPicture) changeLegend(f *frame) (entries []legendEntry) {
	seen := map[string]bool{}
	add := func(text string, mark func(c draw.Canvas, at vg.Point)) {
		if !seen[text] {
			seen[text] = true
			entries = append(entries, legendEntry{text, mark})
		}
	}
	d := changeMarks{look: f.theme}
	band := func(c draw.Canvas, at vg.Point) {
		var box vg.Path
		shape(&box, 1, at, 6*px)
		c.SetColor(f.theme.faded(f.theme.reference, bandShare))
		c.Fill(box)
	}
	if len(p.panels) == 1 && p.panels[0].hasBand() {
		add(fmt.Sprintf("±%s %%: not seen between neighbours alone", fixed(p.panels[0].changes.noise*100, 1)), band)
	} else if slices.ContainsFunc(p.panels, trendPanel.hasBand) {
		add("not seen between neighbours alone", band)
	}
	level, whose := "level", ""
	if len(p.panels[0].trends) > 1 { // the others are drawn without
		first := fitLabel(targetTitle(p.table), maxTitleWidth, f.captionFace)
		level, whose = "level of "+first, first+": "
	}
	for _, panel := range p.panels {
		if len(panel.changes.levels) > 0 {
			add(level, func(c draw.Canvas, at vg.Point) {
				c.StrokeLine2(d.levelLine(), at.X-legendMark/2, at.Y, at.X+legendMark/2, at.Y)
			})
		}
	}
	interval := " (95 % interval)"
	if slices.ContainsFunc(p.panels, func(one trendPanel) bool { return one.changes.crowded() }) {
		interval = ""
	}
	for _, want := range []struct {
		text string
		is   func(step) bool
	}{
		{"worse" + interval, func(s step) bool { return s.finding.Verdict == sweep.Regression && !s.muted() && !s.hollow() }},
		{"better" + interval, func(s step) bool { return s.finding.Verdict == sweep.Improvement && !s.muted() && !s.hollow() }},
		{"known or expected", step.muted},
		{"recovered", step.hollow},
	} {
		for _, panel := range p.panels {
			if i := slices.IndexFunc(panel.changes.steps, want.is); i >= 0 {
				s := panel.changes.steps[i]
				add(whose+want.text, func(c draw.Canvas, at vg.Point) { d.drawChange(c, s, at) })
			}
		}
	}
	return entries
}

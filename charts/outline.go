package charts

import (
	"cmp"
	"strconv"

	"versweep/sweep"
)

// Outline is what Trend shows, as numbers and words, for pages that draw it
// themselves. Every text in it is printable.
type Outline struct {
	Names  []string // of the versions, shortened as on an axis
	Lines  []OutlineLine
	Banded bool // lines are told apart: some have several versions
	Panels []OutlinePanel
}

// OutlineLine is neighbouring versions of one line of releases: those from From
// up to, but not including, To.
type OutlineLine struct {
	Name     string
	From, To int
}

// OutlinePanel is one metric. Values are in shown units: see Unit.
type OutlinePanel struct {
	Metric    sweep.Metric
	Unit      string
	Points    []OutlinePoint // one a version
	Reference int            // position of the reference; -1 when it has no figure
	Twin      OutlinePoint   // of the reference under its second label
	Noise     float64        // change that could not be told from noise, a fraction; 0 when unknown
	Levels    []OutlineLevel // between the steps; none without steps
	Steps     []OutlineStep
	Seams     []float64 // places at which the environment changed
}

// OutlinePoint is one version's figure; Samples is 0 when there is none.
type OutlinePoint struct {
	Median, Lo, Hi float64
	Samples        int
	Text           string // "31,950 (31,500 – 32,400, n=5)"
}

// OutlineLevel is how high a metric stood over versions From up to, but not
// including, To.
type OutlineLevel struct {
	From, To int
	Value    float64
}

// OutlineStep is a change, marked between two versions or in the middle of a
// creep: 2.5 is half way from the third version to the fourth.
type OutlineStep struct {
	Finding          sweep.Finding
	At               float64
	From, To         int     // last version before it, first one after it
	Earliest, Latest float64 // places between which it lies
	Height           float64
	Label            string // "-3.0 % (-4.2 to -1.9)"
}

// OutlineOf is the outline of every metric that some version of t has.
func OutlineOf(t sweep.Table, j *sweep.Judgement) Outline {
	axis := newVersionAxis(t, nil)
	o := Outline{Banded: axis.banded}
	for _, name := range axis.names {
		o.Names = append(o.Names, shortenMiddle(Printable(name), withinColumns(maxNameColumns)))
	}
	for _, line := range axis.lines {
		name := shortenMiddle(Printable(line.name), withinColumns(maxNameColumns))
		o.Lines = append(o.Lines, OutlineLine{cmp.Or(name, "other"), line.from, line.to})
	}
	for _, m := range t.Plan.AllMetrics() {
		if tr := newTrend(axis, t, m, false); len(tr.runs) > 0 {
			o.Panels = append(o.Panels, newOutlinePanel(tr, m, j))
		}
	}
	return o
}

func newOutlinePanel(tr *trend, m sweep.Metric, j *sweep.Judgement) OutlinePanel {
	p := OutlinePanel{Metric: m, Unit: UnitOf(m), Reference: tr.reference, Twin: newOutlinePoint(tr.twin)}
	for _, k := range tr.marks {
		p.Points = append(p.Points, newOutlinePoint(k))
	}
	if j == nil {
		return p
	}
	c := newChanges(tr, *j, m)
	p.Noise = c.noise
	for _, l := range c.levels {
		p.Levels = append(p.Levels, OutlineLevel{l.from, l.to, l.value})
	}
	marks := changeMarks{changes: c, main: tr, panel: &panel{}}
	for _, s := range c.steps {
		p.Steps = append(p.Steps, OutlineStep{s.finding, s.at, s.from, s.to, s.earliest, s.latest, marks.height(s), s.label(c.crowded())})
	}
	for _, s := range c.seams {
		p.Seams = append(p.Seams, s.at)
	}
	return p
}

func newOutlinePoint(k mark) OutlinePoint {
	if !k.hasFigure() || k.samples == 0 {
		return OutlinePoint{}
	}
	p := OutlinePoint{Median: k.median, Lo: k.lo, Hi: k.hi, Samples: k.samples, Text: number(k.median) + " (n=1)"}
	if k.samples > 1 {
		p.Text = number(k.median) + " (" + number(k.lo) + " – " + number(k.hi) + ", n=" + strconv.Itoa(k.samples) + ")"
	}
	return p
}

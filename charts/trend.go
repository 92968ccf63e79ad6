package charts

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/vg/draw"

	"versweep/sweep"
)

// Trend draws one metric of every version of t, in version order and equally
// spaced: the median of each version's samples, a bar from the lowest to the
// highest, and a line that joins neighbours and breaks where a version has no
// figure. Failed versions keep their place and are crossed out on the axis.
// The reference's median runs through as a dashed line, its A/A twin stands
// beside it. The y axis starts at zero unless o.LogY is set.
//
// It returns an error that wraps ErrNothingToDraw when no version has a
// figure to show.
func Trend(w io.Writer, t sweep.Table, m sweep.Metric, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	tr, err := newTrend(t, m, o.LogY)
	if err != nil {
		return err
	}
	f := tr.frame(t, m, o)
	f.layout(o.size())
	if err := render(w, o, func(c draw.Canvas) { f.draw(c) }); err != nil {
		return fmt.Errorf("drawing %s of %s: %w", m.Key, Printable(t.Target), err)
	}
	return nil
}

// markKind says how a version is marked.
type markKind int

const (
	markMeasured markKind = iota
	markDegraded          // has a figure, though some requests failed
	markFailed            // could not be measured
	markUnknown           // was measured, but not this metric
	markOffScale          // zero or less on a logarithmic axis
)

// mark is one version in the picture.
type mark struct {
	kind           markKind
	median, lo, hi float64 // in shown units; only of kinds with a figure
	samples        int
}

// hasFigure tells whether the mark stands at a height of its own.
func (m mark) hasFigure() bool { return m.kind == markMeasured || m.kind == markDegraded }

// trend is what the picture shows, before it has a size.
type trend struct {
	names     []string
	marks     []mark // one a version
	lines     []releaseLine
	banded    bool       // some line has several versions, so lines are told apart
	runs      []interval // marks that the line joins
	reference int        // position of the reference; -1 when it has no figure
	twin      mark       // of the reference under its second label; samples is 0 when unknown
	axis      valueAxis
}

const (
	yTicks    = 6 // steps aimed at; a picture's height hardly changes what reads well
	twinLabel = "reference again (A/A)"
)

// newTrend sorts out which versions have a figure of m that can be shown.
func newTrend(t sweep.Table, m sweep.Metric, logY bool) (*trend, error) {
	tr := &trend{reference: -1}
	shown := displayOf(m)
	for i, row := range t.Rows {
		k := newMark(row.Status, row.Metrics, m.Key, shown, logY)
		tr.names = append(tr.names, row.Version.Name)
		tr.marks = append(tr.marks, k)
		if row.Version.Name == t.Plan.Reference && k.hasFigure() {
			tr.reference = i
		}
		if n := len(tr.lines); n > 0 && tr.lines[n-1].name == row.Version.Line {
			tr.lines[n-1].to = i + 1
		} else {
			tr.lines = append(tr.lines, releaseLine{interval{i, i + 1}, row.Version.Line})
		}
	}
	tr.banded = len(tr.lines) > 1 && len(tr.lines) < len(tr.marks)
	tr.runs = tr.joined()
	if len(tr.runs) == 0 {
		return nil, fmt.Errorf("%w: none of the %s of %s has a figure for %s",
			ErrNothingToDraw, count(int64(len(t.Rows)), "selected version"), targetTitle(t), withinSentence(m.Title))
	}
	if twin := newMark(sweep.OK, t.Twin, m.Key, shown, logY); twin.hasFigure() && tr.reference >= 0 {
		tr.twin = twin
	}
	tr.axis = tr.valueAxis(logY)
	return tr, nil
}

// newMark reads one version's figure.
func newMark(status sweep.Status, metrics map[string]sweep.Estimate, key string, shown display, logY bool) mark {
	if status == sweep.Failed {
		return mark{kind: markFailed}
	}
	e, ok := metrics[key]
	k := mark{median: e.Median * shown.factor, lo: e.Lo * shown.factor, hi: e.Hi * shown.factor, samples: e.Samples}
	switch {
	case !ok || e.Samples < 1 || !drawable(k.median):
		return mark{kind: markUnknown}
	case logY && k.median <= 0:
		return mark{kind: markOffScale}
	case status == sweep.Degraded:
		k.kind = markDegraded
	}
	if !drawable(k.lo) || !drawable(k.hi) { // a range that cannot be trusted is not drawn
		k.lo, k.hi = k.median, k.median
	}
	k.lo, k.hi = min(k.lo, k.median), max(k.hi, k.median)
	return k
}

// joined finds the runs of neighbouring figures. A run ends at a gap, and
// where a line of releases ends when lines are told apart: 0.12.18 was
// released after 4.0.0, so going from one to the other is no step in time.
func (tr *trend) joined() []interval {
	lines := []releaseLine{{interval: interval{0, len(tr.marks)}}}
	if tr.banded {
		lines = tr.lines
	}
	var runs []interval
	for _, line := range lines {
		open := false
		for i := line.from; i < line.to; i++ {
			switch {
			case !tr.marks[i].hasFigure():
				open = false
			case open:
				runs[len(runs)-1].to = i + 1
			default:
				runs = append(runs, interval{i, i + 1})
				open = true
			}
		}
	}
	return runs
}

// valueAxis covers every range that is drawn.
func (tr *trend) valueAxis(logY bool) valueAxis {
	first := tr.marks[tr.runs[0].from]
	lo, hi := first.median, first.median
	for _, k := range append([]mark{tr.twin}, tr.marks...) {
		if !k.hasFigure() || k.samples == 0 {
			continue
		}
		hi = max(hi, k.hi)
		switch {
		case !logY || k.lo > 0:
			lo = min(lo, k.lo)
		default: // the bar goes down to the axis, wherever that is
			lo = min(lo, k.median)
		}
	}
	if logY {
		return logAxis(lo, hi, yTicks)
	}
	return linearAxis(lo, hi, yTicks)
}

// has tells whether some version is marked as kind.
func (tr *trend) has(kind markKind) bool {
	for _, k := range tr.marks {
		if k.kind == kind {
			return true
		}
	}
	return false
}

// samplesPhrase says what a mark and its bar stand for.
func (tr *trend) samplesPhrase() string {
	least, most := 0, 0
	for _, k := range tr.marks {
		if k.hasFigure() {
			if least == 0 || k.samples < least {
				least = k.samples
			}
			most = max(most, k.samples)
		}
	}
	if most == 1 {
		return "one sample"
	}
	return "median, lowest to highest of " + countRange(least, most, "sample")
}

// landmarks are the positions whose labels are kept first when not all have
// room: where lines of releases begin, newest first, then failed versions.
func (tr *trend) landmarks() []int {
	var at []int
	if tr.banded {
		for i := len(tr.lines) - 1; i >= 0; i-- {
			at = append(at, tr.lines[i].from)
		}
	}
	for i, k := range tr.marks {
		if k.kind == markFailed {
			at = append(at, i)
		}
	}
	return at
}

// frame sets the scene and adds the marks.
func (tr *trend) frame(t sweep.Table, m sweep.Metric, o Options) *frame {
	look := lightTheme()
	f := newFrame(look, tr.names, tr.axis)
	f.title = heading(t, m) + " by version"
	f.captions = []string{loadCaption(t), machineCaption(t.Environment)}
	f.yTitle = m.Title
	if unit := displayOf(m).unit; unit != "" {
		f.yTitle += " (" + unit + ")"
	}
	if o.LogY {
		f.yTitle += ", log scale"
	}
	f.xTitle = targetTitle(t) + " version"
	f.prefer = tr.landmarks()
	marks := trendMarks{trend: tr, look: look, face: f.labelFace}
	f.legend = marks.legend(t.Plan.Reference)
	if tr.banded {
		f.above = bandHead
		f.plot.Add(lineBands{lines: tr.lines, look: look, face: f.labelFace})
	}
	f.plot.Add(gridLines{ticks: tr.axis.ticks, look: look}, marks)
	return f
}

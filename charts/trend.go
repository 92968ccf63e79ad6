package charts

import (
	"fmt"
	"io"
	"strings"

	"versweep/sweep"
)

// Trend draws one metric of every version of t, in version order and equally
// spaced: the median of each version's samples, a bar from the lowest to the
// highest, and a line that joins neighbours and breaks where a version has no
// figure. Failed versions keep their place and are crossed out on the axis.
// The reference's median runs through as a dashed line, its A/A twin stands
// beside it. The y axis starts at zero unless o says otherwise.
//
// With o.Judgement, levels and the changes between them are marked, and a band
// around the reference shows what the sweep could not tell from noise. Each
// of o.Metrics gets a panel of its own below, each of o.With a series in every
// panel.
//
// It returns an error that wraps ErrNothingToDraw when a panel would show no
// figure.
func Trend(w io.Writer, t sweep.Table, m sweep.Metric, o Options) error {
	if o.Height == 0 {
		o.Height = defaultHeight + len(o.Metrics)*furtherPanel
	}
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	p, err := newTrendPicture(t, m, o)
	if err != nil {
		return err
	}
	f := p.frame(o)
	if err := f.layout(o.size()); err != nil {
		return err
	}
	if err := render(w, o, f.draw); err != nil {
		return fmt.Errorf("drawing %s of %s: %w", m.Key, Printable(t.Target), err)
	}
	return nil
}

const (
	furtherPanel = 190 // CSS pixels that a further panel adds to a picture's height
	maxPanels    = 6
)

// trendPicture is what Trend shows, before it has a size.
type trendPicture struct {
	table  sweep.Table
	axis   *versionAxis
	panels []trendPanel
}

// trendPanel is one metric: of the table first, then of what goes with it.
type trendPanel struct {
	metric  sweep.Metric
	trends  []*trend
	changes changes
	y       valueAxis
}

func newTrendPicture(t sweep.Table, m sweep.Metric, o Options) (*trendPicture, error) {
	switch {
	case len(o.With)+1 > maxSeries:
		return nil, fmt.Errorf("%d series in one picture: it must be at most %d", len(o.With)+1, maxSeries)
	case len(o.Metrics)+1 > maxPanels:
		return nil, fmt.Errorf("%d metrics in one picture: they must be at most %d", len(o.Metrics)+1, maxPanels)
	}
	p := &trendPicture{table: t, axis: newVersionAxis(t, o.With)}
	for _, m := range append([]sweep.Metric{m}, o.Metrics...) {
		panel := trendPanel{metric: m, trends: []*trend{newTrend(p.axis, t, m, o.LogY)}}
		for _, with := range o.With {
			panel.trends = append(panel.trends, newTrend(p.axis, with.Table, m, o.LogY))
		}
		if !panel.hasFigures() {
			return nil, fmt.Errorf("%w: none of the %s of %s has a figure for %s",
				ErrNothingToDraw, count(int64(len(t.Rows)), "selected version"), targetTitle(t), withinSentence(m.Title))
		}
		if o.Judgement != nil {
			panel.changes = newChanges(panel.trends[0], *o.Judgement, m)
		}
		panel.y = panel.valueAxis(o)
		p.panels = append(p.panels, panel)
	}
	return p, nil
}

func (p trendPanel) hasFigures() bool {
	for _, tr := range p.trends {
		if len(tr.runs) > 0 {
			return true
		}
	}
	return false
}

// markKind says how a version is marked.
type markKind int

const (
	markMeasured markKind = iota
	markDegraded          // has a figure that is in doubt
	markFailed            // could not be measured
	markUnknown           // was measured, but not this metric
	markOffScale          // zero or less on a logarithmic axis
	markAbsent            // a version that only another series has
)

// mark is one version in the picture.
type mark struct {
	kind           markKind
	median, lo, hi float64 // in shown units; only of kinds with a figure
	samples        int
}

// hasFigure tells whether the mark stands at a height of its own.
func (m mark) hasFigure() bool { return m.kind == markMeasured || m.kind == markDegraded }

// trend is one series of a panel.
type trend struct {
	*versionAxis
	marks     []mark     // one a version
	runs      []interval // marks that the line joins
	reference int        // position of the reference; -1 when it has no figure
	twin      mark       // of the reference under its second label; samples is 0 when unknown
}

const (
	yTicks       = 6 // steps aimed at; a picture's height hardly changes what reads well
	twinLabel    = "reference again (A/A)"
	degradedText = "in doubt: the table says why" // requests failed, or every sample is spoilt
)

// newTrend sorts out which versions have a figure of m that can be shown.
func newTrend(axis *versionAxis, t sweep.Table, m sweep.Metric, logY bool) *trend {
	tr := &trend{versionAxis: axis, marks: make([]mark, len(axis.names)), reference: -1}
	for i := range tr.marks {
		tr.marks[i].kind = markAbsent
	}
	shown := displayOf(m)
	for r, row := range t.Rows {
		i := axis.position(t, r)
		tr.marks[i] = newMark(row.Status, row.Metrics, m.Key, shown, logY)
		if row.WithoutFigure() {
			tr.marks[i].kind = markUnknown
		}
		if row.Version.Name == t.Plan.Reference && tr.marks[i].hasFigure() {
			tr.reference = i
		}
	}
	tr.runs = tr.joined(banded(t))
	if twin := newMark(sweep.OK, t.Twin, m.Key, shown, logY); twin.hasFigure() && tr.reference >= 0 {
		tr.twin = twin
	}
	return tr
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
// where a line of releases ends when byLine: 0.12.18 was released after 4.0.0,
// so going from one to the other is no step in time.
func (tr *trend) joined(byLine bool) []interval {
	lines := []releaseLine{{interval: interval{0, len(tr.marks)}}}
	if byLine {
		lines = tr.lines
	}
	var runs []interval
	for _, line := range lines {
		open := false
		for i := line.from; i < line.to; i++ {
			switch {
			case tr.marks[i].kind == markAbsent: // a version of another series is no gap in this one
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
func (p trendPanel) valueAxis(o Options) valueAxis {
	var lo, hi float64
	first := true
	for _, tr := range p.trends {
		for _, k := range append([]mark{tr.twin}, tr.marks...) {
			if !k.hasFigure() || k.samples == 0 {
				continue
			}
			if first {
				lo, hi, first = k.median, k.median, false
			}
			hi = max(hi, k.hi)
			switch {
			case !o.LogY || k.lo > 0:
				lo = min(lo, k.lo)
			default: // the bar goes down to the axis, wherever that is
				lo = min(lo, k.median)
			}
		}
	}
	ticks := yTicks
	if len(o.Metrics) > 0 {
		ticks = yTicks - 2
	}
	switch {
	case o.LogY:
		return logAxis(lo, hi, ticks)
	case o.Zoom:
		return zoomedAxis(lo, hi, ticks)
	default:
		return linearAxis(lo, hi, ticks)
	}
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
func samplesPhrase(trends ...*trend) string {
	least, most := 0, 0
	for _, tr := range trends {
		for _, k := range tr.marks {
			if k.hasFigure() {
				if least == 0 || k.samples < least {
					least = k.samples
				}
				most = max(most, k.samples)
			}
		}
	}
	if most == 1 {
		return "one sample"
	}
	return "median, lowest to highest of " + countRange(least, most, "sample")
}

// landmarks are the positions whose labels are kept first when not all have
// room: changes, where lines of releases begin, newest first, then failed
// versions. The changes come again on their own.
func (p *trendPicture) landmarks() (at []int, changed map[int]bool) {
	changed = map[int]bool{}
	for _, panel := range p.panels {
		for _, c := range panel.changes.steps {
			if !changed[c.to] {
				at = append(at, c.to)
			}
			changed[c.to] = true
		}
	}
	if p.axis.banded {
		for i := len(p.axis.lines) - 1; i >= 0; i-- {
			at = append(at, p.axis.lines[i].from)
		}
	}
	for i, k := range p.panels[0].trends[0].marks {
		if k.kind == markFailed {
			at = append(at, i)
		}
	}
	return at, changed
}

// frame sets the scene and adds the marks.
func (p *trendPicture) frame(o Options) *frame {
	f := newFrame(o.Theme.look())
	f.sharedX = true
	f.title = p.title(o)
	f.captions = append(captionsOf(p.table), otherCaptions(p.table, o.With)...)
	for _, panel := range p.panels {
		if n := len(panel.changes.steps); n > maxCallouts {
			f.captions = append(f.captions, fmt.Sprintf("%s: %s, the size of the largest is written", Printable(panel.metric.Title), count(int64(n), "change")))
		}
	}
	x := nameAxis(p.axis.names, targetTitle(p.table)+" version")
	if len(o.With) > 0 {
		x.title = "Version"
	}
	x.prefer, x.strong = p.landmarks()
	for i, panel := range p.panels {
		pn := f.addPanel(x, panel.y, metricTitle(panel.metric, panel.y))
		if p.axis.banded {
			bands := lineBands{lines: p.axis.lines, look: f.theme, face: f.labelFace, plain: len(panel.trends) > 1, unnamed: i > 0}
			if i == 0 {
				pn.above = bandHead
			}
			pn.plot.Add(bands)
		}
		pn.plot.Add(gridLines{ticks: panel.y.ticks, look: f.theme})
		marks := p.marks(f, panel)
		judged := changeMarks{changes: panel.changes, main: panel.trends[0], all: panel.trends, panel: pn, look: f.theme, face: f.labelFace, unnamedSeams: i > 0}
		pn.plot.Add(groundwork{judged})
		for _, m := range marks {
			pn.plot.Add(m)
		}
		pn.plot.Add(judged)
		if i == 0 {
			f.legend = p.trendLegend(f, marks, o)
		}
	}
	f.legend = append(f.legend, p.changeLegend(f)...)
	return f
}

// marks is how each series of a panel is painted.
func (p *trendPicture) marks(f *frame, panel trendPanel) []trendMarks {
	marks := make([]trendMarks, len(panel.trends))
	for i, tr := range panel.trends {
		marks[i] = trendMarks{trend: tr, look: f.theme, face: f.labelFace, series: i, of: len(panel.trends)}
	}
	return marks
}

// title is "Node.js: throughput by version".
func (p *trendPicture) title(o Options) string {
	title := heading(p.table, p.panels[0].metric)
	if len(o.With) > 0 {
		title = p.panels[0].metric.Title
	}
	if len(p.panels) > 1 {
		title = targetTitle(p.table) + ": " + count(int64(len(p.panels)), "metric")
		if len(o.With) > 0 {
			title = count(int64(len(p.panels)), "metric")
		}
	}
	return title + " by version"
}

// metricTitle is "Throughput (requests/s)", and what is unusual about the axis.
func metricTitle(m sweep.Metric, y valueAxis) string {
	title := Printable(m.Title)
	if unit := displayOf(m).unit; unit != "" {
		title += " (" + Printable(unit) + ")"
	}
	switch {
	case y.log:
		title += ", log scale"
	case y.cut():
		title += ", not from zero"
	}
	return title
}

// otherCaptions say what was different for the further series.
func otherCaptions(t sweep.Table, with []Overlay) (captions []string) {
	for _, o := range with {
		further := o.Table
		if f := further.Plan.Foreign; f != nil && strings.HasPrefix(o.Title, f.File) { // named already
			unnamed := *f
			unnamed.File, unnamed.Format = "", ""
			further.Plan.Foreign = &unnamed
		}
		if other := differing(captionsOf(t), captionsOf(further)); other != "" {
			captions = append(captions, o.title()+": "+other)
		}
	}
	return captions
}

// trendLegend explains the marks of the first panel.
func (p *trendPicture) trendLegend(f *frame, marks []trendMarks, o Options) []legendEntry {
	if len(marks) == 1 {
		return marks[0].legend(p.table.Plan.Reference)
	}
	titles := []string{targetTitle(p.table)}
	for _, with := range o.With {
		titles = append(titles, with.title())
	}
	var entries []legendEntry
	for i, m := range marks {
		title := fitLabel(titles[i], maxTitleWidth, f.captionFace)
		if len(m.runs) == 0 {
			title += " (no figure)"
		}
		entries = append(entries, legendEntry{title, m.sample})
	}
	entries = append(entries, marks[0].kinds(samplesPhrase(p.panels[0].trends...), marks)...)
	if marks[0].reference >= 0 {
		entries = append(entries, marks[0].referenceEntry(p.table.Plan.Reference))
	}
	return entries
}

// maxTitleWidth is how wide a series' name may be in a legend.
const maxTitleWidth = 220 * px

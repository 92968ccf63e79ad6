package charts

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"versweep/sweep"
	"versweep/sweep/stats"
)

// Compare draws what became of each metric from one release to another: a bar
// for new/old, where 100 % is as before, its 95 % interval, and the verdict in
// words. With o.Zoom the axis leaves zero out and bars become points. It
// returns an error that wraps ErrNothingToDraw when there is no ratio at all.
func Compare(w io.Writer, h Heading, comparisons []sweep.Comparison, o Options) error {
	if o.Height == 0 {
		o.Height = barsHeight(len(comparisons))
	}
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	f, err := compareFrame(h, comparisons, o)
	if err != nil {
		return err
	}
	if err := f.layout(o.size()); err != nil {
		return err
	}
	if err := render(w, o, f.draw); err != nil {
		return fmt.Errorf("drawing the comparison %s: %w", Printable(h.Title), err)
	}
	return nil
}

// barsHeight is a picture's height in CSS pixels for n rows.
func barsHeight(n int) int { return max(minHeight, barHead+barRow*min(n, maxBars)) }

func compareFrame(h Heading, comparisons []sweep.Comparison, o Options) (*frame, error) {
	if len(comparisons) > maxBars {
		return nil, fmt.Errorf("%d comparisons in one picture: they must be at most %d", len(comparisons), maxBars)
	}
	f := newFrame(o.Theme.look())
	f.head(h)
	d := bars{line: 100, look: f.theme, face: f.labelFace, cell: f.cell(o)}
	onePair := true
	for _, c := range comparisons {
		onePair = onePair && c.From == comparisons[0].From && c.To == comparisons[0].To
	}
	for _, c := range comparisons {
		d.list = append(d.list, comparisonBar(c, onePair, f.theme))
	}
	lo, hi, ok := spanOf(d.list, o.LogY)
	if !ok {
		return nil, fmt.Errorf("%w: none of the %s has a ratio", ErrNothingToDraw, count(int64(len(comparisons)), "comparison"))
	}
	lo, hi = min(lo, 100), max(hi, 100)
	if !o.LogY {
		lo, hi = withoutFar(d.list, lo, hi)
	}
	title := "New as a share of old (%)"
	switch {
	case o.LogY:
		d.x = logAxis(lo, hi, yTicks)
		title += ", log scale"
	case o.Zoom:
		d.x = zoomedAxis(lo, hi, yTicks)
		if d.x.cut() {
			title += ", not from zero"
		}
	default:
		d.x = linearAxis(lo, hi, yTicks)
	}
	if onePair && comparisons[0].From != "" {
		title = fmt.Sprintf("%s as a share of %s", fitLabel(comparisons[0].To, maxLabelWidth, f.axisFace), fitLabel(comparisons[0].From, maxLabelWidth, f.axisFace)) + title[len("New as a share of old"):]
	}
	d.addTo(f, title, "")
	f.legend = compareLegend(f.theme, comparisons)
	if slices.ContainsFunc(d.list, d.beyond) {
		f.legend = append(f.legend, legendEntry{"goes on beyond the axis", func(c draw.Canvas, at vg.Point) { arrowhead(c, f.theme, at, 1) }})
	}
	return f, nil
}

// withoutFar narrows the span of an axis of shares where single bars or intervals
// would leave no room to tell the rest apart: it ends four times as far from 100 %
// as half of the bars reach, and at least 50 points from it.
func withoutFar(list []bar, lo, hi float64) (float64, float64) {
	var reach []float64
	for _, b := range list {
		if b.known {
			far := math.Abs(b.value - 100)
			if b.hasInterval {
				far = max(far, math.Abs(b.lo-100), math.Abs(b.hi-100))
			}
			reach = append(reach, far)
		}
	}
	limit := max(4*stats.Median(reach), 50)
	if hi-100 > 1.5*limit {
		hi = 100 + limit
	}
	if 100-lo > 1.5*limit {
		lo = 100 - limit
	}
	return lo, hi
}

func comparisonBar(c sweep.Comparison, onePair bool, look theme) bar {
	b := bar{name: c.Metric.Title, ink: verdictInk(c.Verdict, look), text: comparisonText(c)}
	if b.name == "" {
		b.name = c.Metric.Key
	}
	if !onePair {
		b.name = c.From + " → " + c.To + ", " + withinSentence(b.name)
	}
	if drawable(c.Change) {
		b.known, b.value = true, 100*(1+c.Change)
		if drawable(c.Lo) && drawable(c.Hi) {
			b.hasInterval, b.lo, b.hi = true, 100*(1+c.Lo), 100*(1+c.Hi)
		}
	}
	return b
}

// comparisonText is "-3.0 % (-4.2 to -1.9), worse".
func comparisonText(c sweep.Comparison) string {
	words := map[sweep.Verdict]string{
		sweep.Regression: "worse", sweep.Improvement: "better", sweep.NoChange: "~ no change beyond noise",
		sweep.Undecided: "not settled", sweep.NotMeasured: "not measured",
	}
	said, ok := words[c.Verdict]
	if !ok {
		said = Printable(string(c.Verdict))
	}
	switch {
	case c.Verdict == sweep.NotMeasured || c.Verdict == sweep.NoChange:
		return said
	case !drawable(c.Change):
		if drawable(c.Old.Median) && drawable(c.New.Median) && c.Old.Samples > 0 && c.New.Samples > 0 {
			return Printable(fmt.Sprintf("%s to %s, %s", Figure(c.Metric, c.Old.Median), Figure(c.Metric, c.New.Median), said))
		}
		return said
	}
	text := signedPercent(c.Change, 1)
	if drawable(c.Lo) && drawable(c.Hi) {
		text += fmt.Sprintf(" (%s to %s)", signed(c.Lo, 1), signed(c.Hi, 1))
	}
	return text + ", " + said
}

func verdictInk(v sweep.Verdict, look theme) color.Color {
	switch v {
	case sweep.Regression:
		return look.worse
	case sweep.Improvement:
		return look.better
	}
	return look.reference
}

func compareLegend(look theme, comparisons []sweep.Comparison) (entries []legendEntry) {
	intervals := false
	for _, one := range []struct {
		text string
		is   func(sweep.Verdict) bool
	}{
		{"worse", func(v sweep.Verdict) bool { return v == sweep.Regression }},
		{"better", func(v sweep.Verdict) bool { return v == sweep.Improvement }},
		{"neither", func(v sweep.Verdict) bool { return v != sweep.Regression && v != sweep.Improvement }},
	} {
		for _, c := range comparisons {
			if !drawable(c.Change) {
				continue
			}
			intervals = intervals || drawable(c.Lo) && drawable(c.Hi)
			if one.is(c.Verdict) {
				entries = append(entries, legendEntry{one.text, swatch(look.faded(verdictInk(c.Verdict, look), barFill))})
				break
			}
		}
	}
	if intervals {
		entries = append(entries, whiskerEntry("95 % interval", look))
	}
	return entries
}

// swatch is a box of a colour in a legend.
func swatch(ink color.Color) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) {
		var box vg.Path
		shape(&box, 1, at, 5*px)
		c.SetColor(ink)
		c.Fill(box)
	}
}

func whiskerEntry(text string, look theme) legendEntry {
	return legendEntry{text, func(c draw.Canvas, at vg.Point) {
		style := stroke(look.ink, whiskerLine)
		c.StrokeLine2(style, at.X-legendMark/2, at.Y, at.X+legendMark/2, at.Y)
		for _, x := range []vg.Length{at.X - legendMark/2, at.X + legendMark/2} {
			c.StrokeLine2(style, x, at.Y-whiskerArm, x, at.Y+whiskerArm)
		}
	}}
}

// System is one of several whose figures stand beside each other.
type System struct {
	Title   string
	Metrics map[string]sweep.Estimate // by metric key, in the metrics' own units
}

// Systems draws the figures of several systems or releases as they are: a
// panel for each metric, a bar for each system, with the range of its samples.
// It returns an error that wraps ErrNothingToDraw when a metric has no figure.
func Systems(w io.Writer, h Heading, systems []System, metrics []sweep.Metric, o Options) error {
	if o.Height == 0 {
		rows := (len(metrics) + 1) / 2
		o.Height = min(max(minHeight+furtherRow*max(rows-1, 0), barHead-70+rows*(80+barRow*min(len(systems), maxBars))), maxSide)
	}
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	f, err := systemsFrame(h, systems, metrics, o)
	if err != nil {
		return err
	}
	if err := f.layout(o.size()); err != nil {
		return err
	}
	if err := render(w, o, f.draw); err != nil {
		return fmt.Errorf("drawing the systems %s: %w", Printable(h.Title), err)
	}
	return nil
}

func systemsFrame(h Heading, systems []System, metrics []sweep.Metric, o Options) (*frame, error) {
	switch {
	case len(systems) > maxBars:
		return nil, fmt.Errorf("%d systems in one picture: they must be at most %d", len(systems), maxBars)
	case len(metrics) > maxPanels:
		return nil, fmt.Errorf("%d metrics in one picture: they must be at most %d", len(metrics), maxPanels)
	case len(metrics) == 0:
		return nil, fmt.Errorf("%w: no metric was selected", ErrNothingToDraw)
	}
	f := newFrame(o.Theme.look())
	f.head(h)
	if len(metrics) > 1 {
		f.columns = 2
	}
	intervals := false
	for _, m := range metrics {
		d := bars{line: math.NaN(), look: f.theme, face: f.labelFace, cell: f.cell(o)}
		shown := displayOf(m)
		for _, s := range systems {
			b := bar{name: s.Title, text: "no figure", ink: f.theme.lines[0]}
			e, ok := s.Metrics[m.Key]
			if k := newMark(sweep.OK, s.Metrics, m.Key, shown, false); ok && k.hasFigure() {
				b.known, b.value, b.lo, b.hi = true, k.median, k.lo, k.hi
				b.hasInterval = e.Samples > 1 && k.hi > k.lo
				b.text = number(k.median)
				intervals = intervals || b.hasInterval
			}
			d.list = append(d.list, b)
		}
		lo, hi, ok := spanOf(d.list, o.LogY)
		if !ok {
			return nil, fmt.Errorf("%w: none of the %s has a figure for %s", ErrNothingToDraw, count(int64(len(systems)), "system"), withinSentence(m.Title))
		}
		switch {
		case o.LogY:
			d.x = logAxis(lo, hi, yTicks)
		case o.Zoom:
			d.x = zoomedAxis(lo, hi, yTicks-2)
		default:
			d.x = linearAxis(lo, hi, yTicks-2)
		}
		d.addTo(f, metricTitle(m, d.x), "")
	}
	if intervals {
		f.legend = append(f.legend, whiskerEntry("lowest to highest sample", f.theme))
	}
	return f, nil
}

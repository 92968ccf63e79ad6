package charts

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"versweep/sweep"
)

// History draws one metric of one version, and of the reference when that is
// another, over the dates of the sweeps: the median of each sweep's samples
// with their range. Lines are broken, and an upright says so, where the
// environment changed, since what lies on both sides cannot be compared.
// Sweeps that did not plan the version are left out. It returns an error that
// wraps ErrNothingToDraw when no sweep has a figure of the version.
func History(w io.Writer, sweeps []sweep.Sweep, version string, m sweep.Metric, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	f, err := historyFrame(sweeps, version, m, o)
	if err != nil {
		return err
	}
	if err := f.layout(o.size()); err != nil {
		return err
	}
	if err := render(w, o, f.draw); err != nil {
		return fmt.Errorf("drawing the history of %s: %w", Printable(version), err)
	}
	return nil
}

func historyFrame(sweeps []sweep.Sweep, version string, m sweep.Metric, o Options) (*frame, error) {
	sweeps = slices.SortedStableFunc(slices.Values(sweeps), func(a, b sweep.Sweep) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	nothing := func(title string) error {
		return fmt.Errorf("%w: none of the %s of %s has a figure of %s for %s",
			ErrNothingToDraw, count(int64(len(sweeps)), "sweep"), title, Printable(version), withinSentence(m.Title))
	}
	if len(sweeps) == 0 {
		return nil, nothing("the target")
	}
	newest := sweep.NewTable(sweeps[len(sweeps)-1])
	h := newHistory(sweeps, version, m, o.LogY)
	if _, _, ok := rangeOf(o.LogY, h.version); !ok {
		return nil, nothing(targetTitle(newest))
	}
	lo, hi, _ := rangeOf(o.LogY, h.version, h.reference)
	y := linearAxis(lo, hi, yTicks)
	switch {
	case o.LogY:
		y = logAxis(lo, hi, yTicks)
	case o.Zoom:
		y = zoomedAxis(lo, hi, yTicks)
	}
	f := newFrame(o.Theme.look())
	f.title = heading(newest, m) + " of " + Printable(version) + " over time"
	f.captions = []string{"newest sweep: " + loadCaption(newest), machineCaption(newest.Environment)}
	p := f.addPanel(timeAxis(sweeps[0].Created, sweeps[len(sweeps)-1].Created, timeTicks), y, metricTitle(m, y))
	p.plot.Add(gridLines{ticks: y.ticks, look: f.theme}, seamLines{at: h.seams, look: f.theme})
	lists := [][]point{h.version, h.reference}
	breaks := [][]int{h.versionBreaks, h.referenceBreaks}
	for i, title := range []string{Printable(version), "reference " + Printable(h.name)} {
		if len(lists[i]) == 0 {
			continue
		}
		marks := points{list: lists[i], joined: true, breaks: breaks[i], look: f.theme, series: i, of: 2}
		p.plot.Add(marks)
		f.legend = append(f.legend, legendEntry{fitLabel(title, maxTitleWidth, f.captionFace) + ", median and range", marks.sample})
	}
	if len(h.seams) > 0 {
		f.legend = append(f.legend, legendEntry{"environment changed", func(c draw.Canvas, at vg.Point) {
			c.StrokeLine2(changeMarks{look: f.theme}.seamLine(), at.X, at.Y-7*px, at.X, at.Y+7*px)
		}})
	}
	f.legend = append(f.legend, footLegend(f.theme, lists...)...)
	return f, nil
}

const timeTicks = 9

// history is what the sweeps say, oldest first.
type history struct {
	name               string // of the newest sweep's reference
	version, reference []point
	versionBreaks      []int // first points of another environment or definition
	referenceBreaks    []int
	seams              []float64 // half way between sweeps of two environments
}

func newHistory(sweeps []sweep.Sweep, version string, m sweep.Metric, log bool) history {
	h := history{name: sweeps[len(sweeps)-1].Plan.Reference}
	shown := displayOf(m)
	for i, sw := range sweeps {
		before := sweeps[max(i-1, 0)]
		if sw.Environment.Hash() != before.Environment.Hash() || !sweep.SameDefinition(sw.Plan, before.Plan) {
			h.seams = append(h.seams, (days(sweeps[i-1].Created)+days(sw.Created))/2)
			h.versionBreaks = append(h.versionBreaks, len(h.version))
			h.referenceBreaks = append(h.referenceBreaks, len(h.reference))
		}
		for _, row := range sweep.NewTable(sw).Rows {
			if row.Version.Name != version && row.Version.Name != h.name {
				continue
			}
			k := newMark(row.Status, row.Metrics, m.Key, shown, log)
			q := point{x: days(sw.Created), kind: k.kind, y: k.median, lo: k.lo, hi: k.hi}
			if row.Version.Name == version {
				h.version = append(h.version, q)
			} else {
				h.reference = append(h.reference, q)
			}
		}
	}
	return h
}

// seamLines are uprights where the environment changed.
type seamLines struct {
	at   []float64
	look theme
}

// Plot implements plot.Plotter.
func (s seamLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for _, at := range s.at {
		c.StrokeLine2(changeMarks{look: s.look}.seamLine(), x(at), c.Min.Y, x(at), c.Max.Y)
	}
}

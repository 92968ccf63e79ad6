package charts

import (
	"fmt"
	"io"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
	"gonum.org/v1/plot"
)

// Percentiles is the latency of one version.
type Percentiles struct {
	Title string
	// Latency holds nanoseconds, all samples merged; nil or empty when unknown.
	Latency *hdrhistogram.Histogram
}

const (
	tailNines  = 4 // the axis ends at 99.99 %
	tailPoints = 240
)

// LatencyPercentiles draws the latency in ms up to the 99.99th percentile,
// each version a line. As in HdrHistogram's own pictures, the x axis is
// logarithmic in 1/(1-q), so that the tail has as much room as the rest. A
// line ends where a single request remains beyond it. It returns an error that
// wraps ErrNothingToDraw when no histogram holds anything.
func LatencyPercentiles(w io.Writer, h Heading, versions []Percentiles, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	f, err := percentilesFrame(h, versions, o)
	if err != nil {
		return err
	}
	if err := f.layout(o.size()); err != nil {
		return err
	}
	if err := render(w, o, f.draw); err != nil {
		return fmt.Errorf("drawing the percentiles %s: %w", Printable(h.Title), err)
	}
	return nil
}

func percentilesFrame(h Heading, versions []Percentiles, o Options) (*frame, error) {
	if len(versions) > maxSeries {
		return nil, fmt.Errorf("%d versions in one picture: they must be at most %d", len(versions), maxSeries)
	}
	lists := make([][]point, len(versions))
	for i, v := range versions {
		lists[i] = tailOf(v.Latency, o.LogY)
	}
	lo, hi, ok := rangeOf(o.LogY, lists...)
	if !ok {
		return nil, fmt.Errorf("%w: none of the %s has latencies", ErrNothingToDraw, count(int64(len(versions)), "selected version"))
	}
	y := linearAxis(lo, hi, yTicks)
	title := "Latency (ms)"
	if o.LogY {
		y = logAxis(lo, hi, yTicks)
		title += ", log scale"
	}
	f := newFrame(o.Theme.look())
	f.head(h)
	x := xAxis{title: "percentile", min: 0, max: tailNines}
	for _, t := range []struct {
		q     float64
		label string
	}{{0, "0"}, {0.5, "50"}, {0.75, "75"}, {0.9, "90"}, {0.95, "95"}, {0.99, "99"}, {0.995, "99.5"}, {0.999, "99.9"}, {0.9995, "99.95"}, {0.9999, "99.99"}} {
		x.ticks = append(x.ticks, plot.Tick{Value: nines(t.q), Label: t.label})
	}
	p := f.addPanel(x, y, title)
	p.plot.Add(gridLines{ticks: y.ticks, look: f.theme}, uprights{ticks: x.ticks, look: f.theme})
	for i, v := range versions {
		marks := points{list: lists[i], joined: true, bare: true, look: f.theme, series: i, of: len(versions)}
		p.plot.Add(marks, marks.thinned())
		label := fitLabel(v.Title, maxTitleWidth, f.captionFace)
		if len(lists[i]) == 0 {
			label += " (no latencies)"
		}
		marks.bare = false
		f.legend = append(f.legend, legendEntry{label, marks.sample})
	}
	return f, nil
}

// nines is where the share q stands: 1 for 90 %, 2 for 99 %.
func nines(q float64) float64 { return -math.Log10(1 - q) }

// tailOf are the points of a histogram's line; none when it is empty.
func tailOf(h *hdrhistogram.Histogram, log bool) []point {
	if h == nil || h.TotalCount() == 0 {
		return nil
	}
	end := min(tailNines, math.Log10(float64(h.TotalCount())))
	if end == 0 {
		return []point{newPoint(0, float64(h.Max())/1e6, log)}
	}
	percents := make([]float64, 0, tailPoints+1)
	for i := range tailPoints + 1 {
		percents = append(percents, 100*(1-math.Pow(10, -end*float64(i)/tailPoints)))
	}
	values := h.ValueAtPercentilesSlice(percents)
	list := make([]point, len(percents))
	for i, v := range values {
		list[i] = newPoint(end*float64(i)/tailPoints, float64(v)/1e6, log)
	}
	return list
}

// thinned is a mark at every half of a nine, to tell lines apart without
// colour.
func (d points) thinned() points {
	d.joined, d.bare = false, false
	var some []point
	next := float64(d.series) / float64(max(d.of, 1)) / 2 // so that marks of equal lines do not cover each other
	for i, q := range d.list {
		if q.hasFigure() && (q.x >= next || i == len(d.list)-1) {
			some = append(some, q)
			next += 0.5
		}
	}
	d.list = some
	return d
}

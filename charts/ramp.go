package charts

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"versweep/sweep/load"
)

// RampStep is one step of a ramp. A figure that is unknown is NaN.
type RampStep struct {
	At        float64 // offered load, in the unit of its series
	QPS       float64 // right answers/s
	Errors    float64 // failed requests
	LatencyMS float64 // of the kind that the series names
	Total     float64 // right answers
}

// RampSeries is one system under rising load.
type RampSeries struct {
	Title   string
	By      load.StepBy // what At counts: requests/s or connections
	Latency string      // which latency it has: "mean", "99th percentile"; of the first series
	Steps   []RampStep  // rising in At
}

// RampLatency is the latency that NewRampSeries takes.
const RampLatency = "99th percentile"

// NewRampSeries takes the figures from what the load engine measured.
func NewRampSeries(title string, results []load.StepResult) RampSeries {
	s := RampSeries{Title: title, Latency: RampLatency}
	for _, r := range results {
		s.By = r.Step.By
		step := RampStep{At: r.Step.Value, QPS: r.Result.QPS(), Errors: float64(r.Result.Errors.Total()), LatencyMS: math.NaN(), Total: float64(r.Result.OK)}
		if h := r.Result.Latency; h != nil && h.TotalCount() > 0 {
			step.LatencyMS = float64(h.ValueAtQuantile(99)) / 1e6
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}

const rampHeight = 620

// Ramp draws four panels against the offered load, each system a series:
// responses a second, errors, response time on a logarithmic axis, and total
// responses. It returns an error that wraps ErrNothingToDraw when no step has
// a figure.
func Ramp(w io.Writer, h Heading, systems []RampSeries, o Options) error {
	if o.Height == 0 {
		o.Height = rampHeight
	}
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	f, err := rampFrame(h, systems, o)
	if err != nil {
		return err
	}
	if err := f.layout(o.size()); err != nil {
		return err
	}
	if err := render(w, o, f.draw); err != nil {
		return fmt.Errorf("drawing the ramp %s: %w", Printable(h.Title), err)
	}
	return nil
}

func rampFrame(h Heading, systems []RampSeries, o Options) (*frame, error) {
	if len(systems) > maxSeries {
		return nil, fmt.Errorf("%d systems in one picture: they must be at most %d", len(systems), maxSeries)
	}
	most := math.Inf(-1)
	latency, by := "", load.StepBy("")
	for _, s := range systems {
		for _, step := range s.Steps {
			if drawable(step.At) {
				most = max(most, step.At)
			}
		}
		if latency == "" {
			latency, by = s.Latency, s.By
		}
	}
	xTitle := "offered requests/s"
	if by == load.StepByConnections {
		xTitle = "connections"
	}
	diagonals := by != load.StepByConnections && !o.LogY
	f := newFrame(o.Theme.look())
	f.head(h)
	f.columns = 2
	panels := []struct {
		title string
		log   bool
		value func(RampStep) float64
	}{
		{"Responses a second", o.LogY, func(s RampStep) float64 { return s.QPS }},
		{"Errors", false, func(s RampStep) float64 { return s.Errors }},
		{"Response time, " + Printable(latency) + " (ms), log scale", true, func(s RampStep) float64 { return s.LatencyMS }},
		{"Responses in total", o.LogY, func(s RampStep) float64 { return s.Total }},
	}
	var all [][]point
	some := false
	x := numberAxis(linearAxis(0, max(most, 0), yTicks), xTitle)
	for i, panel := range panels {
		lists := make([][]point, len(systems))
		for j, s := range systems {
			for _, step := range s.Steps {
				if drawable(step.At) {
					lists[j] = append(lists[j], newPoint(step.At, panel.value(step), panel.log))
				}
			}
		}
		lo, hi, ok := rangeOf(panel.log, lists...)
		some = some || ok
		y := linearAxis(lo, hi, yTicks-1)
		if panel.log && ok {
			y = logAxis(lo, hi, yTicks-1)
		}
		p := f.addPanel(x, y, panel.title)
		p.plot.Add(gridLines{ticks: y.ticks, look: f.theme})
		if i == 0 && diagonals {
			p.plot.Add(diagonal{f.theme})
		}
		for j, list := range lists {
			marks := points{list: list, joined: true, look: f.theme, series: j, of: len(systems)}
			p.plot.Add(marks)
			if i == 0 && (len(systems) > 1 || systems[j].Title != "") {
				f.legend = append(f.legend, legendEntry{fitLabel(systems[j].Title, maxTitleWidth, f.captionFace), marks.sample})
			}
		}
		all = append(all, lists...)
	}
	if !some {
		return nil, fmt.Errorf("%w: no step of the %s has a figure", ErrNothingToDraw, count(int64(len(systems)), "system"))
	}
	if diagonals {
		f.legend = append(f.legend, legendEntry{"all that was offered", func(c draw.Canvas, at vg.Point) {
			c.StrokeLine2(diagonal{f.theme}.line(), at.X-legendMark/2, at.Y, at.X+legendMark/2, at.Y)
		}})
	}
	f.legend = append(f.legend, footLegend(f.theme, all...)...)
	return f, nil
}

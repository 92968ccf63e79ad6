package report

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"versweep/charts"
	"versweep/sweep"
)

// overviewPage lists the targets.
type overviewPage struct {
	titled
	Targets []overviewRow
}

type overviewRow struct {
	Link, Title, Newest, Figure string
	Spark                       *spark
	Finding, State, Tone        string
	Undecided                   int
	Swept                       string
}

// titled gives a page its heading.
type titled heading

func (h titled) heading() heading { return heading(h) }

func (s Site) heading(title, target string) titled {
	about := "Made"
	if !s.Made.IsZero() {
		about += " " + s.Made.UTC().Format("2006-01-02 15:04") + " UTC"
	}
	if s.Program != "" {
		about += " by versweep " + charts.Printable(s.Program)
	}
	return titled{Title: title, Target: target, About: about + "."}
}

func (s Site) overview(targets []*subject) overviewPage {
	p := overviewPage{titled: s.heading("Slower or faster, and since when", "")}
	for _, t := range targets {
		p.Targets = append(p.Targets, newOverviewRow(t))
	}
	return p
}

func newOverviewRow(t *subject) overviewRow {
	r := overviewRow{
		Link: t.folder + "/" + indexName, Title: t.title(), Newest: "none measured", Spark: newSpark(t), Undecided: len(t.Judgement.Undecided()),
		Swept: dateOf(t.History[len(t.History)-1]), Finding: t.nothing(), Tone: "quiet",
	}
	if i := t.newestMeasured(); i >= 0 {
		row := t.table.Rows[i]
		r.Newest = charts.Shortened(row.Version.Name, nameColumns)
		if m, ok := t.mainMetric(); ok && measured(row, m) {
			r.Figure = figure(m, row.Metrics[m.Key].Median)
		}
	}
	if f, ok := t.newestFinding(); ok {
		r.Finding, r.State, r.Tone = charts.FindingText(f), t.state(f), t.tone(f)
	}
	return r
}

func figure(m sweep.Metric, v float64) string {
	return charts.Printable(charts.Figure(m, v))
}

// dateOf is the day on which a sweep ended or, unfinished, began.
func dateOf(sw sweep.Sweep) string {
	at := sw.Finished
	if at.IsZero() {
		at = sw.Created
	}
	if at.IsZero() {
		return "unknown"
	}
	return at.UTC().Format(time.DateOnly)
}

// tone is the class of what is to be seen as worse or better. It is never the
// only sign: words and shapes say the same.
func tone(v sweep.Verdict, s sweep.State) string {
	switch {
	case s == sweep.Acknowledged || s == sweep.Expected || s == sweep.Recovered:
		return "quiet"
	case v == sweep.Regression:
		return "worse"
	case v == sweep.Improvement:
		return "better"
	}
	return "quiet"
}

// spark is a small trend of the main metric.
type spark struct {
	Width, Height int
	Label         string
	Lines         []string // points of a polyline
	Dots          []sparkPoint
	Changes       []sparkChange
}

type sparkPoint struct{ X, Y string }

type sparkChange struct{ Tone, Shape string }

const (
	sparkWidth, sparkHeight = 160, 40
	sparkEdge               = 5
	sparkVersions           = 400 // more would share pixels
)

func newSpark(t *subject) *spark {
	if len(t.trend.Panels) == 0 {
		return nil
	}
	p := t.trend.Panels[0]
	s := &spark{Width: sparkWidth, Height: sparkHeight}
	n := len(p.Points)
	bottom, top := sparkRange(p.Points)
	x := func(at float64) string {
		return strconv.FormatFloat(sparkEdge+at/float64(max(n-1, 1))*(sparkWidth-2*sparkEdge), 'f', 1, 64)
	}
	height := func(v float64) float64 {
		return sparkHeight - sparkEdge - (v-bottom)/(top-bottom)*(sparkHeight-2*sparkEdge)
	}
	y := func(v float64) string { return strconv.FormatFloat(height(v), 'f', 1, 64) }
	line, joined, every := "", 0, (n+sparkVersions-1)/sparkVersions
	end := func(last sparkPoint) {
		switch {
		case joined == 1:
			s.Dots = append(s.Dots, last)
		case joined > 1:
			s.Lines = append(s.Lines, line)
		}
		line, joined = "", 0
	}
	var last sparkPoint
	var first, newest charts.OutlinePoint
	for i, pt := range p.Points {
		if pt.Samples == 0 {
			end(last)
			continue
		}
		if first.Samples == 0 {
			first = pt
		}
		newest = pt
		if i%every == 0 || i == n-1 {
			last = sparkPoint{x(float64(i)), y(pt.Median)}
			line += last.X + "," + last.Y + " "
			joined++
		}
	}
	end(last)
	for _, step := range p.Steps {
		s.Changes = append(s.Changes, sparkChange{tone(step.Finding.Verdict, step.Finding.State), changeShape(step.Finding.Verdict, x(step.At), height(step.Height))})
	}
	s.Label = fmt.Sprintf("%s over %d versions, from %s to %s %s", p.Metric.Title, n, charts.ValueText(sweep.Metric{}, first.Median), charts.ValueText(sweep.Metric{}, newest.Median), p.Unit)
	s.Label = charts.Printable(s.Label)
	return s
}

// sparkRange is what a small trend shows: all medians, and at least a quarter of
// the largest, so that noise does not look like mountains.
func sparkRange(points []charts.OutlinePoint) (bottom, top float64) {
	first := true
	for _, pt := range points {
		if pt.Samples == 0 {
			continue
		}
		if first {
			bottom, top, first = pt.Median, pt.Median, false
		}
		bottom, top = min(bottom, pt.Median), max(top, pt.Median)
	}
	if least := max(math.Abs(bottom), math.Abs(top)) / 4; top-bottom < least {
		middle := bottom/2 + top/2
		bottom, top = middle-least/2, middle+least/2
	}
	if bottom == top {
		top++
	}
	return bottom, top
}

// changeShape is the outline of a change's mark, as pictures have it: a triangle
// for worse, a square for better, a diamond when neither can be said.
func changeShape(v sweep.Verdict, x string, y float64) string {
	shape := "m0 -4.5l4.5 4.5l-4.5 4.5l-4.5 -4.5z"
	switch v {
	case sweep.Regression:
		shape = "m0 -4.5l4.5 8h-9z"
	case sweep.Improvement:
		shape = "m-3.5 -3.5h7v7h-7z"
	}
	return fmt.Sprintf("M%s %.1f%s", x, y, shape)
}

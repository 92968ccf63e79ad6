package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"

	"versweep/charts"
	"versweep/sweep"
)

// trendJSON is what pages/trend.js draws. It belongs to that script alone:
// data.json is what other programs should read.
type trendJSON struct {
	Axis     string        `json:"axis"`
	Names    []string      `json:"names"`
	Links    []string      `json:"links"`
	Failures []string      `json:"failures"` // why a version has no figure; empty where it has
	Degraded []bool        `json:"degraded"`
	Lines    []lineJSON    `json:"lines"` // of releases
	Banded   bool          `json:"banded"`
	RefName  string        `json:"reference"`
	Metrics  []metricTrend `json:"metrics"`
}

type lineJSON struct {
	Name string `json:"name"`
	From int    `json:"from"`
	To   int    `json:"to"` // one past the last version
}

type metricTrend struct {
	Key    string       `json:"key"`
	Title  string       `json:"title"`
	Unit   string       `json:"unit"`
	Better string       `json:"better"`
	Points []*pointJSON `json:"points"` // null where there is no figure
	Versus []string     `json:"versus"` // how a version compares, in words; may be empty
	Ref    int          `json:"ref"`
	Twin   *pointJSON   `json:"twin"`
	Noise  float64      `json:"noise"`
	Levels []levelJSON  `json:"levels"`
	Steps  []stepJSON   `json:"steps"`
	Seams  []float64    `json:"seams"`
}

type pointJSON struct {
	Median float64 `json:"m"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Text   string  `json:"t"`
}

type levelJSON struct {
	From  int     `json:"from"`
	To    int     `json:"to"`
	Value float64 `json:"v"`
}

type stepJSON struct {
	At       float64 `json:"at"`
	From     int     `json:"from"`
	To       int     `json:"to"`
	Earliest float64 `json:"a"`
	Latest   float64 `json:"z"`
	Height   float64 `json:"v"`
	Size     float64 `json:"size"` // of the change, a fraction; 0 when it has none
	Creep    bool    `json:"creep"`
	Verdict  string  `json:"verdict"`
	State    string  `json:"state"`
	Label    string  `json:"label"`
	Words    string  `json:"words"`
}

// trendData is the trend as JSON that may stand in a script element: Marshal
// escapes "<", ">" and "&".
func trendData(t *subject) (template.JS, error) {
	o := t.trend
	d := trendJSON{Axis: t.title() + " version", Names: o.Names, Banded: o.Banded, RefName: charts.Printable(t.table.Plan.Reference)}
	for _, l := range o.Lines {
		d.Lines = append(d.Lines, lineJSON{l.Name, l.From, l.To})
	}
	for i, row := range t.table.Rows {
		failure := ""
		if row.Status == sweep.Failed {
			failure = charts.Shortened("failed: "+row.Reason, 200)
		}
		d.Links = append(d.Links, t.versionFile(i))
		d.Failures = append(d.Failures, failure)
		d.Degraded = append(d.Degraded, row.Status == sweep.Degraded)
	}
	for _, p := range o.Panels {
		d.Metrics = append(d.Metrics, newMetricTrend(t, p))
	}
	b, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("the data of the trend: %w", err)
	}
	return template.JS(b), nil
}

func newMetricTrend(t *subject, p charts.OutlinePanel) metricTrend {
	m := metricTrend{
		Key: charts.Printable(p.Metric.Key), Title: charts.Printable(p.Metric.Title), Unit: p.Unit, Better: string(p.Metric.Better),
		Ref: p.Reference, Twin: newPointJSON(p.Twin), Noise: p.Noise, Seams: p.Seams,
	}
	before := neighbours(t, p.Metric)
	for i, pt := range p.Points {
		name := t.table.Rows[i].Version.Name
		versus := ""
		if c, ok := before[name]; ok {
			versus = versusText(c, "before", charts.VerdictText(c))
		} else if c, ok := t.Judgement.AgainstReference[name][p.Metric.Key]; ok {
			versus = versusText(c, "the reference", againstReference(c))
		}
		m.Points, m.Versus = append(m.Points, newPointJSON(pt)), append(m.Versus, versus)
	}
	for _, l := range p.Levels {
		m.Levels = append(m.Levels, levelJSON{l.From, l.To, l.Value})
	}
	for _, s := range p.Steps {
		size := math.Abs(s.Finding.Change)
		if math.IsNaN(size) || math.IsInf(size, 0) {
			size = 0
		}
		m.Steps = append(m.Steps, stepJSON{
			s.At, s.From, s.To, s.Earliest, s.Latest, s.Height, size, s.Finding.Kind == sweep.KindCreep, charts.Printable(string(s.Finding.Verdict)),
			charts.Printable(string(s.Finding.State)), s.Label, charts.FindingText(s.Finding),
		})
	}
	return m
}

// versusText is "against before: -8.1 % (-9.0 to -7.2 %), regression".
func versusText(c sweep.Comparison, what, verdict string) string {
	change, interval := charts.ChangeText(c)
	if interval != "" {
		change += " (" + interval + ")"
	}
	if change != "" {
		change += ", "
	}
	return "against " + what + ": " + change + verdict
}

func newPointJSON(p charts.OutlinePoint) *pointJSON {
	if p.Samples == 0 {
		return nil
	}
	return &pointJSON{p.Median, p.Lo, p.Hi, p.Text}
}

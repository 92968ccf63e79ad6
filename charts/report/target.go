package report

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"versweep/charts"
	"versweep/sweep"
)

// targetPage is all about one target.
type targetPage struct {
	titled
	Lead, Nothing     string
	Data              template.JS // of the trend; empty where there is none
	Light, Dark       template.URL
	Alt               string
	Findings          []findingGroup
	Trust, Undecided  []string
	Missing           []sweep.Outcome
	Elsewhere         string
	Comparisons       []link
	MetricTitle, Unit string
	Rows              []verdictRow
	Heads             []metricHead
	All               []figuresRow
	Remarks           []string
	Facts             []fact
	Downloads         []Download
}

type link struct{ Link, Text, Verdict string }

type fact struct{ Term, Text string }

type metricHead struct{ Name, Unit string }

// verdictRow is the main metric of one version.
type verdictRow struct {
	Link, Version, Failure          string
	Median, Range, N                string
	Change, Interval, Verdict, Tone string
}

type figuresRow struct {
	Version string
	Cells   []figuresCell
}

type figuresCell struct{ Median, Rest string }

func (s Site) target(t *subject) (headed, error) {
	p := targetPage{
		titled: s.heading(t.title(), t.title()), Trust: charts.JudgementNotes(t.Judgement), Undecided: charts.UndecidedTexts(t.Judgement),
		Elsewhere: list(t.elsewhere), Remarks: charts.Remarks(t.table), Downloads: t.Downloads, Facts: setting(t),
	}
	p.Lead, p.Nothing = lead(t), t.nothing()
	p.Findings = groupFindings(t, t.Judgement.Findings)
	slices.Reverse(p.Findings)
	for _, o := range t.Judgement.NotMeasured {
		p.Missing = append(p.Missing, sweep.Outcome{Version: charts.Printable(o.Version), Reason: cmp.Or(charts.Printable(o.Reason), "reason unknown")})
	}
	for _, c := range t.Comparisons {
		text := charts.Printable(c.Release.To.Name) + " against " + c.Link + ", " + charts.Printable(c.Release.From.Name)
		p.Comparisons = append(p.Comparisons, link{c.Name + ".html", text, charts.Printable(c.Release.Verdict)})
	}
	p.figures(t)
	main, drawn := t.mainMetric()
	if !drawn {
		return p, nil
	}
	p.Trend = true
	var err error
	if p.Data, err = trendData(t); err != nil {
		return nil, err
	}
	if p.Light, err = inlinePicture(t, main, charts.Light); err != nil {
		return nil, err
	}
	p.Dark, err = inlinePicture(t, main, charts.Dark)
	p.Alt = charts.Printable(main.Title) + " by version; the tables below have the same figures"
	return p, err
}

// inlinePicture is what readers without scripts see.
func inlinePicture(t *subject, m sweep.Metric, theme charts.Theme) (template.URL, error) {
	var b bytes.Buffer
	err := charts.Trend(&b, t.table, m, charts.Options{Format: charts.PNG, Theme: theme, Judgement: &t.Judgement, Scale: 1})
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), err
}

// lead is the page in one line.
func lead(t *subject) string {
	counts := map[string]int{}
	for _, f := range t.Judgement.Findings {
		switch {
		case t.standing(f) != "":
			counts["other"]++
		case f.Counts(0):
			counts["regression"]++
		case f.Verdict == sweep.Improvement:
			counts["improvement"]++
		}
	}
	text := "No regression that counts"
	if !t.judged() {
		text = "Nothing could be judged"
	}
	if n := counts["regression"]; n > 0 {
		text = plural(n, "regression")
	}
	if n := counts["improvement"]; n > 0 {
		text += ", " + plural(n, "improvement")
	}
	if n := counts["other"]; n > 0 {
		text += ", " + plural(n, "finding") + " that the night does not tell,"
	}
	swept := ", last swept "
	if t.table.Plan.Foreign != nil {
		swept = ", last imported "
	}
	text += " in " + plural(len(t.Judgement.Versions), "version") + swept + dateOf(t.History[len(t.History)-1])
	if !t.table.Finished {
		text += "; the sweep is not finished"
	}
	return text + "."
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// nameColumns bounds the name of a version in a table; its own page has it in
// full.
const nameColumns = 40

// figures fills both tables.
func (p *targetPage) figures(t *subject) {
	o := t.trend
	p.MetricTitle = "Figures"
	var main charts.OutlinePanel
	if len(o.Panels) > 0 {
		main = o.Panels[0]
		p.MetricTitle, p.Unit = charts.Printable(main.Metric.Title), main.Unit
	}
	shown := slices.DeleteFunc(slices.Clone(o.Panels), func(p charts.OutlinePanel) bool {
		return p.Metric.Key == sweep.ErrorShare && !slices.ContainsFunc(p.Points, func(pt charts.OutlinePoint) bool { return pt.Hi > 0 })
	})
	for _, panel := range shown {
		p.Heads = append(p.Heads, metricHead{charts.ShortName(panel.Metric), panel.Unit})
	}
	before := neighbours(t, main.Metric)
	for i, row := range slices.Backward(t.table.Rows) {
		r := verdictRow{Link: t.versionFile(i), Version: charts.Shortened(row.Version.Name, nameColumns), Median: "-", Range: "-", N: "-"}
		if row.Status == sweep.Failed {
			r.Failure = "failed: " + cmp.Or(charts.Printable(row.Reason), "reason unknown")
		}
		if e, ok := row.Metrics[main.Metric.Key]; ok && len(o.Panels) > 0 {
			r.Median, r.Range, r.N = estimateCells(main.Metric, e)
		}
		if c, ok := before[row.Version.Name]; ok {
			r.Change, r.Interval = charts.ChangeText(c)
			r.Verdict, r.Tone = charts.VerdictText(c), tone(c.Verdict, sweep.Open)
		}
		p.Rows = append(p.Rows, r)
		all := figuresRow{Version: r.Version}
		for _, panel := range shown {
			all.Cells = append(all.Cells, newFiguresCell(panel, i, row))
		}
		p.All = append(p.All, all)
	}
}

func newFiguresCell(p charts.OutlinePanel, i int, row sweep.Row) figuresCell {
	if p.Points[i].Samples == 0 {
		return figuresCell{Median: "-"}
	}
	median, extent, n := estimateCells(p.Metric, row.Metrics[p.Metric.Key])
	return figuresCell{median, strings.TrimPrefix(extent+", n="+n, ", ")}
}

// neighbours are the comparisons of m with the version before, by version.
func neighbours(t *subject, m sweep.Metric) map[string]sweep.Comparison {
	by := map[string]sweep.Comparison{}
	for _, c := range t.Judgement.Neighbours {
		if c.Metric.Key == m.Key {
			by[c.To] = c
		}
	}
	return by
}

func estimateCells(m sweep.Metric, e sweep.Estimate) (median, extent, n string) {
	if e.Samples < 1 || math.IsNaN(e.Median) {
		return "-", "-", "-"
	}
	median, n = charts.ValueText(m, e.Median), strconv.Itoa(e.Samples)
	if e.Samples > 1 && e.Lo != e.Hi {
		extent = charts.ValueText(m, e.Lo) + " – " + charts.ValueText(m, e.Hi)
	}
	return median, extent, n
}

// setting is what the figures rest on.
func setting(t *subject) []fact {
	facts := []fact{{"Load", charts.LoadText(t.table)}, {"Machine", charts.MachineText(t.table.Environment)}}
	add := func(term, text string) {
		if text != "" {
			facts = append(facts, fact{term, charts.Printable(text)})
		}
	}
	if f := t.table.Plan.Foreign; f != nil {
		add("Imported", strings.TrimSpace(f.Format+" "+f.File)+", "+f.Digest)
	} else {
		add("Versions from", t.table.Plan.Source)
	}
	add("Reference", t.table.Plan.Reference)
	if e := t.Judgement.Effect; e > 0 {
		add("Smallest change of interest", strconv.FormatFloat(e*100, 'g', 4, 64)+" %")
	}
	add("Data", dataText(t))
	return facts
}

// dataText is "230 samples in the figures, of sweeps 3, 5".
func dataText(t *subject) string {
	samples := 0
	var ids []int64
	for i, row := range t.table.Rows {
		samples += row.Samples
		ids = append(ids, t.from[i].ID)
	}
	slices.Sort(ids)
	var names []string
	for _, id := range slices.Compact(ids) {
		names = append(names, strconv.FormatInt(id, 10))
	}
	sweeps := "of sweep "
	if len(names) > 1 {
		sweeps = "of sweeps "
	}
	return plural(samples, "sample") + " in the figures, " + sweeps + list(names)
}

// maxListed bounds lists within a sentence.
const maxListed = 20

// list joins names and counts those for which there is no room.
func list(names []string) string {
	if n := len(names) - maxListed; n > 0 {
		return strings.Join(names[:maxListed], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

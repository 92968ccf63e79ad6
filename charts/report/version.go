package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"versweep/charts"
	"versweep/sweep"
)

// versionPage is one version.
type versionPage struct {
	titled
	Before, After *link
	Failure       string
	Notes         []string
	Findings      []findingGroup
	Reference     string // empty where there is nothing to compare with
	Metrics       []metricRow
	Sweep         int64
	Heads         []metricHead
	Samples       []sampleRow
	Cut           string // says that samples are left out
	Facts         []fact
	Parts         []sweep.ComponentChange
	PartsBefore   string // version that the parts are compared with
	Log           []string
}

type metricRow struct {
	Name, Unit, Median, Range, N    string
	Change, Interval, Verdict, Tone string
}

type sampleRow struct {
	Round, Place int
	Label        string // "twin", "attempt 2"
	Cells        []string
	Doubts       string
}

// Bounds of a version's page. The CSV has all samples.
const (
	maxSamples    = 500
	maxLogLines   = 60
	maxLogColumns = 300
)

func (s Site) version(t *subject, i int) versionPage {
	row := t.table.Rows[i]
	name := charts.Printable(row.Version.Name)
	p := versionPage{titled: s.heading(t.title()+" "+name, t.title()), Sweep: t.from[i].ID}
	if i > 0 {
		p.Before = &link{Link: t.versionFile(i - 1), Text: charts.Shortened(t.table.Rows[i-1].Version.Name, nameColumns)}
	}
	if i+1 < len(t.table.Rows) {
		p.After = &link{Link: t.versionFile(i + 1), Text: charts.Shortened(t.table.Rows[i+1].Version.Name, nameColumns)}
	}
	if row.Status != sweep.OK {
		p.Failure = string(row.Status) + ": " + cmp.Or(charts.Printable(row.Reason), "reason unknown")
	}
	for _, note := range row.Notes {
		p.Notes = append(p.Notes, charts.Printable(note))
	}
	p.Findings = groupFindings(t, slices.DeleteFunc(slices.Clone(t.Judgement.Findings), func(f sweep.Finding) bool { return f.To != row.Version.Name }))
	for i := range p.Findings {
		p.Findings[i].Link = ""
	}
	p.metrics(t, row)
	p.samples(t, i)
	p.build(t, i)
	return p
}

func (p *versionPage) metrics(t *subject, row sweep.Row) {
	against := t.Judgement.AgainstReference[row.Version.Name]
	if len(against) > 0 {
		p.Reference = charts.Printable(t.Judgement.Reference)
	}
	for _, m := range t.metrics() {
		e, ok := row.Metrics[m.Key]
		if !ok || row.Status == sweep.Failed {
			continue
		}
		r := metricRow{Name: charts.Printable(m.Title), Unit: charts.UnitOf(m)}
		r.Median, r.Range, r.N = estimateCells(m, e)
		if c, ok := against[m.Key]; ok {
			r.Change, r.Interval = charts.ChangeText(c)
			r.Verdict, r.Tone = againstReference(c), tone(c.Verdict, sweep.Open)
		}
		p.Metrics = append(p.Metrics, r)
	}
}

// againstReference is a verdict without a direction in time: the reference may
// be the newer of the two.
func againstReference(c sweep.Comparison) string {
	switch c.Verdict {
	case sweep.Regression:
		return "worse than the reference"
	case sweep.Improvement:
		return "better than the reference"
	}
	return charts.VerdictText(c)
}

func (p *versionPage) samples(t *subject, i int) {
	name := t.table.Rows[i].Version.Name
	var list []sweep.Sample
	for _, sample := range t.from[i].Samples {
		if sample.Version == name {
			list = append(list, sample)
		}
	}
	if len(list) > maxSamples {
		p.Cut = fmt.Sprintf("The last %d of %d.", maxSamples, len(list))
		list = list[len(list)-maxSamples:]
	}
	if len(list) == 0 {
		return
	}
	var metrics []sweep.Metric
	for _, m := range t.metrics() {
		// What is the same for all is in the table of metrics already.
		first, ok := list[0].Values[m.Key]
		if slices.ContainsFunc(list, func(s sweep.Sample) bool { v, has := s.Values[m.Key]; return has != ok || v != first }) || ok && len(list) == 1 {
			metrics = append(metrics, m)
			p.Heads = append(p.Heads, metricHead{charts.ShortName(m), charts.UnitOf(m)})
		}
	}
	for _, sample := range list {
		p.Samples = append(p.Samples, newSampleRow(sample, metrics))
		p.log(sample.Log)
	}
}

func newSampleRow(s sweep.Sample, metrics []sweep.Metric) sampleRow {
	r := sampleRow{Round: s.Round, Place: s.Position + 1}
	var labels []string
	if s.Twin {
		labels = append(labels, "twin (A/A)")
	}
	if s.Attempt > 0 {
		labels = append(labels, "attempt "+strconv.Itoa(s.Attempt+1))
	}
	r.Label = strings.Join(labels, ", ")
	for _, m := range metrics {
		cell := "-"
		if v, ok := s.Values[m.Key]; ok {
			cell = charts.ValueText(m, v)
		}
		r.Cells = append(r.Cells, cell)
	}
	var doubts []string
	if s.Reason != "" {
		doubts = append(doubts, charts.Printable(string(s.Status)+": "+s.Reason))
	}
	for _, m := range s.Marks {
		text := charts.Printable(cmp.Or(m.Detail, charts.MarkText(m.Kind)))
		if m.Spoils {
			text += " (in no verdict)"
		}
		doubts = append(doubts, text)
	}
	r.Doubts = strings.Join(doubts, "; ")
	return r
}

// log keeps the last lines of what a server or a build wrote.
func (p *versionPage) log(lines []string) {
	for _, line := range lines {
		p.Log = append(p.Log, charts.Shortened(line, maxLogColumns))
	}
	p.Log = p.Log[max(0, len(p.Log)-maxLogLines):]
}

func (p *versionPage) build(t *subject, i int) {
	row, sw := t.table.Rows[i], t.from[i]
	add := func(term, text string) {
		if text != "" {
			p.Facts = append(p.Facts, fact{term, charts.Printable(text)})
		}
	}
	add("Line of releases", row.Version.Line)
	if row.Version.Raw != row.Version.Name {
		add("Named by its source", row.Version.Raw)
	}
	add("Source", cmp.Or(row.Version.Source, sw.Plan.Source))
	add("Commit", row.Version.Commit)
	for _, o := range sw.Outcomes {
		if o.Version != row.Version.Name {
			continue
		}
		add("Build", cmp.Or(o.Build.Digest, row.Version.Digest))
		if o.Build.Bytes > 0 {
			add("Build size", humanize.IBytes(uint64(o.Build.Bytes)))
		}
		add("Base image", o.Build.Base)
		p.log(o.Log)
	}
	p.Facts = append(p.Facts, fact{"Load", charts.LoadText(sweep.Table{Plan: sw.Plan, Finished: !sw.Finished.IsZero()})},
		fact{"Machine", charts.MachineText(sw.Environment)})
	add("Environment", environmentText(sw.Environment))
	add("Swept", dateOf(sw))
	var before map[string]string
	if i > 0 {
		before = t.table.Rows[i-1].Components
	}
	if row.Components != nil && before == nil {
		before = row.Components
	} else if before != nil {
		p.PartsBefore = charts.Printable(t.table.Rows[i-1].Version.Name)
	}
	p.Parts = components(before, row.Components)
}

// environmentText is what of a machine its caption leaves out.
func environmentText(e sweep.Environment) string {
	var parts []string
	add := func(term, text string) {
		if text != "" {
			parts = append(parts, term+" "+text)
		}
	}
	add("governor", e.Governor)
	add("microcode", e.Microcode)
	if e.Memory > 0 {
		add("memory", humanize.IBytes(uint64(e.Memory)))
	}
	if len(e.ServerCPUs) > 0 {
		add("server on CPU", sweep.FormatCPUs(e.ServerCPUs))
	}
	if len(e.LoadCPUs) > 0 {
		add("load engine on CPU", sweep.FormatCPUs(e.LoadCPUs))
	}
	add("turbo", e.Turbo)
	add("SMT", e.SMT)
	add("hypervisor", e.Hypervisor)
	add("huge pages", e.THP)
	add("mitigations", e.Mitigations)
	return strings.Join(parts, "; ")
}

package charts

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"versweep/sweep"
)

// ReleaseOptions is what a release report has besides the comparison.
type ReleaseOptions struct {
	Width  int      // terminal columns that a line of text should not exceed; 110 when 0
	Repeat []string // lines of the commands that measure and compare again
}

// releasePage is a comparison of two releases in words, the same for every
// format. Every text in it is printable; none is escaped.
type releasePage struct {
	Title    string // "Node.js 22.1.0 against 20.9.0"
	Verdict  string // "8 % slower, 30 % more memory"; empty when there is none
	Old, New string // names of the versions
	Metrics  []releaseMetric
	Steps    []releaseStep
	Bundled  []sweep.ComponentChange // "none" where one is missing
	Between  []string                // versions, in order
	Missing  []sweep.Outcome         // versions that were not measured
	About    []releaseFact
	Repeat   []string
	Warnings []string
}

// releaseMetric is one metric of both releases.
type releaseMetric struct {
	Name, Unit string
	Old, New   string // "43,280 ±2% n=8"; "-" when unknown
	Change     string // "-8.1 %"; "-" when there is none
	Interval   string // "-9.0 to -7.2 %"; empty when unknown
	Verdict    string // "undecided, about 12 more rounds"
	Kind       sweep.Verdict
	Notes      []string
}

// releaseStep is a change between the two.
type releaseStep struct {
	Version, Metric, Words string
	Notes                  []string
}

// releaseFact is something that the report rests on.
type releaseFact struct{ Term, Text string }

func newReleasePage(r sweep.Release, o ReleaseOptions) releasePage {
	p := releasePage{
		Old: Printable(r.From.Name), New: Printable(r.To.Name), Verdict: Printable(r.Verdict),
		About: releaseFacts(r), Warnings: printables(r.Warnings), Repeat: printables(o.Repeat),
	}
	p.Title = Printable(cmp.Or(r.Title, r.Target)) + " " + p.New + " against " + p.Old
	for _, c := range r.Comparisons {
		p.Metrics = append(p.Metrics, newReleaseMetric(c))
	}
	for _, f := range r.Findings {
		p.Steps = append(p.Steps, releaseStep{Printable(f.To), wordingOf(f.Metric).short, findingWords(f), findingNotes(f)})
	}
	for _, c := range r.Bundled {
		p.Bundled = append(p.Bundled, sweep.ComponentChange{
			Name: Printable(c.Name), Old: cellOr(Printable(c.Old), "none"), New: cellOr(Printable(c.New), "none"),
		})
	}
	for _, v := range r.Between {
		p.Between = append(p.Between, Printable(v.Name))
	}
	for _, out := range r.NotMeasured {
		p.Missing = append(p.Missing, sweep.Outcome{Version: Printable(out.Version), Reason: cellOr(Printable(out.Reason), "reason unknown")})
	}
	return p
}

func printables(lines []string) []string {
	var out []string
	for _, line := range lines {
		out = append(out, Printable(line))
	}
	return out
}

func newReleaseMetric(c sweep.Comparison) releaseMetric {
	shown := displayOf(c.Metric)
	m := releaseMetric{
		Name: wordingOf(c.Metric).short, Unit: Printable(shown.unit), Change: "-", Verdict: verdictWords(c), Kind: c.Verdict,
		Notes: printables(c.Notes),
	}
	figure := func(e sweep.Estimate) string {
		if e.Samples < 1 || !drawable(e.Median) {
			return "-"
		}
		e.Median, e.Lo, e.Hi = e.Median*shown.factor, e.Lo*shown.factor, e.Hi*shown.factor
		places := decimals(e.Median)
		return fixed(e.Median, places) + spreadOf(e, places) + " n=" + strconv.Itoa(e.Samples)
	}
	m.Old, m.New = figure(c.Old), figure(c.New)
	switch {
	case known(c.Change):
		m.Change, m.Interval = changeFigure(c), intervalFigure(c, "", "")
	case c.Old.Samples > 0 && c.New.Samples > 0 && c.Old.Median == 0 && c.New.Median != 0:
		m.Change = "new, 0 before"
	}
	return m
}

// verdictWords marks differences that are noise with "~".
func verdictWords(c sweep.Comparison) string {
	switch c.Verdict {
	case sweep.NoChange:
		return "~ no change"
	case sweep.Undecided:
		return "undecided, " + moreRounds(c)
	}
	return string(c.Verdict)
}

// releaseFacts say what a comparison rests on.
func releaseFacts(r sweep.Release) []releaseFact {
	machine := machineCaption(r.Environment)
	if r.Environment.Name != "" {
		machine = Printable(r.Environment.Name)
	}
	facts := []releaseFact{{"Machine", machine}}
	if f := r.Plan.Foreign; f != nil {
		facts = append(facts,
			releaseFact{"Load", cellOr(Printable(f.Profile), "unknown")},
			releaseFact{"Imported", Printable(f.Format + " file " + f.File + ", " + f.Digest)})
	} else {
		facts = append(facts, releaseFact{"Load", loadCaption(sweep.Table{Plan: r.Plan, Finished: true})})
		if r.Plan.Source != "" {
			facts = append(facts, releaseFact{"Versions from", Printable(r.Plan.Source)})
		}
	}
	facts = append(facts, releaseFact{"Method", releaseMethod(r)})
	if text := releaseSmallest(r); text != "" {
		facts = append(facts, releaseFact{"Smallest change that would have been seen", text + " (with 80 % power)"})
	}
	if len(r.Sweeps) > 0 {
		facts = append(facts, releaseFact{"Data", count(int64(r.Samples), "sample") + " of " + sweepNumbers(r.Sweeps)})
		if r.Older > 0 {
			facts[len(facts)-1].Text += "; " + count(int64(r.Older), "older sweep") + " left out"
		}
	}
	return facts
}

// releaseMethod is how the two were compared.
func releaseMethod(r sweep.Release) string {
	least, most := 0, 0
	for _, c := range r.Comparisons {
		if c.Pairs > 0 {
			least, most = min(cmp.Or(least, c.Pairs), c.Pairs), max(most, c.Pairs)
		}
	}
	method := "ratios between samples of the same round"
	if r.Plan.Foreign != nil && r.Plan.Foreign.Unpaired {
		method = "ratios between samples, which no round pairs"
	} else if most > 0 {
		method += " (" + countRange(least, most, "round") + ")"
	}
	method += ", 95 % intervals"
	if r.Effect > 0 {
		method += ", smallest change of interest " + chosenPercent(r.Effect)
	}
	return method
}

func releaseSmallest(r sweep.Release) string {
	var parts []string
	for _, c := range r.Comparisons {
		if known(c.SmallestEffect) && c.SmallestEffect > 0 {
			parts = append(parts, wordingOf(c.Metric).short+" "+percent(c.SmallestEffect, percentPlaces(c.SmallestEffect)))
		}
	}
	return strings.Join(parts, ", ")
}

// sweepNumbers is "sweep 3" or "sweeps 3, 4".
func sweepNumbers(ids []int64) string {
	var numbers []string
	for _, id := range ids {
		numbers = append(numbers, strconv.FormatInt(id, 10))
	}
	noun := "sweep "
	if len(ids) > 1 {
		noun = "sweeps "
	}
	return noun + strings.Join(numbers, ", ")
}

// WriteComparison tells a comparison of two releases on a terminal: the verdict
// in one sentence, the metrics, what changed in between, and what it all rests
// on. The text holds no control characters but line breaks.
func WriteComparison(w io.Writer, r sweep.Release, o ReleaseOptions) error {
	width := lineWidth(o.Width)
	p := newReleasePage(r, o)
	var b strings.Builder
	title := p.Title
	if p.Verdict != "" {
		title += ": " + p.Verdict
	}
	b.WriteString(wrap(title, width, 2) + "\n\n")
	writeMetricRows(&b, p, width)
	list := func(head string, lines []string) {
		if len(lines) == 0 {
			return
		}
		b.WriteString("\n" + head + ":\n")
		for _, line := range lines {
			b.WriteString("  " + strings.ReplaceAll(wrap(line, width-2, 2), "\n", "\n  ") + "\n")
		}
	}
	if len(r.Findings) > 0 {
		b.WriteString("\nChanges between them:\n")
		writeFindingLines(&b, r.Findings, width)
	}
	var bundled []string
	for _, c := range p.Bundled {
		bundled = append(bundled, c.Name+" "+c.Old+" → "+c.New)
	}
	list("Bundled parts that changed", bundled)
	if len(p.Between) > 0 {
		list("Versions between them", []string{strings.Join(p.Between, ", ")})
	}
	list("Not measured", atMost(maxListed, outcomeLines(p.Missing)))
	b.WriteByte('\n')
	for _, f := range p.About {
		b.WriteString(wrap(withinSentence(f.Term)+": "+f.Text, width, 2) + "\n")
	}
	for _, warning := range p.Warnings {
		b.WriteString(wrap("warning: "+warning, width, 2) + "\n")
	}
	if len(p.Repeat) > 0 {
		// Commands are for copying, and keep their lines.
		b.WriteString("\nTo repeat it:\n  " + strings.Join(p.Repeat, "\n  ") + "\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the comparison of %s: %w", p.Title, err)
	}
	return nil
}

// maxHeadColumns bounds the versions that head the columns of figures.
const maxHeadColumns = 18

// writeMetricRows writes a row a metric, and below it its doubts.
func writeMetricRows(b *strings.Builder, p releasePage, width int) {
	rows := [][]string{{"metric", "", shortenMiddle(p.Old, withinColumns(maxHeadColumns)), shortenMiddle(p.New, withinColumns(maxHeadColumns)), "change", "95 % interval"}}
	for _, m := range p.Metrics {
		rows = append(rows, []string{m.Name, m.Unit, m.Old, m.New, m.Change, m.Interval})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], textWidth(cell))
		}
	}
	for n, row := range rows {
		line := ""
		for i, cell := range row {
			if i < 2 {
				line += padRight(cell, widths[i]) + columnGap
			} else {
				line += padLeft(cell, widths[i]) + columnGap
			}
		}
		if n == 0 {
			b.WriteString(line + "verdict\n")
			continue
		}
		indent := textWidth(line)
		verdict := wrap(p.Metrics[n-1].Verdict, max(width-indent, minReasonColumns), 0)
		b.WriteString(line + strings.ReplaceAll(verdict, "\n", "\n"+strings.Repeat(" ", indent)) + "\n")
		for _, note := range p.Metrics[n-1].Notes {
			b.WriteString("  " + strings.ReplaceAll(wrap(note, width-2, 2), "\n", "\n  ") + "\n")
		}
	}
	if len(p.Metrics) == 0 {
		b.WriteString("no metric is known of either\n")
	}
}

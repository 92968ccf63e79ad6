package charts

import (
	"fmt"
	"slices"
	"strings"

	"versweep/sweep"
)

// remarks are the lines below a table about single versions: what was wrong
// with those that are degraded, and their notes.
func remarks(t sweep.Table) []string {
	var lines []string
	failed, _ := sweep.MetricByKey(sweep.ErrorShare)
	for _, row := range t.Rows {
		name := Printable(row.Version.Name)
		if row.Status == sweep.Degraded {
			line := name + " degraded"
			if e, ok := row.Metrics[sweep.ErrorShare]; ok && drawable(e.Hi) && e.Hi > 0 {
				line += fmt.Sprintf(": %s %% of requests failed", figureInFull(failed, e))
			}
			if row.Reason != "" {
				line += ": " + Printable(row.Reason)
			}
			lines = append(lines, line)
		}
		for _, note := range row.Notes {
			lines = append(lines, name+": "+Printable(note))
		}
	}
	return lines
}

// footer says what a table's figures rest on.
func footer(t sweep.Table, figures []column) []string {
	var lines []string
	if len(figures) > 0 {
		key := "figures: median; n: samples"
		if slices.ContainsFunc(figures, column.hasShare) {
			key += "; ±: half the distance from lowest to highest, as a share of the median"
		}
		lines = append(lines, key)
	}
	if key := versusKey(figures); key != "" {
		lines = append(lines, key)
	}
	if line := referenceLine(t); line != "" {
		lines = append(lines, line)
	}
	lines = append(lines, markLines(t)...)
	return append(lines, "load: "+loadCaption(t), machineLine(t.Environment))
}

// markLines say how many samples are in doubt, and why.
func markLines(t sweep.Table) []string {
	var parts []string
	for _, kind := range sweep.MarkKinds {
		if n := t.Marks[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d", markWords[kind], n))
		}
	}
	var lines []string
	if len(parts) > 0 {
		lines = append(lines, fmt.Sprintf("doubts in %s: %s; %d left out of the figures",
			count(int64(t.Samples), "sample"), strings.Join(parts, ", "), t.LeftOut))
	}
	if t.Again > 0 {
		lines = append(lines, fmt.Sprintf("%s taken again because the machine spoilt the attempt before", count(int64(t.Again), "sample")))
	}
	return lines
}

// markWords say what a kind of mark means.
var markWords = map[sweep.MarkKind]string{
	sweep.OtherWork: "other work took CPU", sweep.Steal: "the hypervisor took CPU", sweep.Throttled: "a CPU quota held the server back",
	sweep.Swap: "the machine swapped", sweep.OutOfMemory: "out of memory", sweep.Thermal: "a CPU was slowed",
	sweep.ClientBound: "the load engine was the limit", sweep.WrongAnswers: "wrong answers", sweep.Unbalanced: "throughput and latency disagree",
}

// referenceLine names the reference and, when its A/A twin was sampled, how
// far the same version was from itself: what this sweep's noise can do.
func referenceLine(t sweep.Table) string {
	if t.Plan.Reference == "" {
		return ""
	}
	line := "reference " + Printable(t.Plan.Reference)
	m, _ := sweep.MetricByKey(sweep.QPS)
	b, ok := t.Twin[m.Key]
	if !ok || b.Samples < 1 {
		return line
	}
	for _, row := range t.Rows {
		a, ok := row.Metrics[m.Key]
		if row.Version.Name != t.Plan.Reference || !ok || row.Status == sweep.Failed {
			continue
		}
		line += fmt.Sprintf(" against itself: %s and %s %s", figureInFull(m, a), figureInFull(m, b), displayOf(m).unit)
		if step := change(a.Median, b.Median); step != "" {
			line += " (" + step + "): at least so much is noise"
		}
	}
	return line
}

// figureInFull is "41,235 (40,900 – 41,800, n=5)": centre, spread and number
// of samples, without the unit.
func figureInFull(m sweep.Metric, e sweep.Estimate) string {
	factor := displayOf(m).factor
	if e.Samples == 1 {
		return number(e.Median*factor) + " (n=1)"
	}
	return fmt.Sprintf("%s (%s – %s, n=%d)", number(e.Median*factor), number(e.Lo*factor), number(e.Hi*factor), e.Samples)
}

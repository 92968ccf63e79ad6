package charts

import (
	"fmt"
	"slices"

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
	if t.Starved > 0 {
		lines = append(lines, fmt.Sprintf("in %d of %s the server had less than nine tenths of its CPU, and the load engine was not the limit: the machine was busy, and their figures are too low",
			t.Starved, count(int64(t.Samples), "sample")))
	}
	return append(lines, "load: "+loadCaption(t), "machine: "+machineCaption(t.Environment))
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

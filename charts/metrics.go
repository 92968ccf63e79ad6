package charts

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"versweep/sweep"
)

// metricColumns is how many versions stand side by side.
const metricColumns = 6

// WriteMetrics writes every metric that some version of t has, those of imported
// figures included: a row a metric and a column a version, oldest first, medians
// only. Imported figures keep their units and, where there is one sample, all
// their digits. It suits few versions and many metrics; of many versions, blocks of six
// stand below each other.
func WriteMetrics(w io.Writer, t sweep.Table) error {
	var b strings.Builder
	b.WriteString(tableTitle(t) + "\n")
	metrics := t.Plan.AllMetrics()
	for at := 0; at < len(t.Rows); at += metricColumns {
		rows := t.Rows[at:min(at+metricColumns, len(t.Rows))]
		b.WriteByte('\n')
		writeMetricBlock(&b, metricBlock(t, metrics, rows))
	}
	b.WriteByte('\n')
	for _, line := range slices.Concat(dashes(t), []string{"figures: median", "load: " + loadCaption(t), machineLine(t.Environment)}) {
		b.WriteString(wrap(line, defaultTableWidth, 2) + "\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the metrics of %s: %w", Printable(t.Target), err)
	}
	return nil
}

// metricBlock is the cells of some versions, a head first; metrics that none of
// t's versions has are left out.
func metricBlock(t sweep.Table, metrics []sweep.Metric, rows []sweep.Row) [][]string {
	head := []string{"", ""}
	for _, row := range rows {
		head = append(head, shortenMiddle(Printable(row.Version.Name), withinColumns(maxNameColumns)))
	}
	block := [][]string{head}
	for _, m := range metrics {
		if len(estimatesOf(t, m)) == 0 {
			continue
		}
		shown := displayOf(m)
		if t.Plan.Foreign != nil { // as it was reported
			shown = display{factor: 1, unit: m.Unit}
		}
		cells := []string{Printable(m.Title), Printable(shown.unit)}
		for _, row := range rows {
			k := newMark(row.Status, row.Metrics, m.Key, shown, false)
			switch {
			case !k.hasFigure():
				cells = append(cells, "-")
			case t.Plan.Foreign != nil && k.samples == 1:
				cells = append(cells, inFull(k.median))
			default:
				cells = append(cells, number(k.median))
			}
		}
		block = append(block, cells)
	}
	return block
}

// inFull writes v with as many digits as it was read with.
func inFull(v float64) string {
	_, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	return fixed(v, len(fraction))
}

// writeMetricBlock sets names to the left and figures to the right.
func writeMetricBlock(b *strings.Builder, block [][]string) {
	widths := make([]int, len(block[0]))
	for _, cells := range block {
		for i, cell := range cells {
			widths[i] = max(widths[i], textWidth(cell))
		}
	}
	for _, cells := range block {
		line := padRight(cells[0], widths[0]) + columnGap + padRight(cells[1], widths[1])
		for i, cell := range cells[2:] {
			line += columnGap + padLeft(cell, widths[i+2])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

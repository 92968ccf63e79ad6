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
// their digits. It suits few versions and many metrics; of many versions, blocks of
// six stand below each other, of fewer where width terminal columns, 110 when 0,
// have no room for six.
func WriteMetrics(w io.Writer, t sweep.Table, width int) error {
	width = lineWidth(width)
	var b strings.Builder
	b.WriteString(tableTitle(t) + "\n")
	metrics := t.Plan.AllMetrics()
	for rows := t.Rows; len(rows) > 0; {
		n := min(metricColumns, len(rows))
		block := metricBlock(t, metrics, rows[:n])
		for n > 1 && blockWidth(block) > width {
			n--
			block = metricBlock(t, metrics, rows[:n])
		}
		b.WriteByte('\n')
		writeMetricBlock(&b, block)
		rows = rows[n:]
	}
	b.WriteByte('\n')
	for _, line := range slices.Concat(dashes(t), []string{"figures: median", "load: " + loadCaption(t), machineLine(t.Environment)}) {
		b.WriteString(wrap(line, width, 2) + "\n")
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
	widths := blockWidths(block)
	for _, cells := range block {
		line := padRight(cells[0], widths[0]) + columnGap + padRight(cells[1], widths[1])
		for i, cell := range cells[2:] {
			line += columnGap + padLeft(cell, widths[i+2])
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// blockWidths is how wide the widest cell of each column is.
func blockWidths(block [][]string) []int {
	widths := make([]int, len(block[0]))
	for _, cells := range block {
		for i, cell := range cells {
			widths[i] = max(widths[i], textWidth(cell))
		}
	}
	return widths
}

// blockWidth is how wide a block's lines are.
func blockWidth(block [][]string) int {
	widths := blockWidths(block)
	line := len(columnGap) * (len(widths) - 1)
	for _, width := range widths {
		line += width
	}
	return line
}

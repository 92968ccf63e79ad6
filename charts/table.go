package charts

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"versweep/sweep"
)

// TableOptions is how a text table is set. The zero value suits a terminal of
// 110 columns.
type TableOptions struct {
	Width int // terminal columns that a line should not exceed; 110 when 0

	// Judgement adds how each version compares with the one before; nil for
	// none.
	Judgement *sweep.Judgement
}

const (
	defaultTableWidth = 110
	minTableWidth     = 60
	maxNameColumns    = 24 // a longer version name loses its middle
	minReasonColumns  = 20
	columnGap         = "  "
)

// WriteTable writes t for people: one line a version with the median of each
// metric, its spread and the number of samples, the reason instead of figures
// where a version failed, and below it what the figures rest on. Metrics that
// no version has are left out. The text holds no control characters but line
// breaks, whatever the versions and reasons contain.
func WriteTable(w io.Writer, t sweep.Table, o TableOptions) error {
	width := lineWidth(o.Width)
	var b strings.Builder
	b.WriteString(tableTitle(t) + "\n\n")
	columns, omitted := narrowed(t, tableColumns(t, o.Judgement, true), width)
	cut := writeRows(&b, t, columns, width)
	for _, lines := range [][]string{slices.Concat(cut, remarks(t)), slices.Concat(omitted, footer(t, columns))} {
		if len(lines) > 0 {
			b.WriteByte('\n')
		}
		for _, line := range lines {
			b.WriteString(wrap(line, width, 2) + "\n")
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the table of %s: %w", Printable(t.Target), err)
	}
	return nil
}

// tableTitle is "Node.js: 27 versions from npm, 2 failed, 1 without a figure".
func tableTitle(t sweep.Table) string {
	title := targetTitle(t) + ": " + count(int64(len(t.Rows)), "version")
	if t.Plan.Source != "" {
		title += " from " + Printable(t.Plan.Source)
	}
	failed, without := 0, 0
	for _, row := range t.Rows {
		switch {
		case row.WithoutFigure():
			without++
		case row.Status == sweep.Failed:
			failed++
		}
	}
	if failed > 0 {
		title += fmt.Sprintf(", %d failed", failed)
	}
	if without > 0 {
		title += fmt.Sprintf(", %d without a figure", without)
	}
	return title
}

// column is one column of figures.
type column struct {
	head  [2]string // name and unit
	cells []string  // one a row; "" when unknown
}

// hasShare tells whether some cell gives its spread as a share.
func (c column) hasShare() bool {
	return slices.ContainsFunc(c.cells, func(cell string) bool { return strings.Contains(cell, "±") })
}

// tableColumns makes the columns of the metrics that some version has. The
// first range and the number of samples are spelled out; further columns give
// the spread as a share of the median. With a judgement there is the first
// metric's change, which in a compact table takes the room of the range.
func tableColumns(t sweep.Table, j *sweep.Judgement, compact bool) []column {
	var columns []column
	for _, wanted := range shownColumns(t.Plan) {
		m, _ := t.Plan.MetricByKey(wanted.key)
		figures := estimatesOf(t, m)
		if len(figures) == 0 || wanted.key == sweep.ErrorShare && allZero(figures) {
			continue
		}
		places := columnDecimals(figures)
		fill := func(name, unit string, cell func(sweep.Row, sweep.Estimate) string) {
			c := column{head: [2]string{name, unit}, cells: make([]string, len(t.Rows))}
			for i, e := range figures {
				c.cells[i] = cell(t.Rows[i], e)
			}
			columns = append(columns, c)
		}
		if len(columns) == 0 {
			versus, judged := newVersusBefore(j, wanted.key).column(t)
			compact := compact && judged
			fill(wanted.head, displayOf(m).unit, func(_ sweep.Row, e sweep.Estimate) string {
				if compact {
					return fixed(e.Median, places) + spreadOf(e, places)
				}
				return fixed(e.Median, places)
			})
			if !compact {
				fill("lowest – highest", "", func(_ sweep.Row, e sweep.Estimate) string {
					if e.Samples == 1 {
						return ""
					}
					return fixed(e.Lo, places) + " – " + fixed(e.Hi, places)
				})
			}
			fill("n", "", func(_ sweep.Row, e sweep.Estimate) string { return fixed(float64(e.Samples), 0) })
			if judged {
				columns = append(columns, versus)
			}
			continue
		}
		fill(wanted.head, displayOf(m).unit, func(row sweep.Row, e sweep.Estimate) string {
			switch {
			case wanted.key != sweep.ErrorShare:
				return fixed(e.Median, places) + spreadOf(e, places) + otherCount(row, e)
			case e.Median == 0 && e.Hi == 0:
				return "0"
			default: // its range is in the remarks
				return fixed(e.Median, places)
			}
		})
	}
	return columns
}

// shownColumn is a metric that has a column, and the column's name.
type shownColumn struct{ key, head string }

// shownColumns are the metrics that matter most; of an imported sweep all, since
// somebody chose them.
func shownColumns(p sweep.Plan) []shownColumn {
	var shown []shownColumn
	for _, key := range []string{sweep.QPS, sweep.P50, sweep.P99, sweep.PacedP99, sweep.CPUPerRequest, sweep.PeakRSS, sweep.Startup, sweep.ErrorShare} {
		m, _ := sweep.MetricByKey(key)
		shown = append(shown, shownColumn{key, wordingOf(m).short})
	}
	if p.Foreign == nil {
		return shown
	}
	for _, m := range p.AllMetrics() {
		if !slices.ContainsFunc(shown, func(s shownColumn) bool { return s.key == m.Key }) {
			shown = append(shown, shownColumn{m.Key, Printable(m.Key)})
		}
	}
	return shown
}

// otherCount is the number of samples where it is not the row's.
func otherCount(row sweep.Row, e sweep.Estimate) string {
	if e.Samples == row.Samples {
		return ""
	}
	return fmt.Sprintf(" n=%d", e.Samples)
}

// estimatesOf is what is known of m, in shown units, by row.
func estimatesOf(t sweep.Table, m sweep.Metric) map[int]sweep.Estimate {
	factor := displayOf(m).factor
	figures := map[int]sweep.Estimate{}
	for i, row := range t.Rows {
		e, ok := row.Metrics[m.Key]
		if !ok || row.Status == sweep.Failed || e.Samples < 1 || !drawable(e.Median) {
			continue
		}
		e.Median, e.Lo, e.Hi = e.Median*factor, e.Lo*factor, e.Hi*factor
		figures[i] = e
	}
	return figures
}

func allZero(figures map[int]sweep.Estimate) bool {
	for _, e := range figures {
		if e.Hi != 0 || e.Median != 0 {
			return false
		}
	}
	return true
}

// spreadOf is half the distance from the lowest to the highest sample: " ±3%"
// of the median, or the range itself where the median is zero. One sample has
// none.
func spreadOf(e sweep.Estimate, places int) string {
	switch {
	case e.Samples == 1:
		return ""
	case !drawable(e.Lo) || !drawable(e.Hi):
		return " ±?"
	case e.Median == 0 && e.Lo == e.Hi:
		return " ±0%"
	case e.Median == 0:
		return " (" + fixed(e.Lo, places) + "–" + fixed(e.Hi, places) + ")"
	}
	percent := math.Abs((e.Hi-e.Lo)/2/e.Median) * 100
	if percent >= 100 {
		return " ±>99%" // one far value: its size says nothing of the rest
	}
	return " ±" + fixed(percent, 0) + "%"
}

// columnDecimals gives all of a column the digits that its smallest figure
// needs, so that decimal points stand in line, but at most two more than its
// largest.
func columnDecimals(figures map[int]sweep.Estimate) int {
	least, most := math.Inf(1), 0.0
	for _, e := range figures {
		if v := math.Abs(e.Median); v > 0 {
			least, most = min(least, v), max(most, v)
		}
	}
	if most == 0 {
		return 0
	}
	return min(decimals(least), decimals(most)+2)
}

// expendable are the columns that a narrow table does without, the first one
// first.
var expendable = []string{"start-up", "p50", "peak memory", "CPU/request"}

// narrowed leaves out columns until a line has no more than width columns, and
// says so.
func narrowed(t sweep.Table, columns []column, width int) (kept []column, said []string) {
	_, line := tableNames(t)
	for _, c := range columns {
		line += len(columnGap) + c.width()
	}
	var gone []string
	for _, name := range expendable {
		i := slices.IndexFunc(columns, func(c column) bool { return c.head[0] == name })
		if line <= width || i < 0 {
			continue
		}
		line -= len(columnGap) + columns[i].width()
		columns = slices.Delete(columns, i, i+1)
		gone = append(gone, name)
	}
	if len(gone) == 0 {
		return columns, nil
	}
	return columns, []string{"left out for want of width: " + strings.Join(gone, ", ")}
}

// width is the terminal columns of the widest cell.
func (c column) width() int {
	widest := max(textWidth(c.head[0]), textWidth(c.head[1]))
	for _, cell := range c.cells {
		widest = max(widest, textWidth(cell))
	}
	return widest
}

// tableNames are the versions' names, shortened, and the width of the widest.
func tableNames(t sweep.Table) (names []string, width int) {
	width = textWidth("version")
	for _, row := range t.Rows {
		name := shortenMiddle(Printable(row.Version.Name), withinColumns(maxNameColumns))
		names = append(names, name)
		width = max(width, textWidth(name))
	}
	return names, width
}

// writeRows writes heads and lines. It returns the full text of reasons that
// had to be cut.
func writeRows(b *strings.Builder, t sweep.Table, figures []column, width int) (full []string) {
	names, nameWidth := tableNames(t)
	widths := make([]int, len(figures))
	for i, c := range figures {
		widths[i] = c.width()
	}
	line := func(name string, cell func(column) string) {
		text := padRight(name, nameWidth)
		for i, c := range figures {
			text += columnGap + padLeft(cell(c), widths[i])
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	line("version", func(c column) string { return c.head[0] })
	line("", func(c column) string { return c.head[1] })
	for i, row := range t.Rows {
		if row.Status != sweep.Failed {
			line(names[i], func(c column) string { return cellOr(c.cells[i], "-") })
			continue
		}
		reason := rowStatus(row)
		room := max(width-nameWidth-len(columnGap), minReasonColumns)
		short := shorten(reason, withinColumns(room))
		if short != reason {
			full = append(full, Printable(row.Version.Name)+" "+reason)
		}
		b.WriteString(padRight(names[i], nameWidth) + columnGap + short + "\n")
	}
	if len(t.Rows) == 0 {
		b.WriteString("no versions were selected\n")
	}
	return full
}

func cellOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

package charts

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"versweep/sweep"
)

// seriesCells is how many versions stand side by side.
const seriesCells = 9

// WriteSeries writes one metric's medians the way the table that this project
// began with does: for each line of releases, the newest line first, a row of
// versions and below it a row of figures, the newest version first, "-" for
// what has none. Lines of more than nine versions, or of more than width terminal
// columns, 110 when 0, go on in further pairs of rows. A figure with a star is in
// doubt.
// Below stands why versions have no figure.
func WriteSeries(w io.Writer, t sweep.Table, m sweep.Metric, width int) error {
	width = lineWidth(width)
	var b strings.Builder
	shown := displayOf(m)
	b.WriteString(heading(t, m))
	if shown.unit != "" {
		b.WriteString(" (" + shown.unit + ")")
	}
	b.WriteString(", median" + seriesSamples(t, m) + "\n")

	cells, starred := seriesOf(t, m)
	for _, line := range cells {
		b.WriteString("\n* " + line.heading() + "\n")
		for cells := line.cells; len(cells) > 0; {
			n := min(seriesCells, len(cells))
			for n > 1 && pairWidth(cells[:n]) > width {
				n--
			}
			writePair(&b, cells[:n])
			cells = cells[n:]
		}
	}
	b.WriteByte('\n')
	if len(t.Rows) == 0 {
		b.WriteString("no versions\n")
	}
	if starred {
		b.WriteString("*: in doubt: some requests failed, or every sample is spoilt\n")
	}
	for _, line := range append(dashes(t), "load: "+loadCaption(t), machineLine(t.Environment)) {
		b.WriteString(wrap(line, width, 2) + "\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the series of %s: %w", Printable(t.Target), err)
	}
	return nil
}

// seriesCell is one version and its figure.
type seriesCell struct{ version, figure string }

// seriesLine is the cells of one line of releases, newest first.
type seriesLine struct {
	name  string
	cells []seriesCell
}

// heading is "v0.8.x"; a line that does not start with a number keeps its name.
func (l seriesLine) heading() string {
	switch {
	case l.name == "":
		return "other versions"
	case unicode.IsDigit(rune(l.name[0])):
		return "v" + Printable(l.name)
	default:
		return Printable(l.name)
	}
}

// seriesOf sorts t's versions into lines, newest first, and tells whether some
// figure is starred.
func seriesOf(t sweep.Table, m sweep.Metric) (lines []seriesLine, starred bool) {
	figures := estimatesOf(t, m)
	places := columnDecimals(figures)
	position := map[string]int{}
	for i, row := range slices.Backward(t.Rows) {
		cell := seriesCell{version: Printable(row.Version.Name), figure: "-"}
		if e, ok := figures[i]; ok {
			// No thousands separators: the rows are also copied elsewhere.
			cell.figure = strings.ReplaceAll(fixed(e.Median, places), ",", "")
			if row.Status == sweep.Degraded {
				cell.figure += "*"
				starred = true
			}
		}
		at, ok := position[row.Version.Line]
		if !ok {
			at = len(lines)
			position[row.Version.Line] = at
			lines = append(lines, seriesLine{name: row.Version.Line})
		}
		lines[at].cells = append(lines[at].cells, cell)
	}
	return lines, starred
}

// dashes says why versions have no figure, a line for each reason: "-: did not
// run: 0.5.4, 0.5.1". Reasons come in the order of the newest version of each.
func dashes(t sweep.Table) []string {
	var reasons []string
	versions := map[string][]string{}
	for _, row := range slices.Backward(t.Rows) {
		if row.Status != sweep.Failed || row.Reason == "" {
			continue
		}
		if versions[row.Reason] == nil {
			reasons = append(reasons, row.Reason)
		}
		versions[row.Reason] = append(versions[row.Reason], Printable(row.Version.Name))
	}
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("-: %s: %s", Printable(reason), strings.Join(versions[reason], ", "))
	}
	return reasons
}

// seriesSamples is " of 5 samples", or " of 3 to 5 samples".
func seriesSamples(t sweep.Table, m sweep.Metric) string {
	least, most := 0, 0
	for _, e := range estimatesOf(t, m) {
		if least == 0 || e.Samples < least {
			least = e.Samples
		}
		most = max(most, e.Samples)
	}
	if most == 0 {
		return ""
	}
	return " of " + countRange(least, most, "sample")
}

// width is that of a cell's wider half.
func (c seriesCell) width() int { return max(textWidth(c.version), textWidth(c.figure)) }

// pairWidth is how wide a pair of rows is.
func pairWidth(cells []seriesCell) int {
	width := 1
	for _, c := range cells {
		width += c.width() + len("  |")
	}
	return width
}

// writePair writes a row of versions above the row of their figures, each
// pair of cells equally wide.
func writePair(b *strings.Builder, cells []seriesCell) {
	row := func(text func(seriesCell) string) {
		b.WriteByte('|')
		for _, c := range cells {
			b.WriteString(" " + padLeft(text(c), c.width()) + " |")
		}
		b.WriteByte('\n')
	}
	row(func(c seriesCell) string { return c.version })
	row(func(c seriesCell) string { return c.figure })
}

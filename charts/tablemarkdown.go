package charts

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"versweep/sweep"
)

// WriteTableMarkdown writes what WriteTable writes as GitHub-flavoured
// Markdown: a heading, one row a version, then lists of remarks and of what
// the figures rest on. Nothing in a version's name or reason is taken for
// markup. o.Width does not matter.
func WriteTableMarkdown(w io.Writer, t sweep.Table, o TableOptions) error {
	var b strings.Builder
	columns := tableColumns(t, o.Judgement, false)
	b.WriteString("## " + markdownText(tableTitle(t)) + "\n\n")

	row := func(first string, cell func(column) string, last string) {
		b.WriteString("| " + first + " |")
		for _, c := range columns {
			b.WriteString(" " + cell(c) + " |")
		}
		b.WriteString(strings.TrimRight(" "+last, " ") + " |\n")
	}
	row("version", func(c column) string { return markdownText(c.heading()) }, "status")
	row(":--", func(column) string { return "--:" }, ":--")
	for i, r := range t.Rows {
		row(markdownText(Printable(r.Version.Name)), func(c column) string { return markdownText(cellOr(c.cells[i], "-")) }, markdownText(rowStatus(r)))
	}
	if len(t.Rows) == 0 {
		b.WriteString("\nno versions were selected\n")
	}
	for _, lines := range [][]string{remarks(t), footer(t, columns)} {
		if len(lines) > 0 {
			b.WriteByte('\n')
		}
		for _, line := range lines {
			b.WriteString("- " + markdownText(line) + "\n")
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the table of %s: %w", Printable(t.Target), err)
	}
	return nil
}

// heading is "throughput (requests/s)".
func (c column) heading() string {
	if c.head[1] == "" {
		return c.head[0]
	}
	return c.head[0] + " (" + c.head[1] + ")"
}

// rowStatus is "ok", or what was wrong: "failed: exit status 1", "no figure in the
// file". The remarks tell what was wrong with versions that are degraded.
func rowStatus(r sweep.Row) string {
	switch {
	case r.WithoutFigure():
		return Printable(r.Reason)
	case r.Status == sweep.Failed:
		return "failed: " + cellOr(Printable(r.Reason), "reason unknown")
	}
	return string(r.Status)
}

// markdownText is s with what Markdown and HTML within it would read as markup
// made plain. The "~" of a table cell stands alone and strikes nothing out.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case slices.Contains([]rune("\\`*_[]>|#"), r), r == '~' && len(s) > 1:
			b.WriteRune('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

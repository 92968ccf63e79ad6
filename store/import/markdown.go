package imports

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"versweep/sweep"
)

// Markdown is the format that Tables reads and Read does not: a table has cells
// and no runs, and how its numbers are written is for the reader of cells to know.
const Markdown = "markdown"

// VersionColumn names the column of a Table that holds versions.
const VersionColumn = "version"

// Table is a pipe table with a column of versions.
type Table struct {
	Line    int // of the header, from 1
	Columns []string
	Rows    []TableRow
}

// TableRow is a row of a Table; there are as many cells as columns.
type TableRow struct {
	Line  int
	Cells []string // without emphasis, code marks, links and tags
}

// Tables reads the tables of a Markdown file that have a column for versions
// and one more. That column is named VersionColumn and the columns of metrics by
// their keys when they are known; other names stay. It returns a *ReportError
// when there is none, or a row has more cells than the header.
func Tables(r io.Reader) ([]Table, error) {
	text, err := readAll(r)
	if err != nil {
		return nil, &ReportError{Format: Markdown, Reason: err.Error()}
	}
	d := newDocument(Markdown, text)
	var out []Table
	var others []string
	for i := 1; i < len(d.lines); i++ {
		if !isDelimiterRow(d.lines[i].text) {
			continue
		}
		header := pipeCells(d.lines[i-1].text)
		if len(header) != len(pipeCells(d.lines[i].text)) {
			continue
		}
		columns, ok := tableColumns(header)
		if !ok {
			if len(others) < 3 {
				others = append(others, "| "+strings.Join(header, " | ")+" |")
			}
			continue
		}
		t := Table{Line: d.lines[i-1].number, Columns: columns}
		for i+1 < len(d.lines) && strings.Contains(d.lines[i+1].text, "|") {
			i++
			cells := pipeCells(d.lines[i].text)
			if len(cells) > len(columns) {
				return nil, d.fail(d.lines[i].number, "%d cells under a header of %d", len(cells), len(columns))
			}
			for len(cells) < len(columns) {
				cells = append(cells, "")
			}
			t.Rows = append(t.Rows, TableRow{Line: d.lines[i].number, Cells: cells})
		}
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(others) > 0:
		return nil, d.fail(0, "no table with a column for versions; there are %s", strings.Join(others, " and "))
	}
	return nil, d.fail(0, "no table in this file")
}

var delimiterCell = regexp.MustCompile(`^:?-+:?$`)

// isDelimiterRow knows the line under a header (GitHub Flavored Markdown 4.10).
func isDelimiterRow(text string) bool {
	if !strings.Contains(text, "|") {
		return false
	}
	return !slices.ContainsFunc(pipeCells(text), func(c string) bool { return !delimiterCell.MatchString(c) })
}

var (
	markdownLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	htmlTag      = regexp.MustCompile(`</?[A-Za-z][^>]*>`)
)

// pipeCells splits a row; "\|" is no border.
func pipeCells(text string) []string {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(text, "|")
	if strings.HasSuffix(text, "|") && !strings.HasSuffix(text, `\|`) {
		text = strings.TrimSuffix(text, "|")
	}
	const border = "\x00"
	text = strings.ReplaceAll(strings.ReplaceAll(text, border, ""), `\|`, border)
	cells := strings.Split(text, "|")
	for i, c := range cells {
		c = htmlTag.ReplaceAllString(markdownLink.ReplaceAllString(c, "$1"), " ")
		cells[i] = strings.TrimSpace(strings.Trim(strings.TrimSpace(strings.ReplaceAll(c, border, "|")), "*_`~"))
	}
	return cells
}

var versionWord = regexp.MustCompile(`(?i)\b(version|release|tag)\b`)

// tableColumns names the columns; false when none holds versions, or nothing
// else is there. The first column that may hold versions does.
func tableColumns(header []string) ([]string, bool) {
	columns := slices.Clone(header)
	at := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(h, VersionColumn) })
	if at < 0 {
		at = slices.IndexFunc(header, versionWord.MatchString)
	}
	if at < 0 || len(header) < 2 {
		return nil, false
	}
	for i, h := range header {
		if i == at {
			columns[i] = VersionColumn
		} else if key := headerKey(h); key != "" && !slices.Contains(columns, key) {
			columns[i] = key
		}
	}
	return columns, true
}

// percentileHeader is "p99", "p99.9 (ms)", "latency p50 [ms]".
var percentileHeader = regexp.MustCompile(`^(?:latency\s+)?p(\d+(?:[._]\d+)?)\s*(?:latency\s*)?(?:[(\[]?ms[)\]]?)$`)

// headerKey is the metric key that a column's heading means; empty when that
// is not sure. A latency needs its unit in the heading.
func headerKey(heading string) string {
	h := strings.ToLower(strings.TrimSpace(heading))
	if _, ok := sweep.MetricByKey(h); ok {
		return h
	}
	switch h {
	case "rps", "req/s", "req/sec", "requests/s", "requests/sec", "requests per second", "r/s":
		return sweep.QPS
	}
	if m := percentileHeader.FindStringSubmatch(h); m != nil {
		return "p" + strings.NewReplacer(".", "_").Replace(m[1]) + "_ms"
	}
	return ""
}

package charts

import (
	"bytes"
	"fmt"
	"html/template"
	"io"

	"versweep/sweep"
)

// WriteTableHTML writes what WriteTable writes as one HTML page that needs
// nothing from outside and runs no script; it follows the reader's choice of
// light or dark. o.Width does not matter.
func WriteTableHTML(w io.Writer, t sweep.Table, o TableOptions) error {
	columns := tableColumns(t, o.Judgement, false)
	page := tablePage{Title: tableTitle(t), Heads: []string{"version"}, Remarks: remarks(t), Footer: footer(t, columns)}
	for _, c := range columns {
		page.Heads = append(page.Heads, c.heading())
	}
	for i, r := range t.Rows {
		row := tablePageRow{Version: Printable(r.Version.Name), Status: string(r.Status), Span: len(columns)}
		if r.Status == sweep.Failed {
			row.Failure = rowStatus(r)
		} else {
			for _, c := range columns {
				row.Cells = append(row.Cells, cellOr(c.cells[i], "-"))
			}
		}
		page.Rows = append(page.Rows, row)
	}
	var b bytes.Buffer
	if err := tableTemplate.Execute(&b, page); err != nil {
		return fmt.Errorf("writing the table of %s: %w", Printable(t.Target), err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the table of %s: %w", Printable(t.Target), err)
	}
	return nil
}

// tablePage is what the template shows.
type tablePage struct {
	Title           string
	Heads           []string
	Rows            []tablePageRow
	Remarks, Footer []string
}

type tablePageRow struct {
	Version, Status string
	Cells           []string
	Failure         string // instead of cells
	Span            int    // columns that a failure takes
}

var tableTemplate = template.Must(template.New("table").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; --ink: #222; --muted: #5c5c5c; --line: #e2e2e2; --ground: #fff; --worse: #ae4c00 }
@media (prefers-color-scheme: dark) { :root { --ink: #eee; --muted: #abb0b8; --line: #343942; --ground: #15181d; --worse: #ff8a3d } }
body { margin: 1.5rem; background: var(--ground); color: var(--ink); font: 14px/1.45 "Liberation Sans", Arial, Helvetica, sans-serif }
h1 { font-size: 1.3rem }
div { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
thead th { vertical-align: bottom; white-space: normal }
th:first-child, td.failure { text-align: left }
td.failure { color: var(--worse); white-space: normal }
ul { padding-left: 1.2rem; color: var(--muted) }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{if .Rows}}<div role="region" aria-label="{{.Title}}" tabindex="0">
<table>
<thead><tr>{{range .Heads}}<th scope="col">{{.}}</th>{{end}}</tr></thead>
<tbody>
{{range .Rows}}<tr class="{{.Status}}"><th scope="row">{{.Version}}</th>{{if .Failure}}<td class="failure" colspan="{{.Span}}">{{.Failure}}</td>{{else}}{{range .Cells}}<td>{{.}}</td>{{end}}{{end}}</tr>
{{end}}</tbody>
</table>
</div>
{{else}}<p>no versions were selected</p>
{{end}}{{if .Remarks}}<h2>Remarks</h2>
<ul>
{{range .Remarks}}<li>{{.}}</li>
{{end}}</ul>
{{end}}<ul>
{{range .Footer}}<li>{{.}}</li>
{{end}}</ul>
</body>
</html>
`))

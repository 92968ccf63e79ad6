package imports

import (
	"fmt"
	"io"
	"strings"

	"versweep/sweep"
)

// MarkdownSweeps reads the tables of a Markdown file that have a column of
// versions as CSV has them: rows of one version are samples, or those of a round.
// Of several tables each is a load of its own, unless o or the tables name it.
//
// It fails as Tables and CSV do; a *CSVError has the line of the file.
func MarkdownSweeps(r io.Reader, o CSVOptions) ([]sweep.Sweep, error) {
	tables, err := Tables(r)
	if err != nil {
		return nil, err
	}
	var sweeps []sweep.Sweep
	for i, t := range tables {
		o := o
		if len(tables) > 1 && o.Profile == "" {
			o.Profile = fmt.Sprintf("table %d", i+1)
		}
		found, err := t.sweeps(o)
		if err != nil {
			return nil, err
		}
		sweeps = append(sweeps, found...)
	}
	return sweeps, nil
}

func (t Table) sweeps(o CSVOptions) ([]sweep.Sweep, error) {
	sweeps, err := CSV(strings.NewReader(t.csv()), o)
	for i := range sweeps {
		p := &sweeps[i].Plan
		p.Source, p.Foreign.Format = Markdown, Markdown
		for v := range p.Versions {
			p.Versions[v].Source = Markdown
		}
	}
	return sweeps, err
}

// csv is the table as CSV, every row in the line that it has in its file, every
// cell in quotes: one that begins with # would be a comment.
func (t Table) csv() string {
	var b strings.Builder
	line := 1
	write := func(number int, cells []string) {
		b.WriteString(strings.Repeat("\n", number-line))
		line = number
		for i, cell := range cells {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
		}
	}
	write(t.Line, t.Columns)
	for _, row := range t.Rows {
		write(row.Line, row.Cells)
	}
	b.WriteByte('\n')
	return b.String()
}

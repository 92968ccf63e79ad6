package imports

import (
	"fmt"
	"slices"
	"strings"
)

// csvColumns are the places of a file's columns, from 0; -1 for one that it does
// not have.
type csvColumns struct {
	target, profile, environment, version, round int

	metric, value, unit int // of the long form

	metrics []csvMetricColumn // of the wide form
	width   int               // cells that a row has
}

type csvMetricColumn struct {
	at  int
	key string
}

// long tells the form with one row a value from the one with a column a metric.
func (c csvColumns) long() bool { return c.metric >= 0 }

// newCSVColumns reads the header. Columns without a name must be empty.
func newCSVColumns(header []string, line int) (csvColumns, error) {
	c := csvColumns{-1, -1, -1, -1, -1, -1, -1, -1, nil, len(header)}
	known := map[string]*int{
		"target": &c.target, "profile": &c.profile, "environment": &c.environment, "version": &c.version, "round": &c.round,
		"metric": &c.metric, "value": &c.value, "unit": &c.unit,
	}
	seen := map[string]bool{}
	for at, cell := range header {
		name := csvColumnName(cell)
		if name == "" {
			continue
		}
		if seen[name] {
			return c, &CSVError{Line: line, Why: fmt.Sprintf("the column %s is there twice", csvQuote(cell))}
		}
		seen[name] = true
		if place, ok := known[name]; ok {
			*place = at
			continue
		}
		c.metrics = append(c.metrics, csvMetricColumn{at, cell})
	}
	switch {
	case seen["status"] && (seen["line"] && seen["reason"] || seen["lowest – highest"]):
		return c, &CSVError{
			Line: line, Why: "this table was printed by versweep table: it holds medians and no samples",
			Hint: "versweep export csv TARGET writes what can be imported",
		}
	case (c.metric >= 0) != (c.value >= 0):
		return c, &CSVError{Line: line, Why: "of the columns metric and value one is missing", Hint: headerHint}
	case c.long() && len(c.metrics) > 0:
		var names []string
		for _, m := range c.metrics {
			names = append(names, csvQuote(m.key))
		}
		return c, &CSVError{
			Line: line, Why: "unknown columns " + strings.Join(names[:min(len(names), 10)], ", "),
			Hint: "beside metric and value there may be target, profile, environment, version, round and unit",
		}
	case !c.long() && c.unit >= 0:
		return c, &CSVError{Line: line, Why: "there is a column unit, but none called metric and value", Hint: headerHint}
	case !c.long() && len(c.metrics) == 0:
		return c, &CSVError{Line: line, Why: "there is no column with figures", Hint: headerHint}
	case len(c.metrics) > csvMetrics:
		return c, &CSVError{Line: line, Why: fmt.Sprintf("more than %d columns", csvMetrics)}
	}
	return c, nil
}

// fit checks that a row has a cell for each column. Spreadsheets add empty ones
// at the end; a decimal comma outside of quotes makes one too many.
func (c csvColumns) fit(row []string, line int) error {
	extra := row[min(c.width, len(row)):]
	if len(row) < c.width || slices.ContainsFunc(extra, func(cell string) bool { return cell != "" }) {
		return &CSVError{
			Line: line, Why: fmt.Sprintf("%d cells, where the header has %d", len(row), c.width),
			Hint: "numbers with commas in them stand in quotes, or semicolons part the cells",
		}
	}
	return nil
}

// csvCell is the cell in a column; empty without the column.
func csvCell(row []string, column int) string {
	if column < 0 {
		return ""
	}
	return row[column]
}

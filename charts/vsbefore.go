package charts

import (
	"math"
	"slices"
	"strings"

	"versweep/sweep"
)

// versusBefore is how a version compares with the one before it, in text
// tables and those for machines.
type versusBefore map[string]sweep.Comparison // by the later version

// newVersusBefore takes those of j's comparisons between neighbours that are
// about the metric with the given key; none when j is nil.
func newVersusBefore(j *sweep.Judgement, key string) versusBefore {
	if j == nil {
		return nil
	}
	by := versusBefore{}
	for _, c := range j.Neighbours {
		if c.Metric.Key == key {
			by[c.To] = c
		}
	}
	return by
}

// cell is "+19.7 ±1.3" in percent, "~" for a difference within noise, a
// question mark before one that is not settled, "" for what was not compared.
func (v versusBefore) cell(version string) string {
	c, ok := v[version]
	switch {
	case !ok || c.Verdict == sweep.NotMeasured:
		return ""
	case c.Verdict == sweep.NoChange:
		return "~"
	case !drawable(c.Change):
		return string(c.Verdict)
	}
	text := signed(c.Change, 1)
	if drawable(c.Lo) && drawable(c.Hi) {
		text += " ±" + fixed(math.Abs(c.Hi-c.Lo)/2*100, 1)
	}
	if c.Verdict == sweep.Undecided {
		text = "? " + text
	}
	return text
}

// column is the comparisons as a column of a table; false when no row has one.
func (v versusBefore) column(t sweep.Table) (column, bool) {
	c := column{head: [2]string{versusHead, "%"}, cells: make([]string, len(t.Rows))}
	for i, row := range t.Rows {
		c.cells[i] = v.cell(row.Version.Name)
	}
	return c, slices.ContainsFunc(c.cells, func(cell string) bool { return cell != "" })
}

const versusHead = "vs before"

// versusKey explains the column, as far as its cells need it.
func versusKey(figures []column) string {
	for _, c := range figures {
		if c.head[0] != versusHead {
			continue
		}
		key := "vs before: change from the version before, ± half its 95 % interval"
		all := strings.Join(c.cells, " ")
		if strings.Contains(all, "~") {
			key += "; ~: no change beyond noise"
		}
		if strings.Contains(all, "?") {
			key += "; ?: not settled, more rounds would tell"
		}
		return key
	}
	return ""
}

package charts

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"versweep/sweep"
)

// WriteTableCSV writes one row a version: version, line, status, reason, then
// for each metric that some version has its median under the metric's JSON
// key, and the lowest and highest sample and their number under that key with
// _lo, _hi and _samples. Values are in the units of the JSON form; what is
// unknown is an empty cell. With a judgement, change, change_lo and change_hi
// (fractions) and verdict compare a version's throughput, or the only metric,
// with the version before.
func WriteTableCSV(w io.Writer, t sweep.Table, o TableOptions) error {
	metrics := tableMetrics(t)
	head := []string{"version", "line", "status", "reason"}
	for _, m := range metrics {
		head = append(head, csvText(m.Key), csvText(m.Key+"_lo"), csvText(m.Key+"_hi"), csvText(m.Key+"_samples"))
	}
	var versus versusBefore
	if o.Judgement != nil {
		head = append(head, "change", "change_lo", "change_hi", "verdict")
		versus = versusBefore{}
		for _, c := range o.Judgement.Neighbours {
			versus[c.To] = c
		}
	}
	var b strings.Builder
	rows := csv.NewWriter(&b)
	rows.Write(head)
	for _, r := range t.Rows {
		cells := []string{csvText(r.Version.Name), csvText(r.Version.Line), string(r.Status), csvText(r.Reason)}
		for _, m := range metrics {
			e, ok := r.Metrics[m.Key]
			if !ok || r.Status == sweep.Failed || e.Samples < 1 {
				cells = append(cells, "", "", "", "")
				continue
			}
			cells = append(cells, csvNumber(e.Median), csvNumber(e.Lo), csvNumber(e.Hi), strconv.Itoa(e.Samples))
		}
		if o.Judgement != nil {
			c, ok := versus[r.Version.Name]
			if ok {
				cells = append(cells, csvNumber(c.Change), csvNumber(c.Lo), csvNumber(c.Hi), string(c.Verdict))
			} else {
				cells = append(cells, "", "", "", "")
			}
		}
		rows.Write(cells)
	}
	rows.Flush() // a strings.Builder takes everything
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the table of %s: %w", Printable(t.Target), err)
	}
	return nil
}

// tableMetrics are the metrics that some version has: those that a sweep
// measures, then those of imported results.
func tableMetrics(t sweep.Table) []sweep.Metric {
	var some []sweep.Metric
	for _, m := range t.Plan.AllMetrics() {
		if len(estimatesOf(t, m)) > 0 {
			some = append(some, m)
		}
	}
	return some
}

// csvNumber is the shortest form that reads back as v; "" when unknown.
func csvNumber(v float64) string {
	if !drawable(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// csvText keeps spreadsheets from taking foreign text for a formula.
func csvText(s string) string {
	s = Printable(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

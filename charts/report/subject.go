package report

import (
	"cmp"
	"fmt"
	"slices"

	"versweep/charts"
	"versweep/sweep"
)

// subject is a target made ready for its pages.
type subject struct {
	Target
	folder string
	table  sweep.Table   // the newest sweep's, with versions that only earlier ones of its series have
	from   []sweep.Sweep // the sweep behind each row
	trend  charts.Outline
	// elsewhere are judged versions that another machine or load measured.
	elsewhere []string
}

func newSubject(t Target) *subject {
	newest := Newest(t.History)
	s := &subject{Target: t, folder: fileName(newest.Plan.Target), table: sweep.NewTable(newest)}
	for range s.table.Rows {
		s.from = append(s.from, newest)
	}
	if !newest.Plan.InOwnOrder() {
		s.join(newest)
	}
	for _, v := range t.Judgement.Versions {
		if s.row(v.Name) < 0 {
			s.elsewhere = append(s.elsewhere, charts.Shortened(v.Name, nameColumns))
		}
	}
	s.trend = charts.OutlineOf(s.table, &s.Judgement)
	return s
}

// Table is the one that a target's pages show: of its newest sweep, with the
// versions that only earlier ones of the same series have.
func Table(t Target) sweep.Table { return newSubject(t).table }

// Newest is the sweep that a target's pages show first: the last that is not of
// published figures, if there is one. history is not empty.
func Newest(history []sweep.Sweep) sweep.Sweep {
	for _, sw := range slices.Backward(history) {
		if sw.Plan.Source != "published" {
			return sw
		}
	}
	return history[len(history)-1]
}

// join adds the rows of versions that only earlier sweeps of the same series
// have: figures of another machine, load or source have no place beside these.
func (s *subject) join(newest sweep.Sweep) {
	type line struct {
		row  sweep.Row
		from sweep.Sweep
	}
	lines := map[string]line{}
	var versions []sweep.Version
	for _, sw := range slices.Backward(s.History) {
		if !sameSeries(sw, newest) {
			continue
		}
		for _, row := range sweep.NewTable(sw).Rows {
			had, seen := lines[row.Version.Name]
			if !seen {
				versions = append(versions, row.Version)
			}
			switch {
			case !seen:
				lines[row.Version.Name] = line{row, sw}
			case had.row.Status == sweep.Failed && row.Status != sweep.Failed:
				// An older figure says more than none.
				row.Notes = append(row.Notes, fmt.Sprintf("failed in sweep %d: %s", had.from.ID, had.row.Reason))
				lines[row.Version.Name] = line{row, sw}
			}
		}
	}
	s.table.Rows, s.from = nil, nil
	for _, v := range sweep.SortVersions(versions) {
		s.table.Rows = append(s.table.Rows, lines[v.Name].row)
		s.from = append(s.from, lines[v.Name].from)
	}
}

func sameSeries(a, b sweep.Sweep) bool {
	p, q := a.Plan.Profile, b.Plan.Profile
	p.Name, q.Name = "", ""
	return a.Plan.Source == b.Plan.Source && sweep.SameDefinition(a.Plan, b.Plan) && a.Plan.LatencyRate == b.Plan.LatencyRate && (a.Plan.Foreign == nil) == (b.Plan.Foreign == nil) &&
		a.Environment.Hash() == b.Environment.Hash() && fmt.Sprint(p) == fmt.Sprint(q)
}

func (s *subject) title() string { return charts.TitleOf(s.table) }

// row is the place of a version; -1 when the table has none.
func (s *subject) row(version string) int {
	return slices.IndexFunc(s.table.Rows, func(r sweep.Row) bool { return r.Version.Name == version })
}

// metrics are those that some version has a figure of, in order.
func (s *subject) metrics() []sweep.Metric {
	var list []sweep.Metric
	for _, m := range s.table.Plan.AllMetrics() {
		if slices.ContainsFunc(s.table.Rows, func(r sweep.Row) bool { return measured(r, m) }) {
			list = append(list, m)
		}
	}
	return list
}

func measured(r sweep.Row, m sweep.Metric) bool {
	_, ok := r.Metrics[m.Key]
	return ok && r.Status != sweep.Failed
}

// mainMetric is the first that can be drawn: throughput where it was measured.
func (s *subject) mainMetric() (sweep.Metric, bool) {
	if len(s.trend.Panels) == 0 {
		return sweep.Metric{}, false
	}
	return s.trend.Panels[0].Metric, true
}

func (s *subject) versionFile(row int) string {
	return "version-" + fileName(s.table.Rows[row].Version.Name) + ".html"
}

// versionLink is the file of a version's page; empty when it has none.
func (s *subject) versionLink(version string) string {
	if i := s.row(version); i >= 0 {
		return s.versionFile(i)
	}
	return ""
}

// newestMeasured is the place of the newest version with a figure, stable ones
// first; -1 when there is none.
func (s *subject) newestMeasured() int {
	newest := -1
	for i, r := range slices.Backward(s.table.Rows) {
		if r.Status == sweep.Failed {
			continue
		}
		if !r.Version.Prerelease {
			return i
		}
		newest = max(newest, i)
	}
	return newest
}

// judged tells whether there was anything to judge: two versions, or one twice.
func (s *subject) judged() bool {
	j := s.Judgement
	return len(j.Findings)+len(j.Neighbours)+len(j.SmallestEffect) > 0
}

// nothing says what it means that there is no finding.
func (s *subject) nothing() string {
	if s.judged() {
		return "No change found"
	}
	return "Nothing could be judged"
}

// standing is what the night says of a finding besides its state; empty when it tells
// it, or when no night writes the pages.
func (s *subject) standing(f sweep.Finding) string {
	if s.Standing == nil {
		return ""
	}
	return s.Standing(f)
}

// state is a finding's state, with its standing.
func (s *subject) state(f sweep.Finding) string {
	state := string(f.State)
	if standing := s.standing(f); standing != "" {
		state += ", " + standing
	}
	return charts.Printable(state)
}

// tone is the class of a finding: what the night does not tell is not to be seen as
// what it does.
func (s *subject) tone(f sweep.Finding) string {
	if s.standing(f) != "" {
		return "quiet"
	}
	return tone(f.Verdict, f.State)
}

// newestFinding is what a reader wants to know first: regressions that count
// before the rest, later versions before earlier ones.
func (s *subject) newestFinding() (sweep.Finding, bool) {
	if len(s.Judgement.Findings) == 0 {
		return sweep.Finding{}, false
	}
	return slices.MinFunc(s.Judgement.Findings, func(a, b sweep.Finding) int {
		return cmp.Or(cmp.Compare(s.rank(a), s.rank(b)), cmp.Compare(s.row(b.To), s.row(a.To)))
	}), true
}

func (s *subject) rank(f sweep.Finding) int {
	switch {
	case s.standing(f) != "":
		return 3
	case f.Counts(0):
		return 0
	case f.Verdict == sweep.Improvement && f.State == sweep.Open:
		return 1
	}
	return 2
}

package exports

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"versweep/sweep"
)

// Series is a sweep with the names of its load and of its machine. Sweeps that
// have both names in common, and the target, become one series when the file is
// imported.
type Series struct {
	Sweep       sweep.Sweep
	Profile     string
	Environment string
}

// CSV writes a row for each sample and metric (RFC 4180, UTF-8, lines end in a
// line feed): target, profile, environment, version, round, metric, value, unit.
// metrics are the keys to write; nil for all. Numbers are written in full.
//
// What it writes can be imported, and the same rows are written again then:
//   - A version without any value has one row with neither round nor value.
//   - The reference's second label is left out: as another version it would be
//     taken for a release.
//   - The rounds of a further sweep with the same names go on where those of the
//     one before ended, since samples of two sweeps are no pairs.
//   - Samples without pairs have no round, and a row for each metric that the
//     sweep has, so that the rows of one metric tell which belong together.
//
// It goes through series twice and keeps none, so that they can be read one by
// one: a store may hold more than the memory does. An error of theirs ends it.
func CSV(w io.Writer, series iter.Seq2[Series, error], metrics []string) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"target", "profile", "environment", "version", "round", "metric", "value", "unit"}); err != nil {
		return err
	}
	groups := map[csvNames]*csvGroup{}
	for s, err := range series {
		if err != nil {
			return err
		}
		g, ok := groups[s.names()]
		if !ok {
			g = &csvGroup{told: map[string]bool{}}
			groups[s.names()] = g
		}
		g.add(s.Sweep, metrics)
	}
	for s, err := range series {
		if err != nil {
			return err
		}
		t := csvTable{series: s, out: out, group: groups[s.names()]}
		if t.group == nil {
			continue // it was not there the first time
		}
		if err := t.write(metrics); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

type csvNames struct{ target, profile, environment string }

// csvGroup is the sweeps that have their names in common.
type csvGroup struct {
	paired bool            // some sweep has pairs
	told   map[string]bool // versions with a value, or with a row that says there is none
	after  int             // the last round of the sweeps written so far
}

func (g *csvGroup) add(sw sweep.Sweep, keys []string) {
	if f := sw.Plan.Foreign; f == nil || !f.Unpaired {
		g.paired = true
	}
	metrics := csvMetrics(sw, keys)
	for _, m := range sw.Samples {
		if !m.Twin && hasAny(m, metrics) {
			g.told[m.Version] = true
		}
	}
}

// csvMetrics are the metrics of keys, or all, of which the sweep has a value.
func csvMetrics(sw sweep.Sweep, keys []string) []sweep.Metric {
	known := map[string]bool{}
	for _, m := range sw.Samples {
		for key := range m.Values {
			known[key] = known[key] || !m.Twin
		}
	}
	var metrics []sweep.Metric
	for _, m := range sw.Plan.AllMetrics() {
		if known[m.Key] && (keys == nil || slices.Contains(keys, m.Key)) {
			metrics = append(metrics, m)
		}
	}
	return metrics
}

func (s Series) names() csvNames { return csvNames{s.Sweep.Plan.Target, s.Profile, s.Environment} }

// csvTable writes one sweep.
type csvTable struct {
	series Series
	out    *csv.Writer
	group  *csvGroup
}

func (t csvTable) write(keys []string) error {
	sw := t.series.Sweep
	metrics := csvMetrics(sw, keys)
	if len(metrics) == 0 {
		return nil
	}
	byVersion := map[string][]sweep.Sample{}
	for _, m := range sw.Samples {
		if !m.Twin {
			byVersion[m.Version] = append(byVersion[m.Version], m)
		}
	}
	last := 0
	for _, v := range sw.Plan.Versions {
		samples := byVersion[v.Name]
		slices.SortStableFunc(samples, func(a, b sweep.Sample) int { return a.Round - b.Round })
		if !slices.ContainsFunc(samples, func(m sweep.Sample) bool { return hasAny(m, metrics) }) {
			samples = nil
		}
		for _, m := range samples {
			last = max(last, m.Round)
			if err := t.sample(v, m, metrics); err != nil {
				return err
			}
		}
		if !t.group.told[v.Name] {
			t.group.told[v.Name] = true
			if err := t.row(v, "", metrics[0], ""); err != nil {
				return err
			}
		}
	}
	t.group.after += last
	return nil
}

func hasAny(m sweep.Sample, metrics []sweep.Metric) bool {
	return slices.ContainsFunc(metrics, func(metric sweep.Metric) bool {
		_, ok := m.Values[metric.Key]
		return ok
	})
}

// sample writes a sample. One without a value has a row, so that the round is
// known to have failed.
func (t csvTable) sample(v sweep.Version, m sweep.Sample, metrics []sweep.Metric) error {
	round := ""
	if t.group.paired {
		round = strconv.Itoa(t.group.after + m.Round)
		if !hasAny(m, metrics) {
			return t.row(v, round, metrics[0], "")
		}
	}
	for _, metric := range metrics {
		value, ok := m.Values[metric.Key]
		switch {
		case ok:
			if err := t.row(v, round, metric, csvNumber(value)); err != nil {
				return err
			}
		case !t.group.paired:
			if err := t.row(v, round, metric, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t csvTable) row(v sweep.Version, round string, m sweep.Metric, value string) error {
	err := t.out.Write([]string{
		csvText(t.series.Sweep.Plan.Target), csvText(t.series.Profile), csvText(t.series.Environment), csvText(v.Name),
		round, csvText(m.Key), value, csvText(m.Unit),
	})
	if err != nil {
		return fmt.Errorf("version %s: %w", v.Name, err)
	}
	return nil
}

// csvText keeps spreadsheets from running a name as a formula: an apostrophe
// before it says that it is text, and import csv takes it off again. A name that
// begins with # would be taken for a comment. Characters that are not printable,
// which no import takes, are written as Go escapes.
func csvText(name string) string {
	name = sweep.Printable(name)
	if name != "" && strings.ContainsRune("=+-@#'", rune(name[0])) {
		return "'" + name
	}
	return name
}

// csvNumber writes the shortest text that reads back as v, without an exponent
// where people would not expect one.
func csvNumber(v float64) string {
	if size := math.Abs(v); v != 0 && (size < 1e-6 || size >= 1e15) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

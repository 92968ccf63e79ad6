package exports

import (
	"fmt"
	"io"

	"versweep/sweep"
)

// actionEntry is one figure for github-action-benchmark.
type actionEntry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range"`
	Extra string  `json:"extra"`
}

// GitHubAction writes the metrics of one direction for github-action-benchmark,
// which takes Higher as customBiggerIsBetter and Lower as customSmallerIsBetter.
// A figure's name is "TARGET VERSION METRIC".
func GitHubAction(w io.Writer, t sweep.Table, better sweep.Better) error {
	entries := []actionEntry{}
	for _, f := range figures(t) {
		if f.metric.Better != better {
			continue
		}
		entries = append(entries, actionEntry{
			Name: t.Target + " " + f.row.Version.Name + " " + f.metric.Key, Unit: f.metric.Unit, Value: f.Median,
			Range: plain(f.Lo) + " to " + plain(f.Hi),
			Extra: f.metric.Title + ", median of " + samples(f.Samples),
		})
	}
	return writeJSON(w, "github-action-benchmark", entries)
}

// bencherMetric is a figure in the Bencher Metric Format.
type bencherMetric struct {
	Value float64 `json:"value"`
	Lower float64 `json:"lower_value"`
	Upper float64 `json:"upper_value"`
}

// Bencher writes a table in the Bencher Metric Format: a benchmark for each
// version, named "TARGET VERSION", with its metrics by their keys as measures.
// The values are the median, lowest and highest sample.
func Bencher(w io.Writer, t sweep.Table) error {
	benchmarks := map[string]map[string]bencherMetric{}
	for _, f := range figures(t) {
		name := t.Target + " " + f.row.Version.Name
		if benchmarks[name] == nil {
			benchmarks[name] = map[string]bencherMetric{}
		}
		benchmarks[name][f.metric.Key] = bencherMetric{Value: f.Median, Lower: f.Lo, Upper: f.Hi}
	}
	return writeJSON(w, "Bencher", benchmarks)
}

func writeJSON(w io.Writer, format string, v any) error {
	if err := sweep.WriteJSON(w, v); err != nil {
		return fmt.Errorf("writing JSON for %s: %w", format, err)
	}
	return nil
}

// Package exports writes sweeps for other tools: CSV, which store/import reads
// back, Go's benchmark format for benchstat, OpenMetrics for Prometheus, JSON for
// github-action-benchmark and Bencher, JUnit's XML for CI. It lives in
// store/export; docs/formats.md shows how each is used.
//
// What is unknown never becomes 0. Failed samples and versions without a figure
// are in CSV, as empty cells, and in JUnit's, which says why; the rest leaves them
// out.
package exports

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"

	"versweep/sweep"
)

// figure is one metric of one version.
type figure struct {
	row    sweep.Row
	metric sweep.Metric
	sweep.Estimate
}

// figures lists what a table knows, version by version.
func figures(t sweep.Table) []figure {
	var out []figure
	for _, row := range t.Rows {
		for _, m := range t.Plan.AllMetrics() {
			e, ok := row.Metrics[m.Key]
			if ok && finite(e.Median) && finite(e.Lo) && finite(e.Hi) {
				out = append(out, figure{row, m, e})
			}
		}
	}
	return out
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// plain writes a number without an exponent, as exactly as it is known.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// rounded writes a number for people: six digits, without an exponent.
func rounded(v float64) string {
	if v == 0 || !finite(v) {
		return plain(v)
	}
	return humanize.FtoaWithDigits(v, max(0, 5-int(math.Floor(math.Log10(math.Abs(v))))))
}

func samples(n int) string {
	if n == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", n)
}

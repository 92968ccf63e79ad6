package charts

import (
	"errors"
	"strings"
	"testing"

	"versweep/sweep"
)

func metricsText(t *testing.T, table sweep.Table) string {
	t.Helper()
	var b strings.Builder
	if err := WriteMetrics(&b, table, 0); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// importedTable has a metric and a machine of its own, one version that did not
// run, and one with a figure missing.
func importedTable() sweep.Table {
	one := func(v float64) sweep.Estimate { return sweep.Estimate{Median: v, Lo: v, Hi: v, Samples: 1} }
	table := sweep.Table{Target: "node", Title: "Node.js", Finished: true, Environment: sweep.Environment{Name: "a Mac", OS: "OS X 10.8.2"}}
	table.Plan = sweep.Plan{Source: "published", Rounds: 1, Foreign: &sweep.Foreign{
		Format: "published", File: "node-0.6", Profile: "http_simple\x1b[31m", Metrics: []sweep.Metric{{Key: "page_bytes", Title: "Page\n", Unit: "bytes", Better: sweep.Lower}},
	}}
	table.Rows = []sweep.Row{
		{Version: sweep.Version{Name: "0.4.12"}, Status: sweep.OK, Samples: 1, Metrics: map[string]sweep.Estimate{sweep.QPS: one(15461.25), "page_bytes": one(1024)}},
		{Version: sweep.Version{Name: "0.5.0"}, Status: sweep.Failed, Reason: "did not run"},
		{Version: sweep.Version{Name: "0.6.0"}, Status: sweep.OK, Samples: 1, Metrics: map[string]sweep.Estimate{sweep.QPS: one(6263)}},
	}
	return table
}

func TestMetricsOfImportedFigures(t *testing.T) {
	want := `Node.js: 3 versions from published, 1 failed

                           0.4.12  0.5.0  0.6.0
Throughput  requests/s  15,461.25      -  6,263
Page\n      bytes           1,024      -      -

-: did not run: 0.5.0
figures: median
load: http_simple\x1b[31m, imported from node-0.6 (published)
machine: a Mac, OS X 10.8.2
`
	if got := metricsText(t, importedTable()); got != want {
		t.Errorf("got:\n%s", got)
	}
}

// Figures of one's own are rounded as everywhere, and many versions go on below.
func TestMetricsInBlocks(t *testing.T) {
	text := metricsText(t, nodeTable())
	blocks := strings.Count(text, "\nThroughput ")
	if versions := len(nodeTable().Rows); blocks != (versions+metricColumns-1)/metricColumns {
		t.Errorf("%d blocks of %d versions:\n%s", blocks, versions, text)
	}
	if !strings.Contains(text, "MiB") {
		t.Errorf("peak memory is not in MiB:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if textWidth(strings.TrimRight(line, "\n")) > defaultTableWidth {
			t.Errorf("too wide: %s", line)
		}
	}
	full := errors.New("full")
	if err := WriteMetrics(writerFunc(func([]byte) (int, error) { return 0, full }), nodeTable(), 0); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

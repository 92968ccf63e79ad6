package charts

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode"

	"versweep/sweep"
)

func tableText(t *testing.T, table sweep.Table) string {
	t.Helper()
	return textWith(t, table, TableOptions{})
}

func textWith(t *testing.T, table sweep.Table, o TableOptions) string {
	t.Helper()
	var b strings.Builder
	if err := WriteTable(&b, table, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func seriesText(t *testing.T, table sweep.Table, key string) string {
	t.Helper()
	var b strings.Builder
	if err := WriteSeries(&b, table, metric(t, key), 0); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTableGolden(t *testing.T) {
	golden(t, "table.txt", []byte(tableText(t, nodeTable())), sameText)
	judged, j := judgedTable()
	golden(t, "table-judged.txt", []byte(textWith(t, judged, TableOptions{Judgement: &j})), sameText)
	golden(t, "series.txt", []byte(seriesText(t, foundingTable(), sweep.QPS)), sameText)
}

// foundingTable is the end of the table that the project began with: seed 002.
func foundingTable() sweep.Table {
	rows := []struct{ versions, figures string }{
		{"0.5.10 0.5.9 0.5.8 0.5.7 0.5.6 0.5.5 0.5.4 0.5.3 0.5.2 0.5.1 0.5.0", "8200 7259 7071 7098 6996 8073 - 7931 8127 - -"},
		{"0.3.8 0.3.7 0.3.6 0.3.5 0.3.4 0.3.3 0.3.2 0.3.1 0.3.0", "7810 7871 7815 8880 9000 8999 9200 9347 -"},
		{"0.2.6 0.2.5 0.2.4 0.2.3 0.2.2 0.2.1 0.2.0", "7525 7481 7489 7500 7410 7136 7130"},
	}
	t := tableOf([]string{"0.0.0"}, []float64{0})
	t.Rows, t.Twin, t.Plan.Reference = nil, nil, ""
	for i := len(rows) - 1; i >= 0; i-- {
		versions, figures := strings.Fields(rows[i].versions), strings.Fields(rows[i].figures)
		for j := len(versions) - 1; j >= 0; j-- {
			row := sweep.Row{Version: sweep.Version{Name: versions[j], Line: lineOf(versions[j])}, Status: sweep.Failed, Reason: "did not run"}
			if figures[j] != "-" {
				var v float64
				for _, digit := range figures[j] {
					v = v*10 + float64(digit-'0')
				}
				row.Status, row.Reason, row.Samples = sweep.OK, "", 1
				row.Metrics = map[string]sweep.Estimate{sweep.QPS: {Median: v, Lo: v, Hi: v, Samples: 1}}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func TestTableWidth(t *testing.T) {
	for _, line := range strings.Split(tableText(t, nodeTable()), "\n") {
		if textWidth(line) > defaultTableWidth {
			t.Errorf("%d columns: %s", textWidth(line), line)
		}
	}
}

// Every layout keeps to the terminal's width.
func TestLayoutsKeepToWidth(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		var series, metrics strings.Builder
		if err := WriteSeries(&series, foundingTable(), metric(t, sweep.QPS), width); err != nil {
			t.Fatal(err)
		}
		if err := WriteMetrics(&metrics, foundingTable(), width); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(series.String()+metrics.String(), "\n") {
			if n := textWidth(line); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
	}
}

// A judged table with a second pass is too wide, and says what it leaves out.
func TestJudgedTableWidth(t *testing.T) {
	table, j := judgedTable()
	for i := range table.Rows {
		if e, ok := table.Rows[i].Metrics[sweep.P99]; ok {
			table.Rows[i].Metrics[sweep.PacedP99] = e
		}
	}
	text := textWith(t, table, TableOptions{Judgement: &j, Width: 100})
	for _, line := range strings.Split(text, "\n") {
		if n := textWidth(line); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(text, "left out for want of width: start-up") {
		t.Errorf("%s", text)
	}
}

func TestVersusBefore(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		c    sweep.Comparison
		want string
	}{
		{sweep.Comparison{Verdict: sweep.Regression, Change: -0.03, Lo: -0.042, Hi: -0.018}, "-3.0 ±1.2"},
		{sweep.Comparison{Verdict: sweep.Improvement, Change: 0.197, Lo: nan, Hi: nan}, "+19.7"},
		{sweep.Comparison{Verdict: sweep.Undecided, Change: 0.019, Lo: -0.01, Hi: 0.05}, "? +1.9 ±3.0"},
		{sweep.Comparison{Verdict: sweep.NoChange, Change: 0.001, Lo: -0.01, Hi: 0.01}, "~"},
		{sweep.Comparison{Verdict: sweep.NotMeasured, Change: nan}, ""},
		{sweep.Comparison{Verdict: sweep.Regression, Change: nan}, "regression"},
	} {
		c.c.To, c.c.Metric = "2", metric(t, sweep.QPS)
		j := sweep.Judgement{Neighbours: []sweep.Comparison{c.c}}
		if got := newVersusBefore(&j, sweep.QPS).cell("2"); got != c.want {
			t.Errorf("%+v: %q, want %q", c.c, got, c.want)
		}
		if got := newVersusBefore(&j, sweep.P99).cell("2"); got != "" {
			t.Errorf("another metric's comparison: %q", got)
		}
	}
}

func TestTableLeavesOutUnknownMetrics(t *testing.T) {
	text := tableText(t, foundingTable())
	for _, absent := range []string{"p50", "p99", "CPU/request", "memory", "start-up", "errors", "NaN", "±"} {
		if strings.Contains(text, absent) {
			t.Errorf("the table mentions %s:\n%s", absent, text)
		}
	}
	table := nodeTable()
	for i := range table.Rows {
		delete(table.Rows[i].Metrics, sweep.QPS)
	}
	if head := strings.Split(tableText(t, table), "\n")[2]; !strings.Contains(head, "p50  lowest – highest  n") {
		t.Errorf("without throughput the head is %q", head)
	}
}

func TestTableKeepsTheWholeReason(t *testing.T) {
	text := strings.Join(strings.Fields(tableText(t, nodeTable())), " ")
	if !strings.Contains(text, "libatomic.so.1: cannot open shared object file: No such file or directory") {
		t.Error("a long reason was lost")
	}
}

func TestTableOfForeignText(t *testing.T) {
	table := nodeTable()
	table.Rows[0].Version.Name = "1\x1b]0;owned\x07" + strings.Repeat("9", 200)
	table.Rows[0].Version.Line = "\u202ex\n"
	table.Rows[0].Notes = []string{"note\r\x1b[2J"}
	table.Rows[1].Reason, table.Rows[1].Status = "\x1b[31m\u202ered\nsecond line", sweep.Failed
	table.Rows[2].Status, table.Rows[2].Reason = sweep.Degraded, "tab\there"
	table.Plan.Reference, table.Title, table.Plan.Source = "\x1b", "\x07bell", "\x1b[1m"
	table.Environment.CPU, table.Environment.Engine = "\x1b[5mCPU", "\u2066"
	for name, text := range map[string]string{"table": tableText(t, table), "series": seriesText(t, table, sweep.QPS)} {
		for _, r := range text {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s: %U reaches the terminal", name, r)
			}
		}
	}
}

func TestTableOfNoVersions(t *testing.T) {
	if text := tableText(t, sweep.Table{Target: "node"}); !strings.Contains(text, "no versions were selected") {
		t.Errorf("%s", text)
	}
}

func TestTableSpread(t *testing.T) {
	for _, c := range []struct {
		e    sweep.Estimate
		want string
	}{
		{sweep.Estimate{Median: 100, Lo: 97, Hi: 103, Samples: 5}, " ±3%"},
		{sweep.Estimate{Median: 100, Lo: 100, Hi: 100, Samples: 5}, " ±0%"},
		{sweep.Estimate{Median: 100, Lo: 90, Hi: 4000, Samples: 5}, " ±>99%"},
		{sweep.Estimate{Median: 100, Lo: 100, Hi: 100, Samples: 1}, ""},
		{sweep.Estimate{Median: 0, Lo: 0, Hi: 4, Samples: 3}, " (0–4)"},
	} {
		if got := spreadOf(c.e, 0); got != c.want {
			t.Errorf("%+v: %q, want %q", c.e, got, c.want)
		}
	}
}

// Every version stands above its own figure.
func TestSeriesCellsMatch(t *testing.T) {
	lines := strings.Split(seriesText(t, manyTable(120), sweep.QPS), "\n")
	pairs := 0
	for i := 0; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "|") {
			continue
		}
		versions, figures := lines[i], lines[i+1]
		i++
		pairs++
		for at, r := range versions {
			if (r == '|') != (figures[at] == '|') {
				t.Errorf("cells do not stand above one another:\n%s\n%s", versions, figures)
				break
			}
		}
		if n := strings.Count(versions, "|") - 1; n > seriesCells || n < 1 {
			t.Errorf("%d cells in %s", n, versions)
		}
	}
	if pairs == 0 {
		t.Error("no rows")
	}
}

func TestSeriesOfOtherLines(t *testing.T) {
	table := tableOf([]string{"main", "1.0"}, []float64{10, 20})
	table.Rows[0].Version.Line, table.Rows[1].Version.Line = "main", ""
	text := seriesText(t, table, sweep.QPS)
	if !strings.Contains(text, "* main\n") || !strings.Contains(text, "* other versions\n") {
		t.Errorf("%s", text)
	}
}

func TestTablesPassOnWriteErrors(t *testing.T) {
	full := errors.New("disk full")
	w := writerFunc(func([]byte) (int, error) { return 0, full })
	if err := WriteTable(w, nodeTable(), TableOptions{}); !errors.Is(err, full) {
		t.Errorf("table: error %v", err)
	}
	if err := WriteSeries(w, nodeTable(), metric(t, sweep.QPS), 0); !errors.Is(err, full) {
		t.Errorf("series: error %v", err)
	}
}

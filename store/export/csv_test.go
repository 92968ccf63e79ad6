package exports

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"versweep/sweep"
)

func sample(version string, round int, values map[string]float64) sweep.Sample {
	return sweep.Sample{Version: version, Round: round, Status: sweep.OK, Values: values}
}

// each goes through series that are there.
func each(series []Series) iter.Seq2[Series, error] {
	return func(yield func(Series, error) bool) {
		for _, s := range series {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func written(t *testing.T, series []Series, metrics ...string) string {
	t.Helper()
	var b strings.Builder
	if err := CSV(&b, each(series), metrics); err != nil {
		t.Fatal(err)
	}
	const header = "target,profile,environment,version,round,metric,value,unit\n"
	rows, ok := strings.CutPrefix(b.String(), header)
	if !ok {
		t.Fatalf("header of %q", b.String())
	}
	return rows
}

func TestCSV(t *testing.T) {
	twin := sample("1.10", 1, map[string]float64{sweep.QPS: 7})
	twin.Twin = true
	sw := sweep.Sweep{
		Plan: sweep.Plan{Target: "x", Versions: []sweep.Version{{Name: "1.9"}, {Name: "1.10"}, {Name: "2.0-rc.1"}}},
		Samples: []sweep.Sample{
			sample("1.10", 1, map[string]float64{sweep.QPS: 1e6 + 0.1, sweep.P99: 1e-7, sweep.LoadCPU: 0.5}),
			twin,
			sample("1.9", 2, nil),
			sample("1.9", 1, map[string]float64{sweep.PeakRSS: 3e15}),
		},
	}
	got := written(t, []Series{{sw, "hello, \"twice\"", "m"}})
	want := `x,"hello, ""twice""",m,1.9,1,peak_rss_bytes,3e+15,bytes
x,"hello, ""twice""",m,1.9,2,qps,,requests/s
x,"hello, ""twice""",m,1.10,1,qps,1000000.1,requests/s
x,"hello, ""twice""",m,1.10,1,p99_ms,1e-07,ms
x,"hello, ""twice""",m,2.0-rc.1,,qps,,requests/s
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	got = written(t, []Series{{sw, "", ""}}, sweep.P99)
	if want := "x,,,1.9,,p99_ms,,ms\nx,,,1.10,1,p99_ms,1e-07,ms\nx,,,2.0-rc.1,,p99_ms,,ms\n"; got != want {
		t.Errorf("one metric: got\n%swant\n%s", got, want)
	}

	// Two nights of one series are no pairs; another machine's are apart.
	got = written(t, []Series{{sw, "", ""}, {sw, "", ""}, {sw, "", "m"}}, sweep.QPS)
	for _, line := range []string{"x,,,1.10,1,qps", "x,,,1.10,2,qps", "x,,m,1.10,1,qps"} {
		if strings.Count(got, line+",") != 1 {
			t.Errorf("%q not once in\n%s", line, got)
		}
	}
}

func TestCSVWithoutPairs(t *testing.T) {
	sw := sweep.Sweep{
		Plan: sweep.Plan{Target: "x", Versions: []sweep.Version{{Name: "a"}}, Foreign: &sweep.Foreign{
			Unpaired: true, Metrics: []sweep.Metric{{Key: "gc", Unit: "%", Better: sweep.Lower}},
		}},
		Samples: []sweep.Sample{
			sample("a", 1, map[string]float64{"gc": 5}), sample("a", 2, map[string]float64{sweep.QPS: 6}), sample("a", 3, map[string]float64{sweep.QPS: 7, "gc": 8}),
		},
	}
	got := written(t, []Series{{Sweep: sw}})
	want := "x,,,a,,qps,,requests/s\nx,,,a,,gc,5,%\nx,,,a,,qps,6,requests/s\nx,,,a,,gc,,%\nx,,,a,,qps,7,requests/s\nx,,,a,,gc,8,%\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A spreadsheet runs what begins like a formula.
func TestCSVRunsNothing(t *testing.T) {
	for name, want := range map[string]string{
		"=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "#1": "'#1", "'t was": "''t was", "a=b": "a=b",
	} {
		sw := sweep.Sweep{
			Plan:    sweep.Plan{Target: "x", Versions: []sweep.Version{{Name: name}}},
			Samples: []sweep.Sample{sample(name, 1, map[string]float64{sweep.QPS: 5})},
		}
		if got := written(t, []Series{{Sweep: sw}}); got != "x,,,"+want+",1,qps,5,requests/s\n" {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestCSVTellsOfAFullDisk(t *testing.T) {
	if err := CSV(full{}, each(nil), nil); err == nil || err.Error() != "disk full" {
		t.Errorf("got %v", err)
	}
}

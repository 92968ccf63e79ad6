package exports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"versweep/sweep"
	"versweep/sweep/load"
)

// swept is a sweep of two versions, five samples each, and one that failed.
func swept(t *testing.T) sweep.Sweep {
	t.Helper()
	version := func(raw string) sweep.Version {
		v, err := sweep.ParseVersion(raw, sweep.LineByMajor)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	sw := sweep.Sweep{
		ID: 7,
		Plan: sweep.Plan{
			Target: "node", Title: "Node.js", Profile: load.Profile{Name: "hello", Connections: 64},
			Versions: []sweep.Version{version("v1.9.0"), version("v1.10.0-3310705323"), version("v2.0.0")},
			Foreign:  &sweep.Foreign{Metrics: []sweep.Metric{{Key: "mean_ms", Title: `Mean "latency"`, Unit: "ms", Better: sweep.Lower}}},
		},
		Environment: sweep.Environment{CPU: "A  CPU", Cores: 2, Launcher: "process"},
		Outcomes:    []sweep.Outcome{{Version: "2.0.0", Reason: "no such release"}},
	}
	for round, qps := range []float64{1000, 1010, 990, 1005, 995} {
		for i, v := range sw.Plan.Versions[:2] {
			sw.Samples = append(sw.Samples, sweep.Sample{
				Round: round + 1, Version: v.Name, Status: sweep.OK,
				Values: map[string]float64{
					sweep.QPS: qps * float64(1+i), sweep.P99: 4 / float64(1+i), sweep.ErrorShare: 0, sweep.CPUPerRequest: 12.5, sweep.PeakRSS: 1 << 20, "mean_ms": 0.5,
					sweep.ServerCPU: 0.99,
				},
				Load: &load.Result{OK: int64(qps)},
			})
		}
	}
	first := sw.Plan.Versions[0].Name
	sw.Samples = append(sw.Samples,
		sweep.Sample{Version: first, Twin: true, Status: sweep.OK, Values: map[string]float64{sweep.QPS: 1}},
		sweep.Sample{Version: first, Status: sweep.Failed, Values: map[string]float64{sweep.QPS: 2}},
	)
	return sw
}

func TestGoBenchmark(t *testing.T) {
	var out bytes.Buffer
	if err := GoBenchmark(&out, swept(t)); err != nil {
		t.Fatal(err)
	}
	in := benchfmt.NewReader(bytes.NewReader(out.Bytes()), "out")
	byName := map[string][]float64{}
	for in.Scan() {
		switch r := in.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatal(r)
		case *benchfmt.Result:
			v, ok := r.Value(sweep.QPS)
			if _, other := r.Value(sweep.ServerCPU); !ok || other || r.GetConfig("cpu") != "A CPU" || r.Iters < 990 {
				t.Errorf("%+v", r)
			}
			byName[r.Name.String()] = append(byName[r.Name.String()], v)
		}
	}
	if len(byName) != 2 || len(byName["Node/version=1.9.0/connections=64"]) != 5 || byName["Node/version=1.10.0-3310705323/connections=64"][1] != 2020 {
		t.Errorf("%v", byName)
	}
	if units := in.Units(); units.GetBetter(sweep.QPS) != 1 || units.GetBetter(sweep.P99) != -1 || units.GetBetter("mean_ms") != -1 {
		t.Errorf("units %v", units)
	}
}

// An unknown number of connections is left out, and no version is taken for a
// count of CPUs.
func TestGoBenchmarkWithoutConnections(t *testing.T) {
	sw := swept(t)
	sw.Plan.Profile = load.Profile{Shape: load.ShapeForeign, Label: "c=100"}
	sw.Plan.Source = "csv"
	var out bytes.Buffer
	if err := GoBenchmark(&out, sw); err != nil {
		t.Fatal(err)
	}
	if want := "BenchmarkNode/version=1.10.0-3310705323/load=c=100/source=csv "; !strings.Contains(out.String(), want) || strings.Contains(out.String(), "connections") {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

// benchstat itself reads what is written, as the tool that go.mod names.
func TestBenchstatComparesVersions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "node.txt")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := GoBenchmark(f, swept(t)); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "tool", "benchstat", "-format", "csv", "-col", "/version", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	for _, want := range []string{",qps,", "+100.00%,p=0.008 n=5", ",p99_ms,", "-50.00%,p=0.008 n=5", ",1.9.0,", ",1.10.0-3310705323,"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("benchstat does not say %q", want)
		}
	}
}

func TestOpenMetrics(t *testing.T) {
	table := sweep.NewTable(swept(t))
	table.Target = "a\"b\\c\nd"
	var out bytes.Buffer
	if err := OpenMetrics(&out, table); err != nil {
		t.Fatal(err)
	}
	golden(t, "openmetrics.txt", out.Bytes())
}

func TestOpenMetricsOfNothing(t *testing.T) {
	var out bytes.Buffer
	if err := OpenMetrics(&out, sweep.Table{}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "# EOF\n") {
		t.Errorf("%q", out.String())
	}
}

func TestGitHubAction(t *testing.T) {
	for better, want := range map[sweep.Better][]string{
		sweep.Higher: {"node 1.9.0 qps", "node 1.10.0-3310705323 qps"},
		sweep.Lower: {
			"node 1.9.0 p99_ms", "node 1.9.0 error_share", "node 1.9.0 cpu_us_per_request", "node 1.9.0 peak_rss_bytes", "node 1.9.0 mean_ms",
			"node 1.10.0-3310705323 p99_ms", "node 1.10.0-3310705323 error_share", "node 1.10.0-3310705323 cpu_us_per_request",
			"node 1.10.0-3310705323 peak_rss_bytes", "node 1.10.0-3310705323 mean_ms",
		},
	} {
		var out bytes.Buffer
		if err := GitHubAction(&out, sweep.NewTable(swept(t)), better); err != nil {
			t.Fatal(err)
		}
		var entries []struct {
			Name, Unit, Range, Extra string
			Value                    float64
		}
		if err := json.Unmarshal(out.Bytes(), &entries); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name)
		}
		if strings.Join(names, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %q", better, names)
		}
		if e := entries[0]; better == sweep.Higher && (e.Value != 1000 || e.Unit != "requests/s" || e.Range != "990 to 1010" || e.Extra != "Throughput, median of 5 samples") {
			t.Errorf("%+v", e)
		}
	}
	var out bytes.Buffer
	if err := GitHubAction(&out, sweep.Table{}, sweep.Higher); err != nil || out.String() != "[]\n" {
		t.Errorf("of nothing: %q, %v", out.String(), err)
	}
}

func TestBencher(t *testing.T) {
	var out bytes.Buffer
	if err := Bencher(&out, sweep.NewTable(swept(t))); err != nil {
		t.Fatal(err)
	}
	var got map[string]map[string]map[string]float64
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if m := got["node 1.9.0"]["qps"]; len(got) != 2 || m["value"] != 1000 || m["lower_value"] != 990 || m["upper_value"] != 1010 || len(m) != 3 {
		t.Errorf("%v", got)
	}
}

func TestJUnit(t *testing.T) {
	qps, _ := sweep.MetricByKey(sweep.QPS)
	p99, _ := sweep.MetricByKey(sweep.P99)
	compared := func(from, to string, v sweep.Verdict, change float64) sweep.Comparison {
		return sweep.Comparison{
			Metric: qps, From: from, To: to, Verdict: v, Change: change, Lo: change - 0.01, Hi: change + 0.01,
			Old: sweep.Estimate{Median: 1000, Samples: 5}, New: sweep.Estimate{Median: 1000 * (1 + change), Samples: 5},
		}
	}
	undecided := compared("4.0.0", "5.0.0", sweep.Undecided, 0)
	undecided.RoundsNeeded = 3
	j := sweep.Judgement{
		Target: "node",
		Neighbours: []sweep.Comparison{
			compared("1.0.0", "2.0.0", sweep.NoChange, 0.001), compared("2.0.0", "3.0.0", sweep.Regression, -0.2),
			compared("3.0.0", "4.0.0", sweep.Regression, -0.1), undecided,
		},
		Findings: []sweep.Finding{
			{ID: "node-qps-3.0.0", Kind: sweep.KindStep, Metric: qps, From: "2.0.0", To: "3.0.0", Verdict: sweep.Regression, State: sweep.Open, Change: -0.2},
			{ID: "node-qps-4.0.0", Kind: sweep.KindStep, Metric: qps, From: "3.0.0", To: "4.0.0", Verdict: sweep.Regression, State: sweep.Acknowledged, Change: -0.1},
			{ID: "node-p99-3.0.0", Kind: sweep.KindStep, Metric: p99, From: "2.0.0", To: "3.0.0", Verdict: sweep.Regression, State: sweep.Open, Change: math.NaN(), Lo: math.NaN(), Hi: math.NaN()},
			{ID: "node-qps-creep", Kind: sweep.KindCreep, Metric: qps, From: "1.0.0", To: "3.0.0", Verdict: sweep.Regression, State: sweep.Expected, Change: -0.25},
		},
		NotMeasured: []sweep.Outcome{{Version: "6.0.0", Reason: "build failed: <bad> & \"worse\"", Log: []string{"missing\x00 libfoo"}}},
	}
	var out bytes.Buffer
	if err := JUnit(&out, j); err != nil {
		t.Fatal(err)
	}
	golden(t, "junit.xml", out.Bytes())
	var got struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, c := range got.Suite.Cases {
		if c.Failure != nil {
			failed++
		}
	}
	if s := got.Suite; s.Tests != 7 || len(s.Cases) != 7 || s.Failures != 2 || failed != 2 || s.Skipped != 2 {
		t.Errorf("%+v, %d failed", s, failed)
	}
}

// golden compares with a file of testdata; what was got lies beside it when
// they differ.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	want, err := os.ReadFile(path)
	if err == nil && bytes.Equal(got, want) {
		return
	}
	base, ext, _ := strings.Cut(path, ".")
	actual := base + ".actual." + ext
	t.Errorf("%s differs (%v); see %s", path, err, actual)
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(actual, got, 0o644); err != nil {
		t.Fatal(err)
	}
}

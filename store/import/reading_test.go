package imports

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
)

// readFile reads a file of testdata in a format.
func readFile(t *testing.T, format, name string) []Reading {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	readings, err := Read(format, f, Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return readings
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-4*math.Max(math.Abs(a), math.Abs(b)) }

// The outputs that came with their right readings, all of them.
func TestReadingsAreThoseExpected(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "EXPECTED.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Files map[string]map[string]any `json:"files"`
	}
	if err := json.Unmarshal(b, &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected.Files) < 20 {
		t.Fatalf("only %d files", len(expected.Files))
	}
	for name, want := range expected.Files {
		t.Run(name, func(t *testing.T) {
			format := want["tool"].(string)
			text, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			if found, err := Detect(text); err != nil || found != format {
				t.Errorf("detected as %q, %v", found, err)
			}
			readings, err := Read(format, strings.NewReader(string(text)), Options{})
			if want["reject"] == true {
				if err == nil {
					t.Fatal("was not rejected")
				}
				return
			}
			if err != nil || len(readings) != 1 {
				t.Fatalf("%d readings, %v", len(readings), err)
			}
			check(t, readings[0], want)
		})
	}
}

// check compares a reading with the keys of EXPECTED.json; null is unknown.
func check(t *testing.T, r Reading, want map[string]any) {
	t.Helper()
	for key, v := range want {
		number, _ := v.(float64)
		var got float64
		var known bool
		switch key {
		case "tool", "note":
			continue
		case "ok":
			got, known = float64(r.OK), true
		case "errors":
			got, known = float64(r.Errors.Total()), true
		case "connreset":
			got, known = float64(r.Errors.Reset), true
		case "elapsed_s":
			got, known = r.Elapsed.Seconds(), r.Elapsed > 0
		case "qps_ok":
			got, known = r.Values[sweep.QPS]
		case "qps_total": // never as throughput
			got, known = r.Values[sweep.QPS]
			number *= float64(r.OK) / float64(r.OK+r.Errors.Total())
		default:
			got, known = r.Values[key]
		}
		switch {
		case v == nil && known:
			t.Errorf("%s is %v, but the file does not say", key, got)
		case v != nil && !known:
			t.Errorf("%s is unknown, want %v", key, v)
		case v != nil && !near(got, number):
			t.Errorf("%s is %v, want %v", key, got, number)
		}
	}
	if r.OK == 0 && (!r.Failed || r.Reason == "") {
		t.Errorf("nothing was right, and the run did not fail: %+v", r)
	}
}

// What was captured for this package or, for wrk2 and oha, written after their
// documentation.
func TestReadings(t *testing.T) {
	null := any(nil)
	for _, c := range []struct {
		format, file string
		want         map[string]any
		errors       Errors
	}{
		{"ab", "ab23_one.txt", map[string]any{"ok": 1.0, "p50_ms": null, "min_ms": null, "max_ms": null, "mean_ms": 0.384, "qps": 2604.17, "error_share": 0.0}, Errors{}},
		{"ab", "ab23_varlen.txt", map[string]any{"ok": 200.0, "qps": 20406.08}, Errors{}},
		{"ab", "ab23_ssl.txt", map[string]any{"ok": 200.0, "mean_ms": 46.078, "p90_ms": 48.0, "p99_ms": 52.0, "elapsed_s": 2.304}, Errors{}},
		{"siege", "siege407_json_mixed.txt", map[string]any{"ok": 15.0, "qps": 1500.0, "error_share": 0.25}, Errors{Other: 5}},
		{"siege", "siege407_json_short.txt", map[string]any{"ok": 6.0, "qps": null, "mean_ms": null, "max_ms": null, "elapsed_s": null}, Errors{}},
		{"siege", "siege407_json_junk.txt", map[string]any{"ok": 9691.0, "qps": 11536.91, "max_ms": 10.0, "mean_ms": null}, Errors{}},
		{"siege", "siege407_json_refused.txt", map[string]any{"ok": 0.0, "qps": 0.0}, Errors{Other: 20}},
		{"wrk", "wrk410_never.txt", map[string]any{"ok": 0.0, "qps": 0.0, "mean_ms": null, "error_share": null}, Errors{}},
		{"wrk", "wrk410_reset.txt", map[string]any{"ok": 37491.0, "qps": 37323.23, "p99_ms": 4.87, "error_share": 7497.0 / 44988}, Errors{Other: 7497}},
		{"wrk2", "wrk2_recorded.txt", map[string]any{"ok": 60000.0, "qps": 2000.0, "mean_ms": 1.44, "p50_ms": 1.37, "p99_9_ms": 5.72, "p99_99_ms": 7.89, "max_ms": 12.92}, Errors{Status: 18, Timeout: 18}},
		{"httperf", "httperf090_6s.txt", map[string]any{"ok": 1200.0, "qps": 1200 / 5.991, "mean_ms": 0.7}, Errors{}},
		{"httperf", "httperf090_refused.txt", map[string]any{"ok": 0.0, "qps": 0.0, "mean_ms": null}, Errors{Refused: 10}},
		{"httperf", "httperf090_session.txt", map[string]any{"ok": 50.0, "mean_ms": 2.1}, Errors{}},
		{"httperf", "httperf090_timeout.txt", map[string]any{"ok": 0.0}, Errors{Timeout: 10}},
		{"bombardier", "bombardier126_mixed.txt", map[string]any{"ok": 1500.0, "qps": 43447.88 * 0.75, "p99_ms": 1.84}, Errors{Status: 500}},
		{"bombardier", "bombardier126_mixed.json", map[string]any{"ok": 41931.0, "qps": 41931 / 1.000084635, "p50_ms": 0.091, "max_ms": 16.192}, Errors{Status: 13976}},
		{"bombardier", "bombardier126_refused.json", map[string]any{"ok": 0.0, "qps": 0.0, "mean_ms": null}, Errors{Refused: 20}},
		{"bombardier", "bombardier126_timeout.txt", map[string]any{"ok": 0.0, "qps": 0.0}, Errors{Timeout: 20}},
		{"hey", "hey015_ok.txt", map[string]any{"ok": 200.0, "min_ms": null, "qps": 18092.2222, "p50_ms": 0.1, "p99_ms": 1.0, "mean_ms": 0.2, "max_ms": 1.2, "elapsed_s": 0.0111}, Errors{}},
		{"hey", "hey015_refused.txt", map[string]any{"ok": 0.0, "qps": 0.0, "mean_ms": null}, Errors{Refused: 20}},
		{"hey", "hey015_timeout.txt", map[string]any{"ok": 0.0, "qps": 0.0}, Errors{Timeout: 8}},
		{"h2load", "h2load152_h1_mixed.txt", map[string]any{"ok": 150.0, "qps": 39572.62 * 0.75, "mean_ms": 0.086, "stdev_ms": 0.078}, Errors{Status: 50}},
		{"h2load", "h2load152_timed.txt", map[string]any{"ok": 63681.0, "qps": 63681.0, "elapsed_s": 1.0}, Errors{}},
		{"h2load", "h2load152_h2_tls.txt", map[string]any{"ok": 200.0, "max_ms": 2.59}, Errors{}},
		{"h2load", "h2load152_refused.txt", map[string]any{"ok": 0.0, "mean_ms": null}, Errors{Other: 20}},
		{"oha", "oha_docs.txt", map[string]any{"ok": 1895.0, "qps": 1895 / 2.001412, "p50_ms": 1.0512, "p99_9_ms": 10.5012, "elapsed_s": 2.001412}, Errors{Status: 100}},
		{"oha", "oha_docs.json", map[string]any{"ok": 1990.0, "qps": 999.2945 * 0.995, "p99_ms": 1.7321, "p99_99_ms": null, "mean_ms": 1.1004}, Errors{Reset: 10}},
		{"k6", "k6181_mixed_legacy.txt", map[string]any{"ok": 75.0, "qps": 1992.293371 * 0.75, "p50_ms": 0.22877, "p99_ms": 15.74, "p99_9_ms": 16.74, "mean_ms": 1.08}, Errors{Other: 25}},
		{"k6", "k6181_mixed_full.txt", map[string]any{"ok": 75.0, "qps": 4254.030992 * 0.75, "p90_ms": 2.54}, Errors{Other: 25}},
		{"k6", "k6181_mixed_full.json", map[string]any{"ok": 75.0, "qps": 4254.030992 * 0.75, "p50_ms": 0.32432}, Errors{Other: 25}},
		{"k6", "k6181_handle.json", map[string]any{"ok": 75.0, "elapsed_s": 0.080127532, "p90_ms": 8.920931}, Errors{Other: 25}},
		{"k6", "k6181_ok.txt", map[string]any{"ok": 100.0, "qps": 3695.04307, "p95_ms": 0.49308, "max_ms": 7.77}, Errors{}},
		{"k6", "k6181_ok.json", map[string]any{"ok": 100.0, "qps": 3695.04307, "p95_ms": 0.49308, "max_ms": 7.773582}, Errors{}},
		{"k6", "k6181_groups.txt", map[string]any{"ok": 30.0, "qps": 3417.80466 * 0.75, "p50_ms": 0.08625}, Errors{Other: 10}},
		{"k6", "k6181_legacy_groups.txt", map[string]any{"ok": 40.0, "error_share": 0.0, "min_ms": 30.6 / 1000}, Errors{}},
		{"k6", "k6181_refused.txt", map[string]any{"ok": 0.0, "qps": 0.0, "p50_ms": null}, Errors{Other: 100}},
		{"autocannon", "autocannon900_ok.txt", map[string]any{"ok": 21672.0, "qps": 21672 / 1.01, "mean_ms": 0.02, "max_ms": 11.0, "p50_ms": 0.0}, Errors{}},
		{"autocannon", "autocannon900_latency.txt", map[string]any{"ok": 150.0, "qps": 150 / 1.01, "p90_ms": 1.0, "p99_9_ms": 31.0}, Errors{Status: 50}},
		{"autocannon", "autocannon900_refused.txt", map[string]any{"ok": 0.0, "qps": 0.0}, Errors{Other: 14000}},
		{"autocannon", "autocannon900_mixed.json", map[string]any{"ok": 21822.0, "qps": 21822 / 1.01, "p99_9_ms": 5.0}, Errors{Status: 7274}},
		{"autocannon", "autocannon900_german.txt", map[string]any{"ok": 54208.0}, Errors{}},
		{"autocannon", "autocannon900_codes.txt", map[string]any{"ok": 150.0}, Errors{Status: 50}},
		{"autocannon", "autocannon900_never.json", map[string]any{"ok": 0.0, "mean_ms": null}, Errors{Timeout: 9}},
	} {
		t.Run(c.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", c.file))
			if err != nil {
				t.Fatal(err)
			}
			if found, err := Detect(text); err != nil || found != c.format {
				t.Errorf("detected as %q, %v", found, err)
			}
			readings := readFile(t, c.format, c.file)
			if len(readings) != 1 {
				t.Fatalf("%d readings", len(readings))
			}
			check(t, readings[0], c.want)
			if readings[0].Errors != c.errors {
				t.Errorf("errors %+v, want %+v", readings[0].Errors, c.errors)
			}
		})
	}
}

// The two outputs of the founding post about Express and Hunchentoot, from an
// ab of Apache 1.3, as they were published: blanks collapsed.
func TestPostsOfApacheBenchAreReadWhole(t *testing.T) {
	got := readFile(t, "ab", "ab13d_posts.txt")
	if len(got) != 2 {
		t.Fatalf("%d readings", len(got))
	}
	express, hunchentoot := got[0], got[1]
	check(t, express, map[string]any{
		"ok": 10000.0, "errors": 0.0, "elapsed_s": 15.646, "qps": 639.14, "mean_ms": 156.46, "min_ms": 23.0, "max_ms": 421.0, "stdev_ms": 40.7,
		"p50_ms": 144.0, "p75_ms": 167.0, "p90_ms": 188.0, "p95_ms": 217.0, "p99_ms": 311.0,
	})
	check(t, hunchentoot, map[string]any{
		"ok": 10000.0, "errors": 0.0, "elapsed_s": 58.857, "qps": 169.90, "mean_ms": 588.57, "min_ms": 2.0, "max_ms": 23783.0, "stdev_ms": 1842.0,
		"p50_ms": 32.0, "p75_ms": 54.0, "p90_ms": 157.0, "p95_ms": 3419.0, "p99_ms": 10173.0,
	})
	for p, ms := range map[float64]float64{66: 37, 80: 66, 98: 3517, 100: 23783} {
		if hunchentoot.Percentiles[p] != ms {
			t.Errorf("p%g is %v, want %v", p, hunchentoot.Percentiles[p], ms)
		}
	}
	if express.Label != "http://127.0.0.1:8765/hello" || express.Connections != 100 || hunchentoot.Block != 2 || hunchentoot.Line < 30 {
		t.Errorf("%+v\n%+v", express, hunchentoot)
	}
}

// Units change line by line, and a file can hold a primer, a warm-up and levels.
func TestUnitsAndSeveralRunsAFile(t *testing.T) {
	got := readFile(t, "wrk", "wrk410_units.txt")
	if len(got) != 3 {
		t.Fatalf("%d readings", len(got))
	}
	if r := got[0]; !r.Failed || r.Connections != 8 || r.Values[sweep.QPS] != 0 || len(r.Percentiles) != 0 {
		t.Errorf("a run without requests: %+v", r)
	}
	check(t, got[1], map[string]any{
		"ok": 2_500_000.0, "qps": 41670.0, "elapsed_s": 60.0, "mean_ms": 1320.0, "stdev_ms": 399.45, "max_ms": 72000.0,
		"p50_ms": 0.9, "p75_ms": 1.86, "p90_ms": 1010.0, "p99_ms": 66000.0,
	})
	if r := got[2]; r.Connections != 128 || r.Block != 3 || r.Line != 25 || r.Values[sweep.QPS] != 3600 || len(r.Percentiles) != 0 {
		t.Errorf("the third run: %+v", r)
	}
}

// A pasted terminal holds the user's command before the one that httperf repeats.
func TestCommandBeforeHttperf(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "httperf090_ok.txt"))
	if err != nil {
		t.Fatal(err)
	}
	text := "httperf --hog --server 127.0.0.1\n" + string(b)
	got, err := Read("httperf", strings.NewReader(text+text), Options{})
	if err != nil || len(got) != 2 || got[1].OK != 1000 || got[1].Label != "http://127.0.0.1:18090/ok" {
		t.Errorf("%+v, %v", got, err)
	}
}

// k6 repeats its metrics for groups; those of a second run are another run's.
func TestSeveralRunsOfK6(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"k6181_ok.txt", "k6181_groups.txt", "k6181_refused.txt"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	got, err := Read("k6", strings.NewReader(text.String()), Options{})
	if err != nil || len(got) != 3 {
		t.Fatalf("%d readings, %v", len(got), err)
	}
	if got[0].OK != 100 || got[1].OK != 30 || got[2].OK != 0 || !got[2].Failed || got[1].Line <= got[0].Line {
		t.Errorf("%+v", got)
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"12": 12, "0,02": 0.02, "1.234,5": 1234.5, "1,234.5": 1234.5, "1,234,567": 1234567, "-3.5": -3.5, " 7 ": 7,
	} {
		if got, err := number(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-nan", "NaN", "inf", "1,234", "1e999", "12%", "0x"} {
		if got, err := number(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	for text, want := range map[string]int64{"36.29k": 36290, "2.50M": 2500000, "7": 7, "1K": 1000, "1G": 1e9} {
		if got, err := count(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]time.Duration{
		"163.02us": 163020, "20.23ms": 20230 * time.Microsecond, "1.20m": 72 * time.Second, "0.0087 secs": 8700 * time.Microsecond, "7.5µs": 7500, "1m30s": 90 * time.Second,
		"1,5 s": 1500 * time.Millisecond, "2 min": 2 * time.Minute,
	} {
		if got, err := span(text); err != nil || got != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "NaN secs", "-1s", "ms", "1 parsec", "9e99s"} {
		if got, err := span(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	for _, c := range []struct {
		text        string
		about, want float64
	}{
		{"21,679", 22000, 21679}, {"21.679", 22000, 21679}, {"21.679", 22, 21.679}, {"1\u202f402,5", 1400, 1402.5}, {"204", 9, 204}, {"1.234.567", 0, 1234567}, {"1'234.5", 1e3, 1234.5},
	} {
		if got, err := localised(c.text, c.about); err != nil || got != c.want {
			t.Errorf("%q about %v is %v, %v", c.text, c.about, got, err)
		}
	}
}

func TestWhatAReadingSaysBesideItsValues(t *testing.T) {
	r := readFile(t, "httperf", "httperf090_ok.txt")[0]
	if r.Opened != 200 || r.Requests != 1000 || r.Offered != 1000 || r.Connections != 2 || r.Label != "http://127.0.0.1:18090/ok" {
		t.Errorf("httperf: %+v", r)
	}
	r = readFile(t, "wrk2", "wrk2_recorded.txt")[0]
	if !r.Corrected || r.Percentiles[99.999] != 12.68 || !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "uncorrected") }) {
		t.Errorf("wrk2: %+v", r)
	}
	var titles []string
	for _, m := range r.Metrics {
		titles = append(titles, m.Key+": "+m.Title)
	}
	if !slices.Contains(titles, "p97_5_ms: 97.5th percentile latency") && !slices.Contains(titles, "p99_99_ms: 99.99th percentile latency") {
		t.Errorf("metrics %q", titles)
	}
	r = readFile(t, "ab", "ab23_varlen.txt")[0]
	if len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "191 answers had another length") {
		t.Errorf("ab: %q", r.Notes)
	}
	r = readFile(t, "bombardier", "bombardier126_timeout.txt")[0]
	if r.Label != "http://127.0.0.1:18190/never" || r.Connections != 4 || !slices.Contains(r.Notes, "timeout: 20") || r.Reason != "no right answer, 20 failed (timeout: 20)" {
		t.Errorf("bombardier: %+v", r)
	}
	r = readFile(t, "siege", "siege407_text_404.err")[0]
	if r.Connections != 4 || r.Errors.Status != 80 {
		t.Errorf("siege: %+v", r)
	}
	r = readFile(t, "k6", "k6181_ok.txt")[0]
	if r.Connections != 4 || r.Elapsed.Round(time.Millisecond) != 27*time.Millisecond {
		t.Errorf("k6: %+v", r)
	}
	r = readFile(t, "autocannon", "autocannon900_mixed.json")[0]
	if r.Connections != 4 || r.Label != "http://127.0.0.1:18190/mixed" {
		t.Errorf("autocannon: %+v", r)
	}
}

func TestGoBenchmarks(t *testing.T) {
	got := readFile(t, "go-bench", "go126_bench.txt")
	if len(got) != 6 {
		t.Fatalf("%d readings", len(got))
	}
	r := got[3]
	if r.Label != "Upper/version=1.10.0-2" || r.Attributes["version"] != "1.10.0" || r.Attributes["pkg"] != "gb" || r.Counted || r.Failed {
		t.Errorf("%+v", r)
	}
	for key, want := range map[string]float64{"sec_per_op": 993.3e-9, "b_per_s": 64.43e6, "req_per_s": 1006778, "b_per_op": 128, "allocs_per_op": 2} {
		if !near(r.Values[key], want) {
			t.Errorf("%s is %v, want %v", key, r.Values[key], want)
		}
	}
	for _, m := range r.Metrics {
		if want := map[bool]sweep.Better{true: sweep.Higher, false: sweep.Lower}[strings.HasSuffix(m.Unit, "/s")]; m.Better != want {
			t.Errorf("%s: %s is better", m.Unit, m.Better)
		}
	}
	const declared = "BenchmarkX/version=2 1 41000 qps 3 points\nUnit points better=higher\n"
	readings, err := Read("go-bench", strings.NewReader(declared), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r := readings[0]; r.Values[sweep.QPS] != 41000 || len(r.Metrics) != 1 || r.Metrics[0].Better != sweep.Higher {
		t.Errorf("%+v", r)
	}
}

func TestGitHubActionBenchmarks(t *testing.T) {
	got := readFile(t, "github-action-benchmark", "action_array.json")
	if len(got) != 2 || got[0].Label != "node 20.1.0 hello" || got[0].Values["requests_per_s"] != 41234.5 || got[0].Metrics[0].Better != sweep.Higher ||
		got[0].Attributes["range"] != "± 3 %" || got[1].Values["ms"] != 1.25 || got[1].Metrics[0].Better != sweep.Lower {
		t.Errorf("%+v", got)
	}
	got = readFile(t, "github-action-benchmark", "action_data.js")
	if len(got) != 2 || got[0].Attributes["commit"] != "0123abc" || got[0].Attributes["date"] != "2023-11-14T22:13:20Z" ||
		got[0].Metrics[0].Better != sweep.Higher || got[1].Metrics[0].Better != sweep.Lower {
		t.Errorf("%+v", got)
	}
}

func TestErrorsNameWhatIsMissing(t *testing.T) {
	file := func(name string) string {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	before := func(name, words string) string {
		text, _, found := strings.Cut(file(name), words)
		if !found {
			t.Fatalf("%s has no %q", name, words)
		}
		return text
	}
	for _, c := range []struct{ format, text, want string }{
		{"ab", before("ab23_ok.txt", "Requests per second"), `ab: line 1: no "Requests per second" line: the output is cut after line 20`},
		{"ab", file("ab23_timeout.txt"), `ab: line 5: no report: ab ended with "apr_pollset_poll: The timeout specified has expired (70007)"`},
		{"ab", file("ab23_refused.txt"), "ab: line 5: no report: ab ended with an error that went to its error output: nobody listens, the connection was reset or the time-out passed"},
		{"ab", file("ab23_refused.err"), `ab: line 1: no report: ab ended with "apr_socket_recv: Connection refused (111)"`},
		{"wrk", file("wrk410_refused.err"), `wrk: line 1: no report: wrk ended with "unable to connect to 127.0.0.1:18099 Connection refused"`},
		{"wrk", before("wrk410_ok.txt", "Requests/sec"), `wrk: line 1: no "Requests/sec" line: the output is cut after line 6`},
		{"siege", before("siege407_text_ok.err", "Successful"), `siege: line 1: no "Successful transactions" line: the output is cut after line 12`},
		{"siege", before("siege407_json_ok.txt", `"longest`), "siege: line 1: the JSON that begins here is cut after line 11"},
		{"httperf", before("httperf090_ok.txt", "Errors: fd"), `httperf: line 1: no second "Errors" line: the output is cut after line 22`},
		{"bombardier", before("bombardier_refused.txt", "  Throughput"), `bombardier: line 1: no "Throughput" line: the output is cut after line 14`},
		{"bombardier", before("bombardier_json.txt", `"rps"`), "bombardier: line 1: the JSON that begins here is cut after line 1"},
		{"hey", before("hey014_mixed.txt", "Status code"), `hey: line 2: no "Status code distribution" section: the output is cut after line 40`},
		{"hey", file("hey015_csv.txt"), "hey: line 1: a list of single requests (-o csv): import the summary that hey prints without it"},
		{"h2load", before("h2load152_h1_ok.txt", "finished in"), `h2load: line 1: no "finished in" line: the output is cut after line 13`},
		{"oha", before("oha_docs.txt", "  Requests/sec"), `oha: line 1: no "Requests/sec" line: the output is cut after line 6`},
		{"k6", before("k6181_ok.txt", "http_reqs."), `k6: line 20: no "http_reqs" in this summary: the test made no HTTP request, or the output is cut`},
		{"autocannon", before("autocannon900_ok.txt", "22k requests"), `autocannon: line 3: no "requests in" line: the output is cut after line 16`},
		{"go-bench", "BenchmarkX 100", "go-bench: line 1: missing measurements"},
		{"github-action-benchmark", `[{"name": "x"}]`, "github-action-benchmark: line 1: entry 1 has no name or no value"},
		{"wrk", before("wrk410_latency.txt", "0.20\nTransfer"), `wrk: line 1: no "Requests/sec" line: the output is cut in line 12, which has no line end`},
		{"wrk", before("wrk410_latency.txt", "Transfer"), `wrk: line 1: no "Transfer/sec" line: the output is cut after line 12`},
		{"hey", before("hey014_mixed.txt", "  [503]"), "hey: line 2: no status of 50 of 200 answers: the output is cut after line 43"},
		{"hey", before("hey015_refused.txt", "Error distribution"), "hey: line 2: no status or error of all of about 19 requests: the output is cut after line 22"},
		{"ab", before("ab23_mixed503.txt", "Percentage"), `ab: line 1: no "100%" line, which ab leaves out with -d only: the output is cut after line 33`},
		{"ab", before("ab23_mixed503.txt", "Total:  "), `ab: line 1: no "Total" row of times: the output is cut after line 32`},
		{"siege", before("siege407_text_ok.err", "Shortest"), `siege: line 1: no "Shortest transaction" line: the output is cut after line 15`},
		{"h2load", before("h2load152_h1_ok.txt", "time for request"), `h2load: line 1: no row of request times: the output is cut after line 19`},
		{"go-bench", before("go126_bench.txt", " ns/op	  38") + " ns/op", "go-bench: line 6: the output is cut in this line, which has no line end"},
		{"wrk", "hello\n", "wrk: no wrk report in this file"},
		{"ab", "", "ab: no ApacheBench report in this file"},
		{"wrk", strings.Replace(file("wrk410_ok.txt"), "70404.86", "1,234", 1), `wrk: line 7: "1,234" can be 1234 and 1.234`},
		{"curl", "", "unknown format \"curl\": known are ab, siege, wrk, wrk2, httperf, bombardier, hey, h2load, oha, k6, autocannon, go-bench, github-action-benchmark"},
		{"markdown", "", "markdown holds tables and no runs of a tool"},
	} {
		readings, err := Read(c.format, strings.NewReader(c.text), Options{})
		if err == nil || err.Error() != c.want || readings != nil {
			t.Errorf("%s: %v\nwant %s", c.format, err, c.want)
		}
	}
	var formatError *FormatError
	if _, err := Read("curl", strings.NewReader(""), Options{}); !errors.As(err, &formatError) {
		t.Errorf("%v is no *FormatError", err)
	}
	big := strings.NewReader(strings.Repeat("x", maxFile+1))
	if _, err := Read("ab", big, Options{}); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("a file that is too large: %v", err)
	}
}

// Colours, progress bars, Windows line ends and UTF-16, collapsed blanks and
// decimal commas change nothing.
func TestSameReportInAnotherDress(t *testing.T) {
	plain, err := os.ReadFile(filepath.Join("testdata", "siege407_text_ok.err"))
	if err != nil {
		t.Fatal(err)
	}
	want := readFile(t, "siege", "siege407_text_ok.err")[0]
	var wide strings.Builder
	wide.WriteString("\xff\xfe")
	for _, c := range string(plain) {
		wide.WriteByte(byte(c))
		wide.WriteByte(0)
	}
	for name, text := range map[string]string{
		"coloured":       strings.ReplaceAll(string(plain), "Transactions:", "\x1b[1;34mTransactions:\x1b[0m"),
		"Windows":        strings.ReplaceAll(string(plain), "\n", "\r\n"),
		"UTF-16":         wide.String(),
		"byte order":     "\xef\xbb\xbf" + string(plain),
		"decimal commas": strings.ReplaceAll(string(plain), ".", ","),
		"collapsed":      strings.ReplaceAll(strings.ReplaceAll(string(plain), "\t", " "), "  ", " "),
	} {
		got, err := Read("siege", strings.NewReader(text), Options{})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %d readings, %v", name, len(got), err)
			continue
		}
		if got[0].OK != want.OK || got[0].Values[sweep.QPS] != want.Values[sweep.QPS] || got[0].Elapsed != want.Elapsed || got[0].Values[MaxLatency] != 10 {
			t.Errorf("%s: %+v\nwant %+v", name, got[0], want)
		}
	}
}

// Units and columns are read as they stand there, whichever version printed them.
func TestUnitsAndColumnsOfOtherVersions(t *testing.T) {
	siege := "Transactions:  120 hits\nAvailability: 100.00 %\nElapsed time: 1.50 secs\nResponse time: 14.36 ms\n" +
		"Transaction rate: 80.00 trans/sec\nSuccessful transactions: 120\nFailed transactions: 0\nLongest transaction: 60.00 ms\nShortest transaction: 10.00 ms\n"
	got, err := Read("siege", strings.NewReader(siege), Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got[0], map[string]any{"ok": 120.0, "mean_ms": 14.36, "max_ms": 60.0, "min_ms": 10.0, "qps": 80.0})

	h2load := "finished in 1.00s, 100.00 req/s, 1.00MB/s\nrequests: 100 total, 100 started, 100 done, 100 succeeded, 0 failed, 0 errored, 0 timeout\n" +
		"status codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx\n" +
		"                     min         max         median      p95         p99         mean        sd          +/- sd\n" +
		"request     :       18us      8.47ms       100us       300us       1.10ms       146us       588us    98.65%\n"
	got, err = Read("h2load", strings.NewReader(h2load), Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got[0], map[string]any{"ok": 100.0, "p50_ms": 0.1, "p95_ms": 0.3, "p99_ms": 1.1, "mean_ms": 0.146, "stdev_ms": 0.588, "max_ms": 8.47})
}

// A rate over right answers only is the one that is printed, digit for digit.
func TestRatesAreAsPrinted(t *testing.T) {
	if r := readFile(t, "siege", "siege407_json_ok.txt")[0]; r.Values[sweep.QPS] != 12627.14 {
		t.Errorf("the rate is %v", r.Values[sweep.QPS])
	}
}

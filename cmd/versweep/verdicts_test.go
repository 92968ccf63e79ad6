package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
)

func metricOf(t *testing.T, key string) sweep.Metric {
	t.Helper()
	m, ok := sweep.MetricByKey(key)
	if !ok {
		t.Fatalf("no metric %s", key)
	}
	return m
}

// slowerNode is a judgement with one regression of 3 %.
func slowerNode(t *testing.T) sweep.Judgement {
	nan := math.NaN()
	qps, failed := metricOf(t, sweep.QPS), metricOf(t, sweep.ErrorShare)
	return sweep.Judgement{
		Target: "node", Title: "Node.js", Reference: "22.1.0", Effect: 0.03, Versions: []sweep.Version{{Name: "20.4.0"}, {Name: "20.5.0"}, {Name: "22.1.0"}},
		Findings: []sweep.Finding{
			{
				ID: "node-qps-20.5.0", Kind: sweep.KindStep, Metric: qps, From: "20.4.0", To: "20.5.0", Verdict: sweep.Regression, State: sweep.Open,
				Change: -0.03, Lo: -0.042, Hi: -0.019, Confidence: 0.998, PlaceLo: "20.4.0", PlaceHi: "20.5.0", Notes: []string{"a note"},
			},
			{
				ID: "node-error_share-20.5.0", Kind: sweep.KindOnset, Metric: failed, From: "20.4.0", To: "20.5.0", Verdict: sweep.Regression,
				State: sweep.Recovered, RecoveredIn: "22.1.0", Change: nan, Lo: nan, Hi: nan, Confidence: nan,
			},
		},
		Joint:          map[string]string{"20.5.0": "3 % slower"},
		Neighbours:     []sweep.Comparison{{Metric: qps, From: "20.5.0", To: "22.1.0", Verdict: sweep.Undecided, RoundsNeeded: 12}},
		Twin:           map[string]sweep.Comparison{sweep.QPS: {Metric: qps, Change: 0.004, Lo: -0.008, Hi: math.Inf(1)}},
		Noise:          map[string]float64{sweep.QPS: 0.039, sweep.P99: nan},
		SmallestEffect: map[string]float64{sweep.QPS: 0.021, sweep.P99: 0.08},
		NotMeasured:    []sweep.Outcome{{Version: "21.0.0", Reason: "no build"}, {Version: "21.1.0"}},
		Warnings:       []string{"busy"},
	}
}

// sameJSON compares documents whatever their layout.
func sameJSON(t *testing.T, got any, want string) {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var g, w bytes.Buffer
	if err := errors.Join(json.Indent(&g, b, "", " "), json.Compact(&w, []byte(want))); err != nil {
		t.Fatal(err)
	}
	if w.String() != string(b) {
		t.Errorf("got:\n%s", g.String())
	}
}

func TestCheckJSON(t *testing.T) {
	sameJSON(t, newCheckJSON(slowerNode(t)), `{
		"schema": 1, "target": "node", "reference": "22.1.0", "effect": 0.03,
		"findings": [
			{"id": "node-qps-20.5.0", "kind": "step", "metric": "qps", "from": "20.4.0", "to": "20.5.0", "verdict": "regression",
			 "change": -0.03, "lo": -0.042, "hi": -0.019, "confidence": 0.998, "place": {"lo": "20.4.0", "hi": "20.5.0"},
			 "state": "open", "recovered_in": null, "notes": ["a note"]},
			{"id": "node-error_share-20.5.0", "kind": "onset", "metric": "error_share", "from": "20.4.0", "to": "20.5.0", "verdict": "regression",
			 "change": null, "lo": null, "hi": null, "confidence": null, "place": {"lo": null, "hi": null},
			 "state": "recovered", "recovered_in": "22.1.0", "notes": []}
		],
		"undecided": [{"metric": "qps", "from": "20.5.0", "to": "22.1.0", "rounds_needed": 12}],
		"not_measured": [{"version": "21.0.0", "reason": "no build"}, {"version": "21.1.0", "reason": null}],
		"smallest_effect": 0.021, "smallest_effects": {"p99_ms": 0.08, "qps": 0.021}, "noise": {"p99_ms": null, "qps": 0.039},
		"twin": {"qps": {"change": 0.004, "lo": -0.008, "hi": null}},
		"joint": {"20.5.0": "3 % slower"}, "warnings": ["busy"], "older_sweeps": 0
	}`)
	sameJSON(t, newCheckJSON(sweep.Judgement{Target: "x", SmallestEffect: map[string]float64{"cost": 0.1}}), `{
		"schema": 1, "target": "x", "reference": null, "effect": 0, "findings": [], "undecided": [], "not_measured": [],
		"smallest_effect": 0.1, "smallest_effects": {"cost": 0.1}, "noise": {}, "twin": {}, "joint": {}, "warnings": [], "older_sweeps": 0
	}`)
}

func TestLeadingEffect(t *testing.T) {
	for _, effects := range []map[string]float64{nil, {"a": 1, "b": 2}, {sweep.QPS: math.NaN(), "b": 2}} {
		if got := leadingEffect(effects); got != nil {
			t.Errorf("%v: %v", effects, *got)
		}
	}
}

func testRelease(t *testing.T) sweep.Release {
	nan := math.NaN()
	return sweep.Release{
		Target: "node", Title: "Node.js", From: sweep.Version{Name: "20.4.0"}, To: sweep.Version{Name: "22.1.0"}, Verdict: "3 % slower",
		Comparisons: []sweep.Comparison{
			{
				Metric: metricOf(t, sweep.QPS), From: "20.4.0", To: "22.1.0", Verdict: sweep.Regression, Old: sweep.Estimate{Median: 100, Lo: 90, Hi: 110, Samples: 5},
				New: sweep.Estimate{Median: 97, Lo: 96, Hi: 98, Samples: 4}, Change: -0.03, Lo: -0.04, Hi: -0.02, P: 0.5, Pairs: 4, SmallestEffect: 0.021,
			},
			{Metric: metricOf(t, sweep.P99), From: "20.4.0", To: "22.1.0", Verdict: sweep.Undecided, Change: nan, Lo: nan, Hi: nan, P: nan, RoundsNeeded: 3},
		},
		Findings:    slowerNode(t).Findings[:1],
		Between:     []sweep.Version{{Name: "21.0.0"}},
		NotMeasured: []sweep.Outcome{{Version: "21.0.0", Reason: "no build"}},
		Bundled:     []sweep.ComponentChange{{Name: "v8", Old: "11", New: "12"}, {Name: "ada", New: "2"}},
		Environment: sweep.Environment{CPU: "a", Cores: 2, ServerCPUs: []int{0}, LoadCPUs: []int{1}},
		Plan: sweep.Plan{
			Target: "node", Source: "npm", Launcher: "process", Reference: "22.1.0", Rounds: 20, MinRounds: 5, Seed: 7, LatencyRate: 100,
			Profile: load.Profile{Name: "hello", Shape: load.ShapeClosed, Connections: 64, Duration: 2 * time.Second, Timeout: time.Second},
		},
		Sweeps: []int64{3}, Samples: 9, Effect: 0.03,
	}
}

func TestReleaseJSON(t *testing.T) {
	doc := newReleaseJSON(testRelease(t))
	doc.Environment, doc.Profile = sweep.Environment{}, load.Profile{}
	var keys struct{ Environment, Profile json.RawMessage }
	b, err := json.Marshal(doc)
	if err := errors.Join(err, json.Unmarshal(b, &keys)); err != nil {
		t.Fatal(err)
	}
	sameJSON(t, doc, fmt.Sprintf(`{
		"schema": 1, "target": "node", "from": "20.4.0", "to": "22.1.0", "verdict": "3 %% slower", "effect": 0.03,
		"metrics": [
			{"metric": "qps", "unit": "requests/s", "better": "higher", "old": {"median": 100, "lo": 90, "hi": 110, "samples": 5},
			 "new": {"median": 97, "lo": 96, "hi": 98, "samples": 4}, "verdict": "regression", "change": -0.03, "lo": -0.04, "hi": -0.02,
			 "p": 0.5, "rounds_needed": null, "notes": []},
			{"metric": "p99_ms", "unit": "ms", "better": "lower", "old": null, "new": null, "verdict": "undecided", "change": null, "lo": null,
			 "hi": null, "p": null, "rounds_needed": 3, "notes": []}
		],
		"findings": [
			{"id": "node-qps-20.4.0-22.1.0", "kind": "comparison", "metric": "qps", "from": "20.4.0", "to": "22.1.0", "verdict": "regression",
			 "change": -0.03, "lo": -0.04, "hi": -0.02, "confidence": 0.5, "place": {"lo": null, "hi": null}, "state": "open",
			 "recovered_in": null, "notes": []},
			{"id": "node-qps-20.5.0", "kind": "step", "metric": "qps", "from": "20.4.0", "to": "20.5.0", "verdict": "regression",
			 "change": -0.03, "lo": -0.042, "hi": -0.019, "confidence": 0.998, "place": {"lo": "20.4.0", "hi": "20.5.0"},
			 "state": "open", "recovered_in": null, "notes": ["a note"]}
		],
		"undecided": [{"metric": "p99_ms", "from": "20.4.0", "to": "22.1.0", "rounds_needed": 3}],
		"not_measured": [{"version": "21.0.0", "reason": "no build"}],
		"smallest_effect": 0.021, "components": [{"name": "v8", "old": "11", "new": "12"}, {"name": "ada", "old": null, "new": "2"}],
		"between": ["21.0.0"], "environment": %s, "profile": %s, "sweeps": [3], "samples": 9, "warnings": []
	}`, keys.Environment, keys.Profile))
}

func testApp() (*app, *bytes.Buffer, *bytes.Buffer) {
	var stdout, stderr bytes.Buffer
	return &app{stdout: &stdout, stderr: &stderr, begun: true, now: time.Now}, &stdout, &stderr
}

// A regression that counts is status 3, whatever else went wrong; every failure
// is told.
func TestCheckStatus(t *testing.T) {
	slower := slowerNode(t)
	fine := slowerNode(t)
	fine.Target, fine.Findings = "bun", nil
	acknowledged := slowerNode(t)
	acknowledged.Findings[0].State = sweep.Acknowledged
	gone := failedTarget{"deno", fmt.Errorf("looking for sweeps of deno: %w", store.ErrNoSweep)}
	for _, c := range []struct {
		name   string
		c      checked
		status int
		told   []string
	}{
		{"clean", checked{judgements: []sweep.Judgement{fine}}, exitDone, nil},
		{"a regression", checked{judgements: []sweep.Judgement{fine, slower}}, exitRegression, []string{"versweep: regressions found: 1 of node\n"}},
		{"too small to count", checked{judgements: []sweep.Judgement{slower}, minChange: 0.05}, exitDone, nil},
		{"acknowledged", checked{judgements: []sweep.Judgement{acknowledged}}, exitDone, nil},
		{"a failure", checked{judgements: []sweep.Judgement{fine}, failed: []failedTarget{gone}}, exitFailure, []string{"sweeps of deno"}},
		{"two failures", checked{failed: []failedTarget{gone, {"x", errors.New("broken x")}}}, exitFailure, []string{"sweeps of deno", "broken x"}},
		{"both", checked{judgements: []sweep.Judgement{slower}, failed: []failedTarget{gone}}, exitRegression, []string{"sweeps of deno", "regressions found"}},
	} {
		a, _, stderr := testApp()
		status := exitDone
		if err := a.tellChecked(t.Context(), c.c); err != nil {
			status = a.tell(t.Context(), err)
		}
		if status != c.status {
			t.Errorf("%s: status %d, want %d", c.name, status, c.status)
		}
		if c.told == nil && stderr.Len() > 0 {
			t.Errorf("%s: told %s", c.name, stderr)
		}
		for _, line := range c.told {
			if strings.Count(stderr.String(), line) != 1 {
				t.Errorf("%s: %q is not told once in:\n%s", c.name, line, stderr)
			}
		}
	}
}

func TestCheckOfSeveralTargets(t *testing.T) {
	c := checked{judgements: []sweep.Judgement{{Target: "a"}}, failed: []failedTarget{{"b", errors.New("broken\nb")}}}
	a, stdout, _ := testApp()
	a.json = true
	if err := a.printChecked(c); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Targets []struct{ Target string }
		Failed  []struct{ Target, Reason string }
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Targets) != 1 || doc.Targets[0].Target != "a" || len(doc.Failed) != 1 || doc.Failed[0].Reason != "broken b" {
		t.Errorf("%s", stdout)
	}
	c.failed = nil
	stdout.Reset()
	if err := a.printChecked(c); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stdout.String(), "{\n  \"schema\": 1,\n  \"target\": \"a\"") {
		t.Errorf("one target is not the document itself: %s", stdout)
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"3%": 0.03, " 3 % ": 0.03, "0.03": 0.03, "0": 0, "0%": 0, "250%": 2.5} {
		if got, err := parseShare("--x", text); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "-1%", "NaN", "nan%", "inf", "3%%", "three", "1e400"} {
		if got, err := parseShare("--x", text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func testHistory() []sweep.Sweep {
	versions := func(names ...string) []sweep.Version {
		var list []sweep.Version
		for _, name := range names {
			list = append(list, sweep.Version{Name: name, Raw: "v" + name, Prerelease: strings.Contains(name, "-")})
		}
		return list
	}
	return []sweep.Sweep{
		{
			Plan:    sweep.Plan{Target: "node", Reference: "1.9.0", Versions: versions("1.9.0", "1.10.0", "2.0.0-rc1", "2.1.0")},
			Samples: []sweep.Sample{{Version: "1.9.0", Status: sweep.OK}, {Version: "1.10.0", Status: sweep.OK}, {Version: "2.0.0-rc1", Status: sweep.OK}, {Version: "2.1.0", Status: sweep.Failed}},
		},
		{Plan: sweep.Plan{Target: "node", Versions: append(versions("1.9.0"), sweep.Version{Name: "3.0.0", Raw: "release-3"})}, Samples: []sweep.Sample{{Version: "1.9.0", Status: sweep.Degraded}}},
	}
}

func TestReleaseNames(t *testing.T) {
	for name, want := range map[string]string{
		"1.9.0": "1.9.0", "v2.1.0": "2.1.0", "v3.0.0": "3.0.0", "release-3": "3.0.0", "latest": "1.10.0", "reference": "1.9.0", "7": "7",
	} {
		if got, err := releaseName(testHistory(), name); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	bare := []sweep.Sweep{{Plan: sweep.Plan{Target: "x"}}}
	for _, name := range []string{"latest", "reference"} {
		if got, err := releaseName(bare, name); err == nil {
			t.Errorf("%s of nothing: %q", name, got)
		}
	}
	if _, _, err := bothReleases(testHistory(), "v1.10.0", "latest"); err == nil {
		t.Error("a version is compared with itself")
	}
}

func TestMetricsOfImports(t *testing.T) {
	past := testHistory()
	past[0].Plan.Foreign = &sweep.Foreign{Metrics: []sweep.Metric{{Key: "cost"}}}
	if err := checkMetrics("node", past, []string{"cost", sweep.QPS}); err != nil {
		t.Error(err)
	}
	err := checkMetrics("node", past, []string{"speed"})
	e, ok := errors.AsType[*misuseError](err)
	if !ok || !strings.Contains(e.hint, "build_bytes, cost") {
		t.Errorf("%v", err)
	}
}

// What the report says is to be typed is what was done, in flags that there are.
func TestRepeatCommands(t *testing.T) {
	got := strings.Join(repeatCommands(testRelease(t)), "\n")
	want := "versweep run node --versions 20.4.0,22.1.0 --source npm --launcher process --profile hello \\\n" +
		"    --connections 64 --duration 2s --warmup 0s --timeout 1s --latency-pass --rounds 5:20 \\\n" +
		"    --reference 22.1.0 --seed 7 --server-cpus 0 --load-cpus 1\n" +
		"versweep compare node 20.4.0 22.1.0"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	a, _, _ := testApp()
	run, _, err := a.command().Find([]string{"run"})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(got) {
		if flag, ok := strings.CutPrefix(word, "--"); ok && run.Flags().Lookup(flag) == nil {
			t.Errorf("run has no flag --%s", flag)
		}
	}
	r := testRelease(t)
	r.From.Name = "it's; rm -rf"
	r.Plan.Foreign = &sweep.Foreign{Format: "csv", File: "my results.csv"}
	got = strings.Join(repeatCommands(r), "\n")
	want = `versweep import csv 'my results.csv' --target node` + "\n" + `versweep compare node 'it'\''s; rm -rf' 22.1.0`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestReleaseGoesWhereItIsAsked(t *testing.T) {
	for _, c := range []struct{ format, output, begins string }{
		{"", "", "Node.js 22.1.0 against 20.4.0: 3 % slower\n"},
		{"markdown", "", "# Node.js"},
		{"", "a.html", "<!doctype html>"},
		{"", "a.md", "# Node.js"},
		{"text", "b.md", "Node.js"},
	} {
		a, stdout, _ := testApp()
		f := compareFlags{format: c.format}
		if c.output != "" {
			f.output = filepath.Join(t.TempDir(), c.output)
		}
		if _, err := f.check(false); err != nil {
			t.Fatal(err)
		}
		if err := a.writeRelease(testRelease(t), f); err != nil {
			t.Fatal(err)
		}
		got := stdout.String()
		if c.output != "" {
			b, err := os.ReadFile(f.output)
			if err != nil || got != "" {
				t.Fatal(err, got)
			}
			got = string(b)
		}
		if !strings.HasPrefix(got, c.begins) {
			t.Errorf("%+v: %.60s", c, got)
		}
	}
}

func TestOpenFindingsAreBounded(t *testing.T) {
	var ids []string
	for i := range 13 {
		ids = append(ids, fmt.Sprintf("f%02d", i))
	}
	if got := openFindings(ids); !strings.HasSuffix(got, "f08, f09 and 3 more") {
		t.Error(got)
	}
}

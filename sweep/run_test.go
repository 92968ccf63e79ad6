package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/sweep/load"
)

// fakeLauncher serves versions by script and notes what is asked of it.
type fakeLauncher struct {
	calls  []string                                 // "start 1.0", "load 1.0", "stop 1.0"
	start  func(version string) error               // nil starts everything
	result func(version string) (load.Result, Exit) // nil is a clean window
	onLoad func()
}

type fakeInstance struct {
	l       *fakeLauncher
	version string
	exit    Exit
	cpu     time.Duration
}

func (l *fakeLauncher) Start(ctx context.Context, b Build) (Instance, error) {
	l.calls = append(l.calls, "start "+b.Version)
	if l.start != nil {
		if err := l.start(b.Version); err != nil {
			return nil, err
		}
	}
	return &fakeInstance{l: l, version: b.Version}, ctx.Err()
}

func (i *fakeInstance) StartupTime() (time.Duration, bool) { return 40 * time.Millisecond, true }

func (i *fakeInstance) Load(ctx context.Context, p load.Profile, h load.Hooks) (load.Result, error) {
	i.l.calls = append(i.l.calls, "load "+i.version)
	if i.l.onLoad != nil {
		i.l.onLoad()
	}
	h.WindowStart()
	i.cpu += p.Duration / 2
	h.WindowEnd()
	if i.l.result == nil {
		return window(1000, load.Errors{}), ctx.Err()
	}
	r, exit := i.l.result(i.version)
	i.exit = exit
	return r, ctx.Err()
}

func (i *fakeInstance) Usage() (Usage, error) { return Usage{CPU: i.cpu, PeakRSS: 50 << 20}, nil }

func (i *fakeInstance) Stop() (Exit, error) {
	i.l.calls = append(i.l.calls, "stop "+i.version)
	return i.exit, nil
}

// window is a result of one second.
func window(ok int64, errs load.Errors) load.Result {
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	if ok > 0 {
		h.RecordValues(int64(2*time.Millisecond), ok)
	}
	return load.Result{Started: ok + errs.Total(), OK: ok, Errors: errs, Elapsed: time.Second, CPU: time.Second / 4, Latency: h}
}

// memory is a Recorder.
type memory struct{ samples []Sample }

func (m *memory) SaveSample(ctx context.Context, _ int64, s *Sample) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.ID = int64(len(m.samples) + 1)
	m.samples = append(m.samples, *s)
	return nil
}

func newSweep(rounds int, versions ...string) *Sweep {
	sw := &Sweep{ID: 1, Plan: Plan{Target: "fake", Title: "Fake", Rounds: rounds, Seed: 7, Profile: load.Profile{Duration: time.Second}}}
	for _, name := range versions {
		v, err := ParseVersion(name, LineByMajor)
		if err != nil {
			panic(err)
		}
		sw.Plan.Versions = append(sw.Plan.Versions, v)
		sw.Plan.Reference = name
		sw.Outcomes = append(sw.Outcomes, Outcome{Version: name, Build: Build{Version: name, Bytes: 100}})
	}
	return sw
}

func carryOut(t *testing.T, ctx context.Context, l Launcher, m *memory, sw *Sweep) error {
	t.Helper()
	_, err := Runner{Launcher: l, Recorder: m, Now: func() time.Time { return time.Unix(1e9, 0) }}.Run(ctx, sw)
	return err
}

func TestEveryRoundSamplesEveryVersionAndTheTwin(t *testing.T) {
	var orders []string
	for range 2 {
		m := &memory{}
		sw := newSweep(4, "1.0.0", "2.0.0", "3.0.0")
		if err := carryOut(t, t.Context(), &fakeLauncher{}, m, sw); err != nil {
			t.Fatal(err)
		}
		perRound := map[int][]string{}
		for i, s := range m.samples {
			if s.Position != i%4 || s.Round != i/4+1 {
				t.Errorf("sample %d has round %d, position %d", i, s.Round, s.Position)
			}
			perRound[s.Round] = append(perRound[s.Round], fmt.Sprint(s.Version, s.Twin))
		}
		different := map[string]bool{}
		for round, entries := range perRound {
			different[strings.Join(entries, " ")] = true
			slices.Sort(entries)
			if got := strings.Join(entries, " "); got != "1.0.0false 2.0.0false 3.0.0false 3.0.0true" {
				t.Errorf("round %d sampled %s", round, got)
			}
		}
		if len(different) == 1 {
			t.Error("every round has the same order")
		}
		var order []string
		for _, s := range m.samples {
			order = append(order, fmt.Sprint(s.Version, s.Twin))
		}
		orders = append(orders, strings.Join(order, " "))
	}
	if orders[0] != orders[1] {
		t.Error("the same seed gave two orders")
	}
}

func TestSampleValues(t *testing.T) {
	m := &memory{}
	if err := carryOut(t, t.Context(), &fakeLauncher{}, m, newSweep(1, "1.0.0")); err != nil {
		t.Fatal(err)
	}
	v := m.samples[0].Values
	for key, want := range map[string]float64{
		QPS: 1000, ErrorShare: 0, CPUPerRequest: 500, ServerCPU: 0.5, LoadCPU: 0.25, PeakRSS: 50 << 20, Startup: 40, BuildSize: 100,
	} {
		if got, ok := v[key]; !ok || got != want {
			t.Errorf("%s = %v, %v; want %v", key, got, ok, want)
		}
	}
	if p := v[P99]; p < 1.99 || p > 2.01 {
		t.Errorf("p99 = %v ms, want 2", p)
	}
}

// H1: error pages are quick and must not look like throughput.
func TestWrongAnswersAreNoThroughput(t *testing.T) {
	l := &fakeLauncher{result: func(version string) (load.Result, Exit) {
		switch version {
		case "1.0.0":
			return window(0, load.Errors{Status: 5000}), Exit{}
		case "2.0.0":
			return window(750, load.Errors{Status: 200, Reset: 50}), Exit{}
		}
		return window(1000, load.Errors{}), Exit{}
	}}
	m := &memory{}
	sw := newSweep(3, "1.0.0", "2.0.0", "3.0.0")
	if err := carryOut(t, t.Context(), l, m, sw); err != nil {
		t.Fatal(err)
	}
	table := NewTable(*sw)
	broken, partly, right := table.Rows[0], table.Rows[1], table.Rows[2]
	if broken.Status != Failed || len(broken.Metrics) != 0 || !strings.Contains(broken.Reason, "wrong status: 5000") {
		t.Errorf("only wrong answers: %+v", broken)
	}
	if partly.Status != Degraded || partly.Metrics[QPS].Median != 750 || partly.Metrics[ErrorShare].Median != 0.25 {
		t.Errorf("some wrong answers: %+v", partly)
	}
	if right.Status != OK || right.Samples != 3 || right.Metrics[QPS] != (Estimate{1000, 1000, 1000, 3}) {
		t.Errorf("right answers: %+v", right)
	}
	for _, s := range m.samples {
		if s.Load == nil {
			t.Errorf("%s round %d: the totals are lost", s.Version, s.Round)
		}
	}
	if table.Twin[QPS].Samples != 3 {
		t.Errorf("twin %+v", table.Twin)
	}
}

func TestFailingVersionIsGivenUpAndTold(t *testing.T) {
	l := &fakeLauncher{start: func(version string) error {
		if version == "1.0.0" {
			return &StartError{Reason: "exit status 127", Log: []string{"missing libfoo"}}
		}
		return nil
	}}
	m := &memory{}
	sw := newSweep(5, "1.0.0", "2.0.0")
	if err := carryOut(t, t.Context(), l, m, sw); err != nil {
		t.Fatal(err)
	}
	var failed []Sample
	for _, s := range m.samples {
		if s.Version == "1.0.0" {
			failed = append(failed, s)
		}
	}
	if len(failed) != giveUpAfter || failed[0].Status != Failed || failed[0].Log[0] != "missing libfoo" {
		t.Errorf("%d samples of the failing version: %+v", len(failed), failed)
	}
	if row := NewTable(*sw).Rows[0]; row.Status != Failed || row.Reason != "exit status 127: missing libfoo" {
		t.Errorf("row %+v", row)
	}
	if len(m.samples) != 2+5+5 {
		t.Errorf("%d samples, want the other version and its twin in every round", len(m.samples))
	}
}

func TestTellingLine(t *testing.T) {
	for want, log := range map[string][]string{
		"": nil, ": missing libfoo": {"starting", "missing libfoo"},
		": Error: listen EADDRINUSE": {"node:events:496", "      throw er;", "Error: listen EADDRINUSE", "    at Server", "Node.js v20.20.2"},
	} {
		if got := telling(log); got != want {
			t.Errorf("telling(%q) = %q, want %q", log, got, want)
		}
	}
}

func TestServerThatDiesWhileMeasured(t *testing.T) {
	l := &fakeLauncher{result: func(string) (load.Result, Exit) {
		return window(10, load.Errors{Reset: 5}), Exit{Early: true, Status: "signal: killed", Log: []string{"bye"}}
	}}
	m := &memory{}
	if err := carryOut(t, t.Context(), l, m, newSweep(1, "1.0.0")); err != nil {
		t.Fatal(err)
	}
	s := m.samples[0]
	if s.Status != Failed || !strings.Contains(s.Reason, "signal: killed") || s.Log[0] != "bye" || s.Load == nil || len(s.Values) != 0 {
		t.Errorf("sample %+v", s)
	}
}

func TestLauncherFailureEndsTheSweep(t *testing.T) {
	l := &fakeLauncher{start: func(string) error { return errors.New("engine gone") }}
	m := &memory{}
	err := carryOut(t, t.Context(), l, m, newSweep(1, "1.0.0"))
	if err == nil || !strings.Contains(err.Error(), "engine gone") || len(m.samples) != 0 {
		t.Errorf("err %v, %d samples", err, len(m.samples))
	}
}

// D4 and C6: what was measured stays, what was interrupted does not, the
// instance is stopped, and nothing is measured twice afterwards.
func TestInterruptedSweepGoesOnWhereItWas(t *testing.T) {
	whole := &memory{}
	if err := carryOut(t, t.Context(), &fakeLauncher{}, whole, newSweep(3, "1.0.0", "2.0.0", "3.0.0")); err != nil {
		t.Fatal(err)
	}
	for interruptAt := 1; interruptAt <= len(whole.samples); interruptAt++ {
		ctx, cancel := context.WithCancel(t.Context())
		loads := 0
		l := &fakeLauncher{onLoad: func() {
			if loads++; loads == interruptAt {
				cancel()
			}
		}}
		m := &memory{}
		sw := newSweep(3, "1.0.0", "2.0.0", "3.0.0")
		if err := carryOut(t, ctx, l, m, sw); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted in sample %d: %v", interruptAt, err)
		}
		if len(m.samples) != interruptAt-1 || len(sw.Samples) != interruptAt-1 {
			t.Errorf("interrupted in sample %d: %d stored", interruptAt, len(m.samples))
		}
		if last := l.calls[len(l.calls)-1]; !strings.HasPrefix(last, "stop ") {
			t.Errorf("interrupted in sample %d: last call %q", interruptAt, last)
		}
		if err := carryOut(t, t.Context(), &fakeLauncher{}, m, sw); err != nil {
			t.Fatal(err)
		}
		for i, s := range m.samples {
			w := whole.samples[i]
			if s.Round != w.Round || s.Position != w.Position || s.Version != w.Version || s.Twin != w.Twin {
				t.Fatalf("resumed after %d: sample %d is %+v, uninterrupted %+v", interruptAt, i, s, w)
			}
		}
		if len(m.samples) != len(whole.samples) {
			t.Errorf("resumed after %d: %d samples, want %d", interruptAt, len(m.samples), len(whole.samples))
		}
	}
}

func TestVersionsThatCannotBeHadAreRows(t *testing.T) {
	sw := newSweep(1, "1.0.0", "2.0.0")
	sw.Outcomes[0] = Outcome{Version: "1.0.0", Reason: "no such release"}
	m := &memory{}
	if err := carryOut(t, t.Context(), &fakeLauncher{}, m, sw); err != nil {
		t.Fatal(err)
	}
	rows := NewTable(*sw).Rows
	if rows[0].Status != Failed || rows[0].Reason != "no such release" || rows[1].Status != OK {
		t.Errorf("rows %+v", rows)
	}
}

func TestPartlyFailedVersionIsDegraded(t *testing.T) {
	n := 0
	l := &fakeLauncher{start: func(version string) error {
		if n++; version == "1.0.0" && n == 1 {
			return &StartError{Reason: "no right answer within 10s"}
		}
		return nil
	}}
	m := &memory{}
	sw := newSweep(3, "1.0.0")
	sw.Plan.Reference = ""
	if err := carryOut(t, t.Context(), l, m, sw); err != nil {
		t.Fatal(err)
	}
	row := NewTable(*sw).Rows[0]
	if row.Status != Degraded || row.Samples != 2 || !strings.HasPrefix(row.Reason, "1 of 3 samples failed: no right answer") {
		t.Errorf("row %+v", row)
	}
}

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
	"versweep/sweep/nightly"
)

// shyRounds are samples of four versions of which the third has a worse p99, by so
// little that other metrics, each with noise of its own, hide it.
func shyRounds(seed uint64) sweep.Sweep {
	rng := rand.New(rand.NewPCG(seed, 7))
	sw := sweep.Sweep{ID: 1, Plan: sweep.Plan{
		Target: "x", Title: "X", Source: "npm", Launcher: "process", Rounds: 6, Effect: 0.03, Reference: "4.0.0",
		Profile: load.Profile{Shape: load.ShapeClosed, Connections: 5, Duration: time.Second},
	}}
	for i := range 4 {
		v, err := sweep.ParseVersion(fmt.Sprintf("%d.0.0", i+1), sweep.LineByMajor)
		if err != nil {
			panic(err)
		}
		sw.Plan.Versions = append(sw.Plan.Versions, v)
		sw.Outcomes = append(sw.Outcomes, sweep.Outcome{Version: v.Name, Build: sweep.Build{Version: v.Name}})
	}
	for round := 1; round <= sw.Plan.Rounds; round++ {
		for i, v := range sw.Plan.Versions {
			s := sweep.Sample{Round: round, Position: i, Version: v.Name, Status: sweep.OK, Started: time.Unix(int64(100*round+i), 0), Values: map[string]float64{}}
			for _, key := range []string{sweep.QPS, sweep.P50, sweep.P90, sweep.P99, sweep.P999, sweep.CPUPerRequest, sweep.PeakRSS, sweep.Startup} {
				y := 0.03 * rng.NormFloat64()
				if key == sweep.P99 && i >= 2 {
					y += 0.06
				}
				s.Values[key] = 100 * math.Exp(y)
			}
			sw.Samples = append(sw.Samples, s)
		}
	}
	return sw
}

// A night that watches one metric asks for less than all metrics together do. What it
// tells can be acknowledged all the same, by its name and by the key that it was told
// under first, and check says that it is there.
func TestWhatANightToldCanBeAcknowledged(t *testing.T) {
	alone := sweep.JudgeOptions{Metrics: []string{sweep.P99}}
	ofP99 := func(j sweep.Judgement) []sweep.Finding {
		return slices.DeleteFunc(j.Findings, func(f sweep.Finding) bool { return f.Metric.Key != sweep.P99 })
	}
	var sw sweep.Sweep
	for seed := uint64(1); ; seed++ {
		sw = shyRounds(seed)
		history := []sweep.Sweep{sw}
		if len(ofP99(sweep.Judge(history, alone))) == 1 && len(ofP99(sweep.Judge(history, sweep.JudgeOptions{}))) == 0 {
			break
		}
		if seed == 1000 {
			t.Fatal("no samples show it in one metric alone")
		}
	}
	a, stdout, _ := nightlyApp()
	a.db, a.now = filepath.Join(t.TempDir(), "versweep.db"), time.Now
	ctx := t.Context()
	st, err := openStore(ctx, a.db)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := st.CreateSweep(ctx, sw.Plan, sw.Environment, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range sw.Outcomes {
		err = errors.Join(err, st.SaveOutcome(ctx, saved.ID, o))
	}
	for _, s := range sw.Samples {
		err = errors.Join(err, st.SaveSample(ctx, saved.ID, &s))
	}
	told := ofP99(sweep.Judge([]sweep.Sweep{sw}, alone))[0]
	err = errors.Join(err, st.FinishSweep(ctx, saved.ID, time.Unix(900, 0)),
		st.SaveTold(ctx, "x", []nightly.Told{{Target: "x", Key: "x-p99_ms-first", State: nightly.New, Since: time.Unix(900, 0), At: time.Unix(900, 0), Finding: &told}}), st.Close())
	if err != nil {
		t.Fatal(err)
	}
	checked := func() string {
		stdout.Reset()
		h, err := a.openHistory(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		j, err := a.judge(ctx, h, "x", sweep.Span{}, sweep.JudgeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(j.Warnings, "\n")
	}
	if said := checked(); !strings.Contains(said, "a night told of "+told.ID+", p99 ") || !strings.Contains(said, "(open), which is not found among all these metrics: check --metric p99_ms asks for it alone") {
		t.Errorf("check warns %q", said)
	}
	for i, id := range []string{told.ID, "x-p99_ms-first"} {
		if err := a.ack(ctx, id, ackFlags{note: fmt.Sprint("note ", i)}, sweep.JudgeOptions{}); err != nil || !strings.Contains(stdout.String(), told.ID+" is acknowledged") {
			t.Errorf("ack %s: %v, %s", id, err, stdout)
		}
		if said := checked(); !strings.Contains(said, "(acknowledged), which is not found") {
			t.Errorf("after ack %s, check warns %q", id, said)
		}
	}
	st, err = store.OpenReadOnly(ctx, a.db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	// The next night, judging as it did, knows it by that.
	j := sweep.Judge([]sweep.Sweep{sw}, alone)
	acks, err := st.Acknowledgements(ctx, "x")
	sweep.ApplyAcknowledgements(&j, acks)
	if got := ofP99(j)[0]; err != nil || got.State != sweep.Acknowledged || !slices.Contains(got.Notes, "acknowledged: note 1") {
		t.Errorf("%v: %s, %q", err, got.State, got.Notes)
	}
	if err := a.ack(ctx, "x-p99_ms-0.0.1", ackFlags{}, sweep.JudgeOptions{}); err == nil {
		t.Error("a finding that nobody told of is acknowledged")
	}
}

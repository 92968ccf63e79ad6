package sweep

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"versweep/sweep/load"
)

// noisyServer answers with a throughput of its version's own, noise of sd added.
func noisyServer(seed uint64, qps map[string]float64, sd map[string]float64) *fakeLauncher {
	rng := rand.New(rand.NewPCG(seed, 6))
	return &fakeLauncher{result: func(version string) (load.Result, Exit) {
		return window(int64(qps[version]*math.Exp(sd[version]*rng.NormFloat64())), load.Errors{}), Exit{}
	}}
}

func count(samples []Sample, version string) int {
	n := 0
	for _, s := range samples {
		if s.Version == version && !s.Twin {
			n++
		}
	}
	return n
}

var (
	steady  = map[string]float64{"1.0.0": 1e5, "1.1.0": 1e5, "2.0.0": 1e5, "2.1.0": 1e5, "3.0.0": 1e5}
	quiet   = map[string]float64{"1.0.0": 0.004, "1.1.0": 0.004, "2.0.0": 0.004, "2.1.0": 0.004, "3.0.0": 0.004}
	restive = map[string]float64{"1.0.0": 0.004, "1.1.0": 0.004, "2.0.0": 0.004, "2.1.0": 0.004, "3.0.0": 0.08}
)

func adaptiveSweep(least, most int) *Sweep {
	sw := newSweep(most, "1.0.0", "1.1.0", "2.0.0", "2.1.0", "3.0.0")
	sw.Plan.MinRounds, sw.Plan.Reference = least, "1.0.0"
	return sw
}

func TestSettledSweepsEndEarly(t *testing.T) {
	m := &memory{}
	sw := adaptiveSweep(5, 30)
	end, err := Runner{Launcher: noisyServer(1, steady, quiet), Recorder: m, Now: time.Now}.Run(t.Context(), sw)
	if err != nil || end != EndSettled {
		t.Fatalf("ended with %q, %v", end, err)
	}
	if n := count(m.samples, "1.0.0"); n < 5 || n > 8 {
		t.Errorf("%d rounds: noise of 0.4 %% should be settled soon after 5", n)
	}
}

// What is settled costs nothing more: only the noisy version, its neighbour and
// the reference go on.
func TestSettledVersionsStopCosting(t *testing.T) {
	m := &memory{}
	sw := adaptiveSweep(5, 20)
	if _, err := (Runner{Launcher: noisyServer(1, steady, restive), Recorder: m, Now: time.Now}).Run(t.Context(), sw); err != nil {
		t.Fatal(err)
	}
	if still, over := count(m.samples, "3.0.0"), count(m.samples, "1.1.0"); still < 20 || over > 14 {
		t.Errorf("the noisy version has %d samples, a quiet one %d", still, over)
	}
	if company := count(m.samples, "2.1.0"); company != count(m.samples, "3.0.0") {
		t.Errorf("the neighbour of an unsettled version has %d samples, it has %d", company, count(m.samples, "3.0.0"))
	}
	if n := count(m.samples, "1.0.0"); n != count(m.samples, "3.0.0") {
		t.Errorf("the reference has %d samples of %d rounds", n, count(m.samples, "3.0.0"))
	}
}

func TestFixedRoundsSampleAll(t *testing.T) {
	m := &memory{}
	sw := adaptiveSweep(0, 8)
	end, err := Runner{Launcher: noisyServer(1, steady, quiet), Recorder: m, Now: time.Now}.Run(t.Context(), sw)
	if err != nil || end != EndRounds || len(m.samples) != 8*6 {
		t.Errorf("ended with %q, %v after %d samples, want 48", end, err, len(m.samples))
	}
}

func TestBudgetIsKept(t *testing.T) {
	m := &memory{}
	sw := adaptiveSweep(0, 100)
	sw.Plan.Budget = time.Minute
	now := time.Unix(1e9, 0)
	l := noisyServer(1, steady, quiet)
	l.onLoad = func() { now = now.Add(time.Second) }
	end, err := Runner{Launcher: l, Recorder: m, Now: func() time.Time { return now }}.Run(t.Context(), sw)
	if err != nil || end != EndBudget {
		t.Fatalf("ended with %q, %v", end, err)
	}
	if took := now.Sub(time.Unix(1e9, 0)); took > time.Minute || took < 50*time.Second {
		t.Errorf("took %v of a minute", took)
	}
	if len(m.samples)%6 != 0 {
		t.Errorf("%d samples: a round was begun and not ended", len(m.samples))
	}
	// One that is shorter than a round still takes one.
	m, sw = &memory{}, adaptiveSweep(0, 100)
	sw.Plan.Budget = time.Second
	if _, err := (Runner{Launcher: l, Recorder: m, Now: func() time.Time { return now }}).Run(t.Context(), sw); err != nil || len(m.samples) != 6 {
		t.Errorf("%d samples, %v: want one round", len(m.samples), err)
	}
}

func TestResumedSweepSettlesAsWell(t *testing.T) {
	m := &memory{}
	sw := adaptiveSweep(5, 30)
	l := noisyServer(1, steady, quiet)
	if _, err := (Runner{Launcher: l, Recorder: m, Now: time.Now}).Run(t.Context(), sw); err != nil {
		t.Fatal(err)
	}
	taken := len(m.samples)
	end, err := Runner{Launcher: l, Recorder: m, Now: time.Now}.Run(t.Context(), sw)
	if err != nil || end != EndSettled || len(m.samples) != taken {
		t.Errorf("going on with a settled sweep: %q, %v, %d samples more", end, err, len(m.samples)-taken)
	}
}

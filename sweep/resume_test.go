package sweep

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"testing"
	"time"

	"versweep/sweep/load"
)

// recordedServers serve figures that hang on the version and on how many samples
// of it are stored only: a process that goes on sees what the killed one would
// have seen. Some samples are throttled, which spoils them; 0.9.0 does not start
// any more from its third sample on.
type recordedServers struct{ m *memory }

type recordedInstance struct {
	version string
	seed    uint64
	usage   Usage
}

func (l recordedServers) Start(_ context.Context, b Build) (Instance, error) {
	n := 0
	for _, s := range l.m.samples {
		if s.Version == b.Version {
			n++
		}
	}
	if b.Version == "0.9.0" && n >= 2 {
		return nil, &StartError{Reason: "exit status 1"}
	}
	h := fnv.New64a()
	fmt.Fprint(h, b.Version, n)
	return &recordedInstance{version: b.Version, seed: h.Sum64()}, nil
}

func (i *recordedInstance) StartupTime() (time.Duration, bool) { return 0, false }

func (i *recordedInstance) Load(_ context.Context, _ load.Profile, h load.Hooks) (load.Result, error) {
	h.WindowStart()
	i.usage.CPU = time.Second
	if i.seed%5 == 0 {
		i.usage.Throttled = 500 * time.Millisecond
	}
	h.WindowEnd()
	sd := map[bool]float64{true: 0.08, false: 0.004}[i.version == "3.0.0"]
	return window(int64(1e5*math.Exp(sd*(float64(i.seed%1000)/500-1))), load.Errors{}), nil
}

func (i *recordedInstance) Usage() (Usage, error) { return i.usage, nil }
func (i *recordedInstance) Stop() (Exit, error)   { return Exit{}, nil }

// killedAfter is a Recorder whose process is killed once it has stored so many.
type killedAfter struct {
	*memory
	left int
}

var errKilled = errors.New("killed")

func (k *killedAfter) SaveSample(ctx context.Context, id int64, s *Sample) error {
	if err := k.memory.SaveSample(ctx, id, s); err != nil {
		return err
	}
	if k.left--; k.left == 0 {
		return errKilled
	}
	return nil
}

// D4: after a kill between any two samples, between a spoilt one and its next
// attempt too, a sweep takes exactly the samples that it would have taken, and
// settles what it would have settled.
func TestKilledSweepTakesWhatItWouldHave(t *testing.T) {
	planned := func() *Sweep {
		sw := newSweep(14, "0.9.0", "1.0.0", "1.1.0", "2.0.0", "2.1.0", "3.0.0")
		sw.Plan.MinRounds, sw.Plan.Reference = 5, "1.0.0"
		return sw
	}
	run := func(m *memory, r Recorder, sw *Sweep) (End, error) {
		return Runner{Launcher: recordedServers{m}, Recorder: r, Now: time.Now}.Run(t.Context(), sw)
	}
	whole := &memory{}
	end, err := run(whole, whole, planned())
	if err != nil {
		t.Fatal(err)
	}
	if n := count(whole.samples, "1.1.0"); n >= 14 || count(whole.samples, "0.9.0") != 4 ||
		!slices.ContainsFunc(whole.samples, func(s Sample) bool { return s.Attempt == maxAgain }) {
		t.Fatalf("the sweep sets nothing aside, gives nothing up or takes nothing again: %d samples of 1.1.0, %d of 0.9.0", n, count(whole.samples, "0.9.0"))
	}
	same := func(a, b Sample) bool {
		return a.Round == b.Round && a.Position == b.Position && a.Version == b.Version && a.Twin == b.Twin &&
			a.Attempt == b.Attempt && a.Status == b.Status && a.Values[QPS] == b.Values[QPS]
	}
	for kill := 1; kill <= len(whole.samples); kill++ {
		if kill%4 != 0 && !whole.samples[kill-1].Spoilt() && kill != len(whole.samples) {
			continue // to save time: the places that differ are all there
		}
		m := &memory{}
		if _, err := run(m, &killedAfter{m, kill}, planned()); !errors.Is(err, errKilled) {
			t.Fatalf("killed after %d: %v", kill, err)
		}
		sw := planned()
		sw.Samples = slices.Clone(m.samples)
		again, err := run(m, m, sw)
		if err != nil || again != end {
			t.Errorf("killed after %d: ended with %q, %v; want %q", kill, again, err, end)
		}
		if !slices.EqualFunc(m.samples, whole.samples, same) {
			t.Errorf("killed after %d: %d samples, uninterrupted %d, or others", kill, len(m.samples), len(whole.samples))
		}
	}
}

// What was used before a kill is used; the days in between, and a clock that was
// set back meanwhile, are not.
func TestBudgetOutlivesAKill(t *testing.T) {
	for _, pause := range []time.Duration{0, 72 * time.Hour, -time.Hour} {
		m := &memory{}
		sw := adaptiveSweep(0, 100)
		sw.Plan.Budget = time.Minute
		now := time.Unix(1e9, 0)
		l := noisyServer(1, steady, quiet)
		l.onLoad = func() { now = now.Add(time.Second) }
		r := Runner{Launcher: l, Recorder: &killedAfter{m, 20}, Now: func() time.Time { return now }}
		if _, err := r.Run(t.Context(), sw); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		sw.Samples = slices.Clone(m.samples)
		now = now.Add(pause)
		r.Recorder = m
		end, err := r.Run(t.Context(), sw)
		if err != nil || end != EndBudget || len(m.samples) > 60 || len(m.samples) < 48 {
			t.Errorf("resumed after %v: ended with %q, %v after %d samples of a second", pause, end, err, len(m.samples))
		}
	}
}

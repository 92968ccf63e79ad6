package nightly_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/nightly"
	"versweep/sweep/nightly/simulated"
)

// run is a night of a world from start to end; what was delivered is kept as told.
func run(t *testing.T, w *simulated.World, budget time.Duration) nightly.Account {
	t.Helper()
	a, err := w.Night(t.Context(), budget)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// newRegressions counts the notices of new regressions.
func newRegressions(a nightly.Account) int {
	n := 0
	for _, notice := range a.Notices {
		if notice.State == nightly.New {
			n++
		}
	}
	return n
}

// Nothing ever changes over many nights: what is suspected is chance, and fresh
// rounds say so.
func TestQuietNightsTellNothing(t *testing.T) {
	nights := simulatedNights
	raised, told, other := 0, 0, 0
	for seed := range simulatedWorlds {
		w := simulated.NewWorld(uint64(seed+1), 40)
		for night := range nights {
			if night%10 == 9 {
				w.Release(0)
			}
			a := run(t, w, 4*time.Minute)
			n := newRegressions(a)
			told += n
			other += len(a.Notices) - n
		}
		raised += len(w.Raised)
	}
	t.Logf("%d worlds of %d nights over 40 versions: %d suspicions, %d told as new, %d other notices", simulatedWorlds, nights, raised, told, other)
	if told > raised/4+1 {
		t.Errorf("of %d suspicions without any cause %d were told", raised, told)
	}
}

const (
	simulatedWorlds = 1
	simulatedNights = 40
)

// A release that is slower is told, and so is the one that is not any more.
func TestSlowerReleaseIsTold(t *testing.T) {
	for _, change := range []float64{-0.05, -0.07, -0.10} {
		found, nightsToTell := 0, 0
		const worlds = 4
		for seed := range uint64(worlds) {
			w := simulated.NewWorld(100+seed, 12)
			run(t, w, 0)
			run(t, w, 4*time.Minute)
			w.Release(math.Log1p(change))
			for night := range 5 {
				a := run(t, w, 4*time.Minute)
				if slices.ContainsFunc(a.Notices, func(n nightly.Notice) bool {
					return n.State == nightly.New && n.Finding.To == "1.12.0" && n.Finding.Metric.Key == sweep.QPS && n.Confirmed != nil
				}) {
					found++
					nightsToTell += night
					break
				}
			}
		}
		t.Logf("%.0f %%: told in %d of %d worlds, after %.1f nights more on average", 100*change, found, worlds, float64(nightsToTell)/max(1, float64(found)))
		if found < worlds/2 {
			t.Errorf("%.0f %%: told in %d of %d worlds", 100*change, found, worlds)
		}
	}
}

// What does not fit into a night is left, the newest versions are not, and the
// nights after do the rest.
func TestBudgetOverNights(t *testing.T) {
	w := simulated.NewWorld(7, 30)
	budget := 90 * time.Second // the spare quarter left out, 8 samples of 5 rounds fit
	var measured []int
	for range 8 {
		began := w.Clock
		run(t, w, budget)
		took := time.Duration(0)
		for _, sw := range w.Sweeps {
			if n := len(sw.Samples); n > 0 && !sw.Samples[0].Started.Before(began) {
				took += sw.Samples[n-1].Started.Sub(sw.Samples[0].Started)
			}
		}
		if took > budget {
			t.Errorf("a night of %v measured for %v", budget, took)
		}
		versions := map[string]bool{}
		for _, sw := range w.Sweeps {
			for _, s := range sw.Samples {
				if s.Status != sweep.Failed && !s.Spoilt() {
					versions[s.Version] = true
				}
			}
		}
		measured = append(measured, len(versions))
	}
	if first := w.Sweeps[0].Plan.Versions; first[len(first)-1].Name != "1.29.0" || len(first) != 7 {
		t.Errorf("the first night measured %d versions up to %s", len(first), first[len(first)-1].Name)
	}
	if measured[0] < 7 || measured[len(measured)-1] != 30 {
		t.Errorf("versions measured by night: %v", measured)
	}
}

// A sweep to confirm that is ended in the middle is gone on with, and its rounds
// answer what it was begun for.
func TestConfirmationIsGoneOnWith(t *testing.T) {
	w := simulated.NewWorld(3, 8)
	run(t, w, 0)
	w.Release(-0.3)
	ctx, cancel := context.WithCancel(t.Context())
	ends := &ended{World: w, cancel: cancel}
	c := w.Course(0)
	c.Hands = ends
	if _, err := c.Run(ctx, []nightly.Subject{w.Subject()}); err == nil {
		t.Fatal("the night was not ended")
	}
	last := w.Sweeps[len(w.Sweeps)-1]
	if last.Plan.Purpose != sweep.PurposeConfirm || !last.Finished.IsZero() || len(last.Samples) == 0 {
		t.Fatalf("left unfinished: %+v with %d samples", last.Plan.Purpose, len(last.Samples))
	}
	before, sweeps := w.Samples, len(w.Sweeps)
	a := run(t, w, 0)
	if len(w.Sweeps) != sweeps {
		t.Errorf("it was begun anew: %q", w.Planned)
	}
	if newRegressions(a) == 0 || a.Notices[0].Confirmed == nil || w.Samples == before {
		t.Errorf("told: %s", nightly.NoticesText(a.Notices))
	}
	seen := map[string]bool{}
	for _, s := range w.Sweeps[len(w.Sweeps)-1].Samples {
		slot := fmt.Sprint(s.Round, s.Version, s.Twin, s.Attempt)
		if seen[slot] {
			t.Errorf("measured twice: %s", slot)
		}
		seen[slot] = true
	}
}

// What another process did before a sweep was claimed is counted as its own: a
// sweep that it finished is taken as it is, and one that is still its, or cannot be
// gone on with, was tried by nobody.
func TestUnfinishedSweepIsReadOnceClaimed(t *testing.T) {
	for name, c := range map[string]struct {
		claim func(w *simulated.World, sw *sweep.Sweep) error
		fails bool
		left  bool // unfinished
	}{
		"finished meanwhile": {func(w *simulated.World, sw *sweep.Sweep) error {
			_, err := (&sweep.Runner{Launcher: w, Recorder: w, Now: func() time.Time { return w.Clock }}).Run(t.Context(), sw)
			sw.Finished = w.Clock
			return err
		}, false, false},
		"elsewhere": {func(*simulated.World, *sweep.Sweep) error { return nightly.ErrElsewhere }, false, true},
		"refused":   {func(*simulated.World, *sweep.Sweep) error { return nil }, true, false},
	} {
		w := simulated.NewWorld(11, 3)
		run(t, w, 0)
		w.Planned = nil
		last := &w.Sweeps[len(w.Sweeps)-1]
		last.Samples, last.Finished = last.Samples[:6], time.Time{}
		w.OnClaim = func(id int64) error { return c.claim(w, &w.Sweeps[id-1]) }
		o, err := nightly.GoOnAlone(t.Context(), nightly.Course{Hands: refusing{w, c.fails}, Memory: w, Now: func() time.Time { return w.Clock }, Every: simulated.Day}, *last)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if o.Tried > 0 || o.Measured > 0 || o.Spent > 0 || last.Finished.IsZero() != c.left || len(o.Past.Samples) != len(last.Samples) {
			t.Errorf("%s: %+v, finished %v", name, o, last.Finished)
		}
	}
}

// refusing are hands that cannot go on with a sweep where fails says so.
type refusing struct {
	*simulated.World
	fails bool
}

func (r refusing) GoOn(ctx context.Context, sw sweep.Sweep, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	if r.fails {
		return sw, fmt.Errorf("another environment")
	}
	return r.World.GoOn(ctx, sw, enough)
}

// ended are hands that are stopped in the middle of confirming.
type ended struct {
	*simulated.World
	cancel func()
}

func (e *ended) Sweep(ctx context.Context, p sweep.Plan, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	if p.Purpose != sweep.PurposeConfirm {
		return e.World.Sweep(ctx, p, enough)
	}
	starts := 0
	e.OnStart = func() {
		if starts++; starts > 7 {
			e.cancel()
			e.OnStart = nil
		}
	}
	return e.World.Sweep(ctx, p, enough)
}

// A target that fails is told and does not end the night of the others.
func TestFailedTargetDoesNotEndTheNight(t *testing.T) {
	w := simulated.NewWorld(5, 3)
	broken := nightly.Subject{Plan: sweep.Plan{Target: "y", Title: "Y"}, Failed: "no network"}
	s := w.Subject()
	s.Plan.Rounds, s.Plan.MinRounds = 5, 0
	r, err := w.Course(0).Run(t.Context(), []nightly.Subject{broken, s})
	if err != nil {
		t.Fatal(err)
	}
	if r.Targets[0].Failed != "no network" || nightly.NoticesText(r.Accounts[0].Notices) != "missing-y missing" {
		t.Errorf("%+v, %s", r.Targets[0], nightly.NoticesText(r.Accounts[0].Notices))
	}
	if len(r.Targets[1].Measured) != 3 || len(r.Accounts[1].Notices) != 0 {
		t.Errorf("%+v, %s", r.Targets[1], nightly.NoticesText(r.Accounts[1].Notices))
	}
}

// Where no reference is chosen, the one of the latest sweep is never stale.
func TestOutlookFallsBackToTheLatestReference(t *testing.T) {
	w := simulated.NewWorld(12, 3)
	run(t, w, 0)
	p := w.Sweeps[len(w.Sweeps)-1].Plan
	s := w.Subject()
	s.Plan, s.Fresh = p, simulated.Day
	o, err := nightly.NewOutlook(s, w.Sweeps)
	if err != nil {
		t.Fatal(err)
	}
	a := o.Agenda(s, simulated.Day, w.Clock.Add(40*simulated.Day))
	if len(a.Stale) != 2 || a.Reference() != p.Reference {
		t.Errorf("stale: %+v, reference %q", a.Stale, a.Reference())
	}
}

// A release that looks better gets more rounds where it may end what was told, and
// only there, unless improvements are watched.
func TestEndOfARegressionIsPursued(t *testing.T) {
	for _, slower := range []bool{true, false} {
		pursued := 0
		for seed := range uint64(4) {
			w := simulated.NewWorld(300+seed, 8)
			run(t, w, 0)
			level := -0.3
			w.Release(level)
			if told := newRegressions(run(t, w, 0)); told == 0 {
				t.Fatalf("seed %d: nothing was told", seed)
			}
			if !slower {
				w.Release(0)
				run(t, w, 0) // tells that it has recovered
				level = 0
			}
			w.Release(level + 0.06)
			run(t, w, 0)
			if slices.ContainsFunc(w.Said, func(line string) bool { return strings.Contains(line, "looks better") }) {
				pursued++
			}
		}
		if slower != (pursued > 0) {
			t.Errorf("with a regression that stands: %v, pursued in %d of 4 worlds", slower, pursued)
		}
	}
}

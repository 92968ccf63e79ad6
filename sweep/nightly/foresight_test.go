package nightly

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// foresee is what the world's next night would do.
func (w *world) foresee(t *testing.T, budget time.Duration, goesOn func(sweep.Sweep) error) Forecast {
	t.Helper()
	before := fmt.Sprint(w.samples, len(w.sweeps), w.suspicions, w.told, w.now)
	c := Course{Memory: w, Now: func() time.Time { return w.now }, Every: day, Budget: budget}
	f, err := c.Foresee(t.Context(), []Subject{w.subject()}, goesOn)
	if err != nil {
		t.Fatal(err)
	}
	if after := fmt.Sprint(w.samples, len(w.sweeps), w.suspicions, w.told, w.now); after != before {
		t.Errorf("looking changed the world:\n%s\n%s", before, after)
	}
	return f
}

func (f Forecast) words() (words []string) {
	for _, s := range f.Sweeps {
		words = append(words, fmt.Sprintf("%s %d", s.Plan.Purpose, len(s.Plan.Versions)))
	}
	return words
}

func anyTime(sweep.Sweep) error { return nil }

// What is foreseen of new and of stale versions is what the night then begins with.
func TestForesightIsWhatTheNightDoes(t *testing.T) {
	for _, budget := range []time.Duration{0, 10 * time.Minute, 2 * time.Minute, 75 * time.Second, 20 * time.Second, time.Second} {
		w := newWorld(4, 9)
		f := w.foresee(t, budget, anyTime)
		left := f.Targets[0].Left
		var takes time.Duration
		for _, s := range f.Sweeps {
			takes += s.Takes
		}
		if budget > 0 && takes > budget {
			t.Errorf("budget %v: foreseen are %v", budget, takes)
		}
		w.run(t, budget)
		got := f.words()
		// What a sweep makes suspicious nobody foresees.
		if n := min(len(w.planned), 1); len(got) != n || n == 1 && got[0] != w.planned[0] {
			t.Errorf("budget %v: foreseen %q, carried out %q", budget, got, w.planned)
		}
		if budget == 0 && left != 0 || budget == time.Second && left != 9 {
			t.Errorf("budget %v: %d left", budget, left)
		}
	}
	// A month later all is stale, and as much is sampled again as fits.
	w := newWorld(4, 9)
	w.run(t, 0)
	w.now = w.now.Add(40 * day)
	f := w.foresee(t, time.Minute, anyTime)
	w.run(t, time.Minute)
	if got := f.words(); !slices.Equal(got, w.planned) || len(got) != 1 || f.Targets[0].Left == 0 {
		t.Errorf("foreseen %q, %d left, carried out %q", got, f.Targets[0].Left, w.planned)
	}
}

// What a night before left unfinished comes first, and takes from the budget what it
// lacks; what cannot be gone on with is closed, or left to whoever has it.
func TestForesightGoesOnFirst(t *testing.T) {
	w := newWorld(5, 4)
	w.run(t, 0)
	half := &w.sweeps[0]
	half.Samples, half.Finished = half.Samples[:7], time.Time{}
	w.sweeps = w.sweeps[:1]
	w.release(0)
	f := w.foresee(t, 0, anyTime)
	if got := f.words(); len(f.Sweeps) < 2 || f.Sweeps[0].GoesOn != half.ID || f.Sweeps[0].Samples != 7 || f.Sweeps[0].Takes != (5*15-7)*w.subject().Sample || f.Sweeps[1].GoesOn != 0 {
		t.Errorf("foreseen %q: %+v", got, f.Sweeps)
	}
	if f := w.foresee(t, 0, func(sweep.Sweep) error { return ErrElsewhere }); f.Sweeps[0].GoesOn != 0 || !strings.Contains(strings.Join(f.Targets[0].Remarks, " "), "is left to the process that goes on with it") {
		t.Errorf("held elsewhere: %q, %+v", f.words(), f.Targets[0].Remarks)
	}
	if f := w.foresee(t, 0, func(sweep.Sweep) error { return errors.New("another machine") }); f.Sweeps[0].GoesOn != 0 || !strings.Contains(strings.Join(f.Targets[0].Remarks, " "), "left unfinished, is closed as it is: another machine") {
		t.Errorf("of another machine: %q, %+v", f.words(), f.Targets[0].Remarks)
	}
}

// A suspicion is asked about once, as far as the budget goes.
func TestForesightConfirms(t *testing.T) {
	w := newWorld(6, 6)
	w.run(t, 0)
	w.release(-0.3)
	w.run(t, 45*time.Second) // enough to see it, and not to confirm it
	if !slices.ContainsFunc(w.suspicions, func(s Suspicion) bool { return s.Standing == Suspected }) {
		t.Fatalf("nothing is suspected: %q", w.said)
	}
	if got := w.foresee(t, 0, anyTime).words(); len(got) != 1 || !strings.HasPrefix(got[0], "confirm ") {
		t.Errorf("foreseen %q", got)
	}
	f := w.foresee(t, time.Second, anyTime)
	if len(f.Sweeps) != 0 || !strings.Contains(strings.Join(f.Targets[0].Remarks, " "), "the budget does not allow to confirm x-qps-1.6.0") {
		t.Errorf("foreseen %q, %q", f.words(), f.Targets[0].Remarks)
	}
}

func (w *world) subject() Subject {
	return Subject{
		Plan: sweep.Plan{
			Target: "x", Title: "X", Source: "git", Launcher: "process", Rounds: 15, MinRounds: 5, Effect: 0.03,
			Profile: load.Profile{Connections: 100, Duration: time.Second},
		},
		Found: w.released, Kept: w.released, Selection: sweep.Selection{Per: sweep.PerPatch}, Sample: 1600 * time.Millisecond, Fresh: 30 * day,
	}
}

package nightly_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/nightly"
	"versweep/sweep/nightly/simulated"
)

// foresee is what a world's next night would do.
func foresee(t *testing.T, w *simulated.World, budget time.Duration, goesOn func(sweep.Sweep) error) nightly.Forecast {
	t.Helper()
	before := state(t, w)
	c := w.Course(budget)
	c.Hands = nil
	f, err := c.Foresee(t.Context(), []nightly.Subject{w.Subject()}, goesOn)
	if err != nil {
		t.Fatal(err)
	}
	if after := state(t, w); after != before {
		t.Errorf("looking changed the world:\n%s\n%s", before, after)
	}
	return f
}

// state is all of a world that a night may change.
func state(t *testing.T, w *simulated.World) string {
	told, err := w.Told(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(w.Samples, len(w.Sweeps), suspicions(t, w), told, w.Clock)
}

func suspicions(t *testing.T, w *simulated.World) []nightly.Suspicion {
	list, err := w.Suspicions(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func words(f nightly.Forecast) (words []string) {
	for _, s := range f.Sweeps {
		words = append(words, fmt.Sprintf("%s %d", s.Plan.Purpose, len(s.Plan.Versions)))
	}
	return words
}

func anyTime(sweep.Sweep) error { return nil }

// What is foreseen of new and of stale versions is what the night then begins with.
func TestForesightIsWhatTheNightDoes(t *testing.T) {
	for _, budget := range []time.Duration{0, 10 * time.Minute, 2 * time.Minute, 75 * time.Second, 20 * time.Second, time.Second} {
		w := simulated.NewWorld(4, 9)
		f := foresee(t, w, budget, anyTime)
		left := f.Targets[0].Left
		var takes time.Duration
		for _, s := range f.Sweeps {
			takes += s.Takes
		}
		if budget > 0 && takes > budget {
			t.Errorf("budget %v: foreseen are %v", budget, takes)
		}
		run(t, w, budget)
		got := words(f)
		// What a sweep makes suspicious nobody foresees.
		if n := min(len(w.Planned), 1); len(got) != n || n == 1 && got[0] != w.Planned[0] {
			t.Errorf("budget %v: foreseen %q, carried out %q", budget, got, w.Planned)
		}
		if budget == 0 && left != 0 || budget == time.Second && left != 9 {
			t.Errorf("budget %v: %d left", budget, left)
		}
	}
	// A month later all is stale, and as much is sampled again as fits.
	w := simulated.NewWorld(4, 9)
	run(t, w, 0)
	w.Clock = w.Clock.Add(40 * simulated.Day)
	f := foresee(t, w, time.Minute, anyTime)
	run(t, w, time.Minute)
	if got := words(f); !slices.Equal(got, w.Planned) || len(got) != 1 || f.Targets[0].Left == 0 {
		t.Errorf("foreseen %q, %d left, carried out %q", got, f.Targets[0].Left, w.Planned)
	}
}

// What a night before left unfinished comes first, and takes from the budget what it
// lacks; what cannot be gone on with is closed, or left to whoever has it.
func TestForesightGoesOnFirst(t *testing.T) {
	w := simulated.NewWorld(5, 4)
	run(t, w, 0)
	half := &w.Sweeps[0]
	half.Samples, half.Finished = half.Samples[:7], time.Time{}
	w.Sweeps = w.Sweeps[:1]
	w.Release(0)
	f := foresee(t, w, 0, anyTime)
	if got := words(f); len(f.Sweeps) < 2 || f.Sweeps[0].GoesOn != half.ID || f.Sweeps[0].Samples != 7 || f.Sweeps[0].Takes != (5*15-7)*w.Subject().Sample || f.Sweeps[1].GoesOn != 0 {
		t.Errorf("foreseen %q: %+v", got, f.Sweeps)
	}
	if f := foresee(t, w, 0, func(sweep.Sweep) error { return nightly.ErrElsewhere }); f.Sweeps[0].GoesOn != 0 || !strings.Contains(strings.Join(f.Targets[0].Remarks, " "), "is left to the process that goes on with it") {
		t.Errorf("held elsewhere: %q, %+v", words(f), f.Targets[0].Remarks)
	}
	if f := foresee(t, w, 0, func(sweep.Sweep) error { return errors.New("another machine") }); f.Sweeps[0].GoesOn != 0 || !strings.Contains(strings.Join(f.Targets[0].Remarks, " "), "left unfinished, is closed as it is: another machine") {
		t.Errorf("of another machine: %q, %+v", words(f), f.Targets[0].Remarks)
	}
}

// A suspicion is asked about once, as far as the budget goes.
func TestForesightConfirms(t *testing.T) {
	w := simulated.NewWorld(6, 6)
	run(t, w, 0)
	w.Release(-0.3)
	run(t, w, 45*time.Second) // enough to see it, and not to confirm it
	if !slices.ContainsFunc(suspicions(t, w), func(s nightly.Suspicion) bool { return s.Standing == nightly.Suspected }) {
		t.Fatalf("nothing is suspected: %q", w.Said)
	}
	if got := words(foresee(t, w, 0, anyTime)); len(got) != 1 || !strings.HasPrefix(got[0], "confirm ") {
		t.Errorf("foreseen %q", got)
	}
	f := foresee(t, w, time.Second, anyTime)
	if len(f.Sweeps) != 0 || !strings.Contains(strings.Join(f.Targets[0].Remarks, " "), "the budget does not allow to confirm x-qps-1.6.0") {
		t.Errorf("foreseen %q, %q", words(f), f.Targets[0].Remarks)
	}
}

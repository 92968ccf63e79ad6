package bisect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What does not build is passed over; next to the change it leaves several
// candidates, of which the first bad one is never left out.
func TestBrokenCandidates(t *testing.T) {
	for _, c := range []struct {
		name   string
		broken []int
		want   []int // suspects
	}{
		{"none near", []int{3, 30, 31}, nil},
		{"the one before", []int{40}, []int{40, 41}},
		{"the change itself", []int{41}, []int{41, 42}},
		{"a cluster around", []int{38, 39, 40, 41, 42, 43}, []int{38, 39, 40, 41, 42, 43, 44}},
	} {
		h := newHistory(1, 60, 0.02, map[int]float64{41: -0.2})
		for _, p := range c.broken {
			h.broken[p] = true
		}
		a := one(t, h, Options{})
		if !slices.Equal(a.Suspects, c.want) || (a.State == Found) != (c.want == nil) || a.State == Found && a.FirstBad != 41 {
			t.Errorf("%s: %s, first bad %d, one of %v", c.name, a.State, a.FirstBad, a.Suspects)
		}
		for _, s := range a.Steps {
			if h.broken[s.Place] != (s.Verdict == Skipped) || h.broken[s.Place] && s.Reason == "" {
				t.Errorf("%s: %d is %s (%s)", c.name, s.Place, s.Verdict, s.Reason)
			}
		}
	}
}

// A long row that does not build costs a bounded number of tries.
func TestManyBrokenCandidates(t *testing.T) {
	h := newHistory(1, 1000, 0.02, map[int]float64{500: -0.2})
	for p := 300; p < 700; p++ {
		h.broken[p] = true
	}
	a := one(t, h, Options{})
	if a.State != OneOf || a.LastGood >= 300 || a.FirstBad < 700 || len(a.Steps) > 40 {
		t.Errorf("%s, %d to %d after %d steps", a.State, a.LastGood, a.FirstBad, len(a.Steps))
	}
}

// Candidates that do not build, at random, among sixty.
func TestBrokenAtRandom(t *testing.T) {
	out := simulate(t, func(seed uint64) (*history, []int) {
		place := 1 + int(seed*37%59)
		h := newHistory(seed, 60, 0.05, map[int]float64{place: -0.2})
		for p := 1; p < 59; p++ {
			if h.rng.Float64() < 0.1 {
				h.broken[p] = true
			}
		}
		return h, []int{place}
	}, Options{})
	t.Logf("one in ten does not build: right %.1f %%, wrong %.1f %%, %d samples", 100*out.share(out.right), 100*out.share(out.wrong), out.samples / *simulations)
	if out.share(out.wrong) > 0.03 || out.share(out.right) < 0.95 {
		t.Errorf("right %.3f, wrong %.3f", out.share(out.right), out.share(out.wrong))
	}
}

// Two steps the same way: the answer is one of them, the other is told, and both
// are found when that is asked for.
func TestSeveralChanges(t *testing.T) {
	changes := map[int]float64{12: -0.1, 45: -0.12}
	h := newHistory(3, 60, 0.03, changes)
	a := one(t, h, Options{})
	if a.State != Found || changes[a.FirstBad] == 0 || len(a.Doubts) == 0 {
		t.Errorf("%s at %d, doubts %v", a.State, a.FirstBad, a.Doubts)
	}
	both, held, steps := 0, 0, 0
	for seed := range uint64(40) {
		h = newHistory(seed, 60, 0.03, changes)
		answers, err := Search(t.Context(), 60, h.measure, Options{MinRounds: 5, MaxRounds: 30, All: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(answers) == 2 && answers[0].FirstBad == 12 && answers[1].FirstBad == 45 {
			both++
		}
		for _, a := range answers {
			if want := changes[a.FirstBad]; want != 0 {
				steps++
				if a.Step.Lo <= want && want <= a.Step.Hi {
					held++
				}
			}
		}
	}
	t.Logf("both of two changes found in %d of 40 searches, %d of %d intervals hold", both, held, steps)
	if both < 38 || float64(held) < 0.9*float64(steps) {
		t.Errorf("both found in %d of 40 searches, %d of %d intervals hold", both, held, steps)
	}
}

// Slower, mended and slower again: there are two first bad ones, either of which
// is an answer. What was seen on the other side of it is told, and followed.
func TestNotMonotonic(t *testing.T) {
	changes := map[int]float64{10: -0.2, 30: 0.25, 50: -0.2}
	told := 0
	for seed := range uint64(20) {
		a := one(t, newHistory(seed, 60, 0.03, changes), Options{})
		if a.State != Found || a.FirstBad != 10 && a.FirstBad != 50 {
			t.Errorf("%s at %d", a.State, a.FirstBad)
		}
		if slices.ContainsFunc(a.Doubts, func(d Doubt) bool { return d.Kind == OtherSide }) {
			told++
		}
	}
	if told < 18 {
		t.Errorf("told in %d of 20 searches", told)
	}
	answers, err := Search(t.Context(), 60, newHistory(1, 60, 0.03, changes).measure, Options{MinRounds: 5, MaxRounds: 30, All: true})
	var places []int
	for _, a := range answers {
		places = append(places, a.FirstBad)
	}
	if err != nil || !slices.Equal(places, []int{10, 30, 50}) {
		t.Errorf("all of them: %v, %v", places, err)
	}
}

// A candidate that lies during its step, as one does that was measured while
// something else ran, is found out in fresh rounds.
func TestWrongStepIsTakenBack(t *testing.T) {
	for _, liar := range []int{29, 44} {
		h := newHistory(5, 60, 0.03, map[int]float64{40: -0.2})
		lie := map[bool]float64{true: -0.25, false: 0.25}[liar < 40]
		measure := func(ctx context.Context, trial Trial, rounds int) (Reading, error) {
			if trial.Purpose == Probe && slices.Contains(trial.Others, liar) {
				h.levels[liar] += lie
				defer func() { h.levels[liar] -= lie }()
			}
			return h.measure(ctx, trial, rounds)
		}
		answers, err := Search(t.Context(), 60, measure, Options{MinRounds: 5, MaxRounds: 30})
		if err != nil {
			t.Fatal(err)
		}
		a := answers[0]
		reversed := slices.ContainsFunc(a.Doubts, func(d Doubt) bool { return d.Kind == Reversed && d.Place == liar })
		if a.State != Found || a.FirstBad != 40 || !reversed {
			t.Errorf("%d lied: %s at %d, doubts %+v", liar, a.State, a.FirstBad, a.Doubts)
		}
	}
}

// The same samples give the same answer, whatever was asked for before: a search
// that was broken off goes on from what is there.
func TestGoesOnFromSamples(t *testing.T) {
	whole := one(t, newHistory(9, 60, 0.05, map[int]float64{17: -0.15}), Options{})
	h := newHistory(9, 60, 0.05, map[int]float64{17: -0.15})
	broken := errors.New("killed")
	for limit := 1; ; limit++ {
		asked := 0
		measure := func(ctx context.Context, trial Trial, rounds int) (Reading, error) {
			if asked++; asked > limit {
				return Reading{}, broken
			}
			return h.measure(ctx, trial, rounds)
		}
		answers, err := Search(t.Context(), 60, measure, Options{MinRounds: 5, MaxRounds: 30})
		if errors.Is(err, broken) {
			continue
		}
		if err != nil || !same(answers[0], whole) {
			t.Errorf("after %d interrupts: %+v, want %+v", limit-1, answers[0], whole)
		}
		if limit < 5 {
			t.Errorf("only %d interrupts", limit)
		}
		return
	}
}

// same compares with NaN equal to itself.
func same(a, b any) bool {
	return reflect.DeepEqual(a, b) || fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b)
}

func TestBudgetEndsASearch(t *testing.T) {
	h := newHistory(2, 60, 0.05, map[int]float64{40: -0.2})
	measure := func(ctx context.Context, trial Trial, rounds int) (Reading, error) {
		if trial.Number > 3 {
			return Reading{}, ErrBudget
		}
		return h.measure(ctx, trial, rounds)
	}
	answers, err := Search(t.Context(), 60, measure, Options{MinRounds: 5, MaxRounds: 30})
	if a := answers[0]; err != nil || a.State != OutOfBudget || a.LastGood >= 40 || a.FirstBad < 40 || a.FirstBad-a.LastGood > 16 {
		t.Errorf("%v, %+v", err, answers)
	}
}

// A trial that does not fit ends the whole search, though a smaller one of another
// part would: it has its number when the search goes on, with the answers of one
// that nothing ended.
func TestBudgetEndsAllParts(t *testing.T) {
	changes := map[int]float64{10: -0.1, 29: -0.12, 47: -0.1}
	o := Options{MinRounds: 5, MaxRounds: 30, All: true}
	for seed := range uint64(5) {
		whole, err := Search(t.Context(), 60, newHistory(seed, 60, 0.03, changes).measure, o)
		if err != nil || len(whole) < 3 {
			t.Fatalf("seed %d: %+v, %v", seed, whole, err)
		}
		refused := true
		for cut := 1; refused; cut++ {
			h := newHistory(seed, 60, 0.03, changes)
			asked := 0
			refused = false
			measure := func(ctx context.Context, trial Trial, rounds int) (Reading, error) {
				if asked++; asked == cut {
					refused = true
					return Reading{}, ErrBudget
				}
				if _, begun := h.sampled[trial.Number]; !begun && trial.Number != len(h.sampled)+1 {
					t.Fatalf("seed %d, refused at call %d: trial %d is begun after %d", seed, cut, trial.Number, len(h.sampled))
				}
				return h.measure(ctx, trial, rounds)
			}
			if _, err := Search(t.Context(), 60, measure, o); err != nil {
				t.Fatal(err)
			}
			if answers, err := Search(t.Context(), 60, h.measure, o); err != nil || !same(answers, whole) {
				t.Errorf("seed %d, refused at call %d, then gone on with: %+v, %v; want %+v", seed, cut, answers, err, whole)
			}
		}
	}
}

// Ends that are not different give an end, with the rounds that would be needed.
func TestSmallDifference(t *testing.T) {
	a := one(t, newHistory(4, 10, 0.05, map[int]float64{4: -0.02}), Options{MinRounds: 5, MaxRounds: 10})
	if a.State != NoDifference || a.RoundsNeeded == 0 {
		t.Errorf("%+v", a)
	}
	a = one(t, newHistory(4, 10, 0.002, map[int]float64{4: -0.01}), Options{MinRounds: 5, MaxRounds: 10})
	if a.State != NoDifference || a.RoundsNeeded != 0 {
		t.Errorf("within the effect: %+v", a)
	}
}

// A metric without noise, such as a size.
func TestNoNoise(t *testing.T) {
	a := one(t, newHistory(4, 40, 0, map[int]float64{33: 0.1}), Options{})
	if a.State != Found || a.FirstBad != 33 || math.Abs(a.Step.Change-0.1) > 1e-9 || !a.Higher {
		t.Errorf("%+v", a)
	}
}

// What a log tells is not measured again.
func TestTold(t *testing.T) {
	var records []Record
	h := newHistory(6, 60, 0.05, map[int]float64{23: -0.2})
	measured := one(t, h, Options{MinRounds: 5, MaxRounds: 30, Record: func(r Record) { records = append(records, r) }})
	nothing := func(context.Context, Trial, int) (Reading, error) { return Reading{}, errors.New("measured") }
	answers, err := Search(t.Context(), 60, nothing, Options{MinRounds: 5, MaxRounds: 30, Told: Tell(records)})
	if err != nil || answers[0].State != Found || answers[0].FirstBad != measured.FirstBad || answers[0].Step != measured.Step {
		t.Errorf("replayed %+v, %v", answers, err)
	}
	// The first half of it: the rest is measured.
	answers, err = Search(t.Context(), 60, newHistory(7, 60, 0.05, map[int]float64{23: -0.2}).measure, Options{MinRounds: 5, MaxRounds: 30, Told: Tell(records[:3])})
	if err != nil || answers[0].FirstBad != 23 || !answers[0].Steps[0].Told || answers[0].Steps[3].Told {
		t.Errorf("half replayed %+v, %v", answers, err)
	}
}

// What was found before an error is returned beside it, with the bounds of the
// stretch that it ended.
func TestErrorLeavesWhatWasFound(t *testing.T) {
	broken := errors.New("the machine is gone")
	beside := 0
	for _, last := range []int{1, 3, 8, 10, 12, 13} {
		h := newHistory(3, 60, 0.03, map[int]float64{12: -0.1, 45: -0.12})
		measure := func(ctx context.Context, trial Trial, rounds int) (Reading, error) {
			if trial.Number > last {
				return Reading{}, broken
			}
			return h.measure(ctx, trial, rounds)
		}
		answers, err := Search(t.Context(), 60, measure, Options{MinRounds: 5, MaxRounds: 30, All: true})
		over := slices.IndexFunc(answers, func(a Answer) bool { return a.State == BrokenOff })
		if !errors.Is(err, broken) || over < 0 {
			t.Fatalf("after trial %d: %+v, %v", last, answers, err)
		}
		if a := answers[over]; a.Over() || a.LastGood < a.Good || a.FirstBad > a.Bad || a.Between() != a.FirstBad-a.LastGood-1 {
			t.Errorf("after trial %d: %+v", last, a)
		}
		if slices.ContainsFunc(answers, func(a Answer) bool { return a.State == Found }) {
			beside++
		}
	}
	if beside == 0 {
		t.Error("no answer was found before the error")
	}
}

// Ends that differ the other way than asked are told, and not searched; a log of
// them says so again.
func TestOtherWay(t *testing.T) {
	for _, c := range []struct {
		way  int
		want State
	}{{1, OtherWay}, {-1, Found}, {0, Found}} {
		h := newHistory(1, 20, 0.02, map[int]float64{11: -0.2})
		var records []Record
		o := Options{MinRounds: 5, MaxRounds: 30, Way: c.way, Record: func(r Record) { records = append(records, r) }}
		answers, err := Search(t.Context(), 20, h.measure, o)
		if err != nil || len(answers) != 1 || answers[0].State != c.want || (len(answers[0].Steps) == 0) != (c.want == OtherWay) {
			t.Fatalf("way %d: %+v, %v", c.way, answers, err)
		}
		if c.want != OtherWay {
			continue
		}
		var text strings.Builder
		log := NewLog(&text, Labels{Command: "git bisect", Name: strconv.Itoa, Title: strconv.Itoa})
		for _, r := range records {
			log.Write(r)
		}
		if strings.Contains(text.String(), "git bisect") {
			t.Errorf("git has nothing to look for: %s", text.String())
		}
		read, err := ReadLog(strings.NewReader(text.String()), 0, 19, func(name string) (int, bool) { n, err := strconv.Atoi(name); return n, err == nil })
		if err != nil {
			t.Fatal(err)
		}
		o.Told, o.Record = Tell(read), nil
		answers, err = Search(t.Context(), 20, func(context.Context, Trial, int) (Reading, error) { return Reading{}, errors.New("measured") }, o)
		if err != nil || answers[0].State != OtherWay {
			t.Errorf("told: %+v, %v", answers, err)
		}
	}
}

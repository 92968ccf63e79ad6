package bisect

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var simulations = flag.Int("simulations", 60, "searches of each kind to simulate; docs/bisect.md is from 2000")

// history is a made-up list of candidates with noise.
type history struct {
	levels  []float64 // logarithms
	broken  map[int]bool
	noise   float64 // standard deviation of one sample's logarithm
	heavy   bool    // one sample in ten has three times the noise
	rng     *rand.Rand
	sampled map[int]Reading // by trial
	calls   int             // of one sample
}

// steps is a history of so many candidates that gains change, a fraction, at each
// of the places.
func newHistory(seed uint64, candidates int, noise float64, changes map[int]float64) *history {
	h := &history{noise: noise, rng: rand.New(rand.NewPCG(seed, 20)), sampled: map[int]Reading{}, broken: map[int]bool{}}
	level := 10.0
	for place := range candidates {
		level += math.Log1p(changes[place])
		h.levels = append(h.levels, level)
	}
	return h
}

func (h *history) sample(place int) float64 {
	h.calls++
	noise := h.noise
	if h.heavy && h.rng.Float64() < 0.1 {
		noise *= 3
	}
	return h.levels[place] + noise*h.rng.NormFloat64()
}

// measure has round effects larger than the noise: they must cancel.
func (h *history) measure(_ context.Context, t Trial, rounds int) (Reading, error) {
	r, begun := h.sampled[t.Number]
	if !begun {
		r = Reading{Logs: map[int][]float64{}, Skipped: map[int]string{}}
		for _, p := range t.Others {
			if h.broken[p] {
				r.Skipped[p] = "does not build"
			}
		}
	}
	for len(r.Twin) < rounds {
		round := 0.2 * h.rng.NormFloat64()
		for _, p := range t.Places() {
			if !h.broken[p] {
				r.Logs[p] = append(r.Logs[p], round+h.sample(p))
			}
		}
		r.Twin = append(r.Twin, round+h.sample(t.Good))
	}
	h.sampled[t.Number] = r
	return r, nil
}

// one searches a history for a single change.
func one(t *testing.T, h *history, o Options) Answer {
	t.Helper()
	if o.MaxRounds == 0 {
		o.MinRounds, o.MaxRounds = 5, 30
	}
	answers, err := Search(t.Context(), len(h.levels), h.measure, o)
	if err != nil || len(answers) != 1 {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	return answers[0]
}

// outcome counts what many searches came to.
type outcome struct{ right, wrong, none, samples, rounds int }

func (o outcome) share(n int) float64 { return float64(n) / float64(o.right+o.wrong+o.none) }

func simulate(t *testing.T, make func(seed uint64) (h *history, first []int), o Options) outcome {
	t.Helper()
	var out outcome
	for seed := range uint64(*simulations) {
		h, first := make(seed)
		a := one(t, h, o)
		switch {
		case a.State != Found && a.State != OneOf:
			out.none++
		case a.State == Found && slices.Contains(first, a.FirstBad), a.State == OneOf && slices.ContainsFunc(first, func(p int) bool { return slices.Contains(a.Suspects, p) }):
			out.right++
		default:
			out.wrong++
		}
		out.samples += h.calls
		out.rounds += a.Rounds
	}
	return out
}

// naive is bisecting with one sample of each candidate and of both ends, as it is
// done by hand: nearer to which?
func naive(h *history) int {
	good, bad := h.sample(0), h.sample(len(h.levels)-1)
	lo, hi := 0, len(h.levels)-1
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if y := h.sample(mid); math.Abs(y-good) < math.Abs(y-bad) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

func TestOneChangeAmongSixty(t *testing.T) {
	for _, c := range []struct {
		name                string
		step, noise         float64
		heavy               bool
		leastRight, mostBad float64
	}{
		{"20 % slower, 5 % noise", -0.20, 0.05, false, 0.98, 0.02},
		{"10 % slower, 5 % noise", -0.10, 0.05, false, 0.90, 0.03},
		{"10 % faster, 5 % noise", 0.10, 0.05, false, 0.90, 0.03},
		{"10 % slower, heavy tails", -0.10, 0.05, true, 0.80, 0.03},
		{"5 % slower, 5 % noise", -0.05, 0.05, false, 0.10, 0.05},
		{"5 % slower, 1 % noise", -0.05, 0.01, false, 0.98, 0.02},
	} {
		place := func(seed uint64) int { return 1 + int(seed*37%59) }
		out := simulate(t, func(seed uint64) (*history, []int) {
			h := newHistory(seed, 60, c.noise, map[int]float64{place(seed): c.step})
			h.heavy = c.heavy
			return h, []int{place(seed)}
		}, Options{})
		byOne := 0
		for seed := range uint64(*simulations) {
			h := newHistory(seed, 60, c.noise, map[int]float64{place(seed): c.step})
			h.heavy = c.heavy
			if naive(h) == place(seed) {
				byOne++
			}
		}
		n := *simulations
		t.Logf("%-26s right %5.1f %%  wrong %4.1f %%  not told %4.1f %%  %4d samples  %3d rounds  one sample a step: right %5.1f %%",
			c.name, 100*out.share(out.right), 100*out.share(out.wrong), 100*out.share(out.none), out.samples/n, out.rounds/n, 100*float64(byOne)/float64(n))
		if out.share(out.right) < c.leastRight || out.share(out.wrong) > c.mostBad {
			t.Errorf("%s: right %.3f, wrong %.3f", c.name, out.share(out.right), out.share(out.wrong))
		}
	}
}

func TestNoDifferenceAtAll(t *testing.T) {
	for _, candidates := range []int{2, 60} {
		out := simulate(t, func(seed uint64) (*history, []int) { return newHistory(seed, candidates, 0.05, nil), nil }, Options{})
		t.Logf("no difference among %d: false answers %.2f %%, %d samples", candidates, 100*out.share(out.wrong), out.samples/(*simulations))
		if out.share(out.wrong) > 0.05 {
			t.Errorf("%d candidates without a difference: an answer in %.3f of the searches", candidates, out.share(out.wrong))
		}
	}
}

package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// logRatios are the differences of two versions by round.
func logRatios(before, after []float64) []float64 {
	d := make([]float64, len(before))
	for i := range d {
		d[i] = math.Log(after[i] / before[i])
	}
	return d
}

// Case S1: next to no variance is no reason to see no difference.
func TestPairWithoutVariance(t *testing.T) {
	looks := Looks{Min: 5, Max: 30}
	old, slow := []float64{115, 114, 115, 115, 115}, slices.Repeat([]float64{78.8}, 5)
	if p := ComparePairs(logRatios(old, slow), PairOptions{Looks: looks}); p.P > 1e-6 || p.Hi > math.Log(0.7) {
		t.Errorf("115 against 78.8 gives p %v and at most %v", p.P, p.Hi)
	}
	near(t, "exact rank test", RankTest(old, slow), 2.0/252, 1e-12)

	p := ComparePairs(logRatios(slices.Repeat([]float64{115}, 5), slow), PairOptions{Looks: looks})
	if d, _ := p.Decide(0.03); d != Changed || p.Lo != p.Change || p.Hi != p.Change || !(p.P > 0 && p.P <= 0.05) {
		t.Errorf("five equal differences are %+v, %v", p, d)
	}
	for n := 5; n < 30; n++ {
		if d, _ := ComparePairs(slices.Repeat([]float64{0.1}, n), PairOptions{Looks: looks}).Decide(0.03); d != Changed {
			t.Errorf("%d equal differences are %v", n, d)
		}
	}
	if p := ComparePairs(make([]float64, 5), PairOptions{Looks: looks}); p.P != 1 || p.Lo != 0 || p.Hi != 0 {
		t.Errorf("no difference at all is %+v", p)
	}
	if d, rounds := ComparePairs(make([]float64, 3), PairOptions{}).Decide(0.03); d != Undecided || rounds != 2 {
		t.Errorf("three equal differences are %v with %d rounds to go", d, rounds)
	}
	// 50 ± 1e-9 differs, by less than anyone cares for.
	nudged := ComparePairs([]float64{2e-11, -1e-11, 3e-11, 2e-11, 1e-11, 2e-11}, PairOptions{})
	if d, _ := nudged.Decide(0.03); d != Same {
		t.Errorf("50 ± 1e-9 is %v", d)
	}
}

func TestPairOfLittle(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, d := range [][]float64{nil, {0.1}, {nan, nan}, {inf, -inf, 0.1}} {
		p := ComparePairs(d, PairOptions{})
		if !math.IsNaN(p.Lo) || !math.IsNaN(p.Hi) || !math.IsNaN(p.P) {
			t.Errorf("%v gives an interval: %+v", d, p)
		}
		if decision, rounds := p.Decide(0.03); decision != Undecided || rounds != MinPairs-p.N {
			t.Errorf("%v is %v with %d rounds to go", d, decision, rounds)
		}
	}
	whole := []float64{0.01, 0.03, -0.01, 0.02, 0.05}
	with := slices.Concat([]float64{nan}, whole[:3], []float64{inf, -inf}, whole[3:])
	if got, want := ComparePairs(with, PairOptions{}), ComparePairs(whole, PairOptions{}); got != want {
		t.Errorf("missing samples change %+v to %+v", want, got)
	}
	// What the rest of the sweep knows lets even one difference speak.
	p := ComparePairs([]float64{0.1}, PairOptions{Prior: Prior{Variance: 0.0001, DF: 40}})
	near(t, "standard error", p.SE, 0.01, 1e-12)
	near(t, "lo", p.Lo, 0.1-0.01*studentQuantile(0.05, 40), 1e-12)
	if p := ComparePairs([]float64{1e300, -1e300, 1e300, 1e300, 0, 0}, PairOptions{}); !(p.P >= 0 && p.P <= 1) && !math.IsNaN(p.P) {
		t.Errorf("huge differences give %+v", p)
	}
}

func TestDecide(t *testing.T) {
	for _, tt := range []struct {
		lo, hi, effect float64
		want           Decision
	}{
		{0.01, 0.02, 0.03, Same},    // real, but of no interest
		{0.01, 0.04, 0.03, Changed}, // may be as much as the effect
		{-0.04, -0.01, 0.03, Changed},
		{-0.02, 0.02, 0.03, Same},
		{-0.02, 0.04, 0.03, Undecided},
		{0, 0.04, 0.03, Undecided},
		{-0.0295, 0.0295, 0.03, Same}, // log 1.03 is 0.02956
		{-0.0296, 0, 0.03, Undecided},
		{0, 0, 0, Undecided},
		{1e-9, 2e-9, 0, Changed},
		{-0.5, 0.6, 1, Same}, // log 2 is 0.69
	} {
		p := Pair{N: 10, Change: (tt.lo + tt.hi) / 2, Lo: tt.lo, Hi: tt.hi, SE: 0.01, DF: 9, alpha: 0.05}
		got, rounds := p.Decide(tt.effect)
		if got != tt.want || (rounds > 0) != (got == Undecided) {
			t.Errorf("%v to %v with the effect %v is %v, %d rounds to go; want %v", tt.lo, tt.hi, tt.effect, got, rounds, tt.want)
		}
	}
}

// Rounds needed are what it takes when they bring more of the same.
func TestRoundsNeeded(t *testing.T) {
	d := []float64{0.12, -0.05, 0.1, -0.02, 0.09, 0.02, -0.01, 0.13}
	p := ComparePairs(d, PairOptions{})
	decision, rounds := p.Decide(0.03)
	if decision != Undecided {
		t.Fatalf("%+v is %v", p, decision)
	}
	more := slices.Clone(d)
	for len(more) < 2*len(d) {
		more = append(more, d[len(more)-len(d)])
	}
	if got, _ := ComparePairs(more, PairOptions{}).Decide(0.03); got != Changed || rounds < 1 || rounds > len(d) {
		t.Errorf("%d more rounds were said to settle it; %d more make it %v", rounds, len(d), got)
	}
	// Later looks of a plan are less strict than an early one.
	plan := PairOptions{Looks: Looks{Min: 5, Max: 30}}
	_, planned := ComparePairs(d, plan).Decide(0.03)
	all := slices.Repeat(d, 4)[:len(d)+planned]
	if got, _ := ComparePairs(all, plan).Decide(0.03); planned < rounds || planned > 22 || got != Changed {
		t.Errorf("with looks from 5 to 30, %d more rounds make it %v", planned, got)
	}
	hopeless := Pair{N: 5, Change: 0.001, Lo: -1, Hi: 1, SE: 5, DF: 4, alpha: 0.01}
	if _, rounds := hopeless.Decide(0.001); rounds != MaxRoundsNeeded {
		t.Errorf("the hopeless takes %d rounds", rounds)
	}
}

func TestPairInvariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for n := 2; n < 25; n++ {
		d := make([]float64, n)
		for i := range d {
			d[i] = 0.02 + 0.07*rng.NormFloat64()
		}
		d[0] += 0.5 // far out
		o := PairOptions{Looks: Looks{Min: 2, Max: 40}, Prior: Prior{Variance: 0.005, DF: 12}}
		p := ComparePairs(d, o)

		shuffled := slices.Clone(d)
		rng.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := ComparePairs(shuffled, o); got != p {
			t.Errorf("the order of rounds matters: %+v, %+v", p, got)
		}

		turned := slices.Clone(d)
		for i := range turned {
			turned[i] = -d[i]
		}
		m := ComparePairs(turned, o)
		samePair(t, "turned", m, Pair{Change: -p.Change, Lo: -p.Hi, Hi: -p.Lo, P: p.P, SD: p.SD, DF: p.DF, SE: p.SE, SmallestEffect: p.SmallestEffect})

		const shift, scale = 0.3, 7.0
		moved := slices.Clone(d)
		for i := range moved {
			moved[i] = d[i] + shift
		}
		m = ComparePairs(moved, o)
		samePair(t, "shifted", m, Pair{Change: p.Change + shift, Lo: p.Lo + shift, Hi: p.Hi + shift, P: m.P, SD: p.SD, DF: p.DF, SE: p.SE, SmallestEffect: p.SmallestEffect})

		for i := range moved {
			moved[i] = d[i] * scale
		}
		o.Prior.Variance *= scale * scale
		m = ComparePairs(moved, o)
		samePair(t, "scaled", m, Pair{Change: p.Change * scale, Lo: p.Lo * scale, Hi: p.Hi * scale, P: p.P, SD: p.SD * scale, DF: p.DF, SE: p.SE * scale, SmallestEffect: p.SmallestEffect * scale})
	}
}

func samePair(t *testing.T, what string, got, want Pair) {
	t.Helper()
	g := []float64{got.Change, got.Lo, got.Hi, got.P, got.SD, got.DF, got.SE, got.SmallestEffect}
	w := []float64{want.Change, want.Lo, want.Hi, want.P, want.SD, want.DF, want.SE, want.SmallestEffect}
	for i := range g {
		if !(math.Abs(g[i]-w[i]) <= 1e-7*(1+math.Abs(w[i]))) {
			t.Errorf("%s: %v, want %v", what, g, w)
			return
		}
	}
}

// One spoilt sample must not hide what the others agree on.
func TestPairHoldsInAnOutlier(t *testing.T) {
	d := []float64{-0.05, -0.06, -0.04, -0.055, -0.05, -0.045, -0.05, -0.06, -0.05, 2}
	p := ComparePairs(d, PairOptions{})
	if decision, _ := p.Decide(0.03); decision != Changed || p.Hi > -0.02 {
		t.Errorf("nine samples 5 %% lower and one spoilt one are %v: %+v", decision, p)
	}
}

// More thorough figures are those of `make calibrate`.
func TestIntervalsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	shapes := map[string]func() float64{
		"normal": func() float64 { return 0.05 * rng.NormFloat64() },
		"heavy": func() float64 {
			if rng.Float64() < 0.06 {
				return 0.2 * rng.NormFloat64()
			}
			return 0.05 * rng.NormFloat64()
		},
		"two levels": func() float64 {
			if rng.Float64() < 0.3 {
				return math.Log(0.92) + 0.01*rng.NormFloat64()
			}
			return 0.01 * rng.NormFloat64()
		},
	}
	for _, name := range []string{"normal", "heavy", "two levels"} {
		for _, n := range []int{5, 8, 10, 20} {
			const runs = 3000
			held := 0
			for range runs {
				d := make([]float64, n)
				for i := range d {
					d[i] = 0.02 + shapes[name]() - shapes[name]()
				}
				if p := ComparePairs(d, PairOptions{}); p.Lo <= 0.02 && 0.02 <= p.Hi {
					held++
				}
			}
			// Three standard errors of the share are 1.2 %.
			if share := float64(held) / runs; share < 0.925 || share > 0.985 {
				t.Errorf("%s, %d rounds: %.1f %% of the intervals hold", name, n, 100*share)
			}
		}
	}
}

func TestFitPriorOfLittle(t *testing.T) {
	for _, pairs := range [][]Pair{nil, {{N: 5, SD: 1}, {N: 5, SD: 1}}, {{N: 5}, {N: 5}, {N: 5}}, {{N: 1, SD: math.NaN()}, {}, {}}} {
		if got := FitPrior(pairs); got != (Prior{}) {
			t.Errorf("%v teach %v", pairs, got)
		}
	}
	// Equal noise is worth all degrees of freedom there are, and no more.
	got := FitPrior([]Pair{{N: 5, SD: 0.1}, {N: 5, SD: 0.1}, {N: 9, SD: 0.1}})
	if got.DF != 16 || got.Variance < 0.008 || got.Variance > 0.02 {
		t.Errorf("equal noise teaches %v", got)
	}
}

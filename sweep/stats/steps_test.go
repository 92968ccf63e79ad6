package stats

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// series makes observations of one round, a value a place; NaN is a hole.
func series(values ...float64) []Observation {
	var out []Observation
	for i, v := range values {
		if !math.IsNaN(v) {
			out = append(out, Observation{Place: i, Y: math.Log(v)})
		}
	}
	return out
}

func repeated(value float64, n int) []float64 {
	return slices.Repeat([]float64{value}, n)
}

func places(s Steps) []int {
	var at []int
	for _, step := range s.Steps {
		at = append(at, step.At)
	}
	return at
}

func TestFindStepsInSeriesOfSingleValues(t *testing.T) {
	hole := math.NaN()
	for _, c := range []struct {
		name     string
		values   []float64
		want     []int
		outliers []int
	}{
		{"S1: one step without any noise", append(repeated(50, 15), repeated(100, 15)...), []int{15}, nil},
		{"S1: all equal", repeated(50, 30), nil, nil},
		{"S2: a spike", []float64{100, 101, 99, 100, 100, 60, 101, 99, 100, 100, 101, 99}, nil, []int{5}},
		{"S2: a spike at the end", []float64{100, 101, 99, 100, 100, 101, 101, 99, 100, 100, 101, 60}, nil, []int{11}},
		{"S13: a step across holes", []float64{100, 101, hole, hole, 80, 81, 79, 80, 80}, []int{4}, nil},
		{"a thousandfold step without any noise", append(repeated(1, 15), repeated(1000, 15)...), []int{15}, nil},
		{"a hundredth after a millionth part", append(append(repeated(1, 8), repeated(1e6, 8)...), repeated(1.01e6, 8)...), []int{8, 16}, nil},
		{"nothing", nil, nil, nil},
		{"one value", []float64{7}, nil, nil},
		{"two values", []float64{7, 9}, nil, nil},
		{"two values far apart", []float64{7, 900}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := FindSteps(series(c.values...), StepOptions{})
			if !slices.Equal(places(got), c.want) || !slices.Equal(got.Outliers, c.outliers) {
				t.Errorf("steps at %v, outliers %v, want %v and %v", places(got), got.Outliers, c.want, c.outliers)
			}
			for _, s := range got.Steps {
				if math.IsNaN(s.P) || s.P > 0.05 || math.IsNaN(s.Change) || math.IsNaN(s.Lo) || s.Lo > s.Change || s.Hi < s.Change {
					t.Errorf("step %+v", s)
				}
			}
		})
	}
}

// noisy is n places over rounds with drift, normal noise and one step.
func noisy(seed uint64, n, rounds, at int, size float64) []Observation {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []Observation
	for r := range rounds {
		drift := 0.05 * rng.NormFloat64()
		for p := range n {
			y := 3 + drift + 0.04*rng.NormFloat64()
			if p >= at {
				y += size
			}
			out = append(out, Observation{Place: p, Round: r, Y: y})
		}
	}
	return out
}

func TestFindStepsIsInvariant(t *testing.T) {
	base := noisy(3, 20, 8, 12, 0.06)
	want := FindSteps(base, StepOptions{})
	if !slices.Equal(places(want), []int{12}) {
		t.Fatalf("steps at %v, want 12", places(want))
	}
	shuffled := slices.Clone(base)
	rand.New(rand.NewPCG(9, 9)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if got := FindSteps(shuffled, StepOptions{}); !reflect.DeepEqual(got, want) {
		t.Errorf("another order of samples gives %+v, want %+v", got, want)
	}
	shifted, mirrored := slices.Clone(base), slices.Clone(base)
	for i := range base {
		shifted[i].Y += 7
		shifted[i].Round = 50 - shifted[i].Round
		mirrored[i].Y = -mirrored[i].Y
	}
	for name, other := range map[string]struct {
		samples []Observation
		sign    float64
	}{"another unit and other round numbers": {shifted, 1}, "the reciprocal": {mirrored, -1}} {
		got := FindSteps(other.samples, StepOptions{})
		if !slices.Equal(places(got), places(want)) || math.Abs(other.sign*got.Steps[0].Change-want.Steps[0].Change) > 0.002 {
			t.Errorf("%s: %+v, want %+v", name, got.Steps, want.Steps)
		}
	}
}

// Numbers of another process, on another day.
func TestFindStepsGivesTheSameNumbers(t *testing.T) {
	got := FindSteps(noisy(3, 20, 8, 12, 0.06), StepOptions{Looks: Looks{Min: 5, Max: 30, Now: 8}})
	if len(got.Steps) != 1 || len(got.Levels) != 2 {
		t.Fatalf("%+v", got)
	}
	s := got.Steps[0]
	near(t, "change", s.Change, 0.0473156298827, 1e-9)
	near(t, "low end", s.Lo, 0.0332510835585, 1e-9)
	near(t, "P", s.P, 3.21899949874e-08, 1e-6)
	near(t, "noise", got.Noise, 0.0417641220304, 1e-9)
}

func TestMissingSamplesLeaveTheStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	all := noisy(7, 30, 8, 14, -0.08)
	some := slices.DeleteFunc(slices.Clone(all), func(Observation) bool { return rng.Float64() < 0.3 })
	if got := places(FindSteps(some, StepOptions{})); !slices.Equal(got, []int{14}) {
		t.Errorf("steps at %v, want 14", got)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		some = append(some, Observation{Place: rng.IntN(30), Round: rng.IntN(8), Y: bad})
	}
	got := FindSteps(some, StepOptions{})
	checkSteps(t, got)
	if !slices.Equal(places(got), []int{14}) {
		t.Errorf("with values that are no numbers: steps at %v, want 14", places(got))
	}
}

// S9: the unit is the run. What a run's own samples spread by is not even seen.
func TestRunsThatDifferRaiseNoAlarm(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var runs []Observation
		for version := range 20 {
			for run := range 3 {
				runs = append(runs, Observation{Place: version, Round: run, Y: math.Log(100 + 12*rng.NormFloat64())})
			}
		}
		if got := FindSteps(runs, StepOptions{}).Steps; len(got) > 1 {
			t.Errorf("seed %d: %+v", seed, got)
		}
	}
}

func TestFindStepsInNoiseThatIsNotNormal(t *testing.T) {
	for name, draw := range map[string]func(*rand.Rand) float64{
		"two levels": func(rng *rand.Rand) float64 {
			y := 0.016 * rng.NormFloat64()
			if rng.Float64() < 0.3 {
				y += math.Log(0.92)
			}
			return y
		},
		"heavy tails": func(rng *rand.Rand) float64 {
			y := 0.03 * rng.NormFloat64()
			if rng.Float64() < 0.06 {
				y *= 4
			}
			return y
		},
	} {
		rng := rand.New(rand.NewPCG(14, 12))
		var flat, stepped []Observation
		for round := range 10 {
			drift := 0.05 * rng.NormFloat64()
			for place := range 30 {
				o := Observation{Place: place, Round: round, Y: drift + draw(rng)}
				flat = append(flat, o)
				if place >= 11 {
					o.Y -= 0.05
				}
				stepped = append(stepped, o)
			}
		}
		if got := places(FindSteps(flat, StepOptions{})); got != nil {
			t.Errorf("%s: steps at %v, want none", name, got)
		}
		if got := places(FindSteps(stepped, StepOptions{})); !slices.Equal(got, []int{11}) {
			t.Errorf("%s: steps at %v, want 11", name, got)
		}
	}
}

// A version that is unstable itself is no change of level.
func TestNoisyVersionIsNoStep(t *testing.T) {
	wrong := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 13))
		samples := noisy(seed, 20, 8, 20, 0)
		for i, o := range samples {
			if o.Place == 19 {
				samples[i].Y += 0.2 * rng.NormFloat64()
			}
		}
		if len(FindSteps(samples, StepOptions{}).Steps) > 0 {
			wrong++
		}
	}
	if wrong > 6 { // without regard to it, about 16
		t.Errorf("%d of 40 sweeps have a step at a noisy version", wrong)
	}
}

func TestAppendingKeepsOldSteps(t *testing.T) {
	all := noisy(5, 60, 8, 20, -0.08)
	for n := 30; n <= 60; n += 10 {
		var some []Observation
		for _, o := range all {
			if o.Place < n {
				some = append(some, o)
			}
		}
		if got := places(FindSteps(some, StepOptions{})); !slices.Equal(got, []int{20}) {
			t.Errorf("with %d places: steps at %v, want 20", n, got)
		}
	}
}

func TestSlowChangeIsARampAndNoStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var samples []Observation
	for r := range 8 {
		for p := range 20 {
			y := 0.02 * rng.NormFloat64()
			if p >= 6 {
				y -= 0.01 * float64(min(p, 18)-6) // 12 % over twelve places
			}
			samples = append(samples, Observation{Place: p, Round: r, Y: y})
		}
	}
	got := FindSteps(samples, StepOptions{})
	if len(got.Steps) > 0 || len(got.Ramps) != 1 {
		t.Fatalf("steps at %v and ramps %+v, want one ramp", places(got), got.Ramps)
	}
	if r := got.Ramps[0]; math.Abs(r.Change+0.12) > 0.03 || r.Lo > -0.12 || r.Hi < -0.13 || r.P > 1e-6 {
		t.Errorf("%+v", r)
	}
}

func BenchmarkFindSteps10000Single(b *testing.B) { benchmarkSteps(b, 10000, 1) }
func BenchmarkFindSteps1000By30(b *testing.B)    { benchmarkSteps(b, 1000, 30) }
func BenchmarkFindSteps40By10(b *testing.B)      { benchmarkSteps(b, 40, 10) }

func benchmarkSteps(b *testing.B, n, rounds int) {
	samples := noisy(1, n, rounds, n/2, 0.05)
	for b.Loop() {
		FindSteps(samples, StepOptions{})
	}
}

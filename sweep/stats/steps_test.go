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

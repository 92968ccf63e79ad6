package sweep

import (
	"math"
	"testing"
)

func TestFindingCounts(t *testing.T) {
	slower := Finding{Kind: KindStep, Verdict: Regression, State: Open, Change: -0.05}
	with := func(edit func(*Finding)) Finding {
		f := slower
		edit(&f)
		return f
	}
	for _, c := range []struct {
		name string
		f    Finding
		min  float64
		want bool
	}{
		{"a regression", slower, 0, true},
		{"of exactly the least change", slower, 0.05, true},
		{"smaller than the least change", slower, 0.0501, false},
		{"more latency", with(func(f *Finding) { f.Change = 1.3 }), 1, true},
		{"from nothing", with(func(f *Finding) { f.Kind, f.Change = KindOnset, math.NaN() }), 0.5, true},
		{"creep", with(func(f *Finding) { f.Kind = KindCreep }), 0, true},
		{"seam", with(func(f *Finding) { f.Kind = KindSeam }), 0, false},
		{"improvement", with(func(f *Finding) { f.Verdict, f.Change = Improvement, 0.5 }), 0, false},
		{"acknowledged", with(func(f *Finding) { f.State = Acknowledged }), 0, false},
		{"expected", with(func(f *Finding) { f.State = Expected }), 0, false},
		{"recovered", with(func(f *Finding) { f.State = Recovered }), 0, false},
		{"nothing", Finding{}, 0, false},
	} {
		if got := c.f.Counts(c.min); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

package charts

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
)

func tickLabels(ticks []plot.Tick) []string {
	var labels []string
	for _, tick := range ticks {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	return labels
}

func TestLinearAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   []string
	}{
		{9000, 45000, []string{"0", "10,000", "20,000", "30,000", "40,000", "50,000"}},
		{38, 77, []string{"0", "20", "40", "60", "80"}},
		{0, 0, []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{0.1, 1.4, []string{"0", "0.25", "0.50", "0.75", "1.00", "1.25", "1.50"}},
		{0, 140, []string{"0", "25", "50", "75", "100", "125", "150"}},
		{0.00001, 0.00003, []string{"0", "0.000005", "0.000010", "0.000015", "0.000020", "0.000025", "0.000030"}},
		{-3, 5, []string{"-4", "-2", "0", "2", "4", "6"}},
	} {
		a := linearAxis(c.lo, c.hi, 6)
		if got := tickLabels(a.ticks); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: ticks %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

func TestLogAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   []string
	}{
		{9000, 45000, []string{"5,000", "10,000", "20,000", "50,000"}},
		{1, 1, []string{"0.5", "1", "2"}},
		{0.3, 0.7, []string{"0.2", "0.5", "1"}},
		{1, 1000, []string{"1", "10", "100", "1,000"}},
		{3, 1e12, []string{"100", "10,000", "1,000,000", "100,000,000", "10,000,000,000", "1,000,000,000,000"}},
	} {
		a := logAxis(c.lo, c.hi, 6)
		if got := tickLabels(a.ticks); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: ticks %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}

func FuzzAxes(f *testing.F) {
	f.Add(1.0, 2.0)
	f.Add(0.0, 1e199)
	f.Add(1e-199, 1e199)
	f.Add(5e-5, 5e-5)
	f.Fuzz(func(t *testing.T, lo, hi float64) {
		if !drawable(lo) || !drawable(hi) {
			t.Skip()
		}
		lo, hi = min(lo, hi), max(lo, hi)
		checkAxis(t, linearAxis(lo, hi, yTicks), lo, hi)
		if lo > 0 {
			checkAxis(t, logAxis(lo, hi, yTicks), lo, hi)
		}
	})
}

func checkAxis(t *testing.T, a valueAxis, lo, hi float64) {
	t.Helper()
	slackLo, slackHi := 1e-6*math.Abs(lo), 1e-6*math.Abs(hi)
	if !a.log { // a hair of the axis is no loss
		slackLo = 1e-6 * (math.Abs(lo) + math.Abs(hi))
		slackHi = slackLo
	}
	if !(a.min < a.max) || a.min > lo+slackLo || a.max < hi-slackHi {
		t.Errorf("%v to %v (log %v): axis from %v to %v", lo, hi, a.log, a.min, a.max)
	}
	if n := len(tickLabels(a.ticks)); n < 1 || n > 2*yTicks || len(a.ticks) > 100 {
		t.Errorf("%v to %v (log %v): %d labels, %d ticks", lo, hi, a.log, n, len(a.ticks))
	}
}

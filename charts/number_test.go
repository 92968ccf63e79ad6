package charts

import (
	"math"
	"testing"

	"versweep/sweep"
)

func TestFigure(t *testing.T) {
	for _, c := range []struct {
		key  string
		v    float64
		want string
	}{
		{sweep.QPS, 41234.6, "41,235 requests/s"},
		{sweep.QPS, 999.6, "1,000 requests/s"},
		{sweep.QPS, 0, "0 requests/s"},
		{sweep.QPS, 1234567, "1,234,567 requests/s"},
		{sweep.P99, 1.2345, "1.23 ms"},
		{sweep.P99, 9.996, "10.0 ms"},
		{sweep.P99, 0.01234, "0.012 ms"},
		{sweep.P99, -0.4, "-0.40 ms"},
		{sweep.PeakRSS, 45.1 * (1 << 20), "45.1 MiB"},
		{sweep.ErrorShare, 0.0031, "0.31 %"},
		{sweep.ErrorShare, 1, "100 %"},
		{sweep.CPUPerRequest, 23.45, "23.4 µs"},
		{sweep.QPS, 1e18, "1e+18 requests/s"},
		{sweep.QPS, math.NaN(), "unknown requests/s"},
	} {
		if got := Figure(metric(t, c.key), c.v); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.key, c.v, got, c.want)
		}
	}
}

func TestChange(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want string
	}{{41200, 41900, "+1.7 %"}, {100, 90, "-10.0 %"}, {100, 100, "+0.0 %"}, {0, 5, ""}, {100, 99.99, "0.0 %"}} {
		if got := change(c.a, c.b); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

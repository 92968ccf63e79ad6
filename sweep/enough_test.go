package sweep

import (
	"testing"
	"time"
)

// A question of its own decides when a sweep ends, not before its least rounds.
func TestEnoughEndsASweep(t *testing.T) {
	for _, c := range []struct{ after, rounds int }{{1, 3}, {5, 5}, {99, 8}} {
		m := &memory{}
		sw := newSweep(8, "1.0.0", "2.0.0")
		sw.Plan.MinRounds = 3
		asked := 0
		r := Runner{Launcher: &fakeLauncher{}, Recorder: m, Now: func() time.Time { return time.Unix(1e9, 0) }, Enough: func(sw Sweep) bool {
			asked++
			return len(sw.Samples) >= 3*c.after
		}}
		end, err := r.Run(t.Context(), sw)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.samples) != 3*c.rounds || asked == 0 {
			t.Errorf("enough after %d rounds: %d samples, asked %d times", c.after, len(m.samples), asked)
		}
		if want := map[bool]End{true: EndRounds, false: EndSettled}[c.rounds == 8]; end != want {
			t.Errorf("enough after %d rounds: ended with %q", c.after, end)
		}
	}
}

func TestCompareInSweep(t *testing.T) {
	sw := figures(1, map[string][][]float64{QPS: noisyRows(1, 4, 8, 1000, 0.01, func(v int) float64 {
		if v == 2 {
			return -0.2
		}
		return 0
	})})
	for _, c := range []struct {
		from, to string
		verdict  Verdict
	}{{"1.1.0", "1.2.0", Regression}, {"1.2.0", "1.3.0", Improvement}, {"1.0.0", "1.1.0", NoChange}} {
		got, ok := CompareInSweep(sw, c.from, c.to, QPS, JudgeOptions{Effect: 0.05})
		if !ok || got.Verdict != c.verdict || got.Pairs != 8 {
			t.Errorf("%s to %s: %+v, %v", c.from, c.to, got, ok)
		}
	}
	if _, ok := CompareInSweep(sw, "1.0.0", "9.0.0", QPS, JudgeOptions{}); ok {
		t.Error("a version that is not there was compared")
	}
	if _, ok := CompareInSweep(sw, "1.0.0", "1.1.0", P99, JudgeOptions{}); ok {
		t.Error("a metric that is not there was compared")
	}
}

package stats

import (
	"encoding/binary"
	"math"
	"testing"
)

// FuzzFindSteps takes any samples: eight bytes of value, one of place, one of
// round each.
func FuzzFindSteps(f *testing.F) {
	f.Add([]byte{}, false)
	var some []byte
	for _, o := range noisy(2, 12, 3, 6, 0.2) {
		some = append(binary.LittleEndian.AppendUint64(some, math.Float64bits(o.Y)), byte(o.Place), byte(o.Round))
	}
	f.Add(some, true)
	f.Fuzz(func(t *testing.T, data []byte, single bool) {
		var samples []Observation
		for ; len(data) >= 10 && len(samples) < 300; data = data[10:] {
			samples = append(samples, Observation{Place: int(data[8]), Round: int(data[9] % 8), Y: math.Float64frombits(binary.LittleEndian.Uint64(data))})
		}
		checkSteps(t, FindSteps(samples, StepOptions{Single: single}))
	})
}

// checkSteps holds what is true of any answer.
func checkSteps(t *testing.T, got Steps) {
	t.Helper()
	for _, s := range got.Steps {
		for _, v := range []float64{s.Change, s.Lo, s.Hi, s.P, s.Z, s.Evidence} {
			if !isFinite(v) {
				t.Fatalf("step %+v", s)
			}
		}
		if !(s.Before < s.At && s.AtLo <= s.At && s.At <= s.AtHi && s.Lo <= s.Change && s.Change <= s.Hi && s.P >= 0 && s.P <= 1) {
			t.Fatalf("step %+v", s)
		}
	}
	for i, l := range got.Levels {
		if !isFinite(l.Level) || !isFinite(l.Error) || l.From >= l.To || l.Samples < 1 || i > 0 && l.From < got.Levels[i-1].To {
			t.Fatalf("levels %+v", got.Levels)
		}
	}
	for _, r := range got.Ramps {
		if !isFinite(r.Change) || !isFinite(r.Lo) || !isFinite(r.Hi) || r.From >= r.To {
			t.Fatalf("ramp %+v", r)
		}
	}
}

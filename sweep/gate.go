package sweep

import "math"

// Counts tells whether a finding is one that automation should stop for: a
// regression that nobody has acknowledged or expected and that is still there,
// of at least minChange, a fraction. A change from 0 has no size and always
// counts.
func (f Finding) Counts(minChange float64) bool {
	if f.Verdict != Regression || f.State != Open {
		return false
	}
	switch f.Kind {
	case KindStep, KindCreep, KindOnset:
		return math.IsNaN(f.Change) || math.Abs(f.Change) >= minChange
	}
	return false
}

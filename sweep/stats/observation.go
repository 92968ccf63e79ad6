package stats

// Observation is one sample: the natural logarithm of a metric, at a place on
// the axis (a version's index), in a round. Samples of the same round share a
// round effect, which cancels between places.
type Observation struct {
	Place int // from 0
	Round int // any number; equal ones are paired
	Y     float64
}

package sweep

import (
	"time"

	"versweep/sweep/load"
)

// Status says how far a sample or a version can be trusted.
type Status string

const (
	OK       Status = "ok"       // measured, every answer right
	Degraded Status = "degraded" // measured, but some requests failed
	Failed   Status = "failed"   // nothing that could be compared
)

// Sample is one fresh instance, warmed up and measured over one window: the
// unit of replication.
type Sample struct {
	ID       int64
	Round    int    // from 1
	Position int    // place in the round's shuffled order, from 0
	Version  string // Version.Name
	Twin     bool   // the reference under its second label
	Attempt  int    // from 0; more when the machine spoilt those before
	Status   Status
	Reason   string    // why it is not OK, one line
	Log      []string  // last lines the server wrote, kept when it failed
	Started  time.Time // when its instance was started

	// Marks are doubts about the sample, in the order in which they were found.
	Marks []Mark

	// Values holds the metrics by key. A metric that is missing is
	// unknown; none is NaN or infinite.
	Values map[string]float64

	// Load is what the engine measured; nil when the load never ran. Once
	// the sample is stored, its histograms are in the store only.
	Load *load.Result
	// Paced is what the second pass over the same instance measured, an open
	// loop at the plan's fixed rate; nil without one.
	Paced *load.Result
}

// forgetHistograms frees the memory of histograms that are stored: some hundred
// KB a sample, which a long sweep has no use for.
func (s *Sample) forgetHistograms() {
	for _, r := range []*load.Result{s.Load, s.Paced} {
		if r != nil {
			r.Latency, r.Service, r.Lateness = nil, nil, nil
		}
	}
}

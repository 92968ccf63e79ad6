package sweep

import (
	"time"

	"versweep/sweep/load"
)

// Plan is everything that decides what a sweep does. It is kept in the store,
// so that a killed sweep goes on exactly as it would have.
type Plan struct {
	Target    string       `json:"target"`
	Title     string       `json:"title"`    // of the target, for people
	Source    string       `json:"source"`   // where the versions were found: "npm"
	Launcher  string       `json:"launcher"` // "process" or "docker"
	Versions  []Version    `json:"versions"` // in version order
	Reference string       `json:"reference"`
	Profile   load.Profile `json:"profile"`
	Seed      uint64       `json:"seed"`
	Rounds    int          `json:"rounds"`

	// LatencyRate is the fixed rate, in requests/s, of a second pass over each
	// instance, so that latency is compared at equal load; 0 for none.
	LatencyRate float64 `json:"latency_rate_per_s,omitempty"`
}

// Paced is the load of the second pass: as long and over as many connections as
// the first, with requests due at fixed times. The instance is warm already.
func (p Plan) Paced() load.Profile {
	paced := p.Profile
	paced.Name, paced.Shape, paced.Rate = "", load.ShapeRate, p.LatencyRate
	paced.Warmup = min(paced.Warmup, pacedWarmup)
	if paced.Duration == 0 {
		paced.Duration, paced.Requests = time.Second, 0
	}
	return paced
}

// pacedWarmup lets connections open and queues settle.
const pacedWarmup = 200 * time.Millisecond

// Build is one version made ready to start.
type Build struct {
	Version   string            // Version.Name
	Dir       string            // folder on disk; empty when it is an image only
	Runtime   string            // folder of the runtime that runs it; empty when it needs none
	Base      string            // image that it comes in, by digest; empty when it is a folder
	Image     string            // image for the engine; empty when not made
	Digest    string            // what identifies its content: "sha512-…" or "sha256:…"
	Bytes     int64             // size on disk or of the image, unpacked
	Bundled   map[string]string // bundled components and their versions; nil when unknown
	FromCache bool              // it was there already
}

// Outcome is what became of one version of a sweep.
type Outcome struct {
	Version string
	Build   Build    // zero when none could be had
	Reason  string   // why it was not measured, one line; empty when it was
	Log     []string // last lines of the failed build
}

// Sweep is a plan and what was carried out of it so far.
type Sweep struct {
	ID          int64
	Plan        Plan
	Environment Environment
	Created     time.Time
	Finished    time.Time // zero while rounds are missing
	Outcomes    []Outcome // in version order; versions still to be obtained are missing
	Samples     []Sample  // in the order in which they were taken
}

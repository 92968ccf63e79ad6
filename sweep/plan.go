package sweep

import (
	"slices"
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
	Versions  []Version    `json:"versions"` // in version order, unless Listed
	Reference string       `json:"reference"`
	Profile   load.Profile `json:"profile"`
	Seed      uint64       `json:"seed"`
	Rounds    int          `json:"rounds"` // at most

	// MinRounds is when comparisons that are settled may stop costing time; 0
	// when every version is sampled in every round.
	MinRounds int           `json:"min_rounds,omitempty"`
	Effect    float64       `json:"effect,omitempty"`    // smallest effect of interest, a fraction; 0 is DefaultEffect
	Budget    time.Duration `json:"budget_ns,omitempty"` // no round begins that would end later; 0 for none

	// Listed says that the names of the versions have no order, as those of
	// commits have none: Versions is in an order of its own, and nothing may
	// sort it.
	Listed bool `json:"listed,omitempty"`

	// Definition is of the target, as it was.
	Definition Definition `json:"definition,omitzero"`

	// Foreign says where an imported sweep came from; nil for measured ones.
	Foreign *Foreign `json:"foreign,omitempty"`

	// LatencyRate is the fixed rate, in requests/s, of a second pass over each
	// instance, so that latency is compared at equal load; 0 for none.
	LatencyRate float64 `json:"latency_rate_per_s,omitempty"`

	// Night is the number of the nightly run that the sweep is part of, and
	// Purpose what for; 0 and empty where somebody asked for the sweep.
	Night   int64   `json:"night,omitempty"`
	Purpose Purpose `json:"purpose,omitempty"`
}

// Purpose is what a nightly run carries a sweep out for.
type Purpose string

const (
	PurposeNew     Purpose = "new"     // versions that are new, moved, or failed before
	PurposeConfirm Purpose = "confirm" // whether a suspected change holds in fresh rounds
	PurposeStale   Purpose = "stale"   // versions whose last samples are old
)

// DefaultEffect is the smallest effect of interest unless a plan has its own: 3 %.
const DefaultEffect = 0.03

// Foreign is the origin of numbers that another tool measured.
type Foreign struct {
	Format   string   `json:"format"`             // as import names it: "csv"
	File     string   `json:"file"`               // base name
	Digest   string   `json:"digest"`             // "sha256:…" of the content: the same file twice is noticed
	Profile  string   `json:"profile,omitempty"`  // what the file calls its load; empty when it says nothing
	Metrics  []Metric `json:"metrics,omitempty"`  // those that are not in sweep.Metrics
	Unpaired bool     `json:"unpaired,omitempty"` // samples with the same round number have nothing in common
	// Listed says that the names of the versions have no order: Plan.Versions
	// is in the order of the file, and nothing may sort it.
	Listed bool `json:"listed,omitempty"`
}

// InOwnOrder tells whether the versions are in an order that their names do not
// tell: then nothing may sort them.
func (p Plan) InOwnOrder() bool { return p.Listed || p.Foreign != nil && p.Foreign.Listed }

// AllMetrics lists the metrics that samples of the plan may have: Metrics and
// those that only the plan's file has. Callers must not change it.
func (p Plan) AllMetrics() []Metric {
	if p.Foreign == nil || len(p.Foreign.Metrics) == 0 {
		return Metrics
	}
	return slices.Concat(Metrics, p.Foreign.Metrics)
}

// MetricByKey finds one of AllMetrics.
func (p Plan) MetricByKey(key string) (Metric, bool) {
	for _, m := range p.AllMetrics() {
		if m.Key == key {
			return m, true
		}
	}
	return Metric{}, false
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

// SameLoad tells whether two plans put the same load on their servers, whatever
// they call it.
func (p Plan) SameLoad(q Plan) bool {
	return sameProfile(p.Profile, q.Profile) && p.LatencyRate == q.LatencyRate
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

package sweep

import "time"

// Verdict is what can be said about a change of one metric.
type Verdict string

const (
	Regression        Verdict = "regression"         // worse, in the metric's own direction
	Improvement       Verdict = "improvement"        // better
	NoChange          Verdict = "no change"          // within the smallest effect of interest
	Undecided         Verdict = "undecided"          // more rounds would tell
	NotMeasured       Verdict = "not measured"       // nothing to compare
	EnvironmentChange Verdict = "environment change" // the machine moved, not the version
)

// State is what people have made of a finding.
type State string

const (
	Open         State = "open"
	Acknowledged State = "acknowledged" // known, still bad
	Expected     State = "expected"     // meant to be so
	Recovered    State = "recovered"    // a later version is back where it was
)

// Kind says how a finding came about.
type Kind string

const (
	KindStep  Kind = "step"  // the level changed between two versions
	KindCreep Kind = "creep" // many small changes add up over a span of versions
	KindOnset Kind = "onset" // a value that was zero is not any more, or the other way
	KindSeam  Kind = "seam"  // another environment, or the reference itself moved
)

// Finding is a verdict worth telling.
type Finding struct {
	ID      string // stable while the finding keeps its place: "node-qps-20.5.0"
	Kind    Kind
	Metric  Metric
	From    string // last version before the change
	To      string // first version after it
	Verdict Verdict
	State   State

	// Change is new/old - 1 between the two levels, Lo and Hi its 95 %
	// interval; all three are NaN when old is 0.
	Change, Lo, Hi float64
	// Confidence is 1 - p of the change, corrected for all places at which one
	// was looked for: 0 to 1.
	Confidence float64
	// PlaceLo and PlaceHi are the earliest and latest version that may be the
	// first after the change (95 %).
	PlaceLo, PlaceHi string
	// RecoveredIn is the first version that is back at the old level; empty
	// unless State is Recovered.
	RecoveredIn string
	// Notes are doubts and causes, one line each: witnesses that disagree,
	// versions in between that were not measured, components that changed.
	Notes []string
}

// Comparison is one metric of two versions.
type Comparison struct {
	Metric   Metric
	From, To string
	Verdict  Verdict
	// Old and New are the medians, in the metric's unit.
	Old, New Estimate
	// Change is new/old - 1 with its 95 % interval; NaN when there is no ratio.
	Change, Lo, Hi float64
	P              float64 // two-sided, for "no difference"; NaN when unknown
	Pairs          int     // rounds in which both were sampled
	// RoundsNeeded is how many more rounds would probably settle it; 0 unless
	// Undecided.
	RoundsNeeded int
	// SmallestEffect is the change that would have been seen with 80 % power,
	// as a fraction; NaN when unknown.
	SmallestEffect float64
	Notes          []string
}

// Judgement is what the samples of one target say.
type Judgement struct {
	Target, Title string
	Reference     string
	Effect        float64   // smallest effect of interest, a fraction
	Versions      []Version // of the sweeps judged, in version order
	Metrics       []Metric  // with a figure, in the order of Metrics
	Findings      []Finding // in version order, then in the order of Metrics
	// Joint sums up, for every version at which something changed, all its
	// metrics in one sentence: "no faster, three times the memory".
	Joint map[string]string
	// Neighbours compares the throughput (or else the first metric) of each version
	// with the one before it; whether that is settled, the level of the versions
	// around it says.
	Neighbours []Comparison
	// AgainstReference compares every metric of each version with the
	// reference, by version name and metric key.
	AgainstReference map[string]map[string]Comparison
	// Newest compares the newest version with the best so far, by metric key.
	Newest map[string]Comparison
	// Twin compares the reference with itself, by metric key: the A/A check.
	Twin map[string]Comparison
	// Noise is the standard deviation of one sample, round effects removed, as
	// a fraction, by metric key.
	Noise map[string]float64
	// SmallestEffect is the change between two neighbours that this sweep would
	// have seen with 80 % power, as a fraction, by metric key. A step that more
	// versions on both sides share is found when it is smaller.
	SmallestEffect map[string]float64
	// Lasting tells of which metrics SmallestEffect is that of a change which
	// lasts, in the middle of the axis: those of one sample a version.
	Lasting map[string]bool
	// Replaced tells of the versions that were moved to another build since when
	// they are that one.
	Replaced    map[string]time.Time
	NotMeasured []Outcome // versions without a figure, with the reason
	Warnings    []string  // doubts about the whole, one line each
	Older       int       // sweeps that were left out as too old: see Recent
}

// JudgeOptions say how to judge. The zero value is the default of everything.
type JudgeOptions struct {
	Effect  float64  // smallest effect of interest, a fraction; 0 takes the plans' own
	Metrics []string // keys of the metrics to judge; nil for all
	Source  string   // only sweeps from this source; empty takes the latest sweep's
}

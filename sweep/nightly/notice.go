// Package nightly decides what an unattended sweep does and says: which versions
// a night measures, whether a suspected change holds in fresh rounds, and which
// findings and missing results have changed their state since they were last
// told. It measures, stores and sends nothing itself.
package nightly

import (
	"time"

	"versweep/sweep"
)

// State is what is told of something that is watched.
type State string

const (
	New          State = "new"          // a finding, confirmed in fresh rounds
	StillThere   State = "still there"  // a newer version has been measured since, and it holds
	Acknowledged State = "acknowledged" // somebody said that it is known
	Expected     State = "expected"     // somebody said that it is meant to be so
	Reopened     State = "reopened"     // what was said of it was taken back
	Recovered    State = "recovered"    // a later version is back where it was
	Missing      State = "missing"      // an expected result did not come
	Back         State = "back"         // a missing result has come
)

// Notice tells that something watched has changed its state. Each is told once.
type Notice struct {
	// Key names what it is about, for good: the ID that a finding was told
	// under first, with "-again" where another one has that, or "missing-"
	// with target and version. Receivers can tell repeats by it, State and
	// Since.
	Key           string
	Target, Title string // name, and for people
	State         State
	Was           State // as last told; empty when it never was

	// Finding is nil when it is about a missing result.
	Finding *sweep.Finding
	// Confirmed is what the fresh rounds said; nil when there were none.
	Confirmed *sweep.Comparison
	// Version is the one that is missing; empty when it is the whole target,
	// or about a finding.
	Version string
	// Place is what a command has to be told to find the store, as it is typed:
	// " --db /srv/versweep.db"; empty where it finds it.
	Place  string
	Reason string    // why it is missing, or how else than in Finding.RecoveredIn it recovered; one line, may be empty
	Since  time.Time // when it was suspected, or went missing, first: the same however often it is told
}

// Night is what one nightly run did and has to tell.
type Night struct {
	ID           int64
	Began, Ended time.Time // UTC
	Notices      []Notice  // in the order in which they should be told: the worst first
	Open         []Notice  // regressions and missing results that stand tonight, told before or now
	Targets      []TargetNight
}

// TargetNight is what a night did for one target.
type TargetNight struct {
	Target, Title string
	Measured      []string // versions that tonight's samples count of, in version order
	Tried         int      // versions that were tried, whatever came of it
	Left          int      // versions that should have been, and wait for the next night
	Failed        string   // why nothing could be done; one line, empty when something could
	Stopped       string   // why it was ended before all was done; one line, empty when it was not

	// Suspicions are those that wait for fresh rounds, and those that tonight's
	// have settled.
	Suspicions []Suspicion
	Remarks    []string // what went otherwise than planned, one line each
}

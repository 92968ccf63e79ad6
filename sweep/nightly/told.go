package nightly

import (
	"strings"
	"time"

	"versweep/sweep"
)

// Told is what was last told of something that is watched.
type Told struct {
	Target, Key string
	State       State
	Since       time.Time // when it was suspected first, or was missing first, UTC: the same when it is told again
	At          time.Time // when it was told last, UTC

	// Finding is as it was judged then; nil for what is missing.
	Finding *sweep.Finding
	Newest  string // newest version with a figure then; of findings only

	Version string // that is missing; empty for the whole target
	Reason  string // why it is missing
}

// missingKey names what is missing, for good. Version names that hold what no
// version's name should are told by the letters that are left.
func missingKey(target, version string) string {
	key := "missing-" + target
	if version != "" {
		key += "-" + version
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return '_'
		}
		return r
	}, key)
}

// nightsKey is the key under which it is told that nights did not come.
const nightsKey = "missing-nights"

// MissedNights tells that the last night that ended is longer ago than one and a
// half times the time between nights; nil when it is not. before is when it ended,
// zero when there was none. A night that could not tell what this says does not
// end, so that the next one says it again.
func MissedNights(before, now time.Time, every time.Duration) *Notice {
	if before.IsZero() || now.Sub(before) <= every+every/2 {
		return nil
	}
	return &Notice{
		Key: nightsKey, Title: "Nightly sweeps", State: Missing, Since: before,
		Reason: "no night has come to its end since " + before.UTC().Format("2006-01-02 15:04") + " UTC",
	}
}

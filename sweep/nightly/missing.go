package nightly

import (
	"fmt"
	"slices"
	"time"

	"versweep/sweep"
)

// Lack is an expected result that is not there.
type Lack struct {
	Version string // empty for the whole target
	Reason  string // one line

	// Since is when a version failed first since its last figure, or had waited too
	// long; of the whole target when any failed first. Zero where nothing that is
	// stored says so.
	Since time.Time
	// FromStart says that it failed on the first night that measured any version
	// of the target, and ever since: it is shown, and nobody is told of it.
	FromStart bool
}

// staleTwice is how many times as old as stale a sample may get before that is
// told: the budget does not suffice.
const staleTwice = 2

// Lacks lists the results of a target that are expected and not there, in version
// order, those that vanished first: of versions that were measured and are not in
// the source any more, that fail, or that the budget has left alone for too long.
// A version that nobody has tried yet is no lack. Where no version could ever be
// measured, it is the whole target.
func Lacks(q Inquiry, vanished []sweep.Version) []Lack {
	var lacks []Lack
	for _, v := range vanished {
		lacks = append(lacks, Lack{Version: v.Name, Reason: "it was measured before, and is not to be found any more"})
	}
	records := recordsOf(q.Past)
	if whole := wholeLack(records); whole != nil {
		return []Lack{*whole}
	}
	begun := recordsOf(throughFirstNight(q.Past))
	for _, v := range q.Kept {
		r := records[v.Name]
		switch age := q.Now.Sub(r.sampled); {
		case r.lack() != "" && !v.MovedFrom(r.version):
			then := begun[v.Name]
			fromStart := r.good == 0 && then.failures > 0 && then.failing.Equal(r.failing)
			lacks = append(lacks, Lack{v.Name, r.lack(), r.failing, fromStart})
		case r.good > 0 && age > staleTwice*q.Fresh:
			lacks = append(lacks, Lack{Version: v.Name, Since: r.sampled.Add(staleTwice * q.Fresh), Reason: fmt.Sprintf("no fresh one: last sampled %s ago, and the budget does not suffice", ageWords(age))})
		}
	}
	return lacks
}

// throughFirstNight are the sweeps until the end of the first night that measured
// any version; none before there was one.
func throughFirstNight(past []sweep.Sweep) []sweep.Sweep {
	measured := func(sw sweep.Sweep) bool {
		return sw.Plan.Night > 0 && slices.ContainsFunc(sweep.LastAttempts(sw.Samples), func(s sweep.Sample) bool {
			return s.Status != sweep.Failed && !s.Spoilt()
		})
	}
	first := slices.IndexFunc(past, measured)
	if first < 0 {
		return nil
	}
	for i := len(past) - 1; i > first; i-- {
		if past[i].Plan.Night == past[first].Plan.Night {
			return past[:i+1]
		}
	}
	return past[:first+1]
}

// wholeLack is the target's own lack where versions were tried and not one was
// ever measured; nil elsewhere.
func wholeLack(records map[string]record) *Lack {
	var newest *record
	var since time.Time
	for _, r := range records {
		if r.good > 0 {
			return nil
		}
		if !r.failing.IsZero() && (since.IsZero() || r.failing.Before(since)) {
			since = r.failing
		}
		if r.lack() != "" && (newest == nil || r.version.Compare(newest.version) > 0) {
			newest = &r
		}
	}
	if newest == nil {
		return nil
	}
	return &Lack{Since: since, Reason: fmt.Sprintf("no version could be measured; %s: %s", newest.version.Name, newest.lack())}
}

// ageWords is "12 days", "20 hours".
func ageWords(age time.Duration) string {
	const day = 24 * time.Hour
	n, unit := int(age/day), "day"
	if age < 2*day {
		n, unit = int(age/time.Hour), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}

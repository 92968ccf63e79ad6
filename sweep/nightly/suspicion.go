package nightly

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"versweep/sweep"
)

// Standing says how far a suspicion has come.
type Standing string

const (
	Suspected Standing = "suspected" // fresh rounds have not decided yet
	Confirmed Standing = "confirmed" // fresh rounds show the same change
	Rejected  Standing = "rejected"  // fresh rounds do not
)

// Suspicion is a finding that is not told before rounds of its own have
// confirmed it: the finding may be chance, picked out because it looked worst.
type Suspicion struct {
	Target   string
	Finding  sweep.Finding // as it was judged when the standing was settled
	Standing Standing
	Since    time.Time // when it was suspected first, UTC
	Tries    int       // fresh sets of rounds that did not decide
	Sweep    int64     // the sweep that settled it; 0 while none has
	Seen     string    // what that sweep, or the last try, showed; one line
}

// Watching says which findings of a target matter.
type Watching struct {
	MinChange    float64 // smaller changes are left alone, a fraction
	Improvements bool    // improvements matter as well
}

// matters tells whether a finding is one to be told, but for its confirmation.
func (w Watching) matters(f sweep.Finding) bool {
	if f.Counts(w.MinChange) {
		return true
	}
	return w.improvement(f) && f.State == sweep.Open && (math.IsNaN(f.Change) || math.Abs(f.Change) >= w.MinChange)
}

func (w Watching) improvement(f sweep.Finding) bool {
	return w.Improvements && f.Verdict == sweep.Improvement && f.Kind != sweep.KindSeam
}

// Suspect brings suspicions up to date with a judgement. Findings that matter,
// have not been told and are not known become suspected; what is suspected or
// confirmed and no longer found is dropped; what was rejected stays so, unless it
// has become worse than it looked then. It returns the suspicions to keep, and of
// those the suspected ones in the order in which they should be confirmed.
func Suspect(target string, known []Suspicion, told []Told, j sweep.Judgement, w Watching, now time.Time) (keep, confirm []Suspicion) {
	taken := map[int]bool{} // findings that a known suspicion is about
	for _, s := range known {
		var at []int
		for _, i := range j.FindingsAt(s.Finding.Spot(s.Since)) {
			if !taken[i] && (s.Standing != Rejected || s.covers(j, j.Findings[i])) {
				at = append(at, i)
			}
		}
		switch {
		case len(at) == 0 && s.Standing != Rejected:
			continue
		case len(at) == 0:
			keep = append(keep, s)
			continue
		}
		taken[at[0]] = true
		f := j.Findings[at[0]]
		switch {
		case s.Standing == Rejected && worseThan(f, s.Finding):
			s.Standing, s.Finding, s.Tries, s.Sweep = Suspected, f, 0, 0
		case s.Standing == Suspected:
			s.Finding = f
		}
		if s.Standing == Suspected && !w.matters(f) || s.Standing == Confirmed && f.State == sweep.Recovered {
			continue // acknowledged, recovered or smaller by now
		}
		keep = append(keep, s)
	}
	for i, f := range j.Findings {
		if taken[i] || !w.matters(f) || alreadyTold(told, j, i) {
			continue
		}
		keep = append(keep, Suspicion{Target: target, Finding: f, Standing: Suspected, Since: now})
	}
	for _, s := range keep {
		if s.Standing == Suspected {
			confirm = append(confirm, s)
		}
	}
	place := func(version string) int {
		return slices.IndexFunc(j.Versions, func(v sweep.Version) bool { return v.Name == version })
	}
	slices.SortStableFunc(confirm, func(x, y Suspicion) int { // the longest suspected, the newest version
		return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(place(y.Finding.To), place(x.Finding.To)))
	})
	return keep, confirm
}

// covers tells whether a finding is at one of the versions that the suspicion was
// about. Unlike what was told, what was rejected must not hide a change of the
// version that has come since.
func (s Suspicion) covers(j sweep.Judgement, f sweep.Finding) bool {
	place := func(version string) int {
		return slices.IndexFunc(j.Versions, func(v sweep.Version) bool { return v.Name == version })
	}
	at := place(f.To)
	return f.ID == s.Finding.ID || place(s.Finding.PlaceLo) <= at && at <= place(s.Finding.PlaceHi)
}

// worseThan tells whether a finding has grown beyond what it was taken for.
func worseThan(is, was sweep.Finding) bool {
	if was.Change > 0 {
		return is.Change > max(was.Lo, was.Hi)
	}
	return is.Change < min(was.Lo, was.Hi)
}

// alreadyTold tells whether finding i of j is one that was told and stands.
func alreadyTold(told []Told, j sweep.Judgement, i int) bool {
	return slices.ContainsFunc(told, func(t Told) bool {
		return t.Finding != nil && t.State != Recovered && slices.Contains(j.FindingsAt(t.Finding.Spot(t.At)), i)
	})
}

// Question is what a fresh sweep has to answer: whether the findings of one place
// hold between two versions that can still be had.
type Question struct {
	From, To   string
	Versions   []sweep.Version // to be sampled, in version order, the reference left out
	Suspicions []Suspicion     // at least one
	// Unanswerable says why there can be no such sweep; empty when there can.
	Unanswerable string
}

// Questions groups suspicions, in order, by the place that they are about.
// available are the versions that can be had, in version order.
func Questions(suspected []Suspicion, j sweep.Judgement, available []sweep.Version) []Question {
	var list []Question
	for _, s := range suspected {
		i := slices.IndexFunc(list, func(q Question) bool {
			f := q.Suspicions[0].Finding
			return f.From == s.Finding.From && f.To == s.Finding.To
		})
		if i < 0 {
			list = append(list, newQuestion(s.Finding, j, available))
			i = len(list) - 1
		}
		list[i].Suspicions = append(list[i].Suspicions, s)
	}
	return list
}

// newQuestion takes the versions on both sides of a change, or the nearest that
// can be had, and one more place on either side for company.
func newQuestion(f sweep.Finding, j sweep.Judgement, available []sweep.Version) Question {
	var axis []sweep.Version // with a figure, and to be had
	unmeasured := map[string]bool{}
	for _, o := range j.NotMeasured {
		unmeasured[o.Version] = true
	}
	for _, v := range j.Versions {
		i := slices.IndexFunc(available, func(a sweep.Version) bool { return a.Name == v.Name })
		// What the change lies between has a figure of its metric, if no other.
		if i >= 0 && (!unmeasured[v.Name] || v.Name == f.From || v.Name == f.To) {
			axis = append(axis, available[i])
		}
	}
	from, to := -1, -1
	last, first := sweep.Version{Name: f.From}, sweep.Version{Name: f.To}
	for i, v := range axis {
		if v.Name == f.From || v.Compare(last) < 0 {
			from = i
		}
		if to < 0 && (v.Name == f.To || v.Compare(first) > 0) {
			to = i
		}
	}
	switch {
	case from < 0:
		return Question{Unanswerable: fmt.Sprintf("neither %s nor an older version can be had any more", f.From), From: f.From, To: f.To}
	case to < 0:
		return Question{Unanswerable: fmt.Sprintf("neither %s nor a newer version can be had any more", f.To), From: f.From, To: f.To}
	}
	q := Question{From: axis[from].Name, To: axis[to].Name}
	lo, hi := max(0, from-1), min(len(axis)-1, to+1)
	q.Versions = append(q.Versions, axis[lo:from+1]...)
	q.Versions = append(q.Versions, axis[to:hi+1]...)
	return q
}

// Answered tells whether a sweep has decided everything that it was asked: it
// says when to stop, and is asked after each round.
func (q Question) Answered(sw sweep.Sweep, effect float64) bool {
	return !slices.ContainsFunc(q.Suspicions, func(s Suspicion) bool {
		c, ok := sweep.CompareInSweep(sw, q.From, q.To, s.Finding.Metric.Key, sweep.JudgeOptions{Effect: effect})
		return !ok || !decided(c)
	})
}

// decided tells whether a comparison of a fresh sweep says anything: rounds that
// have both versions must do so, and not what is known of their noise alone.
func decided(c sweep.Comparison) bool {
	return c.Pairs >= leastPairs && !math.IsNaN(c.Lo) && !math.IsNaN(c.Hi) && c.Verdict != sweep.Undecided && c.Verdict != sweep.NotMeasured
}

// leastPairs is the fewest rounds that show a change again.
const leastPairs = 2

// Answer settles the question's suspicions by the rounds of one sweep alone:
// confirmed when they show a change the same way, rejected when they show none
// within the smallest effect of interest, or the opposite.
func (q Question) Answer(sw sweep.Sweep, effect float64) []Suspicion {
	var settled []Suspicion
	for _, s := range q.Suspicions {
		c, ok := sweep.CompareInSweep(sw, q.From, q.To, s.Finding.Metric.Key, sweep.JudgeOptions{Effect: effect})
		switch {
		case !ok:
			s.Tries++
			s.Seen = fmt.Sprintf("no figure of %s or %s", q.From, q.To)
		case !decided(c):
			s.Tries++
			s.Seen = "undecided, " + seen(c)
		case c.Verdict == s.Finding.Verdict:
			s.Standing, s.Sweep, s.Seen = Confirmed, sw.ID, seen(c)
		default:
			s.Standing, s.Sweep, s.Seen = Rejected, sw.ID, seen(c)
		}
		settled = append(settled, s)
	}
	return settled
}

// seen is a comparison in a few words.
func seen(c sweep.Comparison) string {
	switch {
	case c.Pairs == 0:
		return fmt.Sprintf("no round has a figure of both %s and %s", c.From, c.To)
	case math.IsNaN(c.Change):
		return fmt.Sprintf("%s from %s to %s over %d rounds", c.Verdict, c.From, c.To, c.Pairs)
	case math.IsNaN(c.Lo) || math.IsNaN(c.Hi):
		return fmt.Sprintf("%+.1f %% from %s to %s over %d rounds", 100*c.Change, c.From, c.To, c.Pairs)
	}
	return fmt.Sprintf("%+.1f %% from %s to %s (95 %% interval %+.1f to %+.1f %%) over %d rounds", 100*c.Change, c.From, c.To, 100*c.Lo, 100*c.Hi, c.Pairs)
}

// Confirmation is what the sweep that settled a suspicion showed; nil when it is
// not among past, or cannot say any more.
func (s Suspicion) Confirmation(past []sweep.Sweep, effect float64) *sweep.Comparison {
	i := slices.IndexFunc(past, func(sw sweep.Sweep) bool { return sw.ID == s.Sweep })
	if s.Sweep == 0 || i < 0 {
		return nil
	}
	q := newQuestion(s.Finding, sweep.Judgement{Versions: past[i].Plan.Versions}, past[i].Plan.Versions)
	c, ok := sweep.CompareInSweep(past[i], q.From, q.To, s.Finding.Metric.Key, sweep.JudgeOptions{Effect: effect})
	if !ok {
		return nil
	}
	return &c
}

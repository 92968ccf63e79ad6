package nightly

import (
	"fmt"
	"math"
	"slices"
	"time"

	"versweep/sweep"
	"versweep/sweep/stats"
)

// Why says what puts a version on a night's agenda.
type Why string

const (
	WhyNew   Why = "new"             // never measured
	WhyMoved Why = "moved"           // under its name is another build than was measured
	WhyFew   Why = "too few samples" // fewer than anything could be settled with
	WhyRetry Why = "retry"           // it failed, for a reason that may have passed
	WhyStale Why = "stale"           // its last sample is old
)

// Item is a version on an agenda.
type Item struct {
	Version sweep.Version
	Why     Why
	Detail  string    // one line; may be empty
	Sampled time.Time // its last sample that counts; zero when there is none
	Due     time.Time // of a version that failed: when it is tried again
}

// Agenda is what there is to measure of one target.
type Agenda struct {
	Wanted  []Item // what is to be measured first: the newest version first, retries last
	Waiting []Item // versions that failed and are not tried tonight, in version order
	Stale   []Item // the oldest sample first

	kept      []sweep.Version // in version order
	measured  map[string]bool
	reference string
}

// Inquiry is what an agenda is drawn up from.
type Inquiry struct {
	Kept      []sweep.Version // found now, as the settings choose them, in version order
	Past      []sweep.Sweep   // of the target, source and load, oldest first: see Own
	Reference string          // empty when none has been chosen yet
	Fresh     time.Duration   // age from which on samples are stale
	Every     time.Duration   // from one night to the next
	Rounds    int             // the most that a sweep takes
	Now       time.Time
}

// Outlook is what there is to do of one target before a night measures anything.
type Outlook struct {
	Past     []sweep.Sweep   // those of the attempts that are the subject's own
	Vanished []sweep.Version // that the subject would keep, and that are not to be found
	Kept     []sweep.Version // without those
}

// NewOutlook looks at a subject that can be swept. attempts are the sweeps of its
// target, oldest first.
func NewOutlook(s Subject, attempts []sweep.Sweep) (Outlook, error) {
	o := Outlook{Past: Own(attempts, s.Plan)}
	var err error
	o.Vanished, err = Vanished(s.Selection, s.Found, o.Past)
	o.Kept = Without(s.Kept, o.Vanished)
	return o, err
}

// Agenda draws up the agenda of a subject whose versions are kept and past by now.
func (o Outlook) Agenda(s Subject, every time.Duration, now time.Time) Agenda {
	return NewAgenda(Inquiry{
		Kept: o.Kept, Past: o.Past, Reference: o.reference(s), Fresh: s.Fresh, Every: every, Rounds: s.Plan.Rounds, Now: now,
	})
}

// reference is the one of the subject, or of its latest sweep.
func (o Outlook) reference(s Subject) string {
	if s.Reference != "" {
		return s.Reference
	}
	for _, sw := range slices.Backward(o.Past) {
		if sw.Plan.Reference != "" {
			return sw.Plan.Reference
		}
	}
	return ""
}

// maxWait bounds how long a version that fails is left alone, in nights.
const maxWait = 64

// NewAgenda draws up an agenda. It depends on the inquiry alone.
func NewAgenda(q Inquiry) Agenda {
	a := Agenda{kept: q.Kept, measured: map[string]bool{}, reference: q.Reference}
	enough := min(stats.MinPairs, max(1, q.Rounds))
	records := recordsOf(q.Past)
	var retries []Item
	for _, v := range slices.Backward(q.Kept) {
		r, known := records[v.Name]
		moved := known && v.MovedFrom(r.version)
		if r.good > 0 && !moved && r.failures == 0 {
			a.measured[v.Name] = true
		}
		item := Item{Version: v, Sampled: r.sampled}
		switch {
		case moved && r.good > 0:
			item.Why, item.Detail = WhyMoved, fmt.Sprintf("is %s, was %s", v.Identity(), r.version.Identity())
			a.Wanted = append(a.Wanted, item)
		case r.failures > 0 && !moved:
			item.Why, item.Due = WhyRetry, r.tried.Add(wait(r.failures, q.Every))
			item.Detail = fmt.Sprintf("failed %s: %s", times(r.failures), r.reason)
			// A clock that was set back must not put it off.
			if q.Now.Before(item.Due) && !q.Now.Before(r.tried) {
				a.Waiting = append(a.Waiting, item)
			} else {
				retries = append(retries, item)
			}
		case r.good == 0:
			item.Why = WhyNew
			if r.spoilt && !moved {
				item.Detail = spoiltByMachine
			}
			a.Wanted = append(a.Wanted, item)
		case r.good < enough:
			item.Why, item.Detail = WhyFew, fmt.Sprintf("%d of %d", r.good, enough)
			a.Wanted = append(a.Wanted, item)
		case q.Now.Sub(r.sampled) > q.Fresh && v.Name != q.Reference:
			item.Why = WhyStale
			item.Detail = fmt.Sprintf("last sampled %d days ago", int(q.Now.Sub(r.sampled).Hours()/24))
			a.Stale = append(a.Stale, item)
		}
	}
	a.Wanted = append(a.Wanted, retries...)
	slices.Reverse(a.Waiting)
	slices.Reverse(a.Stale) // in version order, for those of the same age
	slices.SortStableFunc(a.Stale, func(x, y Item) int { return x.Sampled.Compare(y.Sampled) })
	return a
}

// wait is how long a version is left alone that failed so many times in a row: 1,
// 2, 4 … nights, but for half a night, since nights do not begin to the minute.
func wait(failures int, every time.Duration) time.Duration {
	nights := math.Min(math.Pow(2, float64(failures-1)), maxWait)
	return time.Duration((nights - 0.5) * float64(every))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times in a row", n)
}

// Unlimited is the budget of a night without one.
const Unlimited = time.Duration(math.MaxInt64)

// Cost is what sampling versions, the reference once more as its own twin, takes
// over some rounds.
func Cost(versions, rounds int, sample time.Duration) time.Duration {
	return time.Duration(versions+1) * time.Duration(rounds) * sample
}

// Fit picks the versions of a sweep: of wanted items the first ones, each with its
// measured neighbours on both sides, and the reference, as many as a budget takes
// over the least rounds when a sample takes so long. It returns them in version
// order, none when not even one item fits, and what is left.
func (a Agenda) Fit(wanted []Item, rounds int, sample, budget time.Duration) (versions []sweep.Version, left []Item) {
	in := map[string]bool{}
	for i, item := range wanted {
		with := map[string]bool{item.Version.Name: true}
		for name := range in {
			with[name] = true
		}
		if item.Why != WhyStale { // those are compared with the reference
			for _, v := range a.neighbours(item.Version) {
				with[v.Name] = true
			}
		}
		if a.reference != "" {
			with[a.reference] = true // among the kept ones or not
		}
		if Cost(len(with), rounds, sample) > budget {
			left = append(left, wanted[i:]...)
			break
		}
		in = with
	}
	for _, v := range a.kept {
		if in[v.Name] {
			versions = append(versions, v)
		}
	}
	return versions, left
}

// neighbours are the measured versions next to v, one on each side at most.
func (a Agenda) neighbours(v sweep.Version) []sweep.Version {
	at := slices.IndexFunc(a.kept, func(k sweep.Version) bool { return k.Name == v.Name })
	var near []sweep.Version
	for i := at - 1; i >= 0; i-- {
		if a.measured[a.kept[i].Name] {
			near = append(near, a.kept[i])
			break
		}
	}
	for i := at + 1; i < len(a.kept); i++ {
		if a.measured[a.kept[i].Name] {
			near = append(near, a.kept[i])
			break
		}
	}
	return near
}

// SampleTime is how long a sample took in the latest sweep that tells; 0 when
// none does.
func SampleTime(past []sweep.Sweep) time.Duration {
	for _, sw := range slices.Backward(past) {
		var gaps []float64
		for i := 1; i < len(sw.Samples); i++ {
			if gap := sw.Samples[i].Started.Sub(sw.Samples[i-1].Started); gap > 0 {
				gaps = append(gaps, float64(gap))
			}
		}
		if len(gaps) >= stats.MinPairs {
			return time.Duration(stats.Median(gaps))
		}
	}
	return 0
}

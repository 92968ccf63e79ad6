package nightly

import (
	"cmp"
	"math"
	"slices"
	"time"

	"versweep/sweep"
)

// Sight is what a night has seen of one target.
type Sight struct {
	Target, Title string
	Now           time.Time
	First         bool // no night has told or measured anything of the target before

	Judged      *sweep.Judgement // with acknowledgements; nil when nothing could be judged
	Past        []sweep.Sweep    // that it rests on, for what confirmations showed
	Suspicions  []Suspicion      // as tonight's confirmations left them
	Watching    Watching
	Failed      string   // why nothing could be done tonight; empty when something could
	Lacks       []Lack   // what is missing
	Kept        []string // versions that are expected; what was missing and is none of them is forgotten
	LacksLooked bool     // whether Lacks could be found out
}

// Account is what is to be told of a target, and what will have been told then.
type Account struct {
	Notices []Notice // changes of state only, the worst first
	Open    []Notice // regressions and missing results that stand, told before or now
	Silent  []Lack   // what is missing since the first night: shown, and not told
	Told    []Told   // to be kept in place of what was told before, once Notices are delivered

	Judged     *sweep.Judgement // what the findings among them are from; nil when nothing could be judged
	Suspicions []Suspicion      // as the night leaves them
}

// NewAccount compares what a night has seen of a target with what was last told
// of it. Every change of state is a notice, once; findings that no fresh rounds
// have confirmed are none.
func NewAccount(s Sight, told []Told) Account {
	a := Account{Judged: s.Judged, Suspicions: s.Suspicions}
	a.findings(s, told)
	a.missing(s, told)
	SortNotices(a.Notices)
	SortNotices(a.Open)
	return a
}

// SortNotices puts the worst first.
func SortNotices(list []Notice) { slices.SortStableFunc(list, compareNotices) }

// findings goes through what was told of findings, then through what was not.
func (a *Account) findings(s Sight, told []Told) {
	taken := map[int]bool{}
	for _, t := range told {
		if t.Finding == nil {
			continue
		}
		if s.Judged == nil {
			a.stands(s, t)
			continue
		}
		at := slices.DeleteFunc(s.Judged.FindingsAt(t.Finding.Spot(t.At)), func(i int) bool { return taken[i] })
		if len(at) == 0 {
			a.gone(s, t)
			continue
		}
		i := at[0]
		taken[i] = true
		a.again(s, t, s.Judged.Findings[i])
	}
	if s.Judged == nil {
		return
	}
	for i, f := range s.Judged.Findings {
		if c := s.confirmed(f); !taken[i] && s.Watching.matters(f) && c != nil {
			a.tellNew(s, Told{Target: s.Target, Key: a.unusedKey(f.ID), Since: c.Since}, f)
		}
	}
}

// confirmed is the suspicion that was confirmed of a finding; nil when none was.
func (s Sight) confirmed(f sweep.Finding) *Suspicion {
	for i, c := range s.Suspicions {
		if c.Standing != Confirmed {
			continue
		}
		for _, at := range s.Judged.FindingsAt(c.Finding.Spot(c.Since)) {
			if s.Judged.Findings[at].ID == f.ID && s.Judged.Findings[at].Verdict == f.Verdict {
				return &s.Suspicions[i]
			}
		}
	}
	return nil
}

func (a *Account) tellNew(s Sight, t Told, f sweep.Finding) {
	n := Notice{Key: t.Key, Target: s.Target, Title: s.Title, State: New, Was: t.State, Finding: &f, Since: t.Since}
	if c := s.confirmed(f); c != nil {
		n.Confirmed = c.Confirmation(s.Past, s.Judged.Effect)
	}
	a.tell(s, t, n)
}

// unusedKey is a key, made another where something that stands has it: a finding
// keeps the key that it was told under first when it moves to another version, and
// later there may be another finding at the first one.
func (a *Account) unusedKey(key string) string {
	for slices.ContainsFunc(a.Told, func(t Told) bool { return t.Key == key }) {
		key += "-again"
	}
	return key
}

// tell takes in a notice about a finding, and what was told then.
func (a *Account) tell(s Sight, t Told, n Notice) {
	a.Notices = append(a.Notices, n)
	t.State, t.At, t.Finding = n.State, s.Now, n.Finding
	if s.Judged != nil {
		t.Newest = newestMeasured(*s.Judged)
	}
	a.Told = append(a.Told, t)
	a.open(n)
}

// open lists what stands, if it is one of what people have to do something about.
func (a *Account) open(n Notice) {
	switch n.State {
	case New, StillThere, Reopened, Missing:
		if n.Finding == nil || n.Finding.Verdict == sweep.Regression {
			a.Open = append(a.Open, n)
		}
	}
}

// stands keeps what was told without telling it again.
func (a *Account) stands(s Sight, t Told) {
	a.Told = append(a.Told, t)
	a.open(Notice{
		Key: t.Key, Target: s.Target, Title: s.Title, State: t.State, Was: t.State, Finding: t.Finding,
		Version: t.Version, Reason: t.Reason, Since: t.Since,
	})
}

// again looks at a finding that was told and is still found.
func (a *Account) again(s Sight, t Told, f sweep.Finding) {
	n := Notice{Key: t.Key, Target: s.Target, Title: s.Title, Was: t.State, Finding: &f, Since: t.Since}
	live := t.State == New || t.State == StillThere || t.State == Reopened
	switch {
	case f.State == sweep.Recovered:
		n.State = Recovered
	case f.State == sweep.Acknowledged:
		n.State = Acknowledged
	case f.State == sweep.Expected:
		n.State = Expected
	case t.State == Acknowledged || t.State == Expected:
		n.State = Reopened
	case t.State == Recovered:
		if c := s.confirmed(f); s.Watching.matters(f) && c != nil {
			t.Since = c.Since
			a.tellNew(s, t, f)
			return
		}
	case live && newer(*s.Judged, t.Newest):
		n.State = StillThere
	}
	t.Finding = &f // as it is judged now, so that it is known again when it moves on
	if n.State == "" || n.State == t.State && n.State != StillThere {
		a.stands(s, t)
		return
	}
	a.tell(s, t, n)
}

// gone looks at a finding that was told and is not found any more.
func (a *Account) gone(s Sight, t Told) {
	watched := slices.ContainsFunc(s.Judged.Metrics, func(m sweep.Metric) bool { return m.Key == t.Finding.Metric.Key })
	if t.State == Recovered || !watched {
		return // told, or not looked for any more, and forgotten
	}
	f := *t.Finding
	f.State = sweep.Recovered
	reason := notBorneOut
	for _, version := range []string{f.From, f.To} {
		if s.Judged.Replaced[version].After(t.At) {
			reason += "; " + version + " is another build since then"
		}
	}
	a.Notices = append(a.Notices, Notice{
		Key: t.Key, Target: s.Target, Title: s.Title, State: Recovered, Was: t.State, Finding: &f, Since: t.Since,
		Reason: reason,
	})
}

// notBorneOut is the reason of what recovered without a version that did.
const notBorneOut = "the samples taken since do not bear it out"

// newestMeasured is the newest version with a figure.
func newestMeasured(j sweep.Judgement) string {
	for _, v := range slices.Backward(j.Versions) {
		if !slices.ContainsFunc(j.NotMeasured, func(o sweep.Outcome) bool { return o.Version == v.Name }) {
			return v.Name
		}
	}
	return ""
}

// newer tells whether a version has been measured that is newer than one.
func newer(j sweep.Judgement, than string) bool {
	newest := newestMeasured(j)
	return newest != than && sweep.Version{Name: newest}.Compare(sweep.Version{Name: than}) > 0
}

// missing goes through what was told to be missing, then through what is.
func (a *Account) missing(s Sight, told []Told) {
	lacks := s.Lacks
	if s.Failed != "" {
		lacks = []Lack{{Reason: s.Failed}}
	}
	known := map[string]bool{}
	for _, t := range told {
		if t.Finding != nil {
			continue
		}
		known[t.Version] = true
		i := slices.IndexFunc(lacks, func(l Lack) bool { return l.Version == t.Version })
		switch {
		case i >= 0:
			t.Reason = lacks[i].Reason
			a.stands(s, t)
		case t.Version == "":
			a.back(s, t)
		case s.Failed != "" || !s.LacksLooked:
			a.stands(s, t) // nobody knows
		case slices.Contains(s.Kept, t.Version):
			a.back(s, t)
		}
	}
	for _, l := range lacks {
		if known[l.Version] {
			continue
		}
		if l.FromStart {
			a.Silent = append(a.Silent, l)
			continue
		}
		t := Told{Target: s.Target, Key: a.unusedKey(missingKey(s.Target, l.Version)), State: Missing, Since: l.Since, At: s.Now, Version: l.Version, Reason: l.Reason}
		if t.Since.IsZero() {
			t.Since = s.Now
		}
		if s.First && l.Version != "" {
			a.stands(s, t) // what never came is no news
			continue
		}
		a.Told = append(a.Told, t)
		n := Notice{Key: t.Key, Target: s.Target, Title: s.Title, State: Missing, Version: l.Version, Reason: l.Reason, Since: t.Since}
		a.Notices = append(a.Notices, n)
		a.open(n)
	}
}

func (a *Account) back(s Sight, t Told) {
	a.Notices = append(a.Notices, Notice{
		Key: t.Key, Target: s.Target, Title: s.Title, State: Back, Was: Missing, Version: t.Version, Reason: t.Reason, Since: t.Since,
	})
}

// compareNotices puts the worst first.
func compareNotices(x, y Notice) int {
	return cmp.Or(cmp.Compare(weight(x), weight(y)), cmp.Compare(size(y), size(x)))
}

func weight(n Notice) int {
	order := []State{New, Reopened, Missing, StillThere, Recovered, Back, Acknowledged, Expected}
	w := 2 * slices.Index(order, n.State)
	switch {
	case n.State == New && n.Finding != nil && n.Finding.Verdict == sweep.Improvement:
		w = 2 * len(order) // good news can wait
	case n.State == Missing && n.Version != "":
		w++ // the whole target is worse
	}
	return w
}

// size is how large a change is; one from zero is larger than all.
func size(n Notice) float64 {
	switch {
	case n.Finding == nil:
		return 0
	case math.IsNaN(n.Finding.Change):
		return math.Inf(1)
	}
	return math.Abs(math.Log1p(n.Finding.Change))
}

package sweep

import (
	"slices"
	"time"
)

// Acknowledgement is what people made of a finding. It keeps what the finding
// said at that time, since a later judgement may place it elsewhere.
type Acknowledgement struct {
	ID       string // the finding's
	Target   string
	Metric   string // key
	From, To string // last version before the change, first one after it
	Verdict  Verdict
	State    State     // Acknowledged or Expected
	Note     string    // why, in people's words; may be empty
	At       time.Time // when
}

// Spot is where a finding was when somebody last looked at it.
type Spot struct {
	ID      string // the finding's
	Metric  string // key
	To      string // first version after the change
	Verdict Verdict
	At      time.Time // when that was
}

// Spot says where f was at a time.
func (f Finding) Spot(at time.Time) Spot { return Spot{f.ID, f.Metric.Key, f.To, f.Verdict, at} }

// FindingsAt lists the findings, by their place among j.Findings, that are what
// was once found at a spot. Where no finding has its id any more, one that has
// moved a little since is still the same: of the same metric and direction, and
// with the spot's version next to or among those at which the change may lie. It is
// not where it moved to a version whose build was replaced since: that one changed.
func (j Judgement) FindingsAt(s Spot) []int {
	place := func(version string) int {
		return slices.IndexFunc(j.Versions, func(v Version) bool { return v.Name == version })
	}
	exact := slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.ID == s.ID })
	at := place(s.To)
	var found []int
	for i, f := range j.Findings {
		moved := !exact && at >= 0 && at >= place(f.PlaceLo)-1 && at <= place(f.PlaceHi)+1 && !j.Replaced[f.To].After(s.At)
		if s.Metric == f.Metric.Key && s.Verdict == f.Verdict && (s.ID == f.ID || moved) {
			found = append(found, i)
		}
	}
	return found
}

// ApplyAcknowledgements gives findings the states that people gave them, those
// that have moved a little since included. A regression that has recovered stays
// recovered.
func ApplyAcknowledgements(j *Judgement, acks []Acknowledgement) {
	for _, a := range acks {
		for _, i := range j.FindingsAt(Spot{a.ID, a.Metric, a.To, a.Verdict, a.At}) {
			f := &j.Findings[i]
			if f.State != Recovered {
				f.State = a.State
			}
			if a.Note != "" {
				f.Notes = append(f.Notes, string(a.State)+": "+a.Note)
			}
		}
	}
}

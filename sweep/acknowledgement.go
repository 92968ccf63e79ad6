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

// ApplyAcknowledgements gives findings the states that people gave them. Where no
// finding has the acknowledged id any more, one that has moved a little since is
// still the same: of the same metric and direction, and with its version next to
// or among those at which the change may lie. A regression that has recovered
// stays recovered.
func ApplyAcknowledgements(j *Judgement, acks []Acknowledgement) {
	place := func(version string) int {
		return slices.IndexFunc(j.Versions, func(v Version) bool { return v.Name == version })
	}
	for _, a := range acks {
		exact := slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.ID == a.ID })
		for i := range j.Findings {
			f := &j.Findings[i]
			at := place(a.To)
			moved := !exact && at >= 0 && at >= place(f.PlaceLo)-1 && at <= place(f.PlaceHi)+1
			if a.Metric != f.Metric.Key || a.Verdict != f.Verdict || a.ID != f.ID && !moved {
				continue
			}
			if f.State != Recovered {
				f.State = a.State
			}
			if a.Note != "" {
				f.Notes = append(f.Notes, string(a.State)+": "+a.Note)
			}
		}
	}
}

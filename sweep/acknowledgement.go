package sweep

import "time"

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

package main

import (
	"time"

	"versweep/sweep/bisect"
)

// bisectionJSON is the document of bisect.
type bisectionJSON struct {
	Schema    int                `json:"schema"`
	Bisection int64              `json:"bisection"`
	Target    string             `json:"target"`
	Source    string             `json:"source"`
	Metric    string             `json:"metric"`
	Effect    float64            `json:"effect"`
	Good      string             `json:"good"`
	Bad       string             `json:"bad"`
	Finished  bool               `json:"finished"`
	Changes   []bisectAnswerJSON `json:"changes"`    // empty when commits were searched only
	Commits   []bisectCommitJSON `json:"commits"`    // searches between neighbours, or empty
	BrokenOff *string            `json:"broken_off"` // why what is here is not all; null when nothing is missing
}

// bisectCommitJSON is a search over the commits between two versions.
type bisectCommitJSON struct {
	Bisection   int64              `json:"bisection"`
	Good        string             `json:"good"`
	Bad         string             `json:"bad"`
	Inside      *string            `json:"inside"`       // hash of the merge whose branch this is; null for none
	NotSearched *string            `json:"not_searched"` // why the branch was not searched; null when it was
	Changes     []bisectAnswerJSON `json:"changes"`
}

type bisectAnswerJSON struct {
	State        string                `json:"state"`
	Good         bisectCandidateJSON   `json:"good"`
	Bad          bisectCandidateJSON   `json:"bad"`
	Ends         bisectChangeJSON      `json:"ends"`
	LastGood     bisectCandidateJSON   `json:"last_good"`
	FirstBad     *bisectCandidateJSON  `json:"first_bad"`       // null unless state is found
	KnownBad     *bisectCandidateJSON  `json:"first_known_bad"` // null for no difference
	Between      int                   `json:"between"`         // candidates between last_good and first_known_bad
	Merge        *bisectMergeJSON      `json:"merge"`           // null unless first_bad is a merge that was looked into
	OneOf        []bisectCandidateJSON `json:"one_of"`
	Step         bisectChangeJSON      `json:"step"`
	Steps        []bisectStepJSON      `json:"steps"`
	Doubts       []string              `json:"doubts"`
	RoundsNeeded int                   `json:"rounds_needed"`
	Rounds       int                   `json:"rounds"`
	Figures      int                   `json:"figures"`
}

type bisectCandidateJSON struct {
	Version string     `json:"version"`
	Commit  *string    `json:"commit"`
	Date    *time.Time `json:"date"`
	Subject *string    `json:"subject"`
}

// bisectChangeJSON is new/old - 1 with a 95 % interval.
type bisectChangeJSON struct {
	Change *float64 `json:"change"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
	Rounds int      `json:"rounds"`
}

type bisectStepJSON struct {
	Candidate    bisectCandidateJSON `json:"candidate"`
	Verdict      string              `json:"verdict"` // good, bad, undecided or skip
	Where        *string             `json:"where"`   // between, beyond good, beyond bad
	Reason       *string             `json:"reason"`
	From         string              `json:"from"` // compared with
	To           string              `json:"to"`
	FromGood     bisectChangeJSON    `json:"from_good"`
	FromBad      bisectChangeJSON    `json:"from_bad"`
	Rounds       int                 `json:"rounds"`
	RoundsNeeded int                 `json:"rounds_needed"`
	Told         bool                `json:"told"`
	Fresh        bool                `json:"fresh"`
	Spot         bool                `json:"spot"`
}

func newBisectionJSON(versions *stretch, parts []*stretch) bisectionJSON {
	b := versions.b
	doc := bisectionJSON{
		Schema: jsonSchema, Bisection: b.ID, Target: b.Target, Source: b.Source, Metric: b.Metric, Effect: b.Effect, Good: b.Good, Bad: b.Bad,
		Finished: !b.Finished.IsZero(), Changes: newAnswersJSON(versions, parts), Commits: []bisectCommitJSON{},
	}
	for _, p := range parts {
		doc.Commits = append(doc.Commits, bisectCommitJSON{p.b.ID, p.b.Good, p.b.Bad, orNull(p.o.Inside), orNull(p.unsearched()), newAnswersJSON(p, parts)})
	}
	return doc
}

func newAnswersJSON(s *stretch, parts []*stretch) []bisectAnswerJSON {
	all := []bisectAnswerJSON{}
	for _, answer := range s.answers {
		j := newBisectAnswerJSON(s, answer)
		if m, ok := s.mergeOf(answer, parts); ok {
			j.Merge = &m
		}
		all = append(all, j)
	}
	return all
}

func newBisectAnswerJSON(s *stretch, answer bisect.Answer) bisectAnswerJSON {
	j := bisectAnswerJSON{
		State: string(answer.State), Good: s.candidateJSON(answer.Good), Bad: s.candidateJSON(answer.Bad), Ends: newBisectChangeJSON(answer.Ends),
		LastGood: s.candidateJSON(answer.LastGood), OneOf: []bisectCandidateJSON{}, Step: newBisectChangeJSON(answer.Step),
		Steps: []bisectStepJSON{}, Doubts: append([]string{}, s.doubts(answer)...), RoundsNeeded: answer.RoundsNeeded, Rounds: answer.Rounds, Figures: answer.Samples,
	}
	if answer.State == bisect.Found {
		first := s.candidateJSON(answer.FirstBad)
		j.FirstBad = &first
	}
	if answer.State != bisect.NoDifference && answer.State != bisect.OtherWay && !s.unbegun(answer) {
		known := s.candidateJSON(answer.FirstBad)
		j.KnownBad, j.Between = &known, answer.Between()
	}
	for _, p := range answer.Suspects {
		j.OneOf = append(j.OneOf, s.candidateJSON(p))
	}
	for _, step := range answer.Steps {
		j.Steps = append(j.Steps, bisectStepJSON{
			Candidate: s.candidateJSON(step.Place), Verdict: string(step.Verdict), Where: orNull(string(step.Where)), Reason: orNull(step.Reason),
			From: s.candidate(step.From).Version.Name, To: s.candidate(step.To).Version.Name,
			FromGood: newBisectChangeJSON(step.FromGood), FromBad: newBisectChangeJSON(step.FromBad),
			Rounds: step.Rounds, RoundsNeeded: step.RoundsNeeded, Told: step.Told, Fresh: step.Fresh, Spot: step.Spot,
		})
	}
	return j
}

func (s *stretch) candidateJSON(place int) bisectCandidateJSON {
	c := s.candidate(place)
	j := bisectCandidateJSON{Version: c.Version.Name, Commit: orNull(c.Version.Commit), Subject: orNull(c.Subject)}
	if !c.Date.IsZero() {
		j.Date = &c.Date
	}
	return j
}

func newBisectChangeJSON(c bisect.Change) bisectChangeJSON {
	return bisectChangeJSON{knownOrNull(c.Change), knownOrNull(c.Lo), knownOrNull(c.Hi), c.Rounds}
}

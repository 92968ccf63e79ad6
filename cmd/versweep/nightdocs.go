package main

import (
	"time"

	"versweep/sweep"
	"versweep/sweep/nightly"
)

// nightDoneJSON is what nightly prints: what webhooks get, and what was not told.
type nightDoneJSON struct {
	nightJSON
	Suspicions []suspicionJSON `json:"suspicions"`
	Remarks    []remarkJSON    `json:"remarks"`
}

// remarkJSON is what went otherwise than planned with a target.
type remarkJSON struct {
	Target string `json:"target"`
	Text   string `json:"text"`
}

// suspicionJSON is a finding that is told only once fresh rounds have confirmed
// it.
type suspicionJSON struct {
	Target   string           `json:"target"`
	Finding  findingJSON      `json:"finding"`
	Standing nightly.Standing `json:"standing"`
	Since    time.Time        `json:"since"`
	Tries    int              `json:"tries"`
	Sweep    *int64           `json:"sweep"`
	Seen     *string          `json:"seen"`
}

func newNightDoneJSON(n nightly.Night) nightDoneJSON {
	doc := nightDoneJSON{nightJSON: newNightJSON(n), Suspicions: []suspicionJSON{}, Remarks: []remarkJSON{}}
	for _, t := range n.Targets {
		doc.Suspicions = append(doc.Suspicions, newSuspicionsJSON(t.Suspicions)...)
		for _, r := range t.Remarks {
			doc.Remarks = append(doc.Remarks, remarkJSON{t.Target, r})
		}
		if t.Stopped != "" {
			doc.Remarks = append(doc.Remarks, remarkJSON{t.Target, "stopped: " + t.Stopped})
		}
	}
	return doc
}

func newSuspicionsJSON(list []nightly.Suspicion) []suspicionJSON {
	docs := []suspicionJSON{}
	for _, s := range list {
		doc := suspicionJSON{Target: s.Target, Finding: newFindingJSON(s.Finding), Standing: s.Standing, Since: s.Since.UTC(), Tries: s.Tries, Seen: orNull(s.Seen)}
		if s.Sweep != 0 {
			doc.Sweep = &s.Sweep
		}
		docs = append(docs, doc)
	}
	return docs
}

// nightPlanJSON is what nightly --dry-run prints.
type nightPlanJSON struct {
	Schema  int                 `json:"schema"`
	Targets []plannedTargetJSON `json:"targets"`
	BudgetS *float64            `json:"budget_s"`  // of the whole night's measuring
	AtMostS float64             `json:"at_most_s"` // of measuring
}

type plannedTargetJSON struct {
	Target     string          `json:"target"`
	Failed     *string         `json:"failed"`
	Reference  *string         `json:"reference"`
	Kept       int             `json:"kept"`
	Wanted     []itemJSON      `json:"wanted"`
	Waiting    []itemJSON      `json:"waiting"`
	Stale      []itemJSON      `json:"stale"`
	Vanished   []string        `json:"vanished"`
	Suspicions []suspicionJSON `json:"suspicions"`
	GoesOn     []goesOnJSON    `json:"goes_on"` // before all else
	Sweeps     []foreseenJSON  `json:"sweeps"`  // new ones
	Left       int             `json:"left"`    // versions that wait for another night
	Remarks    []string        `json:"remarks"`
}

// goesOnJSON is a sweep that an earlier night left unfinished.
type goesOnJSON struct {
	Sweep   int64     `json:"sweep"`
	Began   time.Time `json:"began"`
	Samples int       `json:"samples"` // that are there
	AtMostS float64   `json:"at_most_s"`
}

type foreseenJSON struct {
	Purpose  sweep.Purpose `json:"purpose"`
	Versions []string      `json:"versions"`
	AtMostS  float64       `json:"at_most_s"`
}

type itemJSON struct {
	Version string      `json:"version"`
	Why     nightly.Why `json:"why"`
	Detail  *string     `json:"detail"`
	Sampled *time.Time  `json:"sampled"`
	Due     *time.Time  `json:"due"`  // when a version that failed is tried again
	Fits    *bool       `json:"fits"` // it is sampled tonight; null of what waits
}

func newNightPlanJSON(plan *plannedNight) nightPlanJSON {
	doc := nightPlanJSON{Schema: jsonSchema, Targets: []plannedTargetJSON{}, AtMostS: plan.takes.Seconds()}
	if budget := plan.budget.Seconds(); budget > 0 {
		doc.BudgetS = &budget
	}
	for _, p := range plan.targets {
		one := plannedTargetJSON{
			Target: p.subject.Plan.Target, Failed: orNull(p.subject.Failed), Reference: orNull(p.subject.Reference), Kept: len(p.subject.Kept),
			Wanted: newItemsJSON(p.agenda.Wanted), Waiting: newItemsJSON(p.agenda.Waiting), Stale: newItemsJSON(p.agenda.Stale),
			Vanished: []string{}, Suspicions: newSuspicionsJSON(p.suspicions),
			GoesOn: []goesOnJSON{}, Sweeps: []foreseenJSON{}, Left: p.night.Left, Remarks: append([]string{}, p.night.Remarks...),
		}
		for _, items := range [][]itemJSON{one.Wanted, one.Stale} {
			for i := range items {
				fits := p.fits(items[i].Version)
				items[i].Fits = &fits
			}
		}
		for _, f := range p.sweeps {
			if f.GoesOn != 0 {
				one.GoesOn = append(one.GoesOn, goesOnJSON{f.GoesOn, f.Began.UTC(), f.Samples, f.Takes.Seconds()})
				continue
			}
			of := foreseenJSON{Purpose: f.Plan.Purpose, AtMostS: f.Takes.Seconds()}
			for _, v := range f.Plan.Versions {
				of.Versions = append(of.Versions, v.Name)
			}
			one.Sweeps = append(one.Sweeps, of)
		}
		for _, v := range p.vanished {
			one.Vanished = append(one.Vanished, v.Name)
		}
		doc.Targets = append(doc.Targets, one)
	}
	return doc
}

func newItemsJSON(items []nightly.Item) []itemJSON {
	docs := []itemJSON{}
	moment := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		t = t.UTC()
		return &t
	}
	for _, i := range items {
		docs = append(docs, itemJSON{Version: i.Version.Name, Why: i.Why, Detail: orNull(i.Detail), Sampled: moment(i.Sampled), Due: moment(i.Due)})
	}
	return docs
}

package nightly

import (
	"cmp"
	"context"
	"slices"
	"time"

	"versweep/sweep"
)

// Forecast is what a night would come to if each sweep took all the rounds that it
// may: where sweeps are settled earlier, more fits.
type Forecast struct {
	Targets []TargetNight // Measured is what would be; in the order of the subjects
	Sweeps  []Foreseen    // in the order in which they would be carried out
}

// Foreseen is a sweep that a night would carry out, or go on with.
type Foreseen struct {
	Plan  sweep.Plan
	Takes time.Duration // at most, of measuring

	// GoesOn is the sweep that is gone on with; 0 for a new one. Began is when it
	// did, Samples how many of it are there.
	GoesOn  int64
	Began   time.Time
	Samples int
}

// Foresee goes through the night as Run does, with the same decisions, and measures,
// stores and says nothing: c.Hands is not used. goesOn says why a sweep that was left
// unfinished cannot be gone on with, nil when it can, ErrElsewhere while another
// process does.
func (c Course) Foresee(ctx context.Context, subjects []Subject, goesOn func(sweep.Sweep) error) (Forecast, error) {
	s := &seer{Memory: c.Memory, clock: c.Now(), goesOn: goesOn, subjects: map[string]Subject{}, samples: map[string]time.Duration{}}
	for _, subject := range subjects {
		s.subjects[subject.Plan.Target] = subject
	}
	c.Hands, c.Memory, c.Now = s, s, func() time.Time { return s.clock }
	r, err := c.Run(ctx, subjects)
	return Forecast{r.Targets, s.foreseen}, err
}

// seer is Hands that measure nothing, and a Memory that keeps nothing. Its sweeps have
// samples without figures, and numbers below 0, so that no verdict rests on them.
type seer struct {
	Memory
	clock      time.Time
	goesOn     func(sweep.Sweep) error
	subjects   map[string]Subject
	samples    map[string]time.Duration // that a sample of each target takes
	unfinished []sweep.Sweep
	foreseen   []Foreseen
}

// Attempts implements Memory.
func (s *seer) Attempts(ctx context.Context, target string) ([]sweep.Sweep, error) {
	past, err := s.Memory.Attempts(ctx, target)
	e := errand{Subject: s.subjects[target], past: past}
	if e.Failed == "" {
		e.past = Own(past, e.Plan)
	}
	s.samples[target] = e.sample()
	return past, err
}

// UnfinishedNightly implements Memory.
func (s *seer) UnfinishedNightly(ctx context.Context) (list []sweep.Sweep, err error) {
	s.unfinished, err = s.Memory.UnfinishedNightly(ctx)
	return s.unfinished, err
}

// SaveSuspicions implements Memory.
func (s *seer) SaveSuspicions(context.Context, string, []Suspicion) error { return nil }

// Claim implements Hands.
func (s *seer) Claim(_ context.Context, id int64) (sweep.Sweep, error) {
	sw := s.unfinished[slices.IndexFunc(s.unfinished, func(sw sweep.Sweep) bool { return sw.ID == id })]
	if err := s.goesOn(sw); err == ErrElsewhere {
		return sweep.Sweep{}, err
	}
	return sw, nil // why else it cannot be gone on with, GoOn says
}

// GoOn implements Hands.
func (s *seer) GoOn(_ context.Context, sw sweep.Sweep, _ func(sweep.Sweep) bool) (sweep.Sweep, error) {
	if err := s.goesOn(sw); err != nil {
		return sw, err
	}
	return s.take(sw, Foreseen{GoesOn: sw.ID, Began: sw.Created, Samples: len(sweep.LastAttempts(sw.Samples))}), nil
}

// Sweep implements Hands.
func (s *seer) Sweep(_ context.Context, p sweep.Plan, _ func(sweep.Sweep) bool) (sweep.Sweep, error) {
	if p.Reference != "" && !slices.ContainsFunc(p.Versions, func(v sweep.Version) bool { return v.Name == p.Reference }) {
		found := s.subjects[p.Target].Found
		if i := slices.IndexFunc(found, func(v sweep.Version) bool { return v.Name == p.Reference }); i >= 0 {
			p.Versions = sweep.SortVersions(append(slices.Clone(p.Versions), found[i]))
		}
	}
	asked := func(f Foreseen) bool {
		return f.GoesOn == 0 && f.Plan.Target == p.Target && f.Plan.Purpose == p.Purpose && slices.EqualFunc(f.Plan.Versions, p.Versions, func(a, b sweep.Version) bool { return a.Name == b.Name })
	}
	if p.Purpose == sweep.PurposeConfirm && slices.ContainsFunc(s.foreseen, asked) {
		return sweep.Sweep{Plan: p}, nil // answered by then
	}
	return s.take(sweep.Sweep{ID: -int64(len(s.foreseen)) - 1, Plan: p, Created: s.clock}, Foreseen{}), nil
}

// take adds the samples that sw lacks, as many as the plan's rounds and budget let.
func (s *seer) take(sw sweep.Sweep, f Foreseen) sweep.Sweep {
	each := s.samples[sw.Plan.Target]
	type place struct {
		version string
		twin    bool
	}
	var places []place
	for _, v := range sw.Plan.Versions {
		failed := slices.ContainsFunc(sw.Outcomes, func(o sweep.Outcome) bool { return o.Version == v.Name && o.Reason != "" })
		if !failed {
			places = append(places, place{version: v.Name})
		}
	}
	// A first sweep chooses its reference when its builds are there; any will do.
	if n := len(places); n > 0 {
		places = append(places, place{cmp.Or(sw.Plan.Reference, places[n-1].version), true})
	}
	rounds := sw.Plan.Rounds
	if round := time.Duration(len(places)) * each; sw.Plan.Budget > 0 && round > 0 {
		rounds = max(1, min(rounds, int(sw.Plan.Budget/round))) // a first round always begins
	}
	had := sweep.LastAttempts(sw.Samples)
	sw.Samples = slices.Clone(sw.Samples)
	for round := 1; round <= rounds; round++ {
		for _, p := range places {
			if slices.ContainsFunc(had, func(h sweep.Sample) bool {
				return h.Round == round && h.Twin == p.twin && (p.twin || h.Version == p.version)
			}) {
				continue
			}
			sw.Samples = append(sw.Samples, sweep.Sample{Round: round, Version: p.version, Twin: p.twin, Status: sweep.OK, Started: s.clock})
			s.clock = s.clock.Add(each)
			f.Takes += each
		}
	}
	f.Plan = sw.Plan
	s.foreseen = append(s.foreseen, f)
	return sw
}

// Abandon implements Hands.
func (s *seer) Abandon(context.Context, sweep.Sweep) error { return nil }

// Say implements Hands.
func (s *seer) Say(string, ...any) {}

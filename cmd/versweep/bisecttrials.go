package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/bisect"
)

// trials measure for one search. What the store has of a trial is not measured
// again, so that a search that was killed comes to where it was by itself.
type trials struct {
	app      *app
	st       *store.Store
	l        *launching // nil when only what is stored is read
	stretch  *stretch
	sweeps   []*sweep.Sweep // by number of the trial, from 1
	ready    map[int]bool   // trials of which the builds are there
	outcomes map[string]sweep.Outcome
	clock    *budgetClock
	taken    int // samples taken by this process
}

// endError says that an end gives no figures, so that a search cannot go on.
type endError struct{ error }

func (e *endError) Unwrap() error { return e.error }

// budgetClock keeps a bisection within its budget.
type budgetClock struct {
	now     func() time.Time
	begun   time.Time
	budget  time.Duration // 0 for none
	spent   time.Duration // in rounds
	samples int
}

// fits tells whether so many samples more end within the budget.
func (c *budgetClock) fits(samples int, assumed time.Duration) bool {
	if c.budget <= 0 {
		return true
	}
	each := assumed
	if c.samples > 0 {
		each = c.spent / time.Duration(c.samples)
	}
	return c.now().Sub(c.begun)+each*time.Duration(samples) <= c.budget
}

func newTrials(ctx context.Context, a *app, st *store.Store, l *launching, s *stretch, clock *budgetClock) (*trials, error) {
	t := &trials{app: a, st: st, l: l, stretch: s, ready: map[int]bool{}, outcomes: map[string]sweep.Outcome{}, clock: clock}
	stored, err := st.Trials(ctx, s.b.ID)
	if err != nil {
		return nil, err
	}
	for i := range stored {
		t.sweeps = append(t.sweeps, &stored[i])
		if l != nil && stored[i].Environment.Hash() != l.environment.Hash() {
			return nil, &hintedError{
				fmt.Errorf("going on with bisection %d: it was begun in another environment (%s), and samples of two are never mixed", s.b.ID, difference(stored[i].Environment, l.environment)),
				fmt.Sprintf("the same command with GOOD and BAD begins a new one; versweep bisect --abandon %d ends this one", cmp.Or(s.b.PartOf, s.b.ID)),
			}
		}
		if was := stored[i].Plan.Definition.Hash; l != nil && was != "" && was != l.definition.Hash {
			return nil, &hintedError{
				fmt.Errorf("going on with bisection %d: %s is defined in another way than when it was begun, and samples of two are never mixed", s.b.ID, s.b.Target),
				"undo the change, or name the folder of the definition with --target-dir",
			}
		}
	}
	return t, nil
}

// measure is a bisect.Measure.
func (t *trials) measure(ctx context.Context, trial bisect.Trial, rounds int) (bisect.Reading, error) {
	if trial.Number > len(t.sweeps) {
		if t.l == nil {
			return bisect.Reading{}, bisect.ErrBudget
		}
		if !t.clock.fits((len(trial.Places())+1)*rounds, t.assumed()) {
			return bisect.Reading{}, bisect.ErrBudget
		}
		if err := t.begin(ctx, trial); err != nil {
			return bisect.Reading{}, err
		}
	}
	sw := t.sweeps[trial.Number-1]
	if err := t.checkTrial(trial, *sw); err != nil {
		return bisect.Reading{}, err
	}
	entries, nothing := t.entries(trial, *sw)
	spoilt := 0 // rounds in a row that this call took
	for !nothing {
		reading, err := t.read(trial, *sw, rounds)
		if err != nil || len(reading.Twin) >= rounds {
			return reading, err
		}
		lacking := rounds - len(reading.Twin)
		switch {
		case t.l == nil || !t.clock.fits(lacking*entries, t.assumed()):
			return bisect.Reading{}, bisect.ErrBudget
		case spoilt >= mostSpoilt:
			return bisect.Reading{}, &hintedError{
				fmt.Errorf("bisecting %s: the machine spoilt the ends' samples in %d rounds in a row", t.stretch.b.Target, spoilt),
				"versweep doctor says what disturbs it; the same command goes on later",
			}
		}
		if err := t.take(ctx, trial, sw, t.complete(*sw)+min(lacking, mostSpoilt)); err != nil {
			return bisect.Reading{}, err
		}
		again, err := t.read(trial, *sw, rounds)
		if err != nil {
			return again, err
		}
		if spoilt += min(lacking, mostSpoilt); len(again.Twin) > len(reading.Twin) {
			spoilt = 0
		}
	}
	return t.read(trial, *sw, rounds)
}

// mostSpoilt is how many rounds in a row the machine may spoil before a bisection
// gives up for now: it would go on without end.
const mostSpoilt = 10

// complete is how many rounds have been taken whole.
func (t *trials) complete(sw sweep.Sweep) int {
	n := 0
	for hasRound(sw, n+1) {
		n++
	}
	return n
}

// assumed is what a sample takes before one has been taken.
func (t *trials) assumed() time.Duration {
	return roundTime(sweep.Plan{Profile: t.stretch.o.Profile, Launcher: t.stretch.o.Launcher})
}

// checkTrial refuses to read a trial as another: then the method has changed since
// it was taken.
func (t *trials) checkTrial(trial bisect.Trial, sw sweep.Sweep) error {
	places := trial.Places()
	same := len(places) == len(sw.Plan.Versions)
	for i := 0; same && i < len(places); i++ {
		same = sw.Plan.Versions[i].Name == t.stretch.candidate(places[i]).Version.Name
	}
	if same {
		return nil
	}
	return &hintedError{
		fmt.Errorf("going on with bisection %d: its trial %d is about other versions than this versweep would choose now", t.stretch.b.ID, trial.Number),
		"begin it anew with another --seed",
	}
}

// entries is how many samples a round has; nothing says that it needs none, since
// no candidate of the trial can be had.
func (t *trials) entries(trial bisect.Trial, sw sweep.Sweep) (n int, nothing bool) {
	failed := map[string]bool{}
	for _, o := range sw.Outcomes {
		failed[o.Version] = o.Reason != ""
	}
	for _, v := range sw.Plan.Versions {
		if !failed[v.Name] {
			n++
		}
	}
	return n + 1, trial.Purpose == bisect.Probe && len(trial.Others) == 1 && failed[t.stretch.candidate(trial.Others[0]).Version.Name]
}

// hasRound tells whether a round, and with it all before, has been taken.
func hasRound(sw sweep.Sweep, round int) bool {
	if len(sw.Outcomes) < len(sw.Plan.Versions) {
		return false
	}
	last := sweep.LastAttempts(sw.Samples)
	for _, o := range sw.Outcomes {
		has := func(twin bool) bool {
			return slices.ContainsFunc(last, func(s sweep.Sample) bool { return s.Round == round && s.Version == o.Version && s.Twin == twin })
		}
		if o.Reason == "" && failedInARow(last, o.Version) < 2 && (!has(false) || o.Version == sw.Plan.Reference && !has(true)) {
			return false
		}
	}
	// Where nothing runs any more there is no round without end.
	return slices.ContainsFunc(last, func(s sweep.Sample) bool { return s.Round == round })
}

// failedInARow counts a version's last samples that failed: after two the runner
// takes no more.
func failedInARow(samples []sweep.Sample, version string) int {
	n := 0
	for _, s := range samples {
		switch {
		case s.Version != version || s.Twin:
		case s.Status == sweep.Failed:
			n++
		default:
			n = 0
		}
	}
	return n
}

// begin makes the builds of a trial and saves its plan.
func (t *trials) begin(ctx context.Context, trial bisect.Trial) error {
	s := t.stretch
	plan := sweep.Plan{
		Target: s.b.Target, Title: s.title, Source: s.b.Source, Launcher: s.o.Launcher, Profile: s.o.Profile, Listed: s.ofCommits(),
		Seed: s.o.Seed + uint64(trial.Number), Rounds: trial.MaxRounds, Effect: s.b.Effect, Reference: s.candidate(trial.Good).Version.Name, Definition: t.l.definition,
	}
	for _, place := range trial.Places() {
		plan.Versions = append(plan.Versions, s.candidate(place).Version)
	}
	if err := t.obtain(ctx, plan.Versions); err != nil {
		return err
	}
	sw, err := t.st.CreateTrial(ctx, s.b.ID, trial.Number, plan, t.l.environment, t.app.now())
	if err != nil {
		return err
	}
	if err := t.saveOutcomes(ctx, &sw); err != nil {
		return err
	}
	t.sweeps, t.ready[trial.Number] = append(t.sweeps, &sw), true
	return nil
}

func (t *trials) saveOutcomes(ctx context.Context, sw *sweep.Sweep) error {
	sw.Outcomes = nil
	for _, v := range sw.Plan.Versions {
		o := t.outcomes[v.Name]
		if err := t.st.SaveOutcome(ctx, sw.ID, o); err != nil {
			return err
		}
		sw.Outcomes = append(sw.Outcomes, o)
	}
	return nil
}

// obtain makes the builds that this process has not made yet, and sets what
// identifies their content.
func (t *trials) obtain(ctx context.Context, versions []sweep.Version) error {
	var lacking []sweep.Version
	for _, v := range versions {
		if _, ok := t.outcomes[v.Name]; !ok {
			lacking = append(lacking, v)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	outcomes, err := t.l.supply.Obtain(ctx, lacking, t.l.finish, func(o runtimes.Obtained) {
		if o.Outcome.Reason != "" {
			t.app.say("%s cannot be had: %s", o.Outcome.Version, o.Outcome.Reason)
		} else if !o.Outcome.Build.FromCache {
			t.app.say("%s fetched and built", o.Outcome.Version)
		}
	})
	if err != nil {
		return err
	}
	for i, o := range outcomes {
		t.outcomes[o.Version] = o
		for k, v := range versions {
			if v.Name == lacking[i].Name {
				versions[k] = lacking[i]
			}
		}
	}
	return nil
}

// take carries a trial on to so many rounds.
func (t *trials) take(ctx context.Context, trial bisect.Trial, sw *sweep.Sweep, rounds int) error {
	if err := t.prepare(ctx, trial.Number, sw); err != nil {
		return err
	}
	t.l.forSweep(sw.ID)
	most := sw.Plan.Rounds
	sw.Plan.Rounds = rounds
	defer func() { sw.Plan.Rounds = most }()
	bar := t.app.bar(rounds*(len(sw.Plan.Versions)+1), "measuring")
	defer bar.Clear()
	runner := sweep.Runner{Launcher: t.l.launcher, Recorder: t.st, Now: t.app.now, Machine: t.app.machine, Progress: func(s sweep.Step) {
		bar.Describe(fmt.Sprintf("%s: round %d of %d to %d", trial.Purpose, s.Round, t.stretch.o.MinRounds, most))
		bar.Set(s.Done)
	}}
	before, began := len(sw.Samples), t.app.now()
	_, err := runner.Run(ctx, sw)
	t.taken += len(sw.Samples) - before
	t.clock.samples += len(sw.Samples) - before
	t.clock.spent += t.app.now().Sub(began)
	return err
}

// prepare makes sure, before the first round that this process takes of a trial
// from the store, that its builds are there.
func (t *trials) prepare(ctx context.Context, number int, sw *sweep.Sweep) error {
	if t.ready[number] {
		return nil
	}
	t.ready[number] = true
	if len(sw.Outcomes) < len(sw.Plan.Versions) { // killed between saving the plan and its outcomes
		if err := t.obtain(ctx, slices.Clone(sw.Plan.Versions)); err != nil {
			return err
		}
		return t.saveOutcomes(ctx, sw)
	}
	if err := t.app.obtainAgain(ctx, t.l, sw); err != nil {
		return err
	}
	for _, o := range sw.Outcomes {
		if _, err := os.Stat(o.Build.Dir); o.Reason == "" && (err == nil || o.Build.Dir == "") {
			t.outcomes[o.Version] = o
		}
	}
	return nil
}

// read turns the samples of a trial into what the search wants: the rounds that
// are whole and in which both ends have a figure, so many of them or, where there
// are fewer, all. What came later is as if it had not been, since a search that is
// gone on with must see what the first one saw.
func (t *trials) read(trial bisect.Trial, sw sweep.Sweep, rounds int) (bisect.Reading, error) {
	r := bisect.Reading{Logs: map[int][]float64{}, Skipped: map[int]string{}}
	places := map[string]int{}
	for _, place := range trial.Places() {
		places[t.stretch.candidate(place).Version.Name] = place
	}
	last := sweep.LastAttempts(sw.Samples)
	measured := map[int]bool{}
	type slot struct {
		round, place int
		twin         bool
	}
	figures := map[slot]float64{}
	figure := func(round, place int, twin bool) float64 {
		if y, known := figures[slot{round, place, twin}]; known {
			return y
		}
		return math.NaN()
	}
	for _, s := range last {
		if !s.Bears(t.stretch.metric.Key) {
			continue
		}
		measured[places[s.Version]] = true
		if value := s.Values[t.stretch.metric.Key]; value > 0 {
			figures[slot{s.Round, places[s.Version], s.Twin}] = math.Log(value)
		}
	}
	cut := 0
	known := map[int]bool{}
	for s := range figures {
		known[s.place] = true
	}
	for round := 1; hasRound(sw, round) && len(r.Twin) < rounds; round++ {
		cut = round
		good, twin, bad := figure(round, trial.Good, false), figure(round, trial.Good, true), figure(round, trial.Bad, false)
		if math.IsNaN(good) && math.IsNaN(twin) || math.IsNaN(bad) {
			continue
		}
		for _, place := range trial.Places() {
			r.Logs[place] = append(r.Logs[place], figure(round, place, false))
		}
		r.Twin = append(r.Twin, twin)
	}
	if len(r.Twin) == rounds {
		last = slices.DeleteFunc(last, func(s sweep.Sample) bool { return s.Round > cut })
	}
	for _, o := range sw.Outcomes {
		if o.Reason != "" {
			r.Skipped[places[o.Version]] = o.Reason
		} else if n := len(last); failedInARow(last, o.Version) >= 2 {
			i := n - 1
			for last[i].Version != o.Version {
				i--
			}
			r.Skipped[places[o.Version]] = last[i].Reason
		}
	}
	for _, end := range []int{trial.Good, trial.Bad} {
		name := t.stretch.short(end)
		switch reason, failed := r.Skipped[end]; {
		case failed:
			return r, &endError{fmt.Errorf("bisecting %s: %s, an end of the search, cannot be measured: %s", t.stretch.b.Target, name, reason)}
		case measured[end] && !known[end]:
			return r, &endError{fmt.Errorf("bisecting %s: samples of %s have no %s", t.stretch.b.Target, name, t.stretch.metric.Key)}
		}
	}
	return r, nil
}

package nightly

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"versweep/sweep"
)

// Subject is one target as a night finds it.
type Subject struct {
	Plan   sweep.Plan      // of its sweeps, but for versions, reference, seed, budget and purpose
	Failed string          // why it cannot be swept tonight; the rest is then empty
	Found  []sweep.Version // all that its source has, in version order
	// Kept are those of them that the settings choose, with their identity, and
	// those that the settings name though they are not to be found.
	Kept      []sweep.Version
	Selection sweep.Selection // by which they were chosen
	Reference string          // empty when none has been chosen yet
	Sample    time.Duration   // that a sample takes, where no sweep tells
	Fresh     time.Duration   // age from which on samples are stale
	Budget    time.Duration   // of this target alone; 0 for no limit
	Judging   sweep.JudgeOptions
	Watching  Watching
}

// Hands carry out what a night decides. What they have measured when they fail
// they return all the same.
type Hands interface {
	// Sweep carries out a plan. enough, where it is not nil, is asked after
	// each round from the plan's least number on whether more are needed.
	Sweep(ctx context.Context, p sweep.Plan, enough func(sweep.Sweep) bool) (sweep.Sweep, error)
	// Claim makes a sweep, begun by a night that did not end, this process's, and
	// returns it as it is then: another process may have added to it, or finished
	// it. It fails with ErrElsewhere while another process goes on with it.
	Claim(ctx context.Context, id int64) (sweep.Sweep, error)
	// GoOn goes on with a sweep that was claimed.
	GoOn(ctx context.Context, sw sweep.Sweep, enough func(sweep.Sweep) bool) (sweep.Sweep, error)
	// Abandon makes an end of a sweep that cannot be gone on with, unless
	// another process does so.
	Abandon(ctx context.Context, sw sweep.Sweep) error
	// Say tells people how far the night has come.
	Say(format string, args ...any)
}

// ErrElsewhere says that another process carries a sweep out.
var ErrElsewhere = errors.New("another process goes on with it")

// Memory is what nights know of those before.
type Memory interface {
	// Attempts are the sweeps of a target, oldest first, also those in which
	// nothing could be measured.
	Attempts(ctx context.Context, target string) ([]sweep.Sweep, error)
	// UnfinishedNightly are the unfinished sweeps that nights began, oldest first.
	UnfinishedNightly(ctx context.Context) ([]sweep.Sweep, error)
	Acknowledgements(ctx context.Context, target string) ([]sweep.Acknowledgement, error)
	Told(ctx context.Context, target string) ([]Told, error)
	Suspicions(ctx context.Context, target string) ([]Suspicion, error)
	// SaveSuspicions keeps these in place of all that there are of a target.
	SaveSuspicions(ctx context.Context, target string, list []Suspicion) error
}

// Course is a night's way through its targets.
type Course struct {
	Hands  Hands
	Memory Memory
	Now    func() time.Time
	Night  int64         // number of the night
	Every  time.Duration // from one night to the next
	Budget time.Duration // of measuring; 0 for no limit
}

// spare is the part of a budget that is kept for confirming what the sweeps make
// suspicious: a suspicion that waits for a night is told a night late.
const spare = 0.25

// Result is what a night has come to.
type Result struct {
	Targets  []TargetNight
	Accounts []Account // of the same targets
}

// Run goes through the night: what an earlier one left unfinished, then what is
// new, then confirming what is suspected, then what is stale, and confirming
// again. A target that fails is told and the others go on. The error is not nil
// only when ctx ends or when the memory fails.
func (c Course) Run(ctx context.Context, subjects []Subject) (Result, error) {
	var errands []*errand
	n := &night{Course: c}
	for _, s := range subjects {
		e := &errand{Subject: s, measured: map[string]bool{}, tried: map[string]bool{}}
		e.failed = s.Failed
		if err := n.remember(ctx, e); err != nil {
			return Result{}, err
		}
		errands = append(errands, e)
	}
	if err := n.goOn(ctx, errands); err != nil {
		return Result{}, err
	}
	for i, e := range errands {
		if err := n.measureNew(ctx, e, len(errands)-i); err != nil {
			return Result{}, err
		}
	}
	for _, e := range errands {
		if err := n.pursue(ctx, e); err != nil {
			return Result{}, err
		}
		if err := n.confirm(ctx, e); err != nil {
			return Result{}, err
		}
	}
	again, err := n.refresh(ctx, errands)
	if err != nil {
		return Result{}, err
	}
	for _, e := range again {
		if err := n.confirm(ctx, e); err != nil {
			return Result{}, err
		}
	}
	var r Result
	for _, e := range errands {
		account, err := n.account(ctx, e)
		if err != nil {
			return r, err
		}
		r.Targets = append(r.Targets, e.targetNight())
		r.Accounts = append(r.Accounts, account)
	}
	return r, nil
}

// night is a course on its way.
type night struct {
	Course
	spent time.Duration // of measuring
}

// errand is what a night has to do with one target, and how far it has come.
type errand struct {
	Subject
	failed     string // why nothing more can be done with it tonight; empty while it can
	vanished   []sweep.Version
	past       []sweep.Sweep
	acks       []sweep.Acknowledgement
	told       []Told
	suspicions []Suspicion
	settled    []Suspicion // tonight
	first      bool
	spent      time.Duration
	measured   map[string]bool
	tried      map[string]bool // whatever came of it
	latest     sweep.Sweep     // tonight's of what is new
	wanted     []string        // what it was for, its neighbours left out
	left       int
	remarks    []string
}

// remember reads what is known of a target.
func (n *night) remember(ctx context.Context, e *errand) error {
	target := e.Plan.Target
	past, err := n.Memory.Attempts(ctx, target)
	if err != nil {
		return err
	}
	e.past = past
	if e.failed == "" {
		o, err := NewOutlook(e.Subject, past)
		if err != nil {
			return err
		}
		e.past, e.vanished, e.Kept = o.Past, o.Vanished, o.Kept
	}
	if e.acks, err = n.Memory.Acknowledgements(ctx, target); err != nil {
		return err
	}
	if e.told, err = n.Memory.Told(ctx, target); err != nil {
		return err
	}
	if e.suspicions, err = n.Memory.Suspicions(ctx, target); err != nil {
		return err
	}
	e.first = len(e.told) == 0 && !slices.ContainsFunc(e.past, func(sw sweep.Sweep) bool { return sw.Plan.Night > 0 })
	return nil
}

// remark keeps and says what went otherwise than planned.
func (n *night) remark(e *errand, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	e.remarks = append(e.remarks, line)
	n.Hands.Say("%s: %s", e.Plan.Target, line)
}

// budget is what is left to measure a target, Unlimited without any limit. It
// may be negative.
func (n *night) budget(e *errand) time.Duration {
	left := Unlimited
	if n.Budget > 0 {
		left = n.Budget - n.spent
	}
	if e.Budget > 0 {
		left = min(left, e.Budget-e.spent)
	}
	return left
}

// OneLine is the text of an error in one line: several that were joined have
// semicolons between them.
func OneLine(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if words := strings.Join(strings.Fields(line), " "); words != "" {
			lines = append(lines, words)
		}
	}
	return strings.Join(lines, "; ")
}

// share is a part of a duration; all of Unlimited is no limit.
func share(d time.Duration, part float64) time.Duration {
	if d == Unlimited {
		return d
	}
	return time.Duration(float64(d) * part)
}

// sample is how long a sample of a target takes.
func (e *errand) sample() time.Duration {
	if d := SampleTime(e.past); d > 0 {
		return d
	}
	return e.Sample
}

// leastRounds is how few rounds a sweep of the plan may have.
func leastRounds(p sweep.Plan) int {
	if p.MinRounds > 0 {
		return p.MinRounds
	}
	return p.Rounds
}

func (n *night) agenda(e *errand) Agenda {
	return Outlook{Past: e.past, Kept: e.Kept}.Agenda(e.Subject, n.Every, n.Now())
}

func (e *errand) reference() string { return Outlook{Past: e.past}.reference(e.Subject) }

// judge says what all sweeps of the target have to say by now; nil when there is
// nothing.
func (e *errand) judge() *sweep.Judgement {
	past := slices.DeleteFunc(slices.Clone(e.past), func(sw sweep.Sweep) bool { return sw.ID < 0 }) // only foreseen
	if len(past) == 0 {
		return nil
	}
	o := e.Judging
	o.Source = past[len(past)-1].Plan.Source
	j := sweep.Judge(past, o)
	if len(j.Metrics) == 0 {
		return nil
	}
	sweep.ApplyAcknowledgements(&j, e.acks)
	return &j
}

func (e *errand) targetNight() TargetNight {
	t := TargetNight{Target: e.Plan.Target, Title: e.Plan.Title, Tried: len(e.tried), Left: e.left, Remarks: e.remarks, Suspicions: e.settled}
	for _, v := range e.Found {
		if e.measured[v.Name] {
			t.Measured = append(t.Measured, v.Name)
		}
	}
	if len(t.Measured) == 0 {
		t.Failed = e.failed
	} else {
		t.Stopped = e.failed
	}
	for _, s := range e.suspicions {
		if s.Standing == Suspected {
			t.Suspicions = append(t.Suspicions, s)
		}
	}
	return t
}

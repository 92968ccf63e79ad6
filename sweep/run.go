package sweep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"versweep/sweep/load"
)

// Recorder keeps samples.
type Recorder interface {
	// SaveSample stores s for good before it returns, and sets its ID.
	SaveSample(ctx context.Context, sweep int64, s *Sample) error
}

// Runner carries out the rounds of a sweep.
type Runner struct {
	Launcher Launcher
	Recorder Recorder
	Now      func() time.Time
	Progress func(Step) // called before and after each sample; may be nil
	Machine  Machine    // that servers run on, watched while they are measured; the zero value is not
	// Enough, where it is not nil, decides in place of the usual rule when a
	// sweep has its answer: it is asked before each round that begins after the
	// plan's least number of rounds, and no version is left out before that.
	Enough func(Sweep) bool
}

// Step is how far a sweep has come.
type Step struct {
	Round   int     // from 1
	Done    int     // samples taken or not needed any more
	Total   int     // samples planned
	Version string  // being sampled
	Twin    bool    // under its second label
	Sample  *Sample // nil before the sample is taken
}

// giveUpAfter is how many samples in a row may fail before a version is left
// out of the following rounds: one failure can be chance, two rarely are.
const giveUpAfter = 2

// Run takes the samples that sw still lacks and adds them to sw. Each round
// samples every build once, the reference a second time as its own twin, in an
// order that the plan's seed decides. From the plan's least number of rounds on,
// versions about which all is settled are left out of further rounds, and when
// all are, the sweep is at its end; so it is when another round would not fit
// into the plan's budget. A version that fails is a result; Run returns an error
// only when ctx ends or when it cannot go on at all.
//
// What sw has already decides the rest: a sweep that was stopped anywhere, even
// killed, takes the samples that it would have taken, and none twice. Of its
// budget it has used what its samples took to measure.
func (r Runner) Run(ctx context.Context, sw *Sweep) (End, error) {
	builds := map[string]Build{}
	for _, o := range sw.Outcomes {
		if o.Reason == "" {
			builds[o.Version] = o.Build
		}
	}
	entries := sw.Plan.entries(builds)
	taken := map[slot]bool{}
	for _, s := range sw.Samples {
		taken[slot{s.Round, s.Version, s.Twin}] = true
	}
	interrupted, again := sw.interruptedAttempt()
	settled := settling{}
	clock := newPace(*sw, r.Now())
	step := Step{Total: sw.Plan.Rounds * len(entries)}
	for round := 1; round <= sw.Plan.Rounds; round++ {
		order := sw.Plan.order(round, entries)
		if r.Enough == nil {
			// For a round that has begun this is what was seen before it.
			settled.update(sw.before(round), round)
		}
		if begun := slices.ContainsFunc(order, func(e entry) bool { return taken[slot{round, e.version, e.twin}] }); !begun {
			enough := false
			if r.Enough == nil {
				enough = settled.all(*sw, entries)
			} else if adaptive(sw.Plan) && round > sw.Plan.MinRounds {
				enough = r.Enough(*sw)
			}
			switch {
			case enough:
				return EndSettled, nil
			case !clock.fits(r.Now(), settled.left(*sw, entries)):
				return EndBudget, nil
			}
		}
		for position, e := range order {
			step.Round, step.Version, step.Twin, step.Sample = round, e.version, e.twin, nil
			place, attempt := slot{round, e.version, e.twin}, 0
			cutOff := again && place == interrupted.slot
			if cutOff {
				attempt, again = interrupted.attempt, false
			}
			if cutOff || !taken[place] && !givenUp(LastAttempts(sw.Samples), e) && !settled.skips(e) {
				r.tell(step)
				if err := r.takeSample(ctx, sw, e, round, position, attempt, builds[e.version]); err != nil {
					return "", err
				}
				clock.samples++
				step.Sample = &sw.Samples[len(sw.Samples)-1]
			}
			step.Done++
			r.tell(step)
		}
	}
	return EndRounds, nil
}

func (r Runner) tell(s Step) {
	if r.Progress != nil {
		r.Progress(s)
	}
}

// slot is the place of one sample in a sweep.
type slot struct {
	round   int
	version string
	twin    bool
}

// entry is what is sampled once a round.
type entry struct {
	version string
	twin    bool
}

// entries lists what a round samples: every build in version order, then the
// reference's twin.
func (p Plan) entries(builds map[string]Build) []entry {
	var es []entry
	for _, v := range p.Versions {
		if _, ok := builds[v.Name]; ok {
			es = append(es, entry{version: v.Name})
		}
	}
	if _, ok := builds[p.Reference]; ok {
		es = append(es, entry{version: p.Reference, twin: true})
	}
	return es
}

// order shuffles the entries for one round. The same seed and round give the
// same order in another process and on another day.
func (p Plan) order(round int, entries []entry) []entry {
	shuffled := append([]entry(nil), entries...)
	rng := rand.New(rand.NewPCG(p.Seed, uint64(round)))
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled
}

// givenUp tells whether e's last samples all failed.
func givenUp(samples []Sample, e entry) bool {
	failed := 0
	for _, s := range samples {
		if s.Version != e.version || s.Twin != e.twin {
			continue
		}
		if s.Status != Failed {
			failed = 0
			continue
		}
		failed++
	}
	return failed >= giveUpAfter
}

// telling picks the line of a log that is most likely to say what went wrong,
// to go behind a reason: the first that names an error, since stack traces and
// banners follow it, or else the last.
func telling(log []string) string {
	if len(log) == 0 {
		return ""
	}
	i := slices.IndexFunc(log, func(line string) bool { return strings.Contains(strings.ToLower(line), "error") })
	if i < 0 {
		i = len(log) - 1
	}
	return ": " + strings.TrimSpace(log[i])
}

// sample measures one fresh instance of b.
func (r Runner) sample(ctx context.Context, b Build, sw *Sweep) (_ Sample, err error) {
	p := sw.Plan
	s := Sample{Started: r.Now()}
	instance, err := r.Launcher.Start(ctx, b)
	if failed, ok := errors.AsType[*StartError](err); ok && ctx.Err() == nil {
		s.Status, s.Reason, s.Log = Failed, failed.Reason+telling(failed.Log), failed.Log
		return s, nil
	}
	if err != nil {
		return Sample{}, fmt.Errorf("starting %s %s: %w", p.Target, b.Version, err)
	}
	usage, pacedUsage := newGuard(instance, r.Machine, sw.Environment), newGuard(instance, r.Machine, sw.Environment)
	result, loadErr := instance.Load(ctx, p.Profile, usage.hooks())
	if p.LatencyRate > 0 && loadErr == nil && result.OK > 0 {
		var paced load.Result
		if paced, loadErr = instance.Load(ctx, p.Paced(), pacedUsage.hooks()); loadErr == nil {
			s.Paced = &paced
		}
	}
	exit, stopErr := instance.Stop()
	if loadErr == nil {
		s.Load = &result
		s.Marks = usage.marks(p.Profile, result, exit)
		if s.Paced != nil {
			for _, m := range pacedUsage.marks(p.Paced(), *s.Paced, exit) {
				m.Detail = "at the fixed rate, " + m.Detail
				s.Marks = append(s.Marks, m)
			}
		}
	}
	switch {
	case ctx.Err() != nil:
		return Sample{}, ctx.Err()
	case exit.Early:
		s.Status, s.Log = Failed, exit.Log
		s.Reason = fmt.Sprintf("the server ended while it was measured (%s)%s", exit.Status, telling(exit.Log))
		return s, nil
	case loadErr != nil:
		return Sample{}, fmt.Errorf("measuring %s %s: %w", p.Target, b.Version, loadErr)
	case stopErr != nil:
		return Sample{}, fmt.Errorf("stopping %s %s: %w", p.Target, b.Version, stopErr)
	case usage.err != nil:
		return Sample{}, fmt.Errorf("measuring %s %s: %w", p.Target, b.Version, usage.err)
	}
	s.Status, s.Reason = judgeAnswers(result)
	if s.Status != OK {
		s.Log = exit.Log
	}
	startup, known := instance.StartupTime()
	if !known {
		startup = -1
	}
	s.Values = values(result, usage.start, usage.end, startup, b)
	if s.Paced != nil {
		addPaced(s.Values, *s.Paced)
	}
	return s, nil
}

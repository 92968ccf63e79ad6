// Package simulated is a machine, a target with releases and a memory, all made
// up, on which real nights run: real rounds, the real judgement, real questions.
// Only the figures are drawn. Nothing in the program uses it: the tests of
// package nightly do, and cmd/calibrate, which counts how often nights are wrong.
package simulated

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
	"versweep/sweep/nightly"
)

// World is the hands and the memory of its nights, with a clock that samples move
// on. Its noise is that of a quiet machine of two cores and worse, as standard
// deviations of logarithms: 4 % a sample, of which one in twenty is three times as
// noisy, 3 % for what eight samples in a row have in common, 5 % a night. A World
// is not for several goroutines at once.
type World struct {
	Clock    time.Time
	Released []sweep.Version    // in version order
	Levels   map[string]float64 // logarithm of what a version is quicker than the first
	Fails    map[string]string  // versions that do not start, with the reason
	Watching nightly.Watching
	Acks     []sweep.Acknowledgement

	Sweeps []sweep.Sweep // oldest first

	Raised  map[string]nightly.Suspicion // all that were ever raised, by finding and time
	Samples int
	Planned []string             // purpose and number of versions of tonight's sweeps
	Said    []string             // tonight
	OnStart func()               // called before an instance is started; may be nil
	OnClaim func(id int64) error // called before a sweep is claimed; may be nil

	rng        *rand.Rand
	told       []nightly.Told
	suspicions []nightly.Suspicion
	night      float64         // the night's effect
	round      map[int]float64 // and those of what is measured in a row
}

// Day is the time from one night to the next.
const Day = 24 * time.Hour

// inARow is how many samples have the machine's mood in common.
const inARow = 8

// NewWorld is a world with so many releases, all alike, before its first night.
// The seed decides all that follows.
func NewWorld(seed uint64, releases int) *World {
	w := &World{
		rng: rand.New(rand.NewPCG(seed, 99)), Clock: time.Date(2026, 6, 1, 2, 0, 0, 0, time.UTC),
		Levels: map[string]float64{}, Fails: map[string]string{}, Raised: map[string]nightly.Suspicion{},
	}
	for range releases {
		w.Release(0)
	}
	return w
}

// Release adds a version whose throughput differs from the first one's by a
// logarithm, and returns its name.
func (w *World) Release(level float64) string {
	v, err := sweep.ParseVersion(fmt.Sprintf("1.%d.0", len(w.Released)), sweep.LineByMajor)
	if err != nil {
		panic(err) // of a name that is made here
	}
	v.Source, v.Commit = "git", fmt.Sprintf("%040d", len(w.Released))
	w.Released = append(w.Released, v)
	w.Levels[v.Name] = level
	return v.Name
}

// Subject is what a night is told to do: 5 to 15 rounds a sweep, samples stale
// after 30 days.
func (w *World) Subject() nightly.Subject {
	return nightly.Subject{
		Plan: sweep.Plan{
			Target: "x", Title: "X", Source: "git", Launcher: "process", Rounds: 15, MinRounds: 5, Effect: sweep.DefaultEffect,
			Profile: load.Profile{Connections: 100, Duration: time.Second},
		},
		Found: w.Released, Kept: w.Released, Selection: sweep.Selection{Per: sweep.PerPatch}, Sample: sampleTime, Fresh: 30 * Day,
		Watching: w.Watching,
	}
}

// sampleTime is how far a sample moves the clock on.
const sampleTime = 1600 * time.Millisecond

// Course is the way of a night with a budget; 0 is no limit.
func (w *World) Course(budget time.Duration) nightly.Course {
	return nightly.Course{
		Hands: w, Memory: w, Now: func() time.Time { return w.Clock }, Night: int64(len(w.Sweeps) + 1), Every: Day, Budget: budget,
	}
}

// Night runs a night from start to end, remembers what it tells as delivered and
// moves the clock to the next.
func (w *World) Night(ctx context.Context, budget time.Duration) (nightly.Account, error) {
	w.night, w.Planned, w.Said = 0.05*w.rng.NormFloat64(), nil, nil
	r, err := w.Course(budget).Run(ctx, []nightly.Subject{w.Subject()})
	if err != nil {
		return nightly.Account{}, err
	}
	w.told = r.Accounts[0].Told
	w.Clock = w.Clock.Add(Day).Truncate(time.Hour)
	return r.Accounts[0], nil
}

// Sweep implements nightly.Hands with the real rounds.
func (w *World) Sweep(ctx context.Context, p sweep.Plan, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	if p.Reference == "" {
		p.Reference = p.Versions[len(p.Versions)-1].Name
	}
	i := slices.IndexFunc(w.Released, func(v sweep.Version) bool { return v.Name == p.Reference })
	if !slices.ContainsFunc(p.Versions, func(v sweep.Version) bool { return v.Name == p.Reference }) {
		p.Versions = sweep.SortVersions(append(p.Versions, w.Released[i]))
	}
	p.Seed = w.rng.Uint64()
	sw := sweep.Sweep{ID: int64(len(w.Sweeps) + 1), Plan: p, Created: w.Clock}
	for _, v := range p.Versions {
		sw.Outcomes = append(sw.Outcomes, sweep.Outcome{Version: v.Name, Build: sweep.Build{Version: v.Name}, Reason: w.Fails[v.Name]})
	}
	w.Planned = append(w.Planned, fmt.Sprintf("%s %d", p.Purpose, len(p.Versions)))
	w.Sweeps = append(w.Sweeps, sw)
	return w.GoOn(ctx, sw, enough)
}

func (w *World) Claim(_ context.Context, id int64) (sweep.Sweep, error) {
	if w.OnClaim != nil {
		if err := w.OnClaim(id); err != nil {
			return sweep.Sweep{}, err
		}
	}
	return w.Sweeps[id-1], nil
}

func (w *World) GoOn(ctx context.Context, sw sweep.Sweep, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	w.round = map[int]float64{}
	r := sweep.Runner{Launcher: w, Recorder: w, Now: func() time.Time { return w.Clock }, Enough: enough}
	_, err := r.Run(ctx, &sw)
	if err == nil {
		sw.Finished = w.Clock
	}
	w.Sweeps[sw.ID-1] = sw
	return sw, err
}

func (w *World) Abandon(_ context.Context, sw sweep.Sweep) error {
	w.Sweeps[sw.ID-1].Finished = w.Clock
	return nil
}

func (w *World) Say(format string, args ...any) {
	w.Said = append(w.Said, fmt.Sprintf(format, args...))
}

// Start implements sweep.Launcher.
func (w *World) Start(_ context.Context, b sweep.Build) (sweep.Instance, error) {
	if w.OnStart != nil {
		w.OnStart()
	}
	noise := 0.04 * w.rng.NormFloat64()
	if w.rng.IntN(20) == 0 {
		noise *= 3
	}
	round := w.Samples / inARow
	if _, known := w.round[round]; !known {
		w.round[round] = 0.03 * w.rng.NormFloat64()
	}
	return &madeUp{w: w, speed: w.Levels[b.Version] + w.night + w.round[round] + noise}, nil
}

// SaveSample implements sweep.Recorder.
func (w *World) SaveSample(context.Context, int64, *sweep.Sample) error {
	w.Samples++
	return nil
}

// madeUp is an instance; speed is the logarithm of its throughput.
type madeUp struct {
	w     *World
	speed float64
	cpu   time.Duration
}

func (m *madeUp) StartupTime() (time.Duration, bool) {
	return time.Duration(4e7 * math.Exp(0.08*m.w.rng.NormFloat64())), true
}

func (m *madeUp) Load(_ context.Context, p load.Profile, h load.Hooks) (load.Result, error) {
	m.w.Clock = m.w.Clock.Add(sampleTime)
	ok := int64(20000 * math.Exp(m.speed))
	h.WindowStart()
	m.cpu += time.Duration(5e4 * math.Exp(-m.w.levelOf(m)+0.03*m.w.rng.NormFloat64()) * float64(ok))
	h.WindowEnd()
	return load.Result{Scheduled: ok, Started: ok, OK: ok, Elapsed: time.Second, Connections: 100}, nil
}

// levelOf is what of an instance's speed comes from it and not from the machine,
// roughly.
func (w *World) levelOf(m *madeUp) float64 { return m.speed - w.night }

func (m *madeUp) Usage() (sweep.Usage, error) {
	return sweep.Usage{CPU: m.cpu, PeakRSS: int64(5e7 * math.Exp(0.01*m.w.rng.NormFloat64()))}, nil
}

func (m *madeUp) Stop() (sweep.Exit, error) { return sweep.Exit{}, nil }

func (w *World) Attempts(context.Context, string) ([]sweep.Sweep, error) {
	return slices.Clone(w.Sweeps), nil
}

func (w *World) UnfinishedNightly(context.Context) ([]sweep.Sweep, error) {
	return slices.DeleteFunc(slices.Clone(w.Sweeps), func(sw sweep.Sweep) bool { return !sw.Finished.IsZero() }), nil
}

func (w *World) Acknowledgements(context.Context, string) ([]sweep.Acknowledgement, error) {
	return w.Acks, nil
}

func (w *World) Told(context.Context, string) ([]nightly.Told, error) { return w.told, nil }

func (w *World) Suspicions(context.Context, string) ([]nightly.Suspicion, error) {
	return slices.Clone(w.suspicions), nil
}

func (w *World) SaveSuspicions(_ context.Context, _ string, list []nightly.Suspicion) error {
	for _, s := range list {
		if s.Standing == nightly.Suspected && s.Tries == 0 {
			w.Raised[s.Finding.ID+" "+s.Since.String()] = s
		}
	}
	w.suspicions = slices.Clone(list)
	return nil
}

package nightly

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// world is a machine, a target with releases and a store, all made up, with a
// clock that samples move on. Noise is what a quiet machine of two cores has (see
// docs/DESIGN: 3.9 % a sample) and worse: nights and rounds have effects of their
// own, and one sample in twenty is three times as noisy.
type world struct {
	rng      *rand.Rand
	now      time.Time
	released []sweep.Version
	level    map[string]float64 // logarithm of what a version is quicker
	fails    map[string]string  // versions that do not start, with the reason
	night    float64            // the night's effect
	round    map[int]float64    // and the rounds'

	sweeps     []sweep.Sweep
	told       []Told
	suspicions []Suspicion
	raised     map[string]bool // suspicions that were ever raised, with their night
	samples    int
	planned    []string // purposes and versions of the sweeps of a night
	said       []string
	onStart    func() // called before an instance is started; may be nil
	onClaim    func(id int64) error
}

func newWorld(seed uint64, releases int) *world {
	w := &world{
		rng: rand.New(rand.NewPCG(seed, 99)), now: tonight, level: map[string]float64{}, fails: map[string]string{},
		raised: map[string]bool{},
	}
	for range releases {
		w.release(0)
	}
	return w
}

// release adds a version whose throughput differs from the first one's by a
// logarithm.
func (w *world) release(level float64) string {
	v := release(fmt.Sprintf("1.%d.0", len(w.released)), fmt.Sprintf("%040d", len(w.released)))
	w.released = append(w.released, v)
	w.level[v.Name] = level
	return v.Name
}

// A night from start to end; what was delivered is kept as told.
func (w *world) run(t *testing.T, budget time.Duration) Account {
	t.Helper()
	w.night, w.planned, w.said = 0.05*w.rng.NormFloat64(), nil, nil
	c := Course{Hands: w, Memory: w, Now: func() time.Time { return w.now }, Night: int64(len(w.sweeps) + 1), Every: day, Budget: budget}
	r, err := c.Run(t.Context(), []Subject{w.subject()})
	if err != nil {
		t.Fatal(err)
	}
	w.told = r.Accounts[0].Told
	w.now = w.now.Add(day).Truncate(time.Hour)
	return r.Accounts[0]
}

// Sweep implements Hands with the real rounds.
func (w *world) Sweep(ctx context.Context, p sweep.Plan, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	if p.Reference == "" {
		p.Reference = p.Versions[len(p.Versions)-1].Name
	}
	i := slices.IndexFunc(w.released, func(v sweep.Version) bool { return v.Name == p.Reference })
	if !slices.ContainsFunc(p.Versions, func(v sweep.Version) bool { return v.Name == p.Reference }) {
		p.Versions = sweep.SortVersions(append(p.Versions, w.released[i]))
	}
	p.Seed = w.rng.Uint64()
	sw := sweep.Sweep{ID: int64(len(w.sweeps) + 1), Plan: p, Created: w.now}
	for _, v := range p.Versions {
		sw.Outcomes = append(sw.Outcomes, sweep.Outcome{Version: v.Name, Build: sweep.Build{Version: v.Name}, Reason: w.fails[v.Name]})
	}
	w.planned = append(w.planned, fmt.Sprintf("%s %d", p.Purpose, len(p.Versions)))
	w.sweeps = append(w.sweeps, sw)
	return w.GoOn(ctx, sw, enough)
}

func (w *world) Claim(_ context.Context, id int64) (sweep.Sweep, error) {
	if w.onClaim != nil {
		if err := w.onClaim(id); err != nil {
			return sweep.Sweep{}, err
		}
	}
	return w.sweeps[id-1], nil
}

func (w *world) GoOn(ctx context.Context, sw sweep.Sweep, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	w.round = map[int]float64{}
	r := sweep.Runner{Launcher: w, Recorder: w, Now: func() time.Time { return w.now }, Enough: enough}
	_, err := r.Run(ctx, &sw)
	if err == nil {
		sw.Finished = w.now
	}
	w.sweeps[sw.ID-1] = sw
	return sw, err
}

func (w *world) Abandon(_ context.Context, sw sweep.Sweep) error {
	w.sweeps[sw.ID-1].Finished = w.now
	return nil
}

func (w *world) Say(format string, args ...any) {
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// Start implements sweep.Launcher.
func (w *world) Start(_ context.Context, b sweep.Build) (sweep.Instance, error) {
	if w.onStart != nil {
		w.onStart()
	}
	noise := 0.04 * w.rng.NormFloat64()
	if w.rng.IntN(20) == 0 {
		noise *= 3
	}
	round := w.samples / 8 // what changes from time to time
	if _, known := w.round[round]; !known {
		w.round[round] = 0.03 * w.rng.NormFloat64()
	}
	return &madeUp{w: w, speed: w.level[b.Version] + w.night + w.round[round] + noise}, nil
}

// SaveSample implements sweep.Recorder.
func (w *world) SaveSample(context.Context, int64, *sweep.Sample) error {
	w.samples++
	return nil
}

// madeUp is an instance; speed is the logarithm of its throughput.
type madeUp struct {
	w     *world
	speed float64
	cpu   time.Duration
}

func (m *madeUp) StartupTime() (time.Duration, bool) {
	return time.Duration(4e7 * math.Exp(0.08*m.w.rng.NormFloat64())), true
}

func (m *madeUp) Load(_ context.Context, p load.Profile, h load.Hooks) (load.Result, error) {
	m.w.now = m.w.now.Add(1600 * time.Millisecond)
	ok := int64(20000 * math.Exp(m.speed))
	h.WindowStart()
	m.cpu += time.Duration(5e4 * math.Exp(-m.w.levelOf(m)+0.03*m.w.rng.NormFloat64()) * float64(ok))
	h.WindowEnd()
	return load.Result{Scheduled: ok, Started: ok, OK: ok, Elapsed: time.Second, Connections: 100}, nil
}

// levelOf is what of an instance's speed comes from it and not from the machine,
// roughly.
func (w *world) levelOf(m *madeUp) float64 { return m.speed - w.night }

func (m *madeUp) Usage() (sweep.Usage, error) {
	return sweep.Usage{CPU: m.cpu, PeakRSS: int64(5e7 * math.Exp(0.01*m.w.rng.NormFloat64()))}, nil
}

func (m *madeUp) Stop() (sweep.Exit, error) { return sweep.Exit{}, nil }

// The memory.

func (w *world) Attempts(context.Context, string) ([]sweep.Sweep, error) {
	return slices.Clone(w.sweeps), nil
}

func (w *world) UnfinishedNightly(context.Context) ([]sweep.Sweep, error) {
	return slices.DeleteFunc(slices.Clone(w.sweeps), func(sw sweep.Sweep) bool { return !sw.Finished.IsZero() }), nil
}

func (w *world) Acknowledgements(context.Context, string) ([]sweep.Acknowledgement, error) {
	return nil, nil
}

func (w *world) Told(context.Context, string) ([]Told, error) { return w.told, nil }

func (w *world) Suspicions(context.Context, string) ([]Suspicion, error) {
	return slices.Clone(w.suspicions), nil
}

func (w *world) SaveSuspicions(_ context.Context, _ string, list []Suspicion) error {
	for _, s := range list {
		if s.Standing == Suspected && s.Tries == 0 {
			w.raised[s.Finding.ID+s.Since.String()] = true
		}
	}
	w.suspicions = slices.Clone(list)
	return nil
}

// newRegressions counts the notices of new regressions.
func newRegressions(a Account) int {
	n := 0
	for _, notice := range a.Notices {
		if notice.State == New {
			n++
		}
	}
	return n
}

// Nothing ever changes over many nights: what is suspected is chance, and fresh
// rounds say so.
func TestQuietNightsTellNothing(t *testing.T) {
	nights := simulatedNights
	raised, told, other := 0, 0, 0
	for seed := range simulatedWorlds {
		w := newWorld(uint64(seed+1), 40)
		for night := range nights {
			if night%10 == 9 {
				w.release(0)
			}
			a := w.run(t, 4*time.Minute)
			n := newRegressions(a)
			told += n
			other += len(a.Notices) - n
		}
		raised += len(w.raised)
	}
	t.Logf("%d worlds of %d nights over 40 versions: %d suspicions, %d told as new, %d other notices", simulatedWorlds, nights, raised, told, other)
	if told > raised/4+1 {
		t.Errorf("of %d suspicions without any cause %d were told", raised, told)
	}
}

const (
	simulatedWorlds = 1
	simulatedNights = 40
)

// A release that is slower is told, and so is the one that is not any more.
func TestSlowerReleaseIsTold(t *testing.T) {
	for _, change := range []float64{-0.05, -0.07, -0.10} {
		found, nightsToTell := 0, 0
		const worlds = 4
		for seed := range uint64(worlds) {
			w := newWorld(100+seed, 12)
			w.run(t, 0)
			w.run(t, 4*time.Minute)
			w.release(math.Log1p(change))
			for night := range 5 {
				a := w.run(t, 4*time.Minute)
				if slices.ContainsFunc(a.Notices, func(n Notice) bool {
					return n.State == New && n.Finding.To == "1.12.0" && n.Finding.Metric.Key == sweep.QPS && n.Confirmed != nil
				}) {
					found++
					nightsToTell += night
					break
				}
			}
		}
		t.Logf("%.0f %%: told in %d of %d worlds, after %.1f nights more on average", 100*change, found, worlds, float64(nightsToTell)/max(1, float64(found)))
		if found < worlds/2 {
			t.Errorf("%.0f %%: told in %d of %d worlds", 100*change, found, worlds)
		}
	}
}

// What does not fit into a night is left, the newest versions are not, and the
// nights after do the rest.
func TestBudgetOverNights(t *testing.T) {
	w := newWorld(7, 30)
	budget := 90 * time.Second // the spare quarter left out, 8 samples of 5 rounds fit
	var measured []int
	for range 8 {
		began := w.now
		w.run(t, budget)
		took := time.Duration(0)
		for _, sw := range w.sweeps {
			if n := len(sw.Samples); n > 0 && !sw.Samples[0].Started.Before(began) {
				took += sw.Samples[n-1].Started.Sub(sw.Samples[0].Started)
			}
		}
		if took > budget {
			t.Errorf("a night of %v measured for %v", budget, took)
		}
		n := 0
		for _, r := range recordsOf(w.sweeps) {
			if r.good > 0 {
				n++
			}
		}
		measured = append(measured, n)
	}
	if first := w.sweeps[0].Plan.Versions; first[len(first)-1].Name != "1.29.0" || len(first) != 7 {
		t.Errorf("the first night measured %d versions up to %s", len(first), first[len(first)-1].Name)
	}
	if measured[0] < 7 || measured[len(measured)-1] != 30 {
		t.Errorf("versions measured by night: %v", measured)
	}
}

// A sweep to confirm that is ended in the middle is gone on with, and its rounds
// answer what it was begun for.
func TestConfirmationIsGoneOnWith(t *testing.T) {
	w := newWorld(3, 8)
	w.run(t, 0)
	w.release(-0.3)
	ctx, cancel := context.WithCancel(t.Context())
	ends := &ended{world: w, cancel: cancel}
	c := Course{Hands: ends, Memory: w, Now: func() time.Time { return w.now }, Night: 2, Every: day}
	s := Subject{
		Plan:  sweep.Plan{Target: "x", Title: "X", Source: "git", Rounds: 15, MinRounds: 5, Effect: 0.03, Profile: load.Profile{Connections: 100, Duration: time.Second}},
		Found: w.released, Kept: w.released, Selection: sweep.Selection{Per: sweep.PerPatch}, Sample: time.Second, Fresh: 30 * day,
	}
	if _, err := c.Run(ctx, []Subject{s}); err == nil {
		t.Fatal("the night was not ended")
	}
	last := w.sweeps[len(w.sweeps)-1]
	if last.Plan.Purpose != sweep.PurposeConfirm || !last.Finished.IsZero() || len(last.Samples) == 0 {
		t.Fatalf("left unfinished: %+v with %d samples", last.Plan.Purpose, len(last.Samples))
	}
	before, sweeps := w.samples, len(w.sweeps)
	a := w.run(t, 0)
	if len(w.sweeps) != sweeps {
		t.Errorf("it was begun anew: %q", w.planned)
	}
	if newRegressions(a) == 0 || a.Notices[0].Confirmed == nil || w.samples == before {
		t.Errorf("told: %s", noticesText(a.Notices))
	}
	seen := map[string]bool{}
	for _, s := range w.sweeps[len(w.sweeps)-1].Samples {
		slot := fmt.Sprint(s.Round, s.Version, s.Twin, s.Attempt)
		if seen[slot] {
			t.Errorf("measured twice: %s", slot)
		}
		seen[slot] = true
	}
}

// What another process did before a sweep was claimed is counted as its own: a
// sweep that it finished is taken as it is, and one that is still its, or cannot be
// gone on with, was tried by nobody.
func TestUnfinishedSweepIsReadOnceClaimed(t *testing.T) {
	for name, c := range map[string]struct {
		claim func(w *world, sw *sweep.Sweep) error
		fails bool
		left  bool // unfinished
	}{
		"finished meanwhile": {func(w *world, sw *sweep.Sweep) error {
			_, err := (&sweep.Runner{Launcher: w, Recorder: w, Now: func() time.Time { return w.now }}).Run(t.Context(), sw)
			sw.Finished = w.now
			return err
		}, false, false},
		"elsewhere": {func(*world, *sweep.Sweep) error { return ErrElsewhere }, false, true},
		"refused":   {func(*world, *sweep.Sweep) error { return nil }, true, false},
	} {
		w := newWorld(11, 3)
		w.run(t, 0)
		w.planned = nil
		last := &w.sweeps[len(w.sweeps)-1]
		last.Samples, last.Finished = last.Samples[:6], time.Time{}
		w.onClaim = func(id int64) error { return c.claim(w, &w.sweeps[id-1]) }
		e := &errand{measured: map[string]bool{}, tried: map[string]bool{}}
		e.Plan = last.Plan
		e.past = []sweep.Sweep{*last}
		n := &night{Course: Course{Hands: refusing{w, c.fails}, Memory: w, Now: func() time.Time { return w.now }, Every: day}}
		if err := n.goOn(t.Context(), []*errand{e}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(e.tried) > 0 || len(e.measured) > 0 || n.spent > 0 || last.Finished.IsZero() != c.left || len(e.past[0].Samples) != len(last.Samples) {
			t.Errorf("%s: tried %v, measured %v, spent %v, finished %v", name, e.tried, e.measured, n.spent, last.Finished)
		}
	}
}

// refusing are hands that cannot go on with a sweep where fails says so.
type refusing struct {
	*world
	fails bool
}

func (r refusing) GoOn(ctx context.Context, sw sweep.Sweep, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	if r.fails {
		return sw, fmt.Errorf("another environment")
	}
	return r.world.GoOn(ctx, sw, enough)
}

// ended are hands that are stopped in the middle of confirming.
type ended struct {
	*world
	cancel func()
}

func (e *ended) Sweep(ctx context.Context, p sweep.Plan, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	if p.Purpose != sweep.PurposeConfirm {
		return e.world.Sweep(ctx, p, enough)
	}
	starts := 0
	e.onStart = func() {
		if starts++; starts > 7 {
			e.cancel()
			e.onStart = nil
		}
	}
	return e.world.Sweep(ctx, p, enough)
}

// A target that fails is told and does not end the night of the others.
func TestFailedTargetDoesNotEndTheNight(t *testing.T) {
	w := newWorld(5, 3)
	c := Course{Hands: w, Memory: w, Now: func() time.Time { return w.now }, Night: 1, Every: day}
	broken := Subject{Plan: sweep.Plan{Target: "y", Title: "Y"}, Failed: "no network"}
	s := Subject{
		Plan:  sweep.Plan{Target: "x", Title: "X", Source: "git", Rounds: 5, Profile: load.Profile{Connections: 100, Duration: time.Second}},
		Found: w.released, Kept: w.released, Selection: sweep.Selection{Per: sweep.PerPatch}, Sample: time.Second, Fresh: 30 * day,
	}
	r, err := c.Run(t.Context(), []Subject{broken, s})
	if err != nil {
		t.Fatal(err)
	}
	if r.Targets[0].Failed != "no network" || noticesText(r.Accounts[0].Notices) != "missing-y missing" {
		t.Errorf("%+v, %s", r.Targets[0], noticesText(r.Accounts[0].Notices))
	}
	if len(r.Targets[1].Measured) != 3 || len(r.Accounts[1].Notices) != 0 {
		t.Errorf("%+v, %s", r.Targets[1], noticesText(r.Accounts[1].Notices))
	}
}

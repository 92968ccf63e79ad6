package load

import (
	"context"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"time"
)

// Hooks are called at the edges of the measuring window, while the engine
// stands still, from the goroutine that called Run. They have to be quick: the
// server has nothing to do meanwhile. Either may be nil.
type Hooks struct {
	WindowStart, WindowEnd func()
}

func (h Hooks) start() {
	if h.WindowStart != nil {
		h.WindowStart()
	}
}

func (h Hooks) end() {
	if h.WindowEnd != nil {
		h.WindowEnd()
	}
}

// Run carries out one job: warm-up, then one measuring window. It is over
// within warm-up + duration + timeout, whatever the server does; a closed loop
// by number of requests takes what the server takes, each request at most
// twice the timeout.
//
// A job that cannot be carried out is a *MisuseError. When ctx is done, Run
// returns at once with ctx's error and what the window measured so far.
// Failed requests are not an error of Run.
//
// With Job.CPUs, the whole process stays on those CPUs afterwards. On Linux,
// GOMAXPROCS is raised meanwhile.
func Run(ctx context.Context, job Job, hooks Hooks) (Result, error) {
	return run(ctx, job, hooks, newEngine)
}

func run(ctx context.Context, job Job, hooks Hooks, open func(*task) (engine, error)) (Result, error) {
	if err := job.validate(); err != nil {
		return Result{}, err
	}
	address, err := job.resolve()
	if err != nil {
		return Result{}, err
	}
	if err := pin(job.CPUs); err != nil {
		return Result{}, err
	}
	t := newTask(job, address)
	e, err := open(t)
	if err != nil {
		return Result{}, fmt.Errorf("opening the load engine: %w", err)
	}
	defer e.close()

	r := course{task: t, engine: e, profile: job.Profile}
	r.warmUp(ctx)
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	hooks.start()
	r.window(ctx)
	hooks.end()
	r.settle(ctx)
	if ctx.Err() != nil {
		return r.result(), context.Cause(ctx)
	}
	return r.result(), nil
}

// course is one run on its way.
type course struct {
	*task
	engine  engine
	profile Profile

	start, end int64 // of the window, ns on the engine's clock
	plan       *arrivals
	cpu        time.Duration
	busy       float64
}

func (r *course) warmUp(ctx context.Context) {
	if r.profile.Warmup <= 0 {
		return
	}
	now := r.now()
	p := &phase{end: now + int64(r.profile.Warmup)}
	if r.rate {
		p.plan = newArrivals(now, p.end, r.profile.Rate)
	}
	r.engine.run(ctx, p)
	if !r.rate && r.profile.Requests > 0 {
		// Connecting may take one timeout, the answer another.
		r.engine.run(ctx, &phase{drain: true, end: r.now() + 2*r.timeout})
	}
}

func (r *course) window(ctx context.Context) {
	p := &phase{}
	length := int64(r.profile.Duration)
	if n := r.profile.Requests; n > 0 && r.rate {
		byNumber := int64(float64(n) * 1e9 / r.profile.Rate)
		if length == 0 || byNumber < length {
			length = byNumber
		}
	} else if n > 0 {
		p.budget = new(atomic.Int64)
		p.budget.Store(n)
	}
	cpu := cpuTime()
	r.start = r.now()
	if r.rate {
		r.start += int64(startLead)
	}
	if length > 0 {
		p.end = r.start + length
	}
	if r.rate {
		r.plan = newArrivals(r.start, p.end, r.profile.Rate)
		p.plan = r.plan
	}
	r.engine.restart(r.start, p.end, !r.rate && p.budget == nil)
	r.engine.run(ctx, p)
	r.end = r.now()
	r.cpu = cpuTime() - cpu
	r.busy = -1
	if waited, ok := r.engine.waited(time.Duration(r.end - r.start)); ok {
		r.busy = 1 - waited
	}
}

// startLead is how long before a rate window its engine is made ready, so that
// the first requests are not late.
const startLead = time.Millisecond

// settle waits for the answers to requests sent in a rate window.
func (r *course) settle(ctx context.Context) {
	if r.rate && ctx.Err() == nil {
		r.engine.run(ctx, &phase{drain: true, end: r.now() + r.timeout})
	}
}

// boundShare is the share of the window from which on a loop that has work
// is taken for the bottleneck: answers then wait for it.
const boundShare = 0.95

// boundLateness is how late one send in a hundred may be before an open loop
// counts as not keeping its times.
const boundLateness = time.Millisecond

func (r *course) result() Result {
	t, inFlight := r.engine.total()
	elapsed := time.Duration(r.end - r.start)
	res := Result{
		Scheduled: t.started, Started: t.started, OK: t.ok, InFlight: inFlight, Errors: t.errors,
		Elapsed: elapsed, Connections: t.connections, BytesIn: t.bytesIn, CPU: r.cpu, Busy: r.busy,
		PeakRSS: PeakRSS(os.Getpid()), Sustained: true, Corrected: r.rate, FirstError: t.firstError,
		Latency: t.latency, Service: t.service, Lateness: t.lateness,
	}
	if elapsed > 0 {
		res.CPUShare = r.cpu.Seconds() / elapsed.Seconds() / float64(usableCPUs())
	}
	if r.rate {
		res.OfferedRate = r.profile.Rate
		res.Scheduled = r.plan.before(r.end)
		res.Sustained = t.ok > 0 && sustained(t, r.plan)
	}
	res.ClientBound = clientBound(res, r.profile)
	return res
}

// sustained reports whether an offered rate was kept: over the second half of
// the window, what was due and not yet ended grew by no more than 1 % of what
// was due in it, or by the square root of that, the size of chance in a count.
// A server with a long but steady latency keeps
// the rate; one that falls behind does not, though every request was sent.
func sustained(t *tally, plan *arrivals) bool {
	after := plan.before(plan.end) - plan.before(middle(plan.start, plan.end))
	return float64(after-t.endedAfter) <= max(2, math.Sqrt(float64(after)), 0.01*float64(after))
}

// clientBound tells whether r says more about the engine than about the
// server: a loop had work (nearly) all of the window, so that answers waited
// in it; or, with a rate, sends came late though a connection was free. A
// rate's spinning just before a request is due does not count as work.
//
// Little's law gives no verdict here: a closed loop's connections are never
// idle in this engine, so that Result.Concurrency falls short only by requests
// that failed or hung.
func clientBound(r Result, p Profile) bool {
	if r.OK == 0 {
		return false // refusing is quick, and says nothing of the pace
	}
	busy := r.Busy
	if busy < 0 {
		busy = r.CPUShare
	}
	if p.Shape == ShapeRate {
		late := r.Lateness.TotalCount() > 0 && r.Lateness.ValueAtQuantile(99) > int64(boundLateness)
		return late || (busy >= boundShare && !r.Sustained)
	}
	return busy >= boundShare
}

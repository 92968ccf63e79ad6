package load

import (
	"context"
	"math"
	"net"
	"sync/atomic"
	"time"
)

// engine makes requests over a fixed set of connections. Its methods are
// called one after the other; connections and requests in flight outlive a
// phase and go on in the next.
type engine interface {
	// run carries out one phase and returns once it is over or ctx is done.
	run(ctx context.Context, p *phase)
	// restart counts anew, for a window from start to end (0: not known).
	// counted tells whether requests in flight belong to the new window.
	restart(start, end int64, counted bool)
	// total is what was counted since restart, and how many of the counted
	// requests are in flight.
	total() (t *tally, inFlight int64)
	// waited is the share of time since restart, 0 to 1, in which the engine
	// had nothing to do, taken where it is least; ok is false where this
	// engine cannot tell.
	waited(elapsed time.Duration) (share float64, ok bool)
	// close closes all connections.
	close()
}

// phase is a stretch of a run under one rule for beginning requests.
type phase struct {
	end    int64         // when it is over, ns on the engine's clock; 0: when budget is spent
	budget *atomic.Int64 // requests that may still begin; nil is unlimited
	plan   *arrivals     // when requests are due; nil: as fast as answers come
	drain  bool          // begin none, wait for those counted and in flight
}

// spend takes one request from the budget and reports whether there was one.
func (p *phase) spend() bool {
	return !p.drain && (p.budget == nil || p.budget.Add(-1) >= 0)
}

// open reports whether requests may still begin.
func (p *phase) open() bool {
	return !p.drain && (p.budget == nil || p.budget.Load() > 0)
}

// arrivals are the times at which requests are due: evenly spaced, the first
// at start, all before end.
type arrivals struct {
	start, end int64
	interval   float64 // ns
	next       atomic.Int64
}

func newArrivals(start, end int64, rate float64) *arrivals {
	return &arrivals{start: start, end: end, interval: 1e9 / rate}
}

// due is when arrival k, counted from 0, is due. It is computed from k, not
// by adding up, so that no error builds up.
func (a *arrivals) due(k int64) int64 { return a.start + int64(float64(k)*a.interval) }

// before is the number of arrivals due before t.
func (a *arrivals) before(t int64) int64 {
	t = min(t, a.end)
	if t <= a.start {
		return 0
	}
	k := int64(math.Ceil(float64(t-a.start) / a.interval))
	for k > 0 && a.due(k-1) >= t {
		k--
	}
	for a.due(k) < t {
		k++
	}
	return k
}

// task is what an engine needs to know of a job.
type task struct {
	address     *net.TCPAddr
	next, last  []byte // a request; last is the last one on its connection
	want        *wanted
	connections int
	calls       int // 0 is unlimited
	timeout     int64
	rate        bool
	epoch       time.Time
}

func newTask(j Job, address *net.TCPAddr) *task {
	p := j.Profile
	t := &task{
		address: address, want: j.wanted(), connections: p.Connections, calls: p.Calls,
		timeout: int64(p.Timeout), rate: p.Shape == ShapeRate, epoch: time.Now(),
	}
	if p.HTTP10 {
		t.calls = 1
	}
	t.next = j.Request.encode(j.Address, p.HTTP10, false)
	t.last = j.Request.encode(j.Address, p.HTTP10, true)
	return t
}

// now is the engine's clock: ns since the task was made, monotonic.
func (t *task) now() int64 { return int64(time.Since(t.epoch)) }

// time is the wall time at ns on the engine's clock.
func (t *task) time(ns int64) time.Time { return t.epoch.Add(time.Duration(ns)) }

// request gives the bytes of the n-th request on a connection, from 1.
func (t *task) request(n int) []byte {
	if t.calls > 0 && n >= t.calls {
		return t.last
	}
	return t.next
}

// reopenPause is how long a closed-loop connection waits after it could not be
// opened, so that a dead server is not asked in a tight circle.
const reopenPause = 10 * time.Millisecond

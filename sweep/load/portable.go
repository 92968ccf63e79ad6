package load

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// portable is the engine for every system that Go runs on: a goroutine for
// each connection, blocking reads with deadlines. Timers make its sends up to
// about 1 ms late. A connection that the server closes without saying so is
// noticed when the next request fails.
type portable struct {
	*task
	workers []*worker
	shards  []*shard
	stopped atomic.Bool
}

// shard is a tally shared by some workers; one for each would take 256 KiB a
// connection.
type shard struct {
	sync.Mutex
	*tally
}

// worker owns one connection.
type worker struct {
	exchange
	*portable
	shard     *shard
	buffer    []byte
	free      int64 // since when no request is in flight
	notBefore int64 // do not open a connection before this time

	mu   sync.Mutex // guards conn against close by others
	conn net.Conn
}

// workerBuffer is small since every connection has one.
const workerBuffer = 4 << 10

func newPortable(t *task) (engine, error) {
	e := &portable{task: t}
	for range min(t.connections, 2*runtime.GOMAXPROCS(0)) {
		e.shards = append(e.shards, &shard{tally: newTally(t.rate)})
	}
	for i := range t.connections {
		w := &worker{portable: e, shard: e.shards[i%len(e.shards)], buffer: make([]byte, workerBuffer)}
		w.answer.want = t.want
		e.workers = append(e.workers, w)
	}
	return e, nil
}

func (e *portable) run(ctx context.Context, p *phase) {
	release := context.AfterFunc(ctx, func() {
		e.stopped.Store(true)
		for _, w := range e.workers {
			w.interrupt()
		}
	})
	defer release()
	var all sync.WaitGroup
	for _, w := range e.workers {
		all.Go(func() {
			for (w.busy || w.next(ctx, p)) && w.talk(ctx, p) {
			}
		})
	}
	all.Wait()
}

func (e *portable) restart(start, end int64, counted bool) {
	for _, s := range e.shards {
		s.restart(start, end)
	}
	for _, w := range e.workers {
		w.shard.carry(&w.exchange, w.conn != nil, counted)
	}
}

func (e *portable) total() (*tally, int64) {
	sum, inFlight := newTally(e.rate), int64(0)
	for _, s := range e.shards {
		sum.add(s.tally)
	}
	for _, w := range e.workers {
		if w.busy && w.counted {
			inFlight++
		}
	}
	return sum, inFlight
}

func (e *portable) waited(time.Duration) (float64, bool) { return 0, false }

func (e *portable) close() {
	for _, w := range e.workers {
		w.drop()
	}
}

// next waits until w may begin a request and begins it. It returns false when
// the phase has no more for w.
func (w *worker) next(ctx context.Context, p *phase) bool {
	if w.stopped.Load() || p.drain {
		return false
	}
	due := w.notBefore
	if p.plan != nil {
		due = p.plan.due(p.plan.next.Add(1) - 1)
		if due >= p.plan.end {
			return false
		}
	}
	if !w.sleep(ctx, due) {
		return false
	}
	now := w.now()
	if p.plan == nil {
		if due = now; p.end > 0 && now >= p.end {
			return false
		}
	}
	if !p.spend() {
		return false
	}
	w.shard.Lock()
	w.shard.begin(&w.exchange, due, now, w.free)
	w.shard.Unlock()
	w.deadline = now + w.timeout
	w.answer.reset()
	return true
}

// sleep waits until the given time and reports whether the run goes on. An
// open connection is watched meanwhile: one that the server closes, or sends
// on without being asked, is dropped.
func (w *worker) sleep(ctx context.Context, until int64) bool {
	if until <= w.now() {
		return !w.stopped.Load()
	}
	if w.conn != nil {
		w.conn.SetReadDeadline(w.time(until))
		if w.stopped.Load() {
			return false
		}
		if _, err := w.conn.Read(w.buffer); !errors.Is(err, os.ErrDeadlineExceeded) {
			w.drop()
		}
	}
	if left := until - w.now(); left > 0 {
		select {
		case <-time.After(time.Duration(left)):
		case <-ctx.Done():
		}
	}
	return !w.stopped.Load()
}

// talk carries w's request on as far as the phase allows, and reports whether
// it ended.
func (w *worker) talk(ctx context.Context, p *phase) bool {
	if p.drain && !w.counted {
		return false
	}
	if w.conn == nil && !w.dial(ctx, p) {
		return !w.busy
	}
	// A server may answer and close before it has read all, so an answer is
	// looked for even then.
	var unsent error
	for request := w.request(w.calls); w.sent < len(request) && unsent == nil; {
		w.arm(p)
		var n int
		n, unsent = w.conn.Write(request[w.sent:])
		w.sent += n
		if unsent != nil && w.paused(unsent) {
			return false
		}
	}
	for {
		w.arm(p)
		n, err := w.conn.Read(w.buffer)
		now := w.now()
		w.shard.Lock()
		w.shard.bytesIn += int64(n)
		w.shard.Unlock()
		switch {
		case n > 0 && w.answer.feed(w.buffer[:n]):
			w.end(w.answer.outcome, now, nil)
			return true
		case err == nil:
		case w.paused(err):
			return false
		case unsent != nil:
			w.fail(unsent)
			return true
		default:
			w.fail(err)
			return true
		}
	}
}

// dial opens w's connection. It returns false if that failed, which ends the
// request, or if the phase is over, which does not.
func (w *worker) dial(ctx context.Context, p *phase) bool {
	until := w.deadline
	if p.end > 0 {
		until = min(until, p.end)
	}
	d := net.Dialer{Deadline: w.time(until), KeepAlive: -1}
	conn, err := d.DialContext(ctx, "tcp", w.address.String())
	if err != nil {
		if !w.paused(err) {
			if w.fail(err); p.plan == nil {
				w.notBefore = w.now() + int64(reopenPause)
			}
		}
		return false
	}
	w.mu.Lock()
	w.conn = conn
	w.mu.Unlock()
	w.calls, w.sent = 1, 0
	w.deadline = w.now() + w.timeout
	w.shard.Lock()
	w.shard.connections++
	w.shard.Unlock()
	return true
}

// arm sets the deadline of the next read or write.
func (w *worker) arm(p *phase) {
	until := w.deadline
	if p.end > 0 {
		until = min(until, p.end)
	}
	w.conn.SetDeadline(w.time(until))
	if w.stopped.Load() {
		w.interrupt() // it may have come before the deadline was set
	}
}

// paused reports whether err comes from the end of the phase or of the run
// rather than from the request's own timeout.
func (w *worker) paused(err error) bool {
	if w.stopped.Load() {
		return true
	}
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout() && w.now() < w.deadline
}

func (w *worker) fail(err error) {
	o := classify(err)
	if o == outcomeClosed {
		o = w.answer.finish()
	}
	w.end(o, w.now(), err)
}

// end closes the books on w's request and drops a connection that cannot be
// used again.
func (w *worker) end(o outcome, now int64, err error) {
	w.shard.Lock()
	w.shard.finish(&w.exchange, o, now, err)
	w.shard.Unlock()
	w.free = now
	whole := w.sent == len(w.request(w.calls))
	if !whole || w.answer.outcome == outcomeNone || !w.answer.reusable() || w.calls == w.task.calls {
		w.drop()
	}
}

func (w *worker) drop() {
	w.mu.Lock()
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
	w.mu.Unlock()
	w.exchange.calls = 0
}

func (w *worker) interrupt() {
	w.mu.Lock()
	if w.conn != nil {
		w.conn.SetDeadline(time.Unix(1, 0))
	}
	w.mu.Unlock()
}

package load

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// epollEngine is the Linux engine: loops that share nothing but a budget, one
// for each CPU that the process may use. Each has its share of the connections
// and takes every n-th arrival of a rate, so an arrival waits for a connection
// of its own loop even if another loop has one free.
//
// Most of a request's CPU time (91 % against nginx on Linux 6.18, by perf) is
// the kernel's TCP; io_uring would save some of the remaining entries into the
// kernel, and is often forbidden in containers, so epoll it is.
type epollEngine struct {
	*task
	loops   []*loop
	stopped atomic.Bool
	slots   int // GOMAXPROCS before it was raised; 0 if it was not
}

func newEngine(t *task) (engine, error) { return newEpoll(t) }

func newEpoll(t *task) (engine, error) {
	e := &epollEngine{task: t}
	n := min(usableCPUs(), t.connections)
	e.addSlots(n)
	address := newPeerAddress(t.address)
	for i := range n {
		share := t.connections / n
		if i < t.connections%n {
			share++
		}
		l, err := newLoop(t, address, share)
		if err != nil {
			e.close()
			return nil, err
		}
		l.stopped, l.index, l.stride = &e.stopped, int64(i), int64(n)
		e.loops = append(e.loops, l)
	}
	e.loops[0].poller.growDescriptorTable(t.connections + n*min(maxSpares, t.connections))
	return e, nil
}

// addSlots raises GOMAXPROCS, never lowers it, so that a scheduler slot is
// idle for each of n loops, until close. With none, the Go scheduler takes a
// loop's slot away 20 µs into every wait and has to give it back after: 3 to
// 9 % more CPU time a request against Node on one CPU.
func (e *epollEngine) addSlots(n int) {
	want := 2*n + 1
	if slots := runtime.GOMAXPROCS(0); slots < want {
		e.slots = slots
		runtime.GOMAXPROCS(want)
	}
}

func (e *epollEngine) run(ctx context.Context, p *phase) {
	release := context.AfterFunc(ctx, func() { e.stopped.Store(true) })
	defer release()
	var all sync.WaitGroup
	for _, l := range e.loops {
		all.Go(func() { l.run(p) })
	}
	all.Wait()
}

func (e *epollEngine) restart(start, end int64, counted bool) {
	for _, l := range e.loops {
		l.restart(start, end, counted)
	}
}

func (e *epollEngine) total() (*tally, int64) {
	sum, inFlight := newTally(e.rate), int64(0)
	for _, l := range e.loops {
		sum.add(l.tally)
		for i := range l.links {
			if c := &l.links[i]; c.busy && c.counted {
				inFlight++
			}
		}
	}
	return sum, inFlight
}

func (e *epollEngine) waited(elapsed time.Duration) (float64, bool) {
	least := elapsed
	for _, l := range e.loops {
		least = min(least, time.Duration(l.waited))
	}
	if elapsed <= 0 {
		return 0, false
	}
	return least.Seconds() / elapsed.Seconds(), true
}

func (e *epollEngine) close() {
	for _, l := range e.loops {
		l.close()
	}
	if e.slots > 0 {
		runtime.GOMAXPROCS(e.slots)
	}
}

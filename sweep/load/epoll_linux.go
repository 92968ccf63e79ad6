package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// epollEngine is the Linux engine: loops that share nothing but a budget, one
// for each CPU that the process may use.
type epollEngine struct {
	*task
	loops   []*loop
	stopped atomic.Bool
}

func newEngine(t *task) (engine, error) { return newEpoll(t) }

func newEpoll(t *task) (engine, error) {
	e := &epollEngine{task: t}
	n := min(usableCPUs(), t.connections)
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
	return e, nil
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
}

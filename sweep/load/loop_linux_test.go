package load

import (
	"context"
	"strings"
	"testing"
	"time"
)

// byteByByte opens the native engine with room for one byte a read: any server
// then sends faster than a loop reads.
func byteByByte(t *task) (engine, error) {
	e, err := newEpoll(t)
	if err != nil {
		return nil, err
	}
	for _, l := range e.(*epollEngine).loops {
		l.buffer = make([]byte, 1)
	}
	return e, nil
}

// A connection on which there is always more to read keeps a loop neither from
// the clock nor from the deadlines of its requests.
func TestLoopIsNotKeptByOneConnection(t *testing.T) {
	t.Parallel()
	flood := strings.Repeat("1\r\nh\r\n", 1<<15)
	j := helloJob(serve(t, func(p *peer, _ int) {
		if _, ok := p.request(); !ok || !p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") {
			return
		}
		for p.send(flood) {
		}
	}))
	j.Expect.Body = nil
	j.Profile.Connections = 1
	j.Profile.Duration, j.Profile.Timeout = 300*time.Millisecond, 300*time.Millisecond
	// Without an end of its own, a loop that is kept hangs: the test says so
	// before the test run's own limit does.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	done := make(chan Result, 1)
	go func() {
		r, err := run(ctx, j, Hooks{}, byteByByte)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	select {
	case r := <-done:
		checkAccounts(t, r)
		if r.OK != 0 || r.Elapsed > 5*time.Second {
			t.Errorf("ok %d, elapsed %v", r.OK, r.Elapsed)
		}
	case <-time.After(15 * time.Second):
		t.Fatal("the run does not end")
	}
}

// What one turn leaves unread is read in the next, though no event tells of it.
func TestLoopReadsOnWhatATurnLeft(t *testing.T) {
	t.Parallel()
	j := helloJob(serve(t, always(hello())))
	j.Profile.Connections = 2
	r, err := run(t.Context(), j, Hooks{}, byteByByte)
	if err != nil {
		t.Fatal(err)
	}
	checkAccounts(t, r)
	if r.OK == 0 || r.Errors.Total() > 0 {
		t.Errorf("ok %d, errors %+v", r.OK, r.Errors)
	}
}

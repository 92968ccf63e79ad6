package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// histogramMax is the largest latency told apart; longer ones count as this.
const histogramMax = int64(time.Hour)

// newHistogram covers 1 ns to 1 h with 3 significant digits in ns (Tene,
// HdrHistogram); 256 KiB.
func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(1, histogramMax, 3) }

// record adds one value in ns. Values outside the range are kept at its edge:
// a sample is never dropped.
func record(h *hdrhistogram.Histogram, ns int64) {
	// Clamped to the range, a value is never refused.
	_ = h.RecordValue(min(max(ns, 0), histogramMax))
}

// tally counts what happens to requests. It is not safe for use by several
// goroutines at once.
type tally struct {
	started     int64
	ok          int64
	errors      Errors
	connections int64
	bytesIn     int64
	endedBefore int64 // requests of the window that ended in its first half
	endedAfter  int64 // and in its second half
	latency     *hdrhistogram.Histogram
	service     *hdrhistogram.Histogram // rate only, else nil
	lateness    *hdrhistogram.Histogram // rate only, else nil
	firstError  string

	middle, end int64 // of the window, ns on the engine's clock (rate only)
}

func newTally(rate bool) *tally {
	t := &tally{latency: newHistogram()}
	if rate {
		t.service, t.lateness = newHistogram(), newHistogram()
	}
	return t
}

// restart forgets everything, for a window from start to end.
func (t *tally) restart(start, end int64) {
	t.latency.Reset()
	fresh := tally{latency: t.latency, service: t.service, lateness: t.lateness, middle: middle(start, end), end: end}
	if t.service != nil {
		t.service.Reset()
		t.lateness.Reset()
	}
	*t = fresh
}

// middle is where the second half of a window begins.
func middle(start, end int64) int64 { return start + (end-start)/2 }

// add merges what another tally of the same run counted.
func (t *tally) add(o *tally) {
	t.started += o.started
	t.ok += o.ok
	t.errors = t.errors.plus(o.errors)
	t.connections += o.connections
	t.bytesIn += o.bytesIn
	t.endedBefore += o.endedBefore
	t.endedAfter += o.endedAfter
	t.latency.Merge(o.latency)
	if t.service != nil {
		t.service.Merge(o.service)
		t.lateness.Merge(o.lateness)
	}
	if t.firstError == "" {
		t.firstError = o.firstError
	}
}

func (e Errors) plus(o Errors) Errors {
	return Errors{
		Status: e.Status + o.Status, Timeout: e.Timeout + o.Timeout, Reset: e.Reset + o.Reset,
		Refused: e.Refused + o.Refused, Closed: e.Closed + o.Closed, Body: e.Body + o.Body,
		Protocol: e.Protocol + o.Protocol, Client: e.Client + o.Client,
	}
}

// count gives the counter of a failure.
func (e *Errors) count(o outcome) *int64 {
	switch o {
	case outcomeStatus:
		return &e.Status
	case outcomeTimeout:
		return &e.Timeout
	case outcomeReset:
		return &e.Reset
	case outcomeRefused:
		return &e.Refused
	case outcomeClosed:
		return &e.Closed
	case outcomeBody:
		return &e.Body
	case outcomeProtocol:
		return &e.Protocol
	default:
		return &e.Client
	}
}

// exchange is one connection's current request, if any. All times are ns on
// the engine's clock.
type exchange struct {
	answer   answer
	due      int64 // when the request should have begun; began unless rate
	began    int64
	deadline int64 // for the connection, then anew for the answer
	sent     int   // bytes of the request written
	calls    int   // requests begun on this connection
	busy     bool  // a request is in flight
	counted  bool  // it belongs to the window
}

// begin starts a request on x. idle tells since when x had been free.
func (t *tally) begin(x *exchange, due, now, idle int64) {
	x.due, x.began, x.sent = due, now, 0
	x.calls++
	x.busy, x.counted = true, true
	t.started++
	if t.lateness != nil && idle <= due {
		record(t.lateness, now-due)
	}
}

// finish ends x's request. err is the network's reason for a failure; nil when
// the answer itself tells.
func (t *tally) finish(x *exchange, o outcome, now int64, err error) {
	x.busy = false
	if !x.counted {
		return
	}
	if o == outcomeOK && now > x.deadline {
		o = outcomeTimeout // it came before anybody looked at the deadline
	}
	if t.service != nil {
		if now < t.middle {
			t.endedBefore++
		} else if now < t.end {
			t.endedAfter++
		}
	}
	if o != outcomeOK {
		*t.errors.count(o)++
		if t.firstError == "" {
			t.firstError = x.answer.why(o, err)
		}
		return
	}
	t.ok++
	record(t.latency, now-x.due)
	if t.service != nil {
		record(t.service, now-x.began)
	}
}

// carry prepares x for a new window: a request in flight belongs to it if
// counted says so, and an open connection is one of its connections.
func (t *tally) carry(x *exchange, open, counted bool) {
	if open {
		t.connections++
	}
	if x.busy {
		x.counted = counted
		if counted {
			t.started++
		}
	}
}

package load

import (
	"cmp"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Errors counts failed requests by kind. A request fails in one way only.
type Errors struct {
	Status   int64 `json:"status"`   // a complete answer with another status than expected
	Timeout  int64 `json:"timeout"`  // no connection or no whole answer in time
	Reset    int64 `json:"reset"`    // connection reset by the server
	Refused  int64 `json:"refused"`  // nobody listens
	Closed   int64 `json:"closed"`   // closed before the answer was whole
	Body     int64 `json:"body"`     // right status, wrong body
	Protocol int64 `json:"protocol"` // not HTTP as RFC 9112 has it
	Client   int64 `json:"client"`   // our own fault: out of ports or descriptors
}

// Total is the number of failed requests.
func (e Errors) Total() int64 {
	return e.Status + e.Timeout + e.Reset + e.Refused + e.Closed + e.Body + e.Protocol + e.Client
}

// ErrorKind is a kind of errors in words, and how many there were.
type ErrorKind struct {
	Name  string
	Count int64
}

// Kinds lists the kinds of errors that happened, most frequent first.
func (e Errors) Kinds() []ErrorKind {
	kinds := slices.DeleteFunc([]ErrorKind{
		{"wrong status", e.Status}, {"timeout", e.Timeout}, {"connection reset", e.Reset},
		{"connection refused", e.Refused}, {"closed early", e.Closed}, {"wrong body", e.Body},
		{"not HTTP", e.Protocol}, {"load engine's own fault", e.Client},
	}, func(k ErrorKind) bool { return k.Count == 0 })
	slices.SortStableFunc(kinds, func(a, b ErrorKind) int { return cmp.Compare(b.Count, a.Count) })
	return kinds
}

// Result is what one run of the engine measured over its window. It holds
// that Started = OK + Errors.Total() + InFlight; the package comment tells
// which requests count.
type Result struct {
	Scheduled   int64         // requests that were due in the window (ShapeRate); else Started
	Started     int64         // requests sent in the window, or in flight when it began (ShapeClosed)
	OK          int64         // right answers
	InFlight    int64         // neither answered nor failed at the end of the window
	Errors      Errors        // failed requests
	Elapsed     time.Duration // the window as measured
	Connections int64         // connections opened, warm-up excluded but for those still in use
	BytesIn     int64         // bytes received, headers included
	CPU         time.Duration // CPU time that the engine's process used in the window; 0 when unknown
	CPUShare    float64       // CPU over Elapsed and the CPUs that the process may use, 0 to 1
	Busy        float64       // share of the window in which the busiest loop had work, 0 to 1; -1 when unknown
	PeakRSS     int64         // the engine's process's highest resident memory, bytes; 0 when unknown
	OfferedRate float64       // requests/s asked for (ShapeRate); 0 otherwise
	Sustained   bool          // the offered rate was kept; true when none was asked for
	Corrected   bool          // latency counts from when a request was due (ShapeRate)
	ClientBound bool          // the engine, not the server, set the pace
	FirstError  string        // the first failure in words; empty when none

	// Latency holds one value in nanoseconds for each right answer: from
	// sending (closed) or from when it was due (rate) to its last byte.
	Latency *hdrhistogram.Histogram
	// Service holds the same answers timed from sending (ShapeRate); else nil.
	Service *hdrhistogram.Histogram
	// Lateness holds in nanoseconds how long after it was due each request was
	// sent (ShapeRate), of those that a connection was free for; else nil.
	Lateness *hdrhistogram.Histogram
}

// QPS is right answers a second; 0 when the window is empty.
func (r Result) QPS() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.OK) / r.Elapsed.Seconds()
}

// Concurrency is the mean number of requests at the server, by Little's law
// (1961): L = λ·W, with λ right answers/s and W their mean service time in s.
// In a closed loop without errors it is close to the number of connections.
func (r Result) Concurrency() float64 {
	h := r.Service
	if h == nil {
		h = r.Latency
	}
	if h == nil || h.TotalCount() == 0 {
		return 0
	}
	return r.QPS() * h.Mean() / 1e9
}

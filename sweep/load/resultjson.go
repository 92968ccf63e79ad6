package load

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// resultSchema is raised when the JSON form changes incompatibly.
const resultSchema = 1

// resultJSON is the outside form of a Result: units in the keys, unknown is
// null. Figures that follow from others are written and not read back.
type resultJSON struct {
	Schema      int         `json:"schema"`
	Scheduled   int64       `json:"scheduled"`
	Started     int64       `json:"started"`
	OK          int64       `json:"ok"`
	InFlight    int64       `json:"in_flight"`
	Errors      Errors      `json:"errors"`
	FirstError  *string     `json:"first_error"`
	ElapsedS    float64     `json:"elapsed_s"`
	QPS         *float64    `json:"qps"`
	OfferedQPS  *float64    `json:"offered_qps"`
	Sustained   *bool       `json:"sustained"`
	LatencyMS   spreadJSON  `json:"latency_ms"`
	ServiceMS   *spreadJSON `json:"service_ms"`
	LatenessUS  *spreadJSON `json:"lateness_us"`
	Corrected   bool        `json:"corrected"`
	Connections int64       `json:"connections"`
	BytesIn     int64       `json:"bytes_in"`
	CPUS        *float64    `json:"cpu_s"`
	CPUShare    *float64    `json:"cpu_share"`
	BusyShare   *float64    `json:"busy_share"`
	Concurrency *float64    `json:"concurrency"`
	PeakRSS     *int64      `json:"peak_rss_bytes"`
	ClientBound bool        `json:"client_bound"`

	// HdrHistogram V2, compressed, base64; values in ns.
	Histogram         *string `json:"histogram"`
	ServiceHistogram  *string `json:"service_histogram,omitempty"`
	LatenessHistogram *string `json:"lateness_histogram,omitempty"`
}

// spreadJSON sums a histogram up; all null when it is empty.
type spreadJSON struct {
	Mean  *float64 `json:"mean"`
	Stdev *float64 `json:"stdev"`
	P50   *float64 `json:"p50"`
	P90   *float64 `json:"p90"`
	P99   *float64 `json:"p99"`
	P999  *float64 `json:"p99_9"`
	Max   *float64 `json:"max"`
}

// spread sums h up in units of the given number of ns.
func spread(h *hdrhistogram.Histogram, unit float64) spreadJSON {
	if h == nil || h.TotalCount() == 0 {
		return spreadJSON{}
	}
	scaled := func(ns float64) *float64 { return known(ns/unit, true) }
	at := func(q float64) *float64 { return scaled(float64(h.ValueAtQuantile(q))) }
	return spreadJSON{
		Mean: scaled(h.Mean()), Stdev: scaled(h.StdDev()),
		P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: scaled(float64(h.Max())),
	}
}

// known gives v, or null when it is not known or not a number.
func known(v float64, ok bool) *float64 {
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// MarshalJSON writes the versioned outside form, histograms included.
func (r Result) MarshalJSON() ([]byte, error) {
	j := resultJSON{
		Schema: resultSchema, Scheduled: r.Scheduled, Started: r.Started, OK: r.OK, InFlight: r.InFlight,
		Errors: r.Errors, ElapsedS: r.Elapsed.Seconds(), QPS: known(r.QPS(), r.Elapsed > 0),
		LatencyMS: spread(r.Latency, 1e6), Corrected: r.Corrected, Connections: r.Connections, BytesIn: r.BytesIn,
		CPUS: known(r.CPU.Seconds(), r.CPU > 0), CPUShare: known(r.CPUShare, r.CPU > 0),
		BusyShare: known(r.Busy, r.Busy >= 0), Concurrency: known(r.Concurrency(), r.OK > 0),
		ClientBound: r.ClientBound,
	}
	if r.PeakRSS > 0 {
		j.PeakRSS = &r.PeakRSS
	}
	if r.FirstError != "" {
		j.FirstError = &r.FirstError
	}
	if r.OfferedRate > 0 {
		j.OfferedQPS, j.Sustained = &r.OfferedRate, &r.Sustained
	}
	if r.Service != nil {
		s := spread(r.Service, 1e6)
		j.ServiceMS = &s
	}
	if r.Lateness != nil {
		s := spread(r.Lateness, 1e3)
		j.LatenessUS = &s
	}
	for _, h := range []struct {
		from *hdrhistogram.Histogram
		to   **string
	}{{r.Latency, &j.Histogram}, {r.Service, &j.ServiceHistogram}, {r.Lateness, &j.LatenessHistogram}} {
		if h.from == nil {
			continue
		}
		b, err := h.from.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			return nil, fmt.Errorf("encoding a latency histogram: %w", err)
		}
		text := string(b)
		*h.to = &text
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Result) UnmarshalJSON(b []byte) error {
	var j resultJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("reading a load result: %w", err)
	}
	if j.Schema != resultSchema {
		return fmt.Errorf("reading a load result: schema %d is not %d", j.Schema, resultSchema)
	}
	res := Result{
		Scheduled: j.Scheduled, Started: j.Started, OK: j.OK, InFlight: j.InFlight, Errors: j.Errors,
		Elapsed: roundSeconds(j.ElapsedS), Connections: j.Connections, BytesIn: j.BytesIn,
		Busy: -1, Sustained: true, Corrected: j.Corrected, ClientBound: j.ClientBound,
	}
	if j.PeakRSS != nil {
		res.PeakRSS = *j.PeakRSS
	}
	if j.FirstError != nil {
		res.FirstError = *j.FirstError
	}
	if j.OfferedQPS != nil {
		res.OfferedRate = *j.OfferedQPS
	}
	if j.Sustained != nil {
		res.Sustained = *j.Sustained
	}
	if j.CPUS != nil {
		res.CPU = roundSeconds(*j.CPUS)
	}
	if j.CPUShare != nil {
		res.CPUShare = *j.CPUShare
	}
	if j.BusyShare != nil {
		res.Busy = *j.BusyShare
	}
	for _, h := range []struct {
		from *string
		to   **hdrhistogram.Histogram
	}{{j.Histogram, &res.Latency}, {j.ServiceHistogram, &res.Service}, {j.LatenessHistogram, &res.Lateness}} {
		if h.from == nil {
			continue
		}
		decoded, err := hdrhistogram.Decode([]byte(*h.from))
		if err != nil {
			return fmt.Errorf("reading a load result's histogram: %w", err)
		}
		*h.to = decoded
	}
	*r = res
	return nil
}

// roundSeconds undoes Duration.Seconds exactly, where truncating would lose a
// nanosecond now and then.
func roundSeconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

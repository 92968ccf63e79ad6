package sweep

import (
	"cmp"
	"slices"
)

// Better says which direction of a metric is an improvement.
type Better string

const (
	Higher Better = "higher"
	Lower  Better = "lower"
)

// Metric is a number that a sample has.
type Metric struct {
	Key    string `json:"key"`   // as in JSON and CSV, with its unit: "p99_ms"
	Title  string `json:"title"` // for people: "99th percentile latency"
	Unit   string `json:"unit"`  // "requests/s"
	Better Better `json:"better"`
}

// Keys of the metrics that a sweep measures itself.
const (
	QPS           = "qps"
	P50           = "p50_ms"
	P90           = "p90_ms"
	P99           = "p99_ms"
	P999          = "p99_9_ms"
	PacedP50      = "paced_p50_ms"
	PacedP99      = "paced_p99_ms"
	PacedP999     = "paced_p99_9_ms"
	ErrorShare    = "error_share"
	CPUPerRequest = "cpu_us_per_request"
	PeakRSS       = "peak_rss_bytes"
	Startup       = "startup_ms"
	BuildSize     = "build_bytes"
)

// Keys of two values that say how a sample was limited; they are no metrics,
// since neither direction is better. 1 is one CPU busy all the time.
const (
	ServerCPU = "server_cpus_busy"
	LoadCPU   = "load_cpus_busy"
)

// Metrics lists what a sweep measures, in the order in which it is shown.
// Callers must not change it.
var Metrics = []Metric{
	{QPS, "Throughput", "requests/s", Higher},
	{P50, "Median latency", "ms", Lower},
	{P90, "90th percentile latency", "ms", Lower},
	{P99, "99th percentile latency", "ms", Lower},
	{P999, "99.9th percentile latency", "ms", Lower},
	{PacedP50, "Median latency at a fixed rate", "ms", Lower},
	{PacedP99, "99th percentile latency at a fixed rate", "ms", Lower},
	{PacedP999, "99.9th percentile latency at a fixed rate", "ms", Lower},
	{ErrorShare, "Failed requests", "fraction", Lower},
	{CPUPerRequest, "Server CPU per request", "µs", Lower},
	{PeakRSS, "Peak memory", "bytes", Lower},
	{Startup, "Start-up time", "ms", Lower},
	{BuildSize, "Build size", "bytes", Lower},
}

// MetricByKey finds one of Metrics. Plan.MetricByKey knows those of imported
// sweeps as well.
func MetricByKey(key string) (Metric, bool) {
	for _, m := range Metrics {
		if m.Key == key {
			return m, true
		}
	}
	return Metric{}, false
}

// CompareMetrics puts Metrics in their order, and others after them by key.
func CompareMetrics(m, n Metric) int {
	place := func(m Metric) int {
		i := slices.IndexFunc(Metrics, func(known Metric) bool { return known.Key == m.Key })
		if i < 0 {
			return len(Metrics)
		}
		return i
	}
	return cmp.Or(cmp.Compare(place(m), place(n)), cmp.Compare(m.Key, n.Key))
}

package sweep

import (
	"fmt"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/sweep/load"
)

// judgeAnswers says how far a window's answers can be trusted. A server that
// gives error pages is quick: its figures must not look like a gain.
func judgeAnswers(r load.Result) (Status, string) {
	failed := r.Errors.Total()
	switch {
	case r.OK == 0 && failed == 0:
		return Failed, "no answer in the measuring window"
	case r.OK == 0:
		return Failed, fmt.Sprintf("no right answer in the measuring window, %d failed (%s)", failed, kinds(r.Errors))
	case failed > 0:
		return Degraded, fmt.Sprintf("%.2g %% of the answers failed (%s)", 100*float64(failed)/float64(failed+r.OK), kinds(r.Errors))
	}
	return OK, ""
}

// kinds names the kinds of errors that happened.
func kinds(e load.Errors) string {
	var parts []string
	for _, k := range e.Kinds() {
		parts = append(parts, fmt.Sprintf("%s: %d", k.Name, k.Count))
	}
	return strings.Join(parts, ", ")
}

// values computes a sample's metrics. What is not known is left out. startup
// is negative when unknown.
func values(r load.Result, start, end Usage, startup time.Duration, b Build) map[string]float64 {
	v := map[string]float64{QPS: r.QPS()}
	if answers := r.OK + r.Errors.Total(); answers > 0 {
		v[ErrorShare] = float64(r.Errors.Total()) / float64(answers)
		if cpu := end.CPU - start.CPU; cpu > 0 {
			v[CPUPerRequest] = float64(cpu.Nanoseconds()) / 1e3 / float64(answers)
			v[ServerCPU] = cpu.Seconds() / r.Elapsed.Seconds()
		}
	}
	addQuantiles(v, r.Latency, map[string]float64{P50: 50, P90: 90, P99: 99, P999: 99.9})
	if r.Elapsed > 0 {
		v[LoadCPU] = r.CPU.Seconds() / r.Elapsed.Seconds()
	}
	if end.PeakRSS > 0 {
		v[PeakRSS] = float64(end.PeakRSS)
	}
	if startup >= 0 {
		v[Startup] = float64(startup.Nanoseconds()) / 1e6
	}
	if b.Bytes > 0 {
		v[BuildSize] = float64(b.Bytes)
	}
	return v
}

// addPaced adds the latency of the second pass. One in which the rate was not
// kept, or requests failed, was not the same load and says nothing.
func addPaced(v map[string]float64, r load.Result) {
	if r.Sustained && r.Errors.Total() == 0 {
		addQuantiles(v, r.Latency, map[string]float64{PacedP50: 50, PacedP99: 99, PacedP999: 99.9})
	}
}

// addQuantiles adds a histogram's quantiles, in ms, by metric key.
func addQuantiles(v map[string]float64, h *hdrhistogram.Histogram, quantiles map[string]float64) {
	if h == nil || h.TotalCount() == 0 {
		return
	}
	for key, q := range quantiles {
		v[key] = float64(h.ValueAtQuantile(q)) / 1e6
	}
}

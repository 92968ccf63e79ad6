package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/dustin/go-humanize"

	"versweep/sweep/load"
)

// printResult prints one window's result for people.
func printResult(out io.Writer, r load.Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", label, fmt.Sprintf(format, args...))
	}
	line("throughput", "%s requests/s: %s right answers in %v", perSecond(r.QPS()), humanize.Comma(r.OK), r.Elapsed.Round(time.Millisecond))
	if r.OfferedRate > 0 {
		kept := "kept"
		if !r.Sustained {
			kept = "NOT kept: the server fell behind or failed, or there were too few connections"
		}
		line("offered", "%s requests/s, %s: %s due, %s sent", perSecond(r.OfferedRate), kept, humanize.Comma(r.Scheduled), humanize.Comma(r.Started))
	}
	basis := "service time, not corrected for waiting"
	if r.Corrected {
		basis = "from when each request was due"
	}
	line("latency", "%s (%s)", spread(r.Latency), basis)
	if r.Service != nil {
		line("", "%s (from when it was sent)", spread(r.Service))
	}
	line("errors", "%s", errorKinds(r))
	if r.InFlight > 0 {
		line("in flight", "%s at the end of the window", humanize.Comma(r.InFlight))
	}
	line("connections", "%s opened, %s received", humanize.Comma(r.Connections), humanize.IBytes(uint64(r.BytesIn)))
	pace := "; the server set the pace"
	switch {
	case r.OK == 0:
		pace = ""
	case r.ClientBound && r.OfferedRate > 0:
		pace = "; some sends were late, since the machine was busy: latency is overstated"
	case r.ClientBound:
		pace = "; it set the pace: the server may be faster"
	case r.OfferedRate > 0:
		pace = "; sends were on time"
	}
	line("engine", "%.0f %% of its CPUs%s", 100*r.CPUShare, pace)
	return w.Flush()
}

// printSteps prints a ramp, a row a step.
func printSteps(out io.Writer, steps []load.StepResult) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "step\tby\tanswers/s\terrors\tp50\tp90\tp99\tmax\t\t")
	for _, s := range steps {
		r := s.Result
		note := ""
		switch {
		case r.ClientBound && r.OfferedRate > 0:
			note = "some sends were late"
		case r.ClientBound:
			note = "load engine was the limit"
		case !r.Sustained:
			note = "rate not kept"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", humanize.Commaf(s.Step.Value), s.Step.By, perSecond(r.QPS()),
			humanize.Comma(r.Errors.Total()), quantile(r.Latency, 50), quantile(r.Latency, 90), quantile(r.Latency, 99), quantile(r.Latency, 100), note)
	}
	return w.Flush()
}

func perSecond(v float64) string {
	if v > 0 && v < 100 {
		return fmt.Sprintf("%.1f", v)
	}
	return humanize.Comma(int64(v + 0.5))
}

// spread sums a histogram up; "-" when it is empty.
func spread(h *hdrhistogram.Histogram) string {
	if h == nil || h.TotalCount() == 0 {
		return "-"
	}
	return fmt.Sprintf("mean %s  p50 %s  p90 %s  p99 %s  p99.9 %s  max %s", milliseconds(h.Mean()),
		quantile(h, 50), quantile(h, 90), quantile(h, 99), quantile(h, 99.9), quantile(h, 100))
}

func quantile(h *hdrhistogram.Histogram, q float64) string {
	if h == nil || h.TotalCount() == 0 {
		return "-"
	}
	return milliseconds(float64(h.ValueAtQuantile(q)))
}

// milliseconds writes nanoseconds with three digits that count.
func milliseconds(ns float64) string {
	ms := ns / 1e6
	switch {
	case ms < 1:
		return fmt.Sprintf("%.3f ms", ms)
	case ms < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f ms", ms)
	}
	return humanize.Comma(int64(ms+0.5)) + " ms"
}

// errorKinds names what went wrong, most frequent first, and shows one case.
func errorKinds(r load.Result) string {
	total := r.Errors.Total()
	if total == 0 {
		return "none"
	}
	var parts []string
	for _, k := range r.Errors.Kinds() {
		parts = append(parts, fmt.Sprintf("%s %s", k.Name, humanize.Comma(k.Count)))
	}
	return fmt.Sprintf("%s: %s; first: %s", humanize.Comma(total), strings.Join(parts, ", "), cmp.Or(r.FirstError, "not told"))
}

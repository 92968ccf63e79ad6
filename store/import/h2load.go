package imports

import (
	"regexp"
	"strings"
)

var (
	h2loadFinished = regexp.MustCompile(`^finished in (\S+), (\S+) req/s`)
	h2loadClients  = regexp.MustCompile(`^spawning thread #\d+: (\d+) total client`)
	h2loadCounts   = regexp.MustCompile(`(\d+) (total|started|done|succeeded|failed|errored|timeout)\b`)
	h2loadStatuses = regexp.MustCompile(`(\d+) ([1-5]xx)`)
)

// readH2load reads h2load. Requests in flight at its end are started and not
// done; they count as nothing.
func readH2load(d document, _ Options) ([]Reading, error) {
	var out []Reading
	begun := false // the run's first line came before its report
	for _, block := range d.blocks(func(text string) bool {
		switch {
		case strings.HasPrefix(text, "starting benchmark"):
			begun = true
			return true
		case strings.HasPrefix(text, "finished in "):
			begins := !begun
			begun = false
			return begins
		}
		return false
	}) {
		r, err := readH2loadRun(d, block)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func readH2loadRun(d document, block []line) (Reading, error) {
	r := newReading(block[0].number)
	var rate float64
	var columns []string
	var finished, timed bool
	counts := map[string]int64{}
	for _, l := range block {
		text := strings.TrimSpace(l.text)
		bad := func(err error) (Reading, error) { return r, d.fail(l.number, "%v", err) }
		switch {
		case h2loadClients.MatchString(text):
			n, err := count(h2loadClients.FindStringSubmatch(text)[1])
			if err != nil {
				return bad(err)
			}
			r.Connections += int(n)
		case h2loadFinished.MatchString(text):
			m := h2loadFinished.FindStringSubmatch(text)
			elapsed, err1 := span(m[1])
			perSecond, err2 := number(m[2])
			if err1 != nil {
				return bad(err1)
			}
			if err2 != nil {
				return bad(err2)
			}
			r.Elapsed, rate, finished = elapsed, perSecond, true
		case strings.HasPrefix(text, "requests:"):
			for _, m := range h2loadCounts.FindAllStringSubmatch(text, -1) {
				n, err := count(m[1])
				if err != nil {
					return bad(err)
				}
				counts[m[2]] = n
			}
		case strings.HasPrefix(text, "status codes:"):
			for _, m := range h2loadStatuses.FindAllStringSubmatch(text, -1) {
				n, err := count(m[1])
				if err != nil {
					return bad(err)
				}
				if m[2] == "4xx" || m[2] == "5xx" {
					r.Errors.Status += n
				}
			}
		case strings.HasPrefix(text, "min ") && strings.Contains(text, "mean"):
			columns = strings.Fields(strings.ReplaceAll(text, "+/- sd", "+/-sd"))
		case strings.HasPrefix(text, "time for request:"), strings.HasPrefix(text, "request ") && strings.Contains(text, ":"):
			r.h2loadTimes(columns, text)
			timed = true
		}
	}
	_, haveCounts := counts["succeeded"]
	switch {
	case !finished:
		return r, d.cut(block, `"finished in" line`)
	case !haveCounts:
		return r, d.cut(block, `"requests" line`)
	case !timed:
		return r, d.cut(block, "row of request times")
	}
	r.OK, r.Requests = counts["succeeded"], counts["done"]
	// Failed holds the wrong statuses, time-outs and connections that broke.
	rest := max(0, counts["failed"]-r.Errors.Status)
	r.Errors.Timeout = min(counts["timeout"], rest)
	r.Errors.Other = rest - r.Errors.Timeout
	r.conclude(rate)
	return r, nil
}

// h2loadTimes reads the row of request times under its columns, which newer
// versions have more of.
func (r *Reading) h2loadTimes(columns []string, text string) {
	_, row, _ := strings.Cut(text, ":")
	for i, value := range strings.Fields(row) {
		if i >= len(columns) {
			return
		}
		switch columns[i] {
		case "min":
			r.setSpan(MinLatency, value)
		case "max":
			r.setSpan(MaxLatency, value)
		case "mean":
			r.setSpan(MeanLatency, value)
		case "sd":
			r.setSpan(StdevLatency, value)
		case "median", "p95", "p99":
			if at, err := span(value); err == nil {
				r.setPercentile(map[string]float64{"median": 50, "p95": 95, "p99": 99}[columns[i]], inMS(at))
			}
		}
	}
}

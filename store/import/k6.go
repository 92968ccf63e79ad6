package imports

import (
	"encoding/json"
	"regexp"
	"strings"
)

// k6Metric is one metric of k6's JSON, as --summary-export writes it or, under
// "values", handleSummary; times are in ms.
type k6Metric struct {
	values map[string]float64
}

func (m *k6Metric) UnmarshalJSON(b []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	if nested, ok := fields["values"]; ok {
		fields = nil
		if err := json.Unmarshal(nested, &fields); err != nil {
			return err
		}
	}
	m.values = map[string]float64{}
	for name, raw := range fields {
		var v float64
		if json.Unmarshal(raw, &v) == nil {
			m.values[name] = v
		}
	}
	return nil
}

// Metrics of k6. The latency of right answers stands under a name of its own.
const (
	k6Requests = "http_reqs"
	k6Failed   = "http_req_failed"
	k6Latency  = "http_req_duration"
	k6Right    = "http_req_duration{expected_response:true}"
)

// readK6 reads k6's summary as JSON and as text.
func readK6(d document, _ Options) ([]Reading, error) {
	if d.has(`"metrics"`) {
		return readK6JSON(d)
	}
	return readK6Text(d)
}

func readK6JSON(d document) ([]Reading, error) {
	objects, err := d.objects()
	if err != nil {
		return nil, err
	}
	var out []Reading
	for _, o := range objects {
		var report struct {
			Metrics map[string]k6Metric `json:"metrics"`
			State   struct {
				DurationMS float64 `json:"testRunDurationMs"`
			} `json:"state"`
		}
		if err := json.Unmarshal(o.raw, &report); err != nil {
			return nil, d.fail(o.line, "%v", err)
		}
		values := map[string]map[string]float64{}
		for name, m := range report.Metrics {
			values[name] = m.values
		}
		r, err := k6Reading(d, o.line, values)
		if err != nil {
			return nil, err
		}
		if s := seconds(report.State.DurationMS / 1e3); s > 0 {
			r.Elapsed = s
		}
		out = append(out, r)
	}
	return out, nil
}

var (
	k6Line  = regexp.MustCompile(`^\s*(?:[✓✗] )?([a-z_]+|\{ expected_response:true \})\.{3,}: (.+)$`)
	k6Stat  = regexp.MustCompile(`([a-z]+|p\([0-9.]+\))=(\S+)`)
	k6Share = regexp.MustCompile(`(\d+) out of (\d+)|✓ (\d+)\s+✗ (\d+)`)
	k6VUs   = regexp.MustCompile(`(\d+) max VUs`)
)

// readK6Text begins a new run where a metric comes a second time. After those of
// the whole test k6 can repeat them for each group and scenario: these are left
// out.
func readK6Text(d document) ([]Reading, error) {
	var out []Reading
	var values map[string]map[string]float64
	var first, announced, users int // users: of this run
	var last string
	finish := func() error {
		if len(values) == 0 {
			return nil
		}
		r, err := k6Reading(d, first, values)
		if r.Connections == 0 {
			r.Connections = users
		}
		out, values = append(out, r), nil
		return err
	}
	part := false // of the test
	for _, l := range d.ended() {
		if title, ok := strings.CutPrefix(strings.TrimSpace(l.text), "█ "); ok {
			part = strings.HasPrefix(title, "GROUP: ") || strings.HasPrefix(title, "SCENARIO: ")
		}
		if m := k6VUs.FindStringSubmatch(l.text); m != nil {
			if n, err := count(m[1]); err == nil {
				announced = int(n)
			}
		}
		m := k6Line.FindStringSubmatch(l.text)
		if m == nil || part {
			continue
		}
		name := m[1]
		if strings.HasPrefix(name, "{") {
			name = last + "{expected_response:true}"
		}
		last = name
		if _, twice := values[name]; twice || len(values) == 0 {
			if err := finish(); err != nil {
				return nil, err
			}
			first, values = l.number, map[string]map[string]float64{}
			users = announced
		}
		values[name] = k6Stats(m[2])
	}
	if err := finish(); err != nil {
		return nil, err
	}
	return out, nil
}

// k6Stats reads what stands behind a metric's name; times are in ms.
func k6Stats(text string) map[string]float64 {
	stats := map[string]float64{}
	for _, s := range k6Stat.FindAllStringSubmatch(text, -1) {
		if at, err := span(s[2]); err == nil {
			stats[s[1]] = inMS(at)
		}
	}
	if s := k6Share.FindStringSubmatch(text); s != nil {
		passes, err1 := count(s[1] + s[3])
		rest, err2 := count(s[2] + s[4])
		if s[2] != "" { // "25 out of 100"
			rest -= passes
		}
		if err1 == nil && err2 == nil {
			stats["passes"], stats["fails"] = float64(passes), float64(rest)
		}
	} else if words := strings.Fields(text); len(words) == 2 && strings.HasSuffix(words[1], "/s") {
		n, err1 := number(words[0])
		rate, err2 := number(strings.TrimSuffix(words[1], "/s"))
		if err1 == nil && err2 == nil {
			stats["count"], stats["rate"] = n, rate
		}
	}
	return stats
}

// k6Reading makes a reading of k6's metrics by name and statistic.
func k6Reading(d document, line int, metrics map[string]map[string]float64) (Reading, error) {
	r := newReading(line)
	requests, ok := metrics[k6Requests]
	if !ok {
		return r, d.fail(line, "no %q in this summary: the test made no HTTP request, or the output is cut", k6Requests)
	}
	rate := requests["rate"]
	r.Requests = total(requests["count"])
	if rate > 0 {
		r.Elapsed = seconds(float64(r.Requests) / rate)
	}
	failed, ok := metrics[k6Failed]
	if !ok {
		return r, d.fail(line, "no %q in this summary: k6 before 0.31, or the output is cut", k6Failed)
	}
	// A "pass" of this metric is a request that failed.
	bad := min(total(failed["passes"]), r.Requests)
	r.OK = r.Requests - bad
	// k6 does not tell a wrong status from no answer, which takes no time.
	r.Errors.Other = bad
	r.Connections = int(total(metrics["vus_max"]["max"]))

	latency, ok := metrics[k6Right]
	if !ok {
		latency = metrics[k6Latency]
		if bad > 0 {
			r.notef("latency includes failed requests")
		}
	}
	for name, ms := range latency {
		switch name {
		case "avg":
			r.set(MeanLatency, ms)
		case "min":
			r.set(MinLatency, ms)
		case "max":
			r.set(MaxLatency, ms)
		case "med":
			r.setPercentile(50, ms)
		default:
			if p, err := number(strings.TrimSuffix(strings.TrimPrefix(name, "p("), ")")); err == nil {
				r.setPercentile(p, ms)
			}
		}
	}
	if checks := metrics["checks"]; checks["fails"] > 0 {
		r.notef("%d of %d checks failed", total(checks["fails"]), total(checks["fails"], checks["passes"]))
	}
	r.conclude(rate)
	return r, nil
}

package imports

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
)

// autocannonReport is autocannon's JSON; latencies are in whole ms.
type autocannonReport struct {
	URL         string          `json:"url"`
	Connections float64         `json:"connections"`
	Duration    *float64        `json:"duration"` // s
	Errors      float64         `json:"errors"`   // time-outs among them
	Timeouts    float64         `json:"timeouts"`
	Mismatches  float64         `json:"mismatches"` // other body than expected
	Resets      float64         `json:"resets"`
	Status1xx   float64         `json:"1xx"`
	Status2xx   *float64        `json:"2xx"`
	Status3xx   float64         `json:"3xx"`
	Status4xx   float64         `json:"4xx"`
	Status5xx   float64         `json:"5xx"`
	Latency     json.RawMessage `json:"latency"`
}

// readAutocannon reads autocannon's JSON and its tables.
func readAutocannon(d document, _ Options) ([]Reading, error) {
	if !d.isJSON() {
		return readAutocannonText(d)
	}
	objects, err := d.objects()
	if err != nil {
		return nil, err
	}
	var out []Reading
	for _, o := range objects {
		var a autocannonReport
		if err := json.Unmarshal(o.raw, &a); err != nil {
			return nil, d.fail(o.line, "%v", err)
		}
		if a.Duration == nil || a.Status2xx == nil {
			return nil, d.fail(o.line, `no "duration" or no "2xx" in this JSON`)
		}
		r := newReading(o.line)
		r.Label, r.Connections, r.Elapsed = a.URL, int(total(a.Connections)), seconds(*a.Duration)
		r.Errors = Errors{
			Status: total(a.Status1xx, a.Status4xx, a.Status5xx), Timeout: total(a.Timeouts), Reset: total(a.Resets),
			Body: total(a.Mismatches), Other: total(a.Errors - a.Timeouts),
		}
		r.OK = max(0, total(*a.Status2xx, a.Status3xx)-r.Errors.Body)
		r.Requests = r.OK + r.Errors.Total()
		var latency map[string]float64
		if json.Unmarshal(a.Latency, &latency) == nil {
			for name, ms := range latency {
				r.autocannonStat(strings.Replace(name, "_", ".", 1), ms)
			}
			r.notef("percentiles are whole milliseconds")
		}
		r.conclude(0)
		out = append(out, r)
	}
	return out, nil
}

var (
	autocannonDone   = regexp.MustCompile(`^(\S+) requests in (\S+), .* read$`)
	autocannonAnswer = regexp.MustCompile(`^(\d+) 2xx responses, (\d+) non 2xx responses$`)
	autocannonErrors = regexp.MustCompile(`^(\S+) errors \((\S+) timeouts\)$`)
	autocannonCount  = regexp.MustCompile(`^# of samples: (\d+)$`)
)

// readAutocannonText reads the tables. Without wrong answers they hold the count
// of requests only as a mean a second, and that of errors rounded: "14k".
func readAutocannonText(d document) ([]Reading, error) {
	var out []Reading
	for _, block := range d.blocks(func(text string) bool {
		cells := tableCells(text)
		return len(cells) == 8 && cells[0] == "Stat" && cells[1] == "2.5%"
	}) {
		r, err := readAutocannonRun(d, block)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func readAutocannonRun(d document, block []line) (Reading, error) {
	r := newReading(block[0].number)
	var head []string
	var perSecond, samples float64
	var done, exact bool
	for _, l := range block {
		text := strings.TrimSpace(l.text)
		bad := func(err error) (Reading, error) { return r, d.fail(l.number, "%v", err) }
		cells := tableCells(text)
		switch {
		case len(cells) == 8 && cells[0] == "Stat":
			head = cells
		case len(cells) == 8 && cells[0] == "Latency":
			for i, cell := range cells[1:] {
				name := map[string]string{"Avg": "average", "Stdev": "stddev", "Max": "max"}[head[i+1]]
				if p, ok := strings.CutSuffix(head[i+1], "%"); ok {
					name = "p" + p
				}
				if at, err := span(cell); err == nil {
					r.autocannonStat(name, inMS(at))
				}
			}
		case len(cells) == 8 && cells[0] == "Req/Sec":
			v, err := grouped(cells[5])
			if err != nil {
				return bad(err)
			}
			perSecond = v
		case len(cells) == 2: // the percentiles of --latency
			p, err1 := number(cells[0])
			ms, err2 := grouped(cells[1])
			if err1 == nil && err2 == nil {
				r.setPercentile(p, ms)
			}
		case autocannonCount.MatchString(text):
			samples, _ = number(autocannonCount.FindStringSubmatch(text)[1])
		case autocannonDone.MatchString(text):
			elapsed, err := span(autocannonDone.FindStringSubmatch(text)[2])
			if err != nil {
				return bad(err)
			}
			r.Elapsed, done = elapsed, true
		case autocannonAnswer.MatchString(text):
			m := autocannonAnswer.FindStringSubmatch(text)
			right, err1 := count(m[1])
			wrong, err2 := count(m[2])
			if err1 != nil {
				return bad(err1)
			}
			if err2 != nil {
				return bad(err2)
			}
			r.OK, r.Errors.Status, exact = right, wrong, true
		case autocannonErrors.MatchString(text):
			m := autocannonErrors.FindStringSubmatch(text)
			all, err1 := count(m[1])
			late, err2 := count(m[2])
			if err1 != nil {
				return bad(err1)
			}
			if err2 != nil {
				return bad(err2)
			}
			r.Errors.Timeout, r.Errors.Other = late, max(0, all-late)
			r.notef("the number of errors is rounded")
		}
	}
	if !done {
		return r, d.cut(block, `"requests in" line`)
	}
	if !exact {
		r.OK = total(math.Round(perSecond * samples))
		if r.OK > 0 {
			r.notef("the number of requests is the mean a second times %g seconds", samples)
		}
	}
	r.Requests = r.OK + r.Errors.Total()
	if len(r.Percentiles) > 0 {
		r.notef("percentiles are whole milliseconds")
	}
	r.conclude(0)
	return r, nil
}

// autocannonStat keeps one statistic of the latency by its name in the JSON.
func (r *Reading) autocannonStat(name string, ms float64) {
	switch name {
	case "average":
		r.set(MeanLatency, ms)
	case "stddev":
		r.set(StdevLatency, ms)
	case "max":
		r.set(MaxLatency, ms)
	default:
		p, ok := strings.CutPrefix(name, "p")
		if at, err := number(p); ok && err == nil {
			r.setPercentile(at, ms)
		}
	}
}

// tableCells splits a row of a table drawn with lines; nil for any other line.
func tableCells(text string) []string {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "│") || !strings.HasSuffix(text, "│") || len(text) < 2*len("│") {
		return nil
	}
	cells := strings.Split(text[len("│"):len(text)-len("│")], "│")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// grouped reads a number whose groups of digits autocannon sets apart with
// commas: "21,679".
func grouped(text string) (float64, error) {
	return number(strings.ReplaceAll(text, ",", ""))
}

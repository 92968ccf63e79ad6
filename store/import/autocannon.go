package imports

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
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
	autocannonBodies = regexp.MustCompile(`^(\S+) requests with mismatched body$`)
	autocannonResets = regexp.MustCompile(`^request pipeline was reset (\S+) times?$`)
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
	var mean string // requests a second, as the machine's locale has it
	var samples, sent float64
	var done, exact bool
	for _, l := range block {
		text := strings.TrimSpace(l.text)
		cells := tableCells(text)
		var failure error
		counted := func(words string) int64 {
			n, err := count(words)
			failure = cmp.Or(failure, err)
			return n
		}
		switch {
		case len(cells) > 0 && slices.Contains([]string{"Stat", "Percentile", "Code"}, cells[0]):
			head = cells
		case len(cells) == 8 && len(head) == 8 && cells[0] == "Latency":
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
			mean = cells[5]
		case len(cells) == 2 && head[0] == "Percentile": // with --latency
			if ms, err := number(cells[1]); err == nil {
				r.autocannonStat("p"+cells[0], ms)
			}
		case autocannonCount.MatchString(text):
			samples = float64(counted(autocannonCount.FindStringSubmatch(text)[1]))
		case autocannonDone.MatchString(text):
			m := autocannonDone.FindStringSubmatch(text)
			sent, done = float64(counted(m[1])), true
			var err error
			r.Elapsed, err = span(m[2])
			failure = cmp.Or(failure, err)
		case autocannonAnswer.MatchString(text):
			m := autocannonAnswer.FindStringSubmatch(text)
			r.OK, r.Errors.Status, exact = counted(m[1]), counted(m[2]), true
		case autocannonErrors.MatchString(text):
			m := autocannonErrors.FindStringSubmatch(text)
			all, late := counted(m[1]), counted(m[2])
			r.Errors.Timeout, r.Errors.Other = late, max(0, all-late)
		case autocannonBodies.MatchString(text):
			r.Errors.Body = counted(autocannonBodies.FindStringSubmatch(text)[1])
		case autocannonResets.MatchString(text):
			r.Errors.Reset = counted(autocannonResets.FindStringSubmatch(text)[1])
		}
		if failure != nil {
			return r, d.fail(l.number, "%v", failure)
		}
	}
	if !done {
		return r, d.cut(block, `"requests in" line`)
	}
	if !exact {
		perSecond, err := localised(mean, sent/max(samples, 1))
		if err != nil {
			return r, d.fail(block[0].number, "%v", err)
		}
		if r.OK = total(perSecond * samples); r.OK > 0 {
			r.notef("the number of requests is the mean a second times %g seconds", samples)
		}
	}
	// An answer with a wrong body and a wrong status is counted as both.
	r.Errors.Body = max(0, r.Errors.Body-r.Errors.Status)
	r.OK = max(0, r.OK-r.Errors.Body)
	if r.Errors.Total() >= 1000 {
		r.notef("numbers of errors are rounded to thousands")
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

// localised reads a number as the machine's locale writes it: 21,679 is 21679
// in English and 21.679 elsewhere. Of two readings it takes the one that is
// nearer to about.
func localised(text string, about float64) (float64, error) {
	t := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '\'' || r == '’' {
			return -1
		}
		return r
	}, text)
	at := strings.IndexAny(t, ".,")
	if at < 0 || at != strings.LastIndexAny(t, ".,") || len(t)-at-1 != 3 {
		if at >= 0 && strings.Count(t, t[at:at+1]) > 1 { // groups and no fraction, or groups before one
			t = strings.ReplaceAll(t, t[at:at+1], "")
		}
		return number(t)
	}
	whole, err1 := number(t[:at] + t[at+1:])
	fraction, err2 := number(t[:at] + "." + t[at+1:])
	if err := cmp.Or(err1, err2); err != nil {
		return 0, err
	}
	if math.Abs(whole-about) < math.Abs(fraction-about) {
		return whole, nil
	}
	return fraction, nil
}

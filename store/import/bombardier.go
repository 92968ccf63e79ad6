package imports

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	bombardierHead   = regexp.MustCompile(`^Bombarding (\S+) (?:with|for) (\S+).* using (\d+) connection`)
	bombardierCodes  = regexp.MustCompile(`([1-5]xx|others) - (\d+)`)
	bombardierFailed = regexp.MustCompile(`^(.*\S) - (\d+)$`)
)

// readBombardier reads bombardier's text and JSON. It times refused connections
// as if they were answers.
func readBombardier(d document, _ Options) ([]Reading, error) {
	if d.isJSON() {
		return readBombardierJSON(d)
	}
	headed := false
	var out []Reading
	for _, block := range d.blocks(func(text string) bool {
		switch {
		case strings.HasPrefix(text, "Bombarding "):
			headed = true
			return true
		case bombardierTable(text):
			begins := !headed
			headed = false
			return begins
		}
		return false
	}) {
		r, err := readBombardierText(d, block)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// bombardierTable knows the head of the report.
func bombardierTable(text string) bool {
	return strings.Join(strings.Fields(text), " ") == "Statistics Avg Stdev Max"
}

func readBombardierText(d document, block []line) (Reading, error) {
	r := newReading(block[0].number)
	if m := bombardierHead.FindStringSubmatch(block[0].text); m != nil {
		r.Label = m[1]
		if c, err := count(m[3]); err == nil {
			r.Connections = int(c)
		}
	}
	var rate float64
	var others, named int64
	var haveRate, haveCodes, inErrors bool
	complete := strings.HasPrefix(d.openAfter(block), "Throughput:") // the last line; no figure is taken from it
	for _, l := range block {
		text := strings.TrimSpace(l.text)
		words := strings.Fields(text)
		bad := func(err error) (Reading, error) { return r, d.fail(l.number, "%v", err) }
		switch {
		case len(words) == 0:
		case words[0] == "Throughput:":
			complete, inErrors = true, false
		case inErrors:
			m := bombardierFailed.FindStringSubmatch(text)
			if m == nil {
				continue // the first lines of a message of several
			}
			n, err := count(m[2])
			if err != nil {
				return bad(err)
			}
			r.Errors.add(m[1], n)
			named += n
			r.notef("%s: %d", m[1], n)
		case words[0] == "Errors:":
			inErrors = true
		case words[0] == "Reqs/sec" && len(words) == 4:
			v, err := scaled(words[1])
			if err != nil {
				return bad(err)
			}
			rate, haveRate = v, true
		case words[0] == "Latency" && len(words) == 4:
			r.setSpan(MeanLatency, words[1])
			r.setSpan(StdevLatency, words[2])
			r.setSpan(MaxLatency, words[3])
		case strings.HasSuffix(words[0], "%") && len(words) == 2:
			p, err1 := number(strings.TrimSuffix(words[0], "%"))
			at, err2 := span(words[1])
			if err1 == nil && err2 == nil {
				r.setPercentile(p, inMS(at))
			}
		default:
			for _, m := range bombardierCodes.FindAllStringSubmatch(text, -1) {
				n, err := count(m[2])
				if err != nil {
					return bad(err)
				}
				switch m[1] {
				case "2xx", "3xx":
					r.OK += n
				case "others":
					others, haveCodes = n, true
				default:
					r.Errors.Status += n
				}
			}
		}
	}
	switch {
	case !haveRate:
		return r, d.cut(block, `"Reqs/sec" line`)
	case !haveCodes:
		return r, d.cut(block, `"HTTP codes" section`)
	case !complete:
		return r, d.cut(block, `"Throughput" line`)
	}
	r.Errors.Other += max(0, others-named)
	r.Requests = r.OK + r.Errors.Total()
	r.conclude(rate)
	return r, nil
}

// bombardierReport is bombardier's JSON; latencies are in µs.
type bombardierReport struct {
	Spec struct {
		Connections float64 `json:"numberOfConnections"`
		URL         string  `json:"url"`
		Rate        float64 `json:"rate"`
	} `json:"spec"`
	Result *struct {
		Elapsed float64 `json:"timeTakenSeconds"`
		Req1xx  float64 `json:"req1xx"`
		Req2xx  float64 `json:"req2xx"`
		Req3xx  float64 `json:"req3xx"`
		Req4xx  float64 `json:"req4xx"`
		Req5xx  float64 `json:"req5xx"`
		Others  float64 `json:"others"`
		Errors  []struct {
			Description string  `json:"description"`
			Count       float64 `json:"count"`
		} `json:"errors"`
		Latency struct {
			Mean        float64            `json:"mean"`
			Stdev       float64            `json:"stddev"`
			Max         float64            `json:"max"`
			Percentiles map[string]float64 `json:"percentiles"`
		} `json:"latency"`
	} `json:"result"`
}

func readBombardierJSON(d document) ([]Reading, error) {
	objects, err := d.objects()
	if err != nil {
		return nil, err
	}
	var out []Reading
	for _, o := range objects {
		var b bombardierReport
		if err := json.Unmarshal(o.raw, &b); err != nil {
			return nil, d.fail(o.line, "%v", err)
		}
		if b.Result == nil {
			return nil, d.fail(o.line, `no "result" in this JSON`)
		}
		r := newReading(o.line)
		r.Label, r.Connections, r.Elapsed = b.Spec.URL, int(total(b.Spec.Connections)), seconds(b.Result.Elapsed)
		if b.Spec.Rate > 0 {
			r.Offered = b.Spec.Rate
		}
		r.OK = total(b.Result.Req2xx, b.Result.Req3xx)
		r.Errors.Status = total(b.Result.Req1xx, b.Result.Req4xx, b.Result.Req5xx)
		var named int64
		for _, e := range b.Result.Errors {
			n := total(e.Count)
			r.Errors.add(e.Description, n)
			named += n
			r.notef("%s: %d", e.Description, n)
		}
		r.Errors.Other += max(0, total(b.Result.Others)-named)
		r.Requests = r.OK + r.Errors.Total()
		r.set(MeanLatency, b.Result.Latency.Mean/1e3)
		r.set(StdevLatency, b.Result.Latency.Stdev/1e3)
		r.set(MaxLatency, b.Result.Latency.Max/1e3)
		for p, us := range b.Result.Latency.Percentiles {
			if at, err := number(p); err == nil {
				r.setPercentile(at, us/1e3)
			}
		}
		r.conclude(0)
		out = append(out, r)
	}
	return out, nil
}

package imports

import (
	"regexp"
	"strings"
)

var (
	// spreadLine is "  50% in 0.0001 secs"; hey 0.1.5 prints the sign twice.
	spreadLine = regexp.MustCompile(`^(\d+(?:\.\d+)?)%+ in (.+)$`)
	// statusLine is "  [200]	150 responses", errorLine the same with a message.
	statusLine = regexp.MustCompile(`^\[(\d{3})\]\s+(\d+) responses$`)
	errorLine  = regexp.MustCompile(`^\[(\d+)\]\s+(.+)$`)
)

// readHey reads hey's summary. Its rate counts failed requests.
func readHey(d document, _ Options) ([]Reading, error) {
	if head := lineWith(d.lines, "response-time,DNS+dialup,"); head != nil {
		return nil, d.fail(head.number, "a list of single requests (-o csv): import the summary that hey prints without it")
	}
	var out []Reading
	for _, block := range d.blocks(func(text string) bool { return strings.TrimSpace(text) == "Summary:" }) {
		s, err := readSummary(d, block, "Slowest")
		if err != nil {
			return nil, err
		}
		s.conclude(s.perSecond)
		out = append(out, s.Reading)
	}
	return out, nil
}

// summary is the report that hey made and oha took over.
type summary struct {
	Reading
	perSecond float64 // over all requests, failed ones included
}

// readSummary reads what hey's and oha's reports have in common. slowest is the
// label of the longest latency.
func readSummary(d document, block []line, slowest string) (summary, error) {
	s := summary{Reading: newReading(block[0].number)}
	section := "Summary:"
	var haveTotal, haveRate, haveStatus bool
	for _, l := range block {
		text := strings.TrimSpace(l.text)
		bad := func(err error) (summary, error) { return s, d.fail(l.number, "%v", err) }
		if text != "" && strings.HasSuffix(text, ":") && !strings.HasPrefix(text, "[") {
			section = text
			haveStatus = haveStatus || section == "Status code distribution:"
			continue
		}
		key, value, _ := strings.Cut(text, ":")
		switch section {
		case "Summary:":
			switch key {
			case "Total":
				elapsed, err := span(value)
				if err != nil {
					return bad(err)
				}
				s.Elapsed, haveTotal = elapsed, true
			case slowest:
				s.setSpan(MaxLatency, value)
			case "Fastest":
				s.setSpan(MinLatency, value)
			case "Average":
				s.setSpan(MeanLatency, value)
			case "Requests/sec":
				v, err := number(value)
				if err != nil {
					return bad(err)
				}
				s.perSecond, haveRate = v, true
			}
		case "Latency distribution:", "Response time distribution:":
			if m := spreadLine.FindStringSubmatch(text); m != nil {
				p, err1 := number(m[1])
				at, err2 := span(m[2])
				if err1 == nil && err2 == nil {
					s.setPercentile(p, inMS(at))
				}
			}
		case "Status code distribution:":
			if m := statusLine.FindStringSubmatch(text); m != nil {
				n, err := count(m[2])
				if err != nil {
					return bad(err)
				}
				s.addStatus(m[1], n)
			}
		case "Error distribution:":
			if m := errorLine.FindStringSubmatch(text); m != nil {
				n, err := count(m[1])
				if err != nil {
					return bad(err)
				}
				s.addError(m[2], n)
			}
		}
	}
	switch {
	case !haveTotal:
		return s, d.cut(block, `"Total" line`)
	case !haveRate:
		return s, d.cut(block, `"Requests/sec" line`)
	case !haveStatus:
		return s, d.cut(block, `"Status code distribution" section`)
	}
	s.Requests = s.OK + s.Errors.Total()
	return s, nil
}

// addStatus counts answers with a status.
func (r *Reading) addStatus(code string, n int64) {
	if strings.HasPrefix(code, "2") || strings.HasPrefix(code, "3") {
		r.OK += n
	} else {
		r.Errors.Status += n
	}
}

// addError counts failures with a message. Requests that oha gave up at the end
// of its time are neither done nor failed.
func (r *Reading) addError(message string, n int64) {
	r.notef("%s: %d", message, n)
	if !strings.Contains(message, "aborted due to deadline") {
		r.Errors.add(message, n)
	}
}

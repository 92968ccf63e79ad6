package imports

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
)

var (
	// spreadLine is "  50% in 0.0001 secs"; hey 0.1.5 prints the sign twice.
	spreadLine = regexp.MustCompile(`^(\d+(?:\.\d+)?)%+ in (.+)$`)
	// bucketLine is "  0.000 [130]	|■■■"; oha prints "0.040 ms [1]    |".
	bucketLine = regexp.MustCompile(`^\S+(?: \S+)? \[(\d+)\]\s*\|`)
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
	givenUp   int64   // requests at the end of oha's time, neither done nor failed
}

// readSummary reads what hey's and oha's reports have in common. slowest is the
// label of the longest latency.
func readSummary(d document, block []line, slowest string) (summary, error) {
	s := summary{Reading: newReading(block[0].number)}
	section := "Summary:"
	var haveTotal, haveRate, haveStatus bool
	var buckets int64 // answers in the histogram
	var roundedBy time.Duration
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
				s.Elapsed, roundedBy, haveTotal = elapsed, stepOf(value), true
			case slowest:
				s.setSpan(MaxLatency, value)
			case "Fastest":
				if at, err := span(value); err == nil && at > 0 { // 0.0000 s is below its step
					s.set(MinLatency, inMS(at))
				}
			case "Average":
				s.setSpan(MeanLatency, value)
			case "Requests/sec":
				v, err := number(value)
				if err != nil {
					return bad(err)
				}
				s.perSecond, haveRate = v, true
			}
		case "Response time histogram:":
			if m := bucketLine.FindStringSubmatch(text); m != nil {
				n, err := count(m[1])
				if err != nil {
					return bad(err)
				}
				buckets += n
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
				if abandoned(m[2]) {
					s.givenUp += n
				}
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
	answers := s.OK + s.Errors.Status
	told := s.Requests + s.givenUp
	least := s.perSecond*(s.Elapsed-roundedBy/2).Seconds() - 0.5 // that the run made
	switch {
	case buckets > answers:
		return s, d.cut(block, fmt.Sprintf("status of %d of %d answers", buckets-answers, buckets))
	case answers != heyAnswers && float64(told) < least:
		return s, d.cut(block, fmt.Sprintf("status or error of all of about %.0f requests", s.perSecond*s.Elapsed.Seconds()))
	}
	return s, nil
}

// heyAnswers is how many answers hey keeps; those beyond have no status.
const heyAnswers = 1_000_000

// stepOf is the step that a time is printed in: 0.0001 s for "0.0087 secs".
func stepOf(text string) time.Duration {
	last := strings.LastIndexAny(text, "0123456789")
	step, err := span(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, text[:max(last, 0)]) + "1" + text[last+1:])
	if err != nil {
		return 0
	}
	return step
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
	if !abandoned(message) {
		r.Errors.add(message, n)
	}
}

// abandoned tells the message of oha for a request given up.
func abandoned(message string) bool { return strings.Contains(message, "aborted due to deadline") }

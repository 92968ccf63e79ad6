package imports

import (
	"strings"
)

// readWrk reads wrk and wrk2. Both count an error page as a request; wrk2's
// latency counts from when a request was due, unless it says "Uncorrected".
func readWrk(d document, _ Options) ([]Reading, error) {
	var out []Reading
	for _, block := range d.blocks(wrkBegins) {
		r, err := readWrkRun(d, block)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if cause := lineWith(d.lines, "unable to connect to "); len(out) == 0 && cause != nil {
		return nil, d.fail(cause.number, "no report: wrk ended with %q", strings.TrimSpace(cause.text))
	}
	return out, nil
}

func wrkBegins(text string) bool {
	t := strings.TrimSpace(text)
	running := strings.HasPrefix(t, "Running ") && strings.Contains(t, " test @ ")
	return running || strings.HasPrefix(t, "Making ") && strings.Contains(t, " requests to ") // wrk 1
}

func readWrkRun(d document, block []line) (Reading, error) {
	r := newReading(block[0].number)
	_, r.Label, _ = strings.Cut(strings.TrimSpace(block[0].text), " @ ")
	var rate float64
	var haveCount, haveRate bool
	complete := strings.HasPrefix(d.openAfter(block), "Transfer/sec:") // the last line; no figure is taken from it
	// wrk2 prints up to two distributions, each with a spectrum of its buckets.
	// The second is timed from sending and leaves out what waited.
	inLatency := false
	for _, l := range block[1:] {
		text := strings.TrimSpace(l.text)
		words := strings.Fields(text)
		bad := func(err error) (Reading, error) { return r, d.fail(l.number, "%v", err) }
		switch {
		case len(words) == 0:
		case len(words) == 5 && words[1] == "threads" && words[4] == "connections":
			c, err := count(words[3])
			if err != nil {
				return bad(err)
			}
			r.Connections = int(c)
		case words[0] == "Latency" && len(words) >= 4 && words[1] != "Distribution":
			r.setSpan(MeanLatency, words[1])
			r.setSpan(StdevLatency, words[2])
			r.setSpan(MaxLatency, words[3])
		case strings.HasPrefix(text, "Latency Distribution"):
			inLatency = !strings.Contains(text, "Uncorrected")
			r.Corrected = r.Corrected || strings.Contains(text, "Recorded Latency")
		case strings.HasPrefix(text, "Detailed Percentile spectrum"):
			inLatency = false
		case inLatency && len(words) == 2 && strings.HasSuffix(words[0], "%"):
			p, err := number(strings.TrimSuffix(words[0], "%"))
			if err != nil {
				return bad(err)
			}
			if ms, err := span(words[1]); err == nil {
				r.setPercentile(p, inMS(ms))
			}
		case len(words) >= 5 && words[1] == "requests" && words[2] == "in":
			n, err := count(words[0])
			if err != nil {
				return bad(err)
			}
			elapsed, err := span(strings.TrimSuffix(words[3], ","))
			if err != nil {
				return bad(err)
			}
			r.Requests, r.Elapsed, haveCount = n, elapsed, true
		case strings.HasPrefix(text, "Socket errors:"):
			if err := r.wrkSocketErrors(text); err != nil {
				return bad(err)
			}
		case strings.HasPrefix(text, "Non-2xx or 3xx responses:"):
			n, err := count(words[len(words)-1])
			if err != nil {
				return bad(err)
			}
			r.Errors.Status = n
		case words[0] == "Requests/sec:" && len(words) == 2:
			v, err := scaled(words[1])
			if err != nil {
				return bad(err)
			}
			rate, haveRate = v, true
		case words[0] == "Transfer/sec:":
			complete = true
		}
	}
	switch {
	case !haveCount:
		return r, d.cut(block, `"requests in" line`)
	case !haveRate:
		return r, d.cut(block, `"Requests/sec" line`)
	case !complete:
		return r, d.cut(block, `"Transfer/sec" line`)
	}
	r.OK = max(0, r.Requests-r.Errors.Status)
	if r.Corrected && lineWith(block, "Uncorrected Latency") != nil {
		r.notef("wrk2's uncorrected latency is left out")
	}
	r.conclude(rate)
	return r, nil
}

// wrkSocketErrors reads "Socket errors: connect 0, read 1985, write 5512,
// timeout 0". These requests are not among those done. A read error can be a
// reset, an early end, or a body that ends with its connection.
func (r *Reading) wrkSocketErrors(text string) error {
	_, list, _ := strings.Cut(text, ":")
	for part := range strings.SplitSeq(list, ",") {
		words := strings.Fields(part)
		if len(words) != 2 {
			continue
		}
		n, err := count(words[1])
		if err != nil {
			return err
		}
		if words[0] == "timeout" {
			r.Errors.Timeout += n
		} else {
			r.Errors.Other += n
		}
	}
	if r.Errors.Other > 0 {
		r.notef("%s", strings.TrimSpace(text))
	}
	return nil
}

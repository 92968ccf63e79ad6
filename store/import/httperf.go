package imports

import (
	"regexp"
	"strings"
)

var (
	httperfTotal   = regexp.MustCompile(`^Total: connections (\S+) requests (\S+) replies (\S+) test-duration (\S+) s`)
	httperfReply   = regexp.MustCompile(`^Reply time \[ms\]: response (\S+) transfer (\S+)`)
	httperfAtOnce  = regexp.MustCompile(`<=(\d+) concurrent connections`)
	httperfOptions = regexp.MustCompile(`--(server|port|uri|rate|num-calls)=(\S+)`)
)

// readHttperf reads httperf. Its "Reply rate" needs five seconds for a sample
// and is 0.0 before: the rate is replies over the test's duration instead.
func readHttperf(d document, _ Options) ([]Reading, error) {
	var out []Reading
	commanded := false // the run's command line came before its report
	for _, block := range d.blocks(func(text string) bool {
		switch {
		case strings.HasPrefix(text, "httperf --"):
			begins := !commanded // the user's own command can come before
			commanded = true
			return begins
		case strings.HasPrefix(text, "Total: connections"):
			begins := !commanded
			commanded = false
			return begins
		}
		return false
	}) {
		r, err := readHttperfRun(d, block)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func readHttperfRun(d document, block []line) (Reading, error) {
	r := newReading(block[0].number)
	var haveTotal, haveStatus bool
	var errorLines int
	for _, l := range block {
		text := strings.TrimSpace(l.text)
		switch {
		case strings.HasPrefix(text, "httperf --"):
			r.httperfCommand(text)
		case httperfTotal.MatchString(text):
			m := httperfTotal.FindStringSubmatch(text)
			opened, err1 := count(m[1])
			replies, err2 := count(m[3])
			s, err3 := number(m[4])
			for _, err := range []error{err1, err2, err3} {
				if err != nil {
					return r, d.fail(l.number, "%v", err)
				}
			}
			r.Opened, r.Requests, r.Elapsed, haveTotal = opened, replies, seconds(s), true
		case httperfAtOnce.MatchString(text):
			n, err := count(httperfAtOnce.FindStringSubmatch(text)[1])
			if err != nil {
				return r, d.fail(l.number, "%v", err)
			}
			r.Connections = int(n)
		case httperfReply.MatchString(text):
			m := httperfReply.FindStringSubmatch(text)
			response, err1 := number(m[1])
			transfer, err2 := number(m[2])
			if err1 != nil || err2 != nil {
				continue
			}
			if response+transfer > 0 {
				r.set(MeanLatency, response+transfer)
			} else {
				r.notef("a mean of 0.0 ms is below what httperf prints and unknown")
			}
		case strings.HasPrefix(text, "Reply status:"):
			for class, n := range pairs(text, "=") {
				switch class {
				case "2xx", "3xx":
					r.OK += n
				case "4xx", "5xx":
					r.Errors.Status += n
				}
			}
			haveStatus = true
		case strings.HasPrefix(text, "Errors:"):
			errorLines++
			for kind, n := range pairs(text, " ") {
				switch kind {
				case "client-timo", "socket-timo":
					r.Errors.Timeout += n
				case "connrefused":
					r.Errors.Refused += n
				case "connreset":
					r.Errors.Reset += n
				case "fd-unavail", "addrunavail", "ftab-full", "other":
					r.Errors.Other += n
				}
			}
		}
	}
	switch {
	case !haveTotal:
		return r, d.cut(block, `"Total" line`)
	case !haveStatus:
		return r, d.cut(block, `"Reply status" line`)
	case errorLines < 2:
		return r, d.cut(block, `second "Errors" line`)
	}
	r.OK = min(r.OK, maxCount)
	r.conclude(0)
	return r, nil
}

// httperfCommand takes the address and the offered rate from the command line
// that httperf repeats. --rate counts connections.
func (r *Reading) httperfCommand(text string) {
	options := map[string]string{"num-calls": "1", "uri": "/"}
	for _, m := range httperfOptions.FindAllStringSubmatch(text, -1) {
		options[m[1]] = m[2]
	}
	if options["server"] != "" {
		r.Label = "http://" + options["server"] + ":" + options["port"] + options["uri"]
	}
	rate, err1 := number(options["rate"])
	calls, err2 := number(options["num-calls"])
	if err1 == nil && err2 == nil && rate > 0 && calls > 0 && rate*calls < maxCount {
		r.Offered = rate * calls
	}
}

// pairs reads the counts of "2xx=0 3xx=0" or "client-timo 0 connreset 10" by
// name. What is no count is left out.
func pairs(text, sign string) map[string]int64 {
	out := map[string]int64{}
	words := strings.Fields(text)
	for i, w := range words {
		name, value, found := strings.Cut(w, sign)
		if sign == " " && i+1 < len(words) {
			name, value, found = w, words[i+1], true
		}
		if n, err := count(value); found && err == nil {
			out[name] = n
		}
	}
	return out
}

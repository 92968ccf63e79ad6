package imports

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// abLast is the last line of a report of two requests and more.
var abLast = regexp.MustCompile(`^100%\s+\d+ \((?:longest|last) request\)$`)

// readAB reads ApacheBench. Its "Failed requests" count answers of another
// length and not those with an error status; "Non-2xx responses" do, redirects
// among them.
func readAB(d document, _ Options) ([]Reading, error) {
	var out []Reading
	for _, block := range abBlocks(d) {
		r, err := readABRun(d, block)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if cause := lineWith(d.lines, "apr_"); len(out) == 0 && cause != nil {
		return nil, d.fail(cause.number, "no report: ab ended with %q", cause.text[strings.Index(cause.text, "apr_"):])
	}
	return out, nil
}

// abBlocks begins a run at the banner, or where the report begins when the
// banner was not kept.
func abBlocks(d document) [][]line {
	reported := true // the run before has its report
	return d.blocks(func(text string) bool {
		switch {
		case strings.HasPrefix(text, "This is ApacheBench"):
			reported = false
			return true
		case strings.HasPrefix(text, "Server Software:"):
			begins := reported
			reported = true
			return begins
		}
		return false
	})
}

func readABRun(d document, block []line) (Reading, error) {
	r := newReading(block[0].number)
	fields := map[string]string{}
	var served, times, haveTimes, complete bool
	var wrongStatus, wrongLength int64
	if open := d.openAfter(block); abLast.MatchString(open) {
		block = append(slices.Clone(block), line{number: block[len(block)-1].number + 1, text: open})
	}
	for _, l := range block {
		text := strings.TrimSpace(l.text)
		key, value, found := strings.Cut(text, ":")
		value = strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(text, "Percentage of the requests served"):
			served = true
		case served && strings.Contains(text, "%"):
			complete = complete || abLast.MatchString(text)
			p, ms, _ := strings.Cut(text, "%")
			if at, err := number(p); err == nil && len(strings.Fields(ms)) > 0 {
				if v, err := number(strings.Fields(ms)[0]); err == nil {
					r.setPercentile(at, v)
				}
			}
		case strings.HasPrefix(text, "(Connect:"):
			for part := range strings.SplitSeq(strings.Trim(text, "()"), ",") {
				kind, n, _ := strings.Cut(part, ":")
				c, err := count(n)
				if err != nil {
					return r, d.fail(l.number, "%v", err)
				}
				switch strings.TrimSpace(kind) {
				case "Length":
					wrongLength = c
				case "Receive":
					r.Errors.Closed += c
				default:
					r.Errors.Other += c
				}
			}
		case strings.HasSuffix(text, " Times (ms)"):
			times = true
		case times && key == "Total":
			haveTimes = true
			if row := strings.Fields(value); len(row) == 5 { // with -S there are fewer
				r.setAboveStep(MinLatency, row[0])
				r.setMS(StdevLatency, row[2])
				r.setAboveStep(MaxLatency, row[4])
			}
		case found:
			if _, known := fields[key]; !known { // the first of two "Time per request"
				fields[key] = value
			}
		}
	}
	if _, ok := fields["Server Hostname"]; !ok {
		return r, abWithoutReport(d, block)
	}
	var needed [3]string
	for i, key := range []string{"Time taken for tests", "Complete requests", "Requests per second"} {
		words := strings.Fields(fields[key])
		if len(words) == 0 {
			return r, d.cut(block, "\""+key+"\" line")
		}
		needed[i] = words[0]
	}
	s, err1 := number(needed[0])
	n, err2 := count(needed[1])
	perSecond, err3 := number(needed[2])
	if err := cmp.Or(err1, err2, err3); err != nil {
		return r, d.fail(block[0].number, "%v", err)
	}
	// Of one request ab prints no percentiles, of none no times either.
	switch {
	case n > 0 && !haveTimes:
		return r, d.cut(block, `"Total" row of times`)
	case n > 1 && !complete:
		return r, d.cut(block, `"100%" line, which ab leaves out with -d only`)
	}
	r.Elapsed, r.Requests = seconds(s), n
	if c, err := count(fields["Concurrency Level"]); err == nil {
		r.Connections = int(c)
	}
	if mean := strings.Fields(fields["Time per request"]); len(mean) > 0 {
		r.setMS(MeanLatency, mean[0])
	}
	if c, err := count(fields["Non-2xx responses"]); err == nil {
		wrongStatus = c
	}
	for key, kind := range map[string]*int64{"Write errors": &r.Errors.Other, "Broken pipe errors": &r.Errors.Closed} {
		if c, err := count(fields[key]); err == nil {
			*kind += c
		}
	}
	lost := r.Errors.Total()
	r.Errors.Status = min(wrongStatus, n)
	r.OK = max(0, n-r.Errors.Status-lost)
	if wrongLength > wrongStatus {
		r.notef("%d answers had another length than the first: ab calls them failed, they count as right", wrongLength-wrongStatus)
	}
	if wrongStatus > 0 {
		r.notef("ab does not tell redirects from errors: both count as failed")
	}
	if len(r.Percentiles) > 0 {
		r.notef("percentiles are whole milliseconds")
	}
	r.Label = abURL(fields)
	r.conclude(perSecond)
	return r, nil
}

// abWithoutReport says why a run has none: ab prints none after a time-out, a
// reset or a refused connection.
func abWithoutReport(d document, block []line) error {
	if l := lineWith(block, "apr_"); l != nil {
		return d.fail(l.number, "no report: ab ended with %q", l.text[strings.Index(l.text, "apr_"):])
	}
	last := block[0]
	for _, l := range block {
		if strings.TrimSpace(l.text) != "" {
			last = l
		}
	}
	if d.openAfter(block) != "" {
		last = d.lines[len(d.lines)-1]
	}
	return d.fail(last.number, "no report: ab ended with an error that went to its error output: nobody listens, the connection was reset or the time-out passed")
}

func abURL(fields map[string]string) string {
	host, scheme := fields["Server Hostname"], "http"
	if host == "" {
		return ""
	}
	if fields["SSL/TLS Protocol"] != "" {
		scheme = "https"
	}
	return scheme + "://" + host + ":" + fields["Server Port"] + fields["Document Path"]
}

// lineWith finds the first line that holds the words; nil when none does.
func lineWith(lines []line, words string) *line {
	for i := range lines {
		if strings.Contains(lines[i].text, words) {
			return &lines[i]
		}
	}
	return nil
}

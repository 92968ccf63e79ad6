package imports

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// toolFormat is one format that Read knows.
type toolFormat struct {
	name  string
	title string
	read  func(document, Options) ([]Reading, error)
	// marks tells whether the first lines of a file are of this format.
	marks func(document) bool
}

var (
	goBenchLine = regexp.MustCompile(`(?m)^Benchmark[^\s]*\s+\d+\s+\S+ \S`)
	actionArray = regexp.MustCompile(`^\s*\[\s*\{[^}]*"(?:name|unit|value)"\s*:`)
)

// formats lists what Read knows, in the order in which people are told.
var formats = []toolFormat{
	{"ab", "ApacheBench", readAB, func(d document) bool {
		return d.has("This is ApacheBench") || d.has("Server Software:") && d.has("Concurrency Level:") || d.has("\napr_") || strings.HasPrefix(d.text, "apr_")
	}},
	{"siege", "siege", readSiege, func(d document) bool {
		return d.has("** SIEGE") || d.has("Transactions:") && d.has("Availability:") || d.has(`"transactions"`) && d.has(`"availability"`)
	}},
	{"wrk", "wrk", readWrk, func(d document) bool { return wrkReport(d) && !wrk2Report(d) }},
	{"wrk2", "wrk2", readWrk, func(d document) bool { return wrkReport(d) && wrk2Report(d) }},
	{"httperf", "httperf", readHttperf, func(d document) bool {
		return d.has("httperf --") || d.has("Total: connections ")
	}},
	{"bombardier", "bombardier", readBombardier, func(d document) bool {
		return d.has("Bombarding ") || d.has("HTTP codes:") && d.has("Reqs/sec") || d.has(`"numberOfConnections"`) && d.has(`"timeTakenSeconds"`)
	}},
	{"hey", "hey", readHey, func(d document) bool {
		return heySummary(d) && !d.has("Success rate:") || d.has("response-time,DNS+dialup,")
	}},
	{"h2load", "h2load", readH2load, func(d document) bool {
		return d.has("spawning thread #") || d.has("finished in ") && d.has("status codes:")
	}},
	{"oha", "oha", readOHA, func(d document) bool {
		return heySummary(d) && d.has("Success rate:") || d.has(`"successRate"`) && d.has(`"requestsPerSec"`)
	}},
	{"k6", "k6", readK6, func(d document) bool {
		return d.has("http_reqs...") || d.has(`"metrics"`) && (d.has(`"http_reqs"`) || d.has(`"http_req_duration"`) || d.has(`"root_group"`))
	}},
	{"autocannon", "autocannon", readAutocannon, func(d document) bool {
		return d.has("│ Stat ") && d.has("│ Latency ") || d.has(`"non2xx"`) && d.has(`"2xx"`)
	}},
	{"go-bench", "Go benchmark", readGoBench, func(d document) bool { return goBenchLine.MatchString(d.text) }},
	{"github-action-benchmark", "github-action-benchmark", readActionBench, func(d document) bool {
		return actionArray.MatchString(d.text) || strings.HasPrefix(strings.TrimSpace(d.text), actionPrefix)
	}},
}

func wrkReport(d document) bool {
	for _, l := range d.lines {
		if wrkBegins(l.text) {
			return true
		}
	}
	return d.has("unable to connect to ") && !d.has("socket")
}

func wrk2Report(d document) bool {
	return d.has("Thread calibration:") || d.has("HdrHistogram - Recorded Latency") || d.has("Uncorrected Latency")
}

func heySummary(d document) bool {
	return d.has("Summary:\n") && d.has("Slowest:") && d.has("Requests/sec:") && !d.has("Count:")
}

// Formats lists the names that Read knows.
func Formats() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// detectWithin bounds what Detect looks at: reports show what they are sooner.
const detectWithin = 256 << 10

// Detect tells the format of a report, or Markdown, from its first bytes; 64 KiB
// are plenty. It returns a *DetectError when the format is none that it knows,
// or when there are several.
func Detect(head []byte) (string, error) {
	d := newDocument("", plainText(head[:min(len(head), detectWithin)]))
	var found []string
	for _, f := range formats {
		if f.marks(d) {
			found = append(found, f.name)
		}
	}
	if markdownMarks(d) {
		found = append(found, Markdown)
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return "", &DetectError{Candidates: found}
}

// beside is a report of another format in a file.
type beside struct {
	format string
	line   int // of the last of them, from 1
}

// besides finds reports of other formats than the one that a file is read as.
func besides(format string, content []byte) []beside {
	d := newDocument("", plainText(content[:min(len(content), detectWithin)]))
	var found []beside
	for _, f := range formats {
		if f.name == format || wrkFormat(f.name) && wrkFormat(format) || !f.marks(d) {
			continue
		}
		// The lines from the n-th on are a report until its first line is left out.
		n := sort.Search(len(d.lines), func(n int) bool { return !f.marks(d.from(n)) })
		found = append(found, beside{f.name, n})
	}
	return found
}

// wrkFormat tells the two formats that are read alike.
func wrkFormat(name string) bool { return name == "wrk" || name == "wrk2" }

func markdownMarks(d document) bool {
	for i := 1; i < len(d.lines); i++ {
		if !isDelimiterRow(d.lines[i].text) {
			continue
		}
		if _, ok := tableColumns(pipeCells(d.lines[i-1].text)); ok {
			return true
		}
	}
	return false
}

// DetectError says that a format cannot be told from a file.
type DetectError struct {
	Candidates []string // none, or several
}

func (e *DetectError) Error() string {
	if len(e.Candidates) == 0 {
		return fmt.Sprintf("this is no report of a format that is known: %s, %s", strings.Join(Formats(), ", "), Markdown)
	}
	return fmt.Sprintf("this can be %s: name the format", strings.Join(e.Candidates, " or "))
}

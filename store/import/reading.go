// Package imports reads what other load tools print: their reports as text or
// JSON, several runs a file, and tables in Markdown. It lives in store/import,
// a name that Go keeps for itself.
//
// Read gives one Reading a run of a tool, Detect tells the format from the first
// lines, and Sweeps makes sweeps of what was read. CSV reads tables of versions
// and figures: csvtext.go takes the text apart, csvcolumns.go knows the two forms,
// csvfile.go gathers the rows, csvsweeps.go makes sweeps of them. MarkdownSweeps
// does the same with the tables of a Markdown file. docs/formats.md says what is
// read of each format and what is dropped, docs/import.md has the rules.
//
// Only right answers count as throughput, whatever the tool itself says: the
// rate of a tool that counts error pages is scaled down to them, and a run
// without one right answer is a failed one. What a report does not say stays
// unknown and never becomes 0.
package imports

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"versweep/sweep"
)

// Reading is one run as a tool reported it.
type Reading struct {
	Format string // as Read was asked for it
	Block  int    // number of the run in the file, from 1
	Line   int    // first line of the run, from 1
	Label  string // URL or benchmark name; empty when the report has none

	// Attributes are what the report says of a run in words: configuration lines
	// and "key=value" parts of names (go-bench), suite, commit, date, range and
	// extra (github-action-benchmark). nil in other formats.
	Attributes map[string]string

	Connections int     // connections, clients or users at once; 0 when unknown
	Opened      int64   // connections opened in all; 0 when unknown
	Offered     float64 // requests/s asked for; 0 when unknown or without a rate

	// Counted says that the report counts requests. Without it Requests, OK and
	// Errors are 0 and say nothing.
	Counted  bool
	Requests int64  // that the tool calls done, right or wrong
	OK       int64  // complete answers with a status of 2xx or 3xx
	Errors   Errors // everything else

	Elapsed time.Duration // of the run; 0 when unknown

	// Values holds the metrics by key, those of package sweep and those of
	// Metrics. A metric that is missing is unknown; none is NaN or infinite.
	Values map[string]float64
	// Metrics describes the keys of Values that are not in sweep.Metrics, in the
	// order of their keys.
	Metrics []sweep.Metric
	// Percentiles are latencies in ms by percentile, 0 to 100.
	Percentiles map[float64]float64
	// Corrected says that latency counts from when a request was due.
	Corrected bool

	Failed bool   // nothing was right: there is no figure to compare
	Reason string // why, one line; empty unless Failed
	Notes  []string
}

// Errors counts failed requests by kind.
type Errors struct {
	Status  int64 // a complete answer with another status than 2xx and 3xx
	Timeout int64 // no answer in time
	Reset   int64 // connection reset by the server
	Refused int64 // nobody listens
	Closed  int64 // closed before the answer was whole
	Body    int64 // right status, wrong body
	Other   int64 // the tool does not say
}

// Total is the number of failed requests.
func (e Errors) Total() int64 {
	return e.Status + e.Timeout + e.Reset + e.Refused + e.Closed + e.Body + e.Other
}

// add counts n failures that a tool put into words.
func (e *Errors) add(message string, n int64) {
	m := strings.ToLower(message)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(m, w) })
	}
	switch {
	case has("timeout", "timed out", "deadline exceeded"):
		e.Timeout += n
	case has("refused"):
		e.Refused += n
	case has("reset"):
		e.Reset += n
	case has("eof", "closed", "broken pipe"):
		e.Closed += n
	default:
		e.Other += n
	}
}

func (e Errors) String() string {
	var parts []string
	for _, k := range []struct {
		name  string
		count int64
	}{
		{"wrong status", e.Status}, {"timeout", e.Timeout}, {"connection reset", e.Reset}, {"connection refused", e.Refused},
		{"closed early", e.Closed}, {"wrong body", e.Body}, {"other", e.Other},
	} {
		if k.count > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", k.name, k.count))
		}
	}
	return strings.Join(parts, ", ")
}

// Keys of values that tools report and a sweep does not measure.
const (
	MeanLatency  = "mean_ms"
	MinLatency   = "min_ms"
	MaxLatency   = "max_ms"
	StdevLatency = "stdev_ms"
)

// Options say what a file leaves open. The zero value takes the defaults.
type Options struct {
	// Better is the direction of metrics whose file does not give one
	// (go-bench, github-action-benchmark). Empty tells it from the unit: what
	// counts something per second is better when higher, all else when lower.
	Better sweep.Better
}

// Bounds on what is read.
const (
	maxFile   = 16 << 20 // bytes
	maxBlocks = 10_000   // runs a file
	maxCount  = 1e12     // requests in one figure; sums of a file's figures fit in 63 bits
	maxNotes  = 20       // notes a run
	maxWords  = 300      // characters of a label or note
)

// Read reads every run of a report. It returns a *FormatError for a format that
// it does not know, and a *ReportError when the report is cut, damaged or none
// of that format; then there are no readings.
func Read(format string, r io.Reader, o Options) ([]Reading, error) {
	i := slices.IndexFunc(formats, func(f toolFormat) bool { return f.name == format })
	if i < 0 {
		return nil, &FormatError{Format: format}
	}
	text, err := readAll(r)
	if err != nil {
		return nil, &ReportError{Format: format, Reason: err.Error()}
	}
	doc := newDocument(format, text)
	readings, err := formats[i].read(doc, o)
	switch {
	case err != nil:
		return nil, err
	case len(readings) == 0:
		return nil, doc.fail(0, "no %s report in this file", formats[i].title)
	case len(readings) > maxBlocks:
		return nil, doc.fail(0, "more than %d runs in one file", maxBlocks)
	}
	for i := range readings {
		readings[i].Format, readings[i].Block = format, i+1
		readings[i].Label = shortened(readings[i].Label)
		readings[i].Metrics = described(readings[i])
	}
	return readings, nil
}

func readAll(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return "", err
	}
	if len(b) > maxFile {
		return "", fmt.Errorf("the file is larger than %d MiB", maxFile>>20)
	}
	return plainText(b), nil
}

// FormatError is returned for a format that Read does not know.
type FormatError struct{ Format string }

func (e *FormatError) Error() string {
	if e.Format == Markdown {
		return "markdown holds tables and no runs of a tool"
	}
	return fmt.Sprintf("unknown format %q: known are %s", e.Format, strings.Join(Formats(), ", "))
}

// ReportError says what is wrong with a report, or missing from it.
type ReportError struct {
	Format string
	Line   int // from 1; 0 when it concerns the whole file
	Reason string
}

func (e *ReportError) Error() string {
	if e.Line == 0 {
		return e.Format + ": " + e.Reason
	}
	return fmt.Sprintf("%s: line %d: %s", e.Format, e.Line, e.Reason)
}

// newReading starts the reading of a run.
func newReading(line int) Reading {
	return Reading{Line: line, Values: map[string]float64{}, Percentiles: map[float64]float64{}}
}

// notef keeps a note, unless the report has given many already.
func (r *Reading) notef(format string, args ...any) {
	if len(r.Notes) < maxNotes {
		r.Notes = append(r.Notes, shortened(fmt.Sprintf(format, args...)))
	}
}

// shortened bounds a text from a report.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > maxWords {
		return string(runes[:maxWords-1]) + "…"
	}
	return text
}

// set keeps a value that is a number at all.
func (r *Reading) set(key string, v float64) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		r.Values[key] = v
	}
}

// setPercentile keeps a latency in ms, p from 0 to 100.
func (r *Reading) setPercentile(p, ms float64) {
	if !(p >= 0 && p <= 100) || !(ms >= 0) || math.IsInf(ms, 0) {
		return
	}
	r.Percentiles[p] = ms
	if slices.Contains(keptPercentiles, p) {
		r.Values[percentileKey(p)] = ms
	}
}

// keptPercentiles are those that become metrics.
var keptPercentiles = []float64{50, 75, 90, 95, 97.5, 99, 99.9, 99.99}

// percentileKey is the metric key of a percentile: 99.9 is p99_9_ms.
func percentileKey(p float64) string {
	return "p" + strings.ReplaceAll(strconv.FormatFloat(p, 'f', -1, 64), ".", "_") + "_ms"
}

// conclude works out what follows from the counts. perSecond is the rate that
// the tool printed over its requests, right or wrong; 0 when it printed none. It
// is preferred to the elapsed time, which tools round.
func (r *Reading) conclude(perSecond float64) {
	r.Counted = true
	failed := r.Errors.Total()
	if all := r.OK + failed; all > 0 {
		r.set(sweep.ErrorShare, float64(failed)/float64(all))
	}
	if r.OK == 0 {
		r.Failed = true
		r.Reason = "no answer at all"
		if failed > 0 {
			r.Reason = fmt.Sprintf("no right answer, %d failed (%s)", failed, r.Errors)
		}
		share, known := r.Values[sweep.ErrorShare]
		clear(r.Values) // the latency of wrong answers
		clear(r.Percentiles)
		r.set(sweep.QPS, 0)
		if known {
			r.set(sweep.ErrorShare, share)
		}
		return
	}
	switch {
	case perSecond > 0 && r.OK == r.Requests:
		r.set(sweep.QPS, perSecond) // as printed, without the rounding of a division
	case perSecond > 0 && r.Requests > 0:
		r.set(sweep.QPS, perSecond*float64(r.OK)/float64(r.Requests))
	case r.Elapsed > 0:
		r.set(sweep.QPS, float64(r.OK)/r.Elapsed.Seconds())
	default:
		r.notef("the run was shorter than the tool's clock shows: its rate is unknown")
	}
	if _, known := r.Values[MeanLatency]; r.Errors.Status > 0 && (known || len(r.Percentiles) > 0) {
		r.notef("latency includes %d answers with a wrong status", r.Errors.Status)
	}
}

// described lists what a reading has beyond sweep.Metrics.
func described(r Reading) []sweep.Metric {
	given := map[string]sweep.Metric{}
	for _, m := range r.Metrics {
		given[m.Key] = m
	}
	var out []sweep.Metric
	for _, key := range sortedKeys(r.Values) {
		if _, ok := sweep.MetricByKey(key); ok {
			continue
		}
		m, ok := given[key]
		if !ok {
			m = sweep.Metric{Key: key, Title: latencyTitle(key), Unit: "ms", Better: sweep.Lower}
		}
		out = append(out, m)
	}
	return out
}

func latencyTitle(key string) string {
	switch key {
	case MeanLatency:
		return "Mean latency"
	case MinLatency:
		return "Lowest latency"
	case MaxLatency:
		return "Highest latency"
	case StdevLatency:
		return "Standard deviation of latency"
	}
	p := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(key, "p"), "_ms"), "_", ".")
	return p + "th percentile latency"
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

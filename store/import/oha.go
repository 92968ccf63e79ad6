package imports

import (
	"encoding/json"
	"slices"
	"strings"
)

// ohaReport is oha's JSON, by the schema that its repository publishes; times
// are in seconds and unknown ones null.
type ohaReport struct {
	Summary *struct {
		Total   *float64 `json:"total"`
		Slowest *float64 `json:"slowest"`
		Fastest *float64 `json:"fastest"`
		Average *float64 `json:"average"`
		Rate    float64  `json:"requestsPerSec"`
	} `json:"summary"`
	Percentiles map[string]*float64 `json:"latencyPercentiles"`
	// RightOnly is there with --stats-success-breakdown.
	RightOnly map[string]*float64 `json:"latencyPercentilesSuccessful"`
	Statuses  map[string]float64  `json:"statusCodeDistribution"`
	Errors    map[string]float64  `json:"errorDistribution"`
}

// readOHA reads oha's text and JSON.
func readOHA(d document, _ Options) ([]Reading, error) {
	if d.isJSON() {
		return readOHAJSON(d)
	}
	var out []Reading
	for _, block := range d.blocks(func(text string) bool { return strings.TrimSpace(text) == "Summary:" }) {
		s, err := readSummary(d, block, "Slowest")
		if err != nil {
			return nil, err
		}
		s.concludeOHA(s.perSecond)
		out = append(out, s.Reading)
	}
	return out, nil
}

// concludeOHA takes requests given up at the end out of the rate, which oha
// counts.
func (r *Reading) concludeOHA(perSecond float64) {
	if slices.ContainsFunc(r.Notes, abandoned) {
		perSecond = 0
	}
	r.conclude(perSecond)
}

func readOHAJSON(d document) ([]Reading, error) {
	objects, err := d.objects()
	if err != nil {
		return nil, err
	}
	var out []Reading
	for _, o := range objects {
		var report ohaReport
		if err := json.Unmarshal(o.raw, &report); err != nil {
			return nil, d.fail(o.line, "%v", err)
		}
		switch {
		case report.Summary == nil || report.Summary.Total == nil:
			return nil, d.fail(o.line, `no "summary" with a "total" in this JSON`)
		case report.Statuses == nil:
			return nil, d.fail(o.line, `no "statusCodeDistribution" in this JSON`)
		}
		r := newReading(o.line)
		r.Elapsed = seconds(*report.Summary.Total)
		for key, s := range map[string]*float64{
			MeanLatency: report.Summary.Average, MinLatency: report.Summary.Fastest, MaxLatency: report.Summary.Slowest,
		} {
			if s != nil {
				r.set(key, *s*1e3)
			}
		}
		percentiles := report.Percentiles
		if report.RightOnly != nil {
			percentiles = report.RightOnly
		}
		for p, s := range percentiles {
			if at, err := number(strings.TrimPrefix(p, "p")); err == nil && s != nil {
				r.setPercentile(at, *s*1e3)
			}
		}
		for code, n := range report.Statuses {
			r.addStatus(code, total(n))
		}
		for _, message := range sortedKeys(report.Errors) {
			r.addError(message, total(report.Errors[message]))
		}
		r.Requests = r.OK + r.Errors.Total()
		r.concludeOHA(report.Summary.Rate)
		out = append(out, r)
	}
	return out, nil
}

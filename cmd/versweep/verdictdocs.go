package main

import (
	"maps"
	"math"
	"strings"

	"versweep/runtimes"
	"versweep/sweep"
	"versweep/sweep/load"
)

// checksJSON is what check prints for several targets.
type checksJSON struct {
	Schema  int          `json:"schema"`
	Targets []checkJSON  `json:"targets"`
	Failed  []failedJSON `json:"failed"`
}

type failedJSON struct {
	Target string `json:"target"`
	Reason string `json:"reason"`
}

// checkJSON is what check prints for one target.
type checkJSON struct {
	Schema          int                   `json:"schema"`
	Target          string                `json:"target"`
	Reference       *string               `json:"reference"`
	Effect          float64               `json:"effect"`
	Findings        []findingJSON         `json:"findings"`
	Undecided       []undecidedJSON       `json:"undecided"`
	NotMeasured     []notMeasuredJSON     `json:"not_measured"`
	SmallestEffect  *float64              `json:"smallest_effect"` // of throughput, or of the only metric
	SmallestEffects map[string]*float64   `json:"smallest_effects"`
	Noise           map[string]*float64   `json:"noise"`
	Twin            map[string]changeJSON `json:"twin"`
	Joint           map[string]string     `json:"joint"`
	Warnings        []string              `json:"warnings"`
	OlderSweeps     int                   `json:"older_sweeps"` // left out as too old
}

type changeJSON struct {
	Change *float64 `json:"change"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
}

func newChangeJSON(change, lo, hi float64) changeJSON {
	return changeJSON{knownOrNull(change), knownOrNull(lo), knownOrNull(hi)}
}

type findingJSON struct {
	ID      string        `json:"id"`
	Kind    string        `json:"kind"` // as sweep.Kind, or "comparison" for two releases side by side
	Metric  string        `json:"metric"`
	From    string        `json:"from"`
	To      string        `json:"to"`
	Verdict sweep.Verdict `json:"verdict"`
	changeJSON
	Confidence  *float64    `json:"confidence"`
	Place       placeJSON   `json:"place"`
	State       sweep.State `json:"state"`
	RecoveredIn *string     `json:"recovered_in"`
	Notes       []string    `json:"notes"`
}

type placeJSON struct {
	Lo *string `json:"lo"`
	Hi *string `json:"hi"`
}

type undecidedJSON struct {
	Metric       string `json:"metric"`
	From         string `json:"from"`
	To           string `json:"to"`
	RoundsNeeded *int   `json:"rounds_needed"`
}

type notMeasuredJSON struct {
	Version string  `json:"version"`
	Reason  *string `json:"reason"`
}

func newChecksJSON(c checked) checksJSON {
	doc := checksJSON{Schema: jsonSchema, Targets: []checkJSON{}, Failed: []failedJSON{}}
	for _, j := range c.judgements {
		doc.Targets = append(doc.Targets, newCheckJSON(j))
	}
	for _, f := range c.failed {
		doc.Failed = append(doc.Failed, failedJSON{f.target, runtimes.WithoutSecrets(strings.Join(strings.Fields(f.err.Error()), " "))})
	}
	return doc
}

func newCheckJSON(j sweep.Judgement) checkJSON {
	doc := checkJSON{
		Schema: jsonSchema, Target: j.Target, Reference: orNull(j.Reference), Effect: j.Effect, Findings: newFindingsJSON(j.Findings),
		Undecided: newUndecidedJSON(j.Undecided()), NotMeasured: newNotMeasuredJSON(j.NotMeasured), SmallestEffect: leadingEffect(j.SmallestEffect),
		SmallestEffects: knownOrNulls(j.SmallestEffect), Noise: knownOrNulls(j.Noise), Twin: map[string]changeJSON{},
		Joint: map[string]string{}, Warnings: append([]string{}, j.Warnings...), OlderSweeps: j.Older,
	}
	for key, c := range j.Twin {
		doc.Twin[key] = newChangeJSON(c.Change, c.Lo, c.Hi)
	}
	maps.Copy(doc.Joint, j.Joint)
	return doc
}

func newFindingsJSON(findings []sweep.Finding) []findingJSON {
	list := []findingJSON{}
	for _, f := range findings {
		list = append(list, newFindingJSON(f))
	}
	return list
}

func newFindingJSON(f sweep.Finding) findingJSON {
	return findingJSON{
		ID: f.ID, Kind: string(f.Kind), Metric: f.Metric.Key, From: f.From, To: f.To, Verdict: f.Verdict,
		changeJSON: newChangeJSON(f.Change, f.Lo, f.Hi), Confidence: knownOrNull(f.Confidence),
		Place: placeJSON{orNull(f.PlaceLo), orNull(f.PlaceHi)}, State: f.State, RecoveredIn: orNull(f.RecoveredIn),
		Notes: append([]string{}, f.Notes...),
	}
}

func newUndecidedJSON(comparisons []sweep.Comparison) []undecidedJSON {
	list := []undecidedJSON{}
	for _, c := range comparisons {
		list = append(list, undecidedJSON{c.Metric.Key, c.From, c.To, roundsOrNull(c.RoundsNeeded)})
	}
	return list
}

func newNotMeasuredJSON(outcomes []sweep.Outcome) []notMeasuredJSON {
	list := []notMeasuredJSON{}
	for _, o := range outcomes {
		list = append(list, notMeasuredJSON{o.Version, orNull(o.Reason)})
	}
	return list
}

// releaseJSON is what compare prints.
type releaseJSON struct {
	Schema         int                 `json:"schema"`
	Target         string              `json:"target"`
	From           string              `json:"from"`
	To             string              `json:"to"`
	Verdict        *string             `json:"verdict"`
	Effect         float64             `json:"effect"`
	Metrics        []releaseMetricJSON `json:"metrics"`
	Findings       []findingJSON       `json:"findings"` // metrics that differ, then the steps between the two
	Undecided      []undecidedJSON     `json:"undecided"`
	NotMeasured    []notMeasuredJSON   `json:"not_measured"`
	SmallestEffect *float64            `json:"smallest_effect"`
	Components     []componentJSON     `json:"components"` // bundled parts that changed
	Between        []string            `json:"between"`
	Environment    sweep.Environment   `json:"environment"`
	Profile        load.Profile        `json:"profile"`
	Sweeps         []int64             `json:"sweeps"`
	Samples        int                 `json:"samples"`
	Warnings       []string            `json:"warnings"`
}

type releaseMetricJSON struct {
	Metric  string        `json:"metric"`
	Unit    string        `json:"unit"`
	Better  sweep.Better  `json:"better"`
	Old     *estimateJSON `json:"old"`
	New     *estimateJSON `json:"new"`
	Verdict sweep.Verdict `json:"verdict"`
	changeJSON
	P            *float64 `json:"p"`
	RoundsNeeded *int     `json:"rounds_needed"`
	Notes        []string `json:"notes"`
}

type estimateJSON struct {
	Median  *float64 `json:"median"`
	Lo      *float64 `json:"lo"`
	Hi      *float64 `json:"hi"`
	Samples int      `json:"samples"`
}

type componentJSON struct {
	Name string  `json:"name"`
	Old  *string `json:"old"`
	New  *string `json:"new"`
}

func newReleaseJSON(r sweep.Release) releaseJSON {
	doc := releaseJSON{
		Schema: jsonSchema, Target: r.Target, From: r.From.Name, To: r.To.Name, Verdict: orNull(r.Verdict), Effect: r.Effect,
		Metrics: []releaseMetricJSON{}, Findings: []findingJSON{}, NotMeasured: newNotMeasuredJSON(r.NotMeasured),
		Components: []componentJSON{}, Between: []string{}, Environment: r.Environment, Profile: r.Plan.Profile,
		Sweeps: append([]int64{}, r.Sweeps...), Samples: r.Samples, Warnings: append([]string{}, r.Warnings...),
	}
	var undecided []sweep.Comparison
	effects := map[string]float64{}
	for _, c := range r.Comparisons {
		doc.Metrics = append(doc.Metrics, releaseMetricJSON{
			Metric: c.Metric.Key, Unit: c.Metric.Unit, Better: c.Metric.Better, Old: newEstimateJSON(c.Old), New: newEstimateJSON(c.New),
			Verdict: c.Verdict, changeJSON: newChangeJSON(c.Change, c.Lo, c.Hi), P: knownOrNull(c.P), RoundsNeeded: roundsOrNull(c.RoundsNeeded),
			Notes: append([]string{}, c.Notes...),
		})
		effects[c.Metric.Key] = c.SmallestEffect
		switch c.Verdict {
		case sweep.Undecided:
			undecided = append(undecided, c)
		case sweep.Regression, sweep.Improvement:
			doc.Findings = append(doc.Findings, newFindingJSON(sweep.Finding{
				ID: r.Target + "-" + c.Metric.Key + "-" + c.From + "-" + c.To, Kind: "comparison", Metric: c.Metric, From: c.From, To: c.To,
				Verdict: c.Verdict, State: sweep.Open, Change: c.Change, Lo: c.Lo, Hi: c.Hi, Confidence: 1 - c.P, Notes: c.Notes,
			}))
		}
	}
	doc.Findings = append(doc.Findings, newFindingsJSON(r.Findings)...)
	doc.Undecided, doc.SmallestEffect = newUndecidedJSON(undecided), leadingEffect(effects)
	for _, c := range r.Bundled {
		doc.Components = append(doc.Components, componentJSON{c.Name, orNull(c.Old), orNull(c.New)})
	}
	for _, v := range r.Between {
		doc.Between = append(doc.Between, v.Name)
	}
	return doc
}

func newEstimateJSON(e sweep.Estimate) *estimateJSON {
	if e.Samples == 0 {
		return nil
	}
	return &estimateJSON{knownOrNull(e.Median), knownOrNull(e.Lo), knownOrNull(e.Hi), e.Samples}
}

// ackJSON is what ack prints.
type ackJSON struct {
	Schema  int         `json:"schema"`
	Target  string      `json:"target"`
	Finding findingJSON `json:"finding"` // in its new state
	Was     sweep.State `json:"was"`
	Note    *string     `json:"note"`
}

// leadingEffect is the one figure where there is room for one: throughput's, or
// the only metric's.
func leadingEffect(effects map[string]float64) *float64 {
	v, ok := effects[sweep.QPS]
	if ok {
		return knownOrNull(v)
	}
	if len(effects) == 1 {
		for _, v := range effects {
			return knownOrNull(v)
		}
	}
	return nil
}

// knownOrNull keeps NaN and infinity out of JSON, which has no word for them.
func knownOrNull(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func knownOrNulls(values map[string]float64) map[string]*float64 {
	out := map[string]*float64{}
	for key, v := range values {
		out[key] = knownOrNull(v)
	}
	return out
}

// roundsOrNull is null where no number of rounds is known to help.
func roundsOrNull(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

package nightly

import (
	"context"
	"math"
	"slices"

	"versweep/sweep"
)

// pursue takes more rounds of a new version that its sweep shows to be worse than
// the one before it, where all sweeps together do not tell so yet: looking for
// changes at every place of the axis, they ask for more than the one comparison
// that a new version is for. What they find then is suspected like any other
// finding, and confirmed in rounds of its own. So it does of one that looks better
// where a regression was told, which it may end.
func (n *night) pursue(ctx context.Context, e *errand) error {
	if e.failed != "" || len(e.latest.Samples) == 0 {
		return nil
	}
	j := e.judge()
	if j == nil {
		return nil
	}
	hunches := e.hunches(*j)
	slices.Reverse(hunches) // the newest first
	hunches = hunches[:min(maxHunches, len(hunches))]
	for i, h := range hunches {
		q := newQuestion(h, *j, e.Found)
		budget := share(share(n.budget(e), 1-spare), 1/float64(len(hunches)-i))
		if e.failed != "" || q.Unanswerable != "" || Cost(len(q.Versions)+1, leastRounds(e.Plan), e.sample()) > budget {
			continue
		}
		n.Hands.Say("%s: %s looks %s by %.1f %% since %s: more rounds", e.Plan.Target, withMetric(h), worseOrBetter(h), 100*math.Abs(h.Change), h.To)
		never := func(sweep.Sweep) bool { return false }
		if _, err := n.sweep(ctx, e, n.plan(e, q.Versions, sweep.PurposeNew), budget, never); err != nil {
			return err
		}
	}
	return nil
}

// maxHunches bounds the sweeps that a night takes for hunches about a target: on
// the first one every version is new.
const maxHunches = 3

// hunches are changes of tonight's new versions that their sweep shows and the
// judgement does not.
func (e *errand) hunches(j sweep.Judgement) []sweep.Finding {
	metric := e.primary()
	effect := e.effect()
	var list []sweep.Finding
	before := ""
	for _, v := range e.latest.Plan.Versions {
		from := before
		before = v.Name
		known := slices.ContainsFunc(j.Findings, func(f sweep.Finding) bool { return f.Metric.Key == metric && f.To == v.Name })
		if from == "" || known || !slices.Contains(e.wanted, v.Name) {
			continue
		}
		c, ok := sweep.CompareInSweep(e.latest, from, v.Name, metric, sweep.JudgeOptions{Effect: effect})
		if !ok || math.IsNaN(c.Change) {
			continue
		}
		f := sweep.Finding{
			Metric: c.Metric, From: from, To: v.Name, PlaceLo: v.Name, PlaceHi: v.Name, Verdict: sweep.Improvement, State: sweep.Open,
			Kind: sweep.KindStep, Change: c.Change, Lo: c.Lo, Hi: c.Hi,
		}
		if c.Change < 0 == (c.Metric.Better == sweep.Higher) {
			f.Verdict = sweep.Regression
		}
		promising := c.Verdict == f.Verdict || c.Verdict == sweep.Undecided && math.Abs(c.Change) >= effect
		if promising && (e.Watching.matters(f) || e.mayEnd(f)) {
			list = append(list, f)
		}
	}
	return list
}

// mayEnd tells whether an improvement is to be pursued as the end of a regression
// that was told: nobody has to watch improvements to be told of a recovery.
func (e *errand) mayEnd(f sweep.Finding) bool {
	return f.Verdict == sweep.Improvement && slices.ContainsFunc(e.told, func(t Told) bool {
		return t.Finding != nil && t.State != Recovered && t.Finding.Verdict == sweep.Regression && t.Finding.Metric.Key == f.Metric.Key
	})
}

// primary is the metric that new versions are compared by: throughput, or else
// the first that is judged.
func (e *errand) primary() string {
	if m := e.Judging.Metrics; len(m) > 0 && !slices.Contains(m, sweep.QPS) {
		return m[0]
	}
	return sweep.QPS
}

// effect is the smallest change of interest, a fraction.
func (e *errand) effect() float64 {
	for _, v := range []float64{e.Judging.Effect, e.Plan.Effect} {
		if v > 0 {
			return v
		}
	}
	return sweep.DefaultEffect
}

func withMetric(f sweep.Finding) string {
	if f.Metric.Title != "" {
		return f.Metric.Title
	}
	return f.Metric.Key
}

func worseOrBetter(f sweep.Finding) string {
	if f.Verdict == sweep.Regression {
		return "worse"
	}
	return "better"
}

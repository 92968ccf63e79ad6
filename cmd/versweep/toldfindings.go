package main

import (
	"context"
	"fmt"
	"slices"

	"versweep/charts"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// toldFinding is a finding that a night told of.
type toldFinding struct {
	key string // under which it was told first: see nightly.Notice
	// Finding is as a judgement has it, or else as it was told, with the state that
	// people gave it.
	sweep.Finding
	missing bool // the judgement does not have it
}

// toldFindings are what nights told of a target, by key, beside a judgement of it. A
// night judges the metrics of its settings alone: what it finds may be missing where
// all metrics share the error rate.
func toldFindings(ctx context.Context, h history, target string, j sweep.Judgement) ([]toldFinding, error) {
	told, err := h.Told(ctx, target)
	if err != nil {
		return nil, err
	}
	told = slices.DeleteFunc(told, func(t nightly.Told) bool { return t.Finding == nil })
	if len(told) == 0 {
		return nil, nil
	}
	acks, err := h.Acknowledgements(ctx, target)
	if err != nil {
		return nil, err
	}
	var list []toldFinding
	for _, t := range told {
		if at := j.FindingsAt(t.Finding.Spot(t.At)); len(at) > 0 {
			list = append(list, toldFinding{t.Key, j.Findings[at[0]], false})
			continue
		}
		f := *t.Finding
		if f.State != sweep.Recovered {
			f.State = sweep.Open
		}
		alone := sweep.Judgement{Versions: j.Versions, Findings: []sweep.Finding{f}}
		sweep.ApplyAcknowledgements(&alone, acks)
		list = append(list, toldFinding{t.Key, alone.Findings[0], true})
	}
	return list, nil
}

// warnOfTold adds a warning for each finding that nights told of and that stands,
// but that a judgement by some metrics does not have; nil are all metrics.
func warnOfTold(ctx context.Context, h history, target string, metrics []string, j *sweep.Judgement) error {
	told, err := toldFindings(ctx, h, target, *j)
	for _, f := range told {
		if !f.missing || f.State == sweep.Recovered || len(metrics) > 0 && !slices.Contains(metrics, f.Metric.Key) {
			continue
		}
		j.Warnings = append(j.Warnings, fmt.Sprintf("a night told of %s, %s (%s), which is not found among all these metrics: check --metric %s asks for it alone",
			f.ID, charts.FindingText(f.Finding), f.State, f.Metric.Key))
	}
	return err
}

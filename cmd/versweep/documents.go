package main

import (
	"versweep/sweep"
	"versweep/sweep/load"
)

// The JSON documents of schema 1. Keys carry their unit, fractions are
// fractions, unknown is null.

type versionsJSON struct {
	Schema   int             `json:"schema"`
	Target   string          `json:"target"`
	Versions []versionJSON   `json:"versions"`
	Skipped  []sweep.Skipped `json:"skipped"`
}

type versionJSON struct {
	Version    string  `json:"version"`
	Raw        string  `json:"raw"`
	Source     string  `json:"source"`
	Line       string  `json:"line"`
	Prerelease bool    `json:"prerelease"`
	Commit     *string `json:"commit"`
	Digest     *string `json:"digest"`
}

func newVersionsJSON(target string, versions []sweep.Version, skipped []sweep.Skipped) versionsJSON {
	doc := versionsJSON{Schema: jsonSchema, Target: target, Versions: []versionJSON{}, Skipped: []sweep.Skipped{}}
	for _, v := range versions {
		doc.Versions = append(doc.Versions, versionJSON{
			Version: v.Name, Raw: v.Raw, Source: v.Source, Line: v.Line, Prerelease: v.Prerelease,
			Commit: orNull(v.Commit), Digest: orNull(v.Digest),
		})
	}
	doc.Skipped = append(doc.Skipped, skipped...)
	return doc
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type tableJSON struct {
	Schema         int                   `json:"schema"`
	Sweep          int64                 `json:"sweep"`
	Target         string                `json:"target"`
	Source         string                `json:"source"`
	Profile        load.Profile          `json:"profile"`
	Environment    any                   `json:"environment"`
	Imported       *sweep.Foreign        `json:"imported"` // null when measured
	Reference      *string               `json:"reference"`
	Seed           uint64                `json:"seed"`
	Rounds         int                   `json:"rounds"`
	Finished       bool                  `json:"finished"`
	Samples        int                   `json:"samples"`
	StarvedSamples int                   `json:"starved_samples"` // in which something else took the server's CPU
	Versions       []rowJSON             `json:"versions"`
	Twin           map[string]metricJSON `json:"twin"`
	SmallestEffect *float64              `json:"smallest_effect"` // of throughput, or of the only metric
	Findings       []findingJSON         `json:"findings"`
}

type rowJSON struct {
	Version    string                 `json:"version"`
	Line       string                 `json:"line"`
	Prerelease bool                   `json:"prerelease"`
	Status     sweep.Status           `json:"status"`
	Reason     *string                `json:"reason"`
	Notes      []string               `json:"notes"`
	Samples    int                    `json:"samples"`
	LeftOut    int                    `json:"left_out_samples"` // spoilt, in no figure
	Marks      map[sweep.MarkKind]int `json:"marks"`            // samples marked as each kind
	Metrics    map[string]metricJSON  `json:"metrics"`
	Components map[string]string      `json:"components"` // null when unknown
}

type metricJSON struct {
	Median *float64     `json:"median"`
	Lo     *float64     `json:"lo"`
	Hi     *float64     `json:"hi"`
	Unit   string       `json:"unit"`
	Better sweep.Better `json:"better"`
}

func newTableJSON(t sweep.Table, j sweep.Judgement) tableJSON {
	doc := tableJSON{
		Schema: jsonSchema, Sweep: t.Sweep, Target: t.Target, Source: t.Plan.Source, Profile: t.Plan.Profile,
		Environment: newEnvironmentJSON(t), Imported: t.Plan.Foreign, Reference: orNull(t.Plan.Reference), Seed: t.Plan.Seed, Rounds: t.Plan.Rounds,
		Finished: t.Finished, Samples: t.Samples, StarvedSamples: t.Starved, Versions: []rowJSON{}, Twin: newMetricsJSON(t.Plan, t.Twin),
		SmallestEffect: leadingEffect(j.SmallestEffect), Findings: newFindingsJSON(j.Findings),
	}
	for _, r := range t.Rows {
		if r.Marks == nil {
			r.Marks = map[sweep.MarkKind]int{}
		}
		doc.Versions = append(doc.Versions, rowJSON{
			Version: r.Version.Name, Line: r.Version.Line, Prerelease: r.Version.Prerelease, Status: r.Status,
			Reason: orNull(r.Reason), Notes: append([]string{}, r.Notes...), Samples: r.Samples, LeftOut: r.LeftOut, Marks: r.Marks, Metrics: newMetricsJSON(t.Plan, r.Metrics),
			Components: r.Components,
		})
	}
	return doc
}

// newEnvironmentJSON is what is known of the machine: of one that other tools
// ran on, its name.
func newEnvironmentJSON(t sweep.Table) any {
	if t.Plan.Foreign == nil {
		return t.Environment
	}
	return struct {
		Name *string `json:"name"`
	}{orNull(t.Environment.Name)}
}

// newMetricsJSON has every metric that the plan's samples may have; one that is
// not known is there with nulls.
func newMetricsJSON(p sweep.Plan, estimates map[string]sweep.Estimate) map[string]metricJSON {
	out := map[string]metricJSON{}
	for _, m := range p.AllMetrics() {
		j := metricJSON{Unit: m.Unit, Better: m.Better}
		if e, ok := estimates[m.Key]; ok {
			j.Median, j.Lo, j.Hi = &e.Median, &e.Lo, &e.Hi
		}
		out[m.Key] = j
	}
	return out
}

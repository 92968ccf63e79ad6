package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"versweep/charts/report"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// asTold are a night's targets as its pages and exports show them: with the findings
// that it judged by its own metrics, so that they say what was told, and with a word
// at each that it did not tell.
func (s *nightlySettings) asTold(targets []report.Target, r nightly.Result) []report.Target {
	told := slices.Clone(targets)
	for i := range told {
		j := &told[i].Judgement
		t := slices.IndexFunc(s.targets, func(t nightlyTarget) bool { return t.definition.Name == j.Target })
		at := slices.IndexFunc(r.Targets, func(n nightly.TargetNight) bool { return n.Target == j.Target })
		if t < 0 || at < 0 {
			continue
		}
		account := r.Accounts[at]
		if account.Judged != nil {
			*j = j.WithFindingsOf(*account.Judged)
		}
		standings := nightStandings{s.targets[t], account, *j}
		told[i].Standing = standings.of
	}
	return told
}

// asWatched are targets of asTold with what the night has told alone: other tools
// have no word for the rest.
func (s *nightlySettings) asWatched(targets []report.Target) []report.Target {
	watched := slices.Clone(targets)
	for i := range watched {
		j, standing := &watched[i].Judgement, watched[i].Standing
		if standing == nil {
			continue
		}
		j.Findings = slices.DeleteFunc(slices.Clone(j.Findings), func(f sweep.Finding) bool { return standing(f) != "" })
		for _, t := range s.targets {
			if t.definition.Name == j.Target && len(t.judging.Metrics) > 0 {
				j.Metrics = slices.DeleteFunc(slices.Clone(j.Metrics), func(m sweep.Metric) bool {
					return !slices.Contains(t.judging.Metrics, m.Key)
				})
			}
		}
	}
	return watched
}

// nightStandings says how a night takes the findings of a target.
type nightStandings struct {
	nightlyTarget
	account nightly.Account
	j       sweep.Judgement
}

// of is empty for what the night has told, or leaves to people.
func (n nightStandings) of(f sweep.Finding) string {
	is := func(other sweep.Finding, at time.Time) bool {
		return slices.ContainsFunc(n.j.FindingsAt(other.Spot(at)), func(i int) bool { return n.j.Findings[i].ID == f.ID })
	}
	if m := n.judging.Metrics; len(m) > 0 && !slices.Contains(m, f.Metric.Key) {
		return "not watched by the night"
	}
	if slices.ContainsFunc(n.account.Told, func(t nightly.Told) bool { return t.Finding != nil && is(*t.Finding, t.At) }) {
		return ""
	}
	for _, s := range n.account.Suspicions {
		switch {
		case !is(s.Finding, s.Since):
		case s.Standing == nightly.Suspected:
			return "suspected, not told yet"
		case s.Standing == nightly.Rejected:
			return "not told: fresh rounds did not show it"
		}
	}
	switch {
	case f.Verdict != sweep.Regression || f.State != sweep.Open:
		return ""
	case !f.Counts(n.minChange):
		return fmt.Sprintf("not told: under %s %%", strconv.FormatFloat(100*n.minChange, 'g', 4, 64))
	}
	return "not told"
}

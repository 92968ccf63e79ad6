package main

import (
	"slices"
	"testing"

	"versweep/charts/report"
	"versweep/runtimes"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// A night's pages have the findings that it judged by its own metrics, also where all
// metrics together hide them, and a word at each that it did not tell; what other
// tools get has only what it told.
func TestNightsPagesSayWhatWasTold(t *testing.T) {
	found := func(metric, to string, change float64) sweep.Finding {
		return sweep.Finding{
			ID: "x-" + metric + "-" + to, Kind: sweep.KindStep, Metric: metricOf(t, metric), From: "1", To: to, PlaceLo: to, PlaceHi: to,
			Verdict: sweep.Regression, State: sweep.Open, Change: change, Lo: change, Hi: change,
		}
	}
	told, suspected, rejected, small := found(sweep.P99, "2", 0.5), found(sweep.P99, "3", 0.4), found(sweep.P99, "4", 0.3), found(sweep.P99, "5", 0.02)
	memory, hidden := found(sweep.PeakRSS, "2", 0.6), found(sweep.P99, "7", 0.2)
	var versions []sweep.Version
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		versions = append(versions, sweep.Version{Name: name})
	}
	all := sweep.Judgement{Target: "x", Versions: versions, Metrics: []sweep.Metric{memory.Metric, told.Metric}, Findings: []sweep.Finding{memory, hidden}}
	night := sweep.Judgement{Target: "x", Versions: versions, Metrics: []sweep.Metric{told.Metric}, Findings: []sweep.Finding{told, suspected, rejected, small}}
	s := &nightlySettings{targets: []nightlyTarget{{
		order: &order{definition: &runtimes.Definition{Name: "x"}}, judging: sweep.JudgeOptions{Metrics: []string{sweep.P99}}, minChange: 0.05,
	}}}
	result := nightly.Result{Targets: []nightly.TargetNight{{Target: "x"}}, Accounts: []nightly.Account{{
		Judged: &night, Told: []nightly.Told{{Finding: &told, State: nightly.New}},
		Suspicions: []nightly.Suspicion{{Finding: suspected, Standing: nightly.Suspected}, {Finding: rejected, Standing: nightly.Rejected}},
	}}}
	shown := s.asTold([]report.Target{{Judgement: all}}, result)
	got := map[string]string{}
	for _, f := range shown[0].Judgement.Findings {
		got[f.ID] = shown[0].Standing(f)
	}
	for id, want := range map[string]string{
		told.ID: "", memory.ID: "not watched by the night", suspected.ID: "suspected, not told yet",
		rejected.ID: "not told: fresh rounds did not show it", small.ID: "not told: under 5 %",
	} {
		if said, ok := got[id]; said != want || !ok {
			t.Errorf("%s: %q, %v, want %q", id, said, ok, want)
		}
	}
	if _, ok := got[hidden.ID]; ok || len(got) != 5 {
		t.Errorf("shown are %v", got)
	}
	watched := s.asWatched(shown)[0].Judgement
	if len(watched.Findings) != 1 || watched.Findings[0].ID != told.ID || !slices.Equal(watched.Metrics, []sweep.Metric{told.Metric}) {
		t.Errorf("other tools get %v of %v", watched.Findings, watched.Metrics)
	}
	if len(all.Findings) != 2 || len(shown[0].Judgement.Findings) != 5 {
		t.Error("what was given is changed")
	}
}

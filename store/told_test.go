package store

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/nightly"
)

func TestToldAndSuspicionsComeBack(t *testing.T) {
	s := reopen(t, filepath.Join(t.TempDir(), "versweep.db"))
	defer s.Close()
	ctx := t.Context()
	sw := begin(t, s, "1.0.0")
	qps, _ := sweep.MetricByKey(sweep.QPS)
	failed, _ := sweep.MetricByKey(sweep.ErrorShare)
	at := time.Unix(1_800_000_000, 7).UTC()
	slower := sweep.Finding{
		ID: "x-qps-1.2.0", Kind: sweep.KindStep, Metric: qps, From: "1.1.0", To: "1.2.0", Verdict: sweep.Regression, State: sweep.Open,
		Change: -0.1, Lo: -0.12, Hi: -0.08, Confidence: 0.99, PlaceLo: "1.2.0", PlaceHi: "1.3.0",
	}
	told := []nightly.Told{
		{Target: "x", Key: "missing-x", State: nightly.Missing, Since: at, At: at, Reason: "no answer"},
		{Target: "x", Key: "missing-x-1.4.0", State: nightly.Missing, Since: at, At: at.Add(time.Hour), Version: "1.4.0", Reason: "gone"},
		{Target: "x", Key: slower.ID, State: nightly.StillThere, Since: at, At: at, Finding: &slower, Newest: "1.5.0"},
	}
	suspicions := []nightly.Suspicion{
		{Target: "x", Finding: slower, Standing: nightly.Confirmed, Since: at, Sweep: sw.ID, Seen: "-10 %"},
		{Target: "x", Finding: sweep.Finding{ID: "x-qps-1.3.0", Metric: qps, From: "1.2.0", To: "1.3.0"}, Standing: nightly.Suspected, Since: at.Add(1), Tries: 2},
	}
	for range 2 { // the second time replaces the first
		if err := s.SaveTold(ctx, "x", told); err != nil {
			t.Fatal(err)
		}
		if err := s.SaveSuspicions(ctx, "x", suspicions); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Told(ctx, "x"); err != nil || !reflect.DeepEqual(got, told) {
		t.Errorf("told: %+v, %v", got, err)
	}
	if got, err := s.Suspicions(ctx, "x"); err != nil || !reflect.DeepEqual(got, suspicions) {
		t.Errorf("suspicions: %+v, %v", got, err)
	}
	if got, err := s.Told(ctx, "y"); err != nil || got != nil {
		t.Errorf("another target's: %+v, %v", got, err)
	}
	// A change from zero has no size.
	nan := math.NaN()
	onset := sweep.Finding{ID: "y-error_share-2.0.0", Kind: sweep.KindOnset, Metric: failed, Verdict: sweep.Regression, Change: nan, Lo: nan, Hi: nan, Confidence: nan}
	if err := s.SaveTold(ctx, "y", []nightly.Told{{Target: "y", Key: onset.ID, State: nightly.New, Since: at, At: at, Finding: &onset}}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Told(ctx, "y")
	if err != nil || len(got) != 1 || !math.IsNaN(got[0].Finding.Change) || got[0].Finding.ID != onset.ID {
		t.Errorf("onset: %+v, %v", got, err)
	}
	if err := s.SaveTold(ctx, "x", nil); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Told(ctx, "x"); err != nil || got != nil {
		t.Errorf("after forgetting: %+v, %v", got, err)
	}
}

func TestNights(t *testing.T) {
	s := reopen(t, filepath.Join(t.TempDir(), "versweep.db"))
	defer s.Close()
	ctx := t.Context()
	at := time.Unix(1_800_000_000, 0).UTC()
	if got, err := s.Nights(ctx, 0); err != nil || got != nil {
		t.Errorf("%+v, %v", got, err)
	}
	first, err := s.BeginNight(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []time.Duration{time.Hour, 2 * time.Hour} {
		if err := s.EndNight(ctx, first.ID, at.Add(end)); err != nil {
			t.Fatal(err)
		}
	}
	second, err := s.BeginNight(ctx, at.Add(24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	want := []Night{{second.ID, at.Add(24 * time.Hour), time.Time{}}, {first.ID, at, at.Add(time.Hour)}}
	if got, err := s.Nights(ctx, 2); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A night goes on with its own sweeps, and knows those in which nothing could be
// had.
func TestSweepsOfNights(t *testing.T) {
	s := reopen(t, filepath.Join(t.TempDir(), "versweep.db"))
	defer s.Close()
	ctx := t.Context()
	begun := begin(t, s, "1.0.0")
	plan := begun.Plan
	plan.Night, plan.Purpose = 3, sweep.PurposeConfirm
	nightly, err := s.CreateSweep(ctx, plan, begun.Environment, time.Unix(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	unfinished, err := s.UnfinishedNightly(ctx)
	if err != nil || len(unfinished) != 1 || unfinished[0].ID != nightly.ID || unfinished[0].Plan.Night != 3 || unfinished[0].Plan.Purpose != sweep.PurposeConfirm {
		t.Errorf("unfinished: %+v, %v", unfinished, err)
	}
	if past, err := s.Attempts(ctx, plan.Target); err != nil || len(past) != 0 {
		t.Errorf("attempts before there was one: %+v, %v", past, err)
	}
	if err := s.SaveOutcome(ctx, nightly.ID, sweep.Outcome{Version: "1.0.0", Reason: "gone"}); err != nil {
		t.Fatal(err)
	}
	if past, err := s.Attempts(ctx, plan.Target); err != nil || len(past) != 1 || past[0].ID != nightly.ID {
		t.Errorf("attempts: %+v, %v", past, err)
	}
	if err := s.FinishSweep(ctx, nightly.ID, time.Unix(2, 0)); err != nil {
		t.Fatal(err)
	}
	if unfinished, err = s.UnfinishedNightly(ctx); err != nil || len(unfinished) != 0 {
		t.Errorf("unfinished: %+v, %v", unfinished, err)
	}
}

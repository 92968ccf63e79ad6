package store

import (
	"testing"

	"versweep/sweep"
)

// Of years of nights only what judging needs is read, and of the others the
// versions that could not be had.
func TestAttemptsKeepFailures(t *testing.T) {
	s := fresh(t)
	const nights = 60
	var ids []int64
	for range nights {
		sw := begin(t, s, "1.0.0", "1.1.0", "1.2.0")
		ids = append(ids, sw.ID)
		if err := s.SaveOutcome(t.Context(), sw.ID, sweep.Outcome{Version: "1.1.0", Reason: "does not compile"}); err != nil {
			t.Fatal(err)
		}
		for round := range 5 {
			for _, name := range []string{"1.0.0", "1.2.0"} {
				save(t, s, sw.ID, &sweep.Sample{Version: name, Round: round + 1, Status: sweep.OK, Values: map[string]float64{sweep.QPS: 100}})
			}
		}
	}
	past, err := s.Attempts(t.Context(), "node")
	if err != nil || len(past) != nights {
		t.Fatalf("%d sweeps of %d, %v", len(past), nights, err)
	}
	samples := 0
	for i, sw := range past {
		if sw.ID != ids[i] {
			t.Errorf("place %d has sweep %d, not %d", i, sw.ID, ids[i])
		}
		failed := 0
		for _, o := range sw.Outcomes {
			if o.Reason == "does not compile" {
				failed++
			}
		}
		if failed != 1 {
			t.Errorf("sweep %d has %d failures", sw.ID, failed)
		}
		samples += len(sw.Samples)
	}
	judged, older, err := s.Recent(t.Context(), "node", sweep.Span{})
	if err != nil || older == 0 {
		t.Fatalf("%d sweeps are older, %v", older, err)
	}
	want := 0
	for _, sw := range judged {
		want += len(sw.Samples)
	}
	if samples != want {
		t.Errorf("%d samples were read, and judging needs %d", samples, want)
	}
}

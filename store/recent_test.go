package store

import (
	"reflect"
	"testing"

	"versweep/sweep"
)

// night saves a sweep of versions with so many rounds, and a twin of the reference.
func night(t *testing.T, s *Store, rounds int, names ...string) int64 {
	t.Helper()
	sw := begin(t, s, names...)
	reference := sw.Plan.Reference
	for _, name := range names {
		if err := s.SaveOutcome(t.Context(), sw.ID, sweep.Outcome{Version: name, Build: sweep.Build{Version: name, Bundled: map[string]string{"v8": name}}}); err != nil {
			t.Fatal(err)
		}
	}
	for round := range rounds {
		for _, name := range names {
			save(t, s, sw.ID, &sweep.Sample{Version: name, Round: round + 1, Status: sweep.OK, Values: map[string]float64{sweep.QPS: 100}, Log: []string{name}})
		}
		save(t, s, sw.ID, &sweep.Sample{Version: reference, Round: round + 1, Twin: true, Status: sweep.OK, Values: map[string]float64{sweep.QPS: 101}})
	}
	return sw.ID
}

func save(t *testing.T, s *Store, id int64, m *sweep.Sample) {
	t.Helper()
	if err := s.SaveSample(t.Context(), id, m); err != nil {
		t.Fatal(err)
	}
}

func TestRecentReadsWhatJudgingNeeds(t *testing.T) {
	s := fresh(t)
	first := night(t, s, 3, "1.0.0", "1.1.0", "1.2.0", "2.0.0")
	middle := night(t, s, 3, "1.2.0", "2.0.0")
	last := night(t, s, 3, "1.2.0", "2.0.0")

	all, err := s.History(t.Context(), "node", 0)
	if err != nil {
		t.Fatal(err)
	}
	got, older, err := s.Recent(t.Context(), "node", sweep.Span{})
	if err != nil || older != 0 || !reflect.DeepEqual(got, all) {
		t.Fatalf("with few rounds Recent and History differ (%d older, %v)", older, err)
	}

	got, older, err = s.Recent(t.Context(), "node", sweep.Span{Rounds: 3})
	if err != nil || len(got) != 2 || got[0].ID != first || got[1].ID != last || older != 1 {
		t.Fatalf("read %d sweeps, %d older, %v", len(got), older, err)
	}
	// 1.0.0 and 1.1.0 are needed, 1.2.0 is beside them, 2.0.0 is the reference.
	if n := len(got[0].Plan.Versions); n != 4 {
		t.Errorf("of the first sweep %d versions were read", n)
	}

	got, _, err = s.Recent(t.Context(), "node", sweep.Span{Rounds: 3, Sweeps: 2})
	if err != nil || len(got) != 2 || got[0].ID != middle {
		t.Fatalf("the last two sweeps: %v, %v", got, err)
	}
	if got, older, err := s.Recent(t.Context(), "deno", sweep.Span{}); err != nil || len(got) > 0 || older != 0 {
		t.Errorf("of a target without sweeps: %v, %d, %v", got, older, err)
	}
}

func TestSingleReadsOneVersion(t *testing.T) {
	s := fresh(t)
	night(t, s, 2, "1.0.0", "1.1.0", "2.0.0")
	night(t, s, 2, "1.1.0", "2.0.0")
	got, err := s.Single(t.Context(), "node", "1.0.0")
	if err != nil || len(got) != 1 {
		t.Fatalf("%d sweeps, %v", len(got), err)
	}
	sw := got[0]
	if len(sw.Plan.Versions) != 1 || sw.Plan.Versions[0].Name != "1.0.0" || len(sw.Outcomes) != 1 || sw.Outcomes[0].Build.Bundled["v8"] != "1.0.0" {
		t.Errorf("versions %v, outcomes %v", sw.Plan.Versions, sw.Outcomes)
	}
	if len(sw.Samples) != 2 || sw.Samples[0].Values[sweep.QPS] != 100 || len(sw.Samples[0].Log) != 1 {
		t.Errorf("samples %+v", sw.Samples)
	}
}

func TestStampTellsChangesOfATarget(t *testing.T) {
	s := fresh(t)
	night(t, s, 1, "1.0.0")
	other := plan("1.0.0")
	other.Target = "deno"
	was := ""
	changed := func(doing string, want bool) {
		t.Helper()
		is, err := s.Stamp(t.Context(), "node")
		if err != nil {
			t.Fatal(err)
		}
		if (is != was) != want {
			t.Errorf("%s: %q after %q", doing, is, was)
		}
		was = is
	}
	changed("the first look", true)
	changed("nothing", false)
	sw := begin(t, s, "1.0.0", "1.1.0")
	changed("a new sweep", true)
	if err := s.SaveOutcome(t.Context(), sw.ID, sweep.Outcome{Version: "1.1.0", Reason: "gone"}); err != nil {
		t.Fatal(err)
	}
	changed("an outcome", true)
	save(t, s, sw.ID, &sweep.Sample{Version: "1.0.0", Round: 1, Status: sweep.OK})
	changed("a sample", true)
	ack := sweep.Acknowledgement{Target: "node", ID: "node-qps-1.1.0", State: sweep.Acknowledged}
	if err := s.SetState(t.Context(), ack, noon); err != nil {
		t.Fatal(err)
	}
	changed("an acknowledgement", true)
	ack.State = sweep.Expected
	if err := s.SetState(t.Context(), ack, noon.Add(1)); err != nil {
		t.Fatal(err)
	}
	changed("another one", true)
	if _, err := s.CreateSweep(t.Context(), other, machine(), noon); err != nil {
		t.Fatal(err)
	}
	changed("a sweep of another target", false)
	if err := s.FinishSweep(t.Context(), sw.ID, noon); err != nil {
		t.Fatal(err)
	}
	changed("its end", true)
}

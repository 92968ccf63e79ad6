package store

import (
	"errors"
	"math/rand/v2"
	"testing"
)

func someBisection() Bisection {
	return Bisection{Target: "node", Source: "npm", Good: "18.0.0", Bad: "20.0.0", Metric: "qps", Effect: 0.03, Options: []byte(`{"rounds":"5:30"}`)}
}

func TestBisectionComesBackAsItWent(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	b, err := s.CreateBisection(ctx, someBisection(), noon)
	if err != nil {
		t.Fatal(err)
	}
	part := someBisection()
	part.PartOf, part.Source = b.ID, "git"
	if part, err = s.CreateBisection(ctx, part, noon); err != nil {
		t.Fatal(err)
	}
	list, err := s.Bisections(ctx, BisectionFilter{Unfinished: true})
	if err != nil || len(list) != 1 || list[0].ID != b.ID || string(list[0].Options) != `{"rounds":"5:30"}` || !list[0].Created.Equal(noon) || list[0].Answer != nil {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := s.Bisections(ctx, BisectionFilter{PartOf: b.ID}); err != nil || len(list) != 1 || list[0].ID != part.ID {
		t.Errorf("its part: %+v, %v", list, err)
	}
	if err := s.FinishBisection(ctx, b.ID, []byte(`{"state":"found"}`), noon); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Bisections(ctx, BisectionFilter{Unfinished: true}); err != nil || len(list) != 0 {
		t.Errorf("unfinished: %+v, %v", list, err)
	}
	list, err = s.Bisections(ctx, BisectionFilter{ID: b.ID})
	if err != nil || len(list) != 1 || string(list[0].Answer) != `{"state":"found"}` || !list[0].Finished.Equal(noon) {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.FinishBisection(ctx, 99, nil, noon); !errors.Is(err, ErrNoBisection) {
		t.Errorf("finishing one that is not there: %v", err)
	}
}

func TestBisectionIsClaimedOnce(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	b, err := s.CreateBisection(ctx, someBisection(), noon)
	if err != nil {
		t.Fatal(err)
	}
	alive, dead := func(string) bool { return false }, func(string) bool { return true }
	if err := s.ClaimBisection(ctx, b.ID, "one", alive); err != nil {
		t.Fatal(err)
	}
	if err := s.ClaimBisection(ctx, b.ID, "two", alive); !errors.Is(err, ErrBusy) {
		t.Errorf("claimed twice: %v", err)
	}
	if err := s.ClaimBisection(ctx, b.ID, "two", dead); err != nil {
		t.Errorf("after its owner died: %v", err)
	}
	if err := s.ClaimBisection(ctx, 99, "one", alive); !errors.Is(err, ErrNoBisection) {
		t.Errorf("one that is not there: %v", err)
	}
}

// The samples of a bisection are chosen by what came before: no trend, table or
// verdict may see them, and resume must not take a trial for a sweep.
func TestTrialsAreNoSweeps(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	b, err := s.CreateBisection(ctx, someBisection(), noon)
	if err != nil {
		t.Fatal(err)
	}
	trial, err := s.CreateTrial(ctx, b.ID, 1, plan("1.0.0", "1.1.0"), machine(), noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SaveSample(ctx, trial.ID, measured(rand.New(rand.NewPCG(1, 1)), "1.1.0", 1)); err != nil {
		t.Fatal(err)
	}
	target := trial.Plan.Target
	if _, err := s.LatestSweep(ctx, target); !errors.Is(err, ErrNoSweep) {
		t.Errorf("the latest sweep: %v", err)
	}
	if past, err := s.History(ctx, target, 0); err != nil || len(past) != 0 {
		t.Errorf("history: %v, %v", past, err)
	}
	if past, err := s.Attempts(ctx, target); err != nil || len(past) != 0 {
		t.Errorf("attempts: %v, %v", past, err)
	}
	if past, err := s.Single(ctx, target, "1.1.0"); err != nil || len(past) != 0 {
		t.Errorf("of one version: %v, %v", past, err)
	}
	if id, err := s.ClaimUnfinished(ctx, "one", func(string) bool { return true }); !errors.Is(err, ErrNoSweep) {
		t.Errorf("claimed sweep %d, %v", id, err)
	}
	if names, err := s.Targets(ctx); err != nil || len(names) != 0 {
		t.Errorf("targets: %v, %v", names, err)
	}
	if list, err := s.Sweeps(ctx, Filter{}); err != nil || len(list) != 0 {
		t.Errorf("sweeps: %v, %v", list, err)
	}

	if _, err := s.CreateTrial(ctx, b.ID, 1, plan("1.0.0"), machine(), noon); !errors.Is(err, ErrDuplicate) {
		t.Errorf("the same trial again: %v", err)
	}
	if _, err := s.CreateTrial(ctx, b.ID, 2, plan("1.0.0", "1.0.5", "1.1.0"), machine(), noon); err != nil {
		t.Fatal(err)
	}
	trials, err := s.Trials(ctx, b.ID)
	if err != nil || len(trials) != 2 || trials[0].ID != trial.ID || len(trials[0].Samples) != 1 || len(trials[1].Plan.Versions) != 3 {
		t.Errorf("trials: %+v, %v", trials, err)
	}
	ordinary := begin(t, s, "1.0.0")
	for id, want := range map[int64]int64{trial.ID: b.ID, ordinary.ID: 0, 99: 0} {
		if got, err := s.BisectionOf(ctx, id); err != nil || got != want {
			t.Errorf("sweep %d is of bisection %d, %v; want %d", id, got, err, want)
		}
	}
	if id, err := s.ClaimUnfinished(ctx, "one", func(string) bool { return true }); err != nil || id != ordinary.ID {
		t.Errorf("the unfinished sweep: %d, %v", id, err)
	}
}

// Trials have no owner: that of the bisection is at work.
func TestBisectionUnderWayIsClaimed(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	b, err := s.CreateBisection(ctx, someBisection(), noon)
	if err != nil {
		t.Fatal(err)
	}
	claimed := func(gone bool) bool {
		t.Helper()
		is, err := s.Claimed(ctx, func(owner string) bool { return gone || owner != "one" })
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	if claimed(false) {
		t.Error("nobody is at it")
	}
	if err := s.ClaimBisection(ctx, b.ID, "one", func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if !claimed(false) || claimed(true) {
		t.Error("it goes by whether its owner is gone, and it does not")
	}
	if err := s.FinishBisection(ctx, b.ID, nil, noon); err != nil {
		t.Fatal(err)
	}
	if claimed(false) {
		t.Error("it is finished")
	}
}

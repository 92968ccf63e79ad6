package store

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"versweep/sweep"
)

func TestStatesOfFindings(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	a := sweep.Acknowledgement{
		ID: "node-qps-20.5.0", Target: "node", Metric: sweep.QPS, From: "20.4.0", To: "20.5.0",
		Verdict: sweep.Regression, State: sweep.Acknowledged, Note: "upstream knows\nand 'waits'",
	}
	b := sweep.Acknowledgement{ID: "deno-p99_ms-2.0.0", Target: "deno", State: sweep.Expected}
	later := noon.Add(time.Hour)
	for _, step := range []struct {
		a   sweep.Acknowledgement
		now time.Time
	}{{b, later}, {a, noon.Add(-time.Hour)}, {a, noon}} {
		if err := s.SetState(ctx, step.a, step.now); err != nil {
			t.Fatal(err)
		}
	}
	a.At, b.At = noon, later
	check := func(target string, want ...sweep.Acknowledgement) {
		t.Helper()
		got, err := s.Acknowledgements(ctx, target)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, %v; want %+v", target, got, err, want)
		}
	}
	check("node", a)
	check("", a, b)
	check("bun")

	a.State = sweep.Recovered
	if err := s.SetState(ctx, a, noon); err == nil {
		t.Error("people cannot say that a finding has recovered")
	}
	a.State = sweep.Open
	for range 2 {
		if err := s.SetState(ctx, a, noon); err != nil {
			t.Fatal(err)
		}
	}
	check("", b)

	r, err := OpenReadOnly(ctx, s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.SetState(ctx, b, noon); !errors.Is(err, ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
}

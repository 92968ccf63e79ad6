package store

import (
	"errors"
	"reflect"
	"testing"

	"versweep/sweep"
)

func TestAttemptsAndTheirMarks(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	marks := []sweep.Mark{
		{Kind: sweep.Steal, Detail: "the hypervisor took 30 % of the server's CPU", Spoils: true},
		{Kind: sweep.ClientBound, Detail: "the load engine was the limit"},
	}
	for attempt, m := range [][]sweep.Mark{marks, nil} {
		sample := sweep.Sample{Version: "1.0.0", Round: 1, Attempt: attempt, Status: sweep.OK, Marks: m}
		if err := s.SaveSample(t.Context(), sw.ID, &sample); err != nil {
			t.Fatal(err)
		}
		if err := s.SaveSample(t.Context(), sw.ID, &sample); !errors.Is(err, ErrDuplicate) {
			t.Errorf("attempt %d saved twice: %v", attempt, err)
		}
	}
	got, err := s.LoadSweep(t.Context(), sw.ID)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Samples); n != 2 {
		t.Fatalf("%d samples", n)
	}
	if a, b := got.Samples[0], got.Samples[1]; a.Attempt != 0 || b.Attempt != 1 || !reflect.DeepEqual(a.Marks, marks) || len(b.Marks) != 0 {
		t.Errorf("came back as %+v and %+v", a, b)
	}
}

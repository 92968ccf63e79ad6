package store

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"versweep/sweep"
	"versweep/sweep/load"
)

// Case D2.
func TestNumbersThatAreNone(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	sample := func(p99 float64) *sweep.Sample {
		return &sweep.Sample{Version: "1.0.0", Round: 1, Status: sweep.OK, Values: map[string]float64{sweep.QPS: 1, sweep.P99: p99}}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := sample(v)
		err := s.SaveSample(t.Context(), sw.ID, m)
		if !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), sweep.P99) || m.ID != 0 {
			t.Errorf("p99 = %v: %v, id %d", v, err, m.ID)
		}
		m = sample(1)
		m.Load = &load.Result{OfferedRate: v}
		if err := s.SaveSample(t.Context(), sw.ID, m); !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "offered_per_second") {
			t.Errorf("offered rate %v: %v", v, err)
		}
	}
	// Nor do they get in by another door.
	for _, bad := range []string{"1e999", "-1e999", "NULL"} {
		if _, err := s.write.Exec("INSERT INTO value VALUES (1, 1, " + bad + ")"); err == nil {
			t.Errorf("%s was stored", bad)
		}
	}
	got, err := s.LoadSweep(t.Context(), sw.ID)
	if err != nil || len(got.Samples) != 0 {
		t.Fatalf("half samples: %+v, %v", got.Samples, err)
	}

	if err := s.SaveSample(t.Context(), sw.ID, sample(math.Copysign(0, -1))); err != nil {
		t.Fatal(err)
	}
	got, err = s.LoadSweep(t.Context(), sw.ID)
	if err != nil {
		t.Fatal(err)
	}
	if v := got.Samples[0].Values[sweep.P99]; v != 0 || math.Signbit(v) {
		t.Errorf("-0 came back as %v", v)
	}
	for _, v := range []float64{math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1e15, 0.1} {
		m := sample(v)
		m.Round = len(got.Samples) + 1
		if err := s.SaveSample(t.Context(), sw.ID, m); err != nil {
			t.Fatal(err)
		}
		if got, err = s.LoadSweep(t.Context(), sw.ID); err != nil {
			t.Fatal(err)
		}
		if back := got.Samples[len(got.Samples)-1].Values[sweep.P99]; back != v {
			t.Errorf("%v came back as %v", v, back)
		}
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	m := sweep.Sample{Version: "1.0.0", Round: 1, Status: sweep.OK, Values: map[string]float64{"of_another_tool": 3}}
	if err := s.SaveSample(t.Context(), sw.ID, &m); err != nil {
		t.Fatal(err)
	}
	got, err := s.LoadSweep(t.Context(), sw.ID)
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := got.Samples[0].Values[sweep.P99]; ok {
		t.Errorf("p99 is %v", v)
	}
	if got.Samples[0].Values["of_another_tool"] != 3 || got.Samples[0].Load != nil || !got.Samples[0].Started.IsZero() {
		t.Errorf("got %+v", got.Samples[0])
	}
}

// Case D4.
func TestResumedSweepMeasuresNothingTwice(t *testing.T) {
	s := fresh(t)
	names := []string{"1.0.0", "2.0.0", "3.0.0", "4.0.0", "5.0.0"}
	id := begin(t, s, names...).ID
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range names[:2] {
		if err := s.SaveSample(t.Context(), id, measured(r, name, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // resumed twice, each time by one that thinks nothing was done
		s := reopen(t, s.path)
		for i, name := range names {
			m := measured(r, name, 1)
			err := s.SaveSample(t.Context(), id, m)
			if err == nil || errors.Is(err, ErrDuplicate) && m.ID == 0 && strings.Contains(err.Error(), name) {
				continue
			}
			t.Errorf("version %d: %v", i, err)
		}
		checkWhole(t, s, id, 5)
		list, err := s.Sweeps(t.Context(), Filter{})
		if err != nil || list[0].Samples != 5 {
			t.Fatalf("%+v, %v; want 5 samples", list, err)
		}
	}
	// Another round, the twin and another sweep are samples of their own.
	s = reopen(t, s.path)
	twin := measured(r, "5.0.0", 1)
	twin.Twin = true
	for _, m := range []*sweep.Sample{measured(r, "5.0.0", 2), twin} {
		if err := s.SaveSample(t.Context(), id, m); err != nil {
			t.Error(err)
		}
	}
	if err := s.SaveSample(t.Context(), begin(t, s, "5.0.0").ID, measured(r, "5.0.0", 1)); err != nil {
		t.Error(err)
	}
}

func TestSampleOfNoPlannedVersion(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	for want, m := range map[string]sweep.Sample{
		`"2.0.0" is not in the plan`: {Version: "2.0.0", Round: 1, Status: sweep.OK},
		"round >= 1":                 {Version: "1.0.0", Round: 0, Status: sweep.OK},
		"status <> ''":               {Version: "1.0.0", Round: 1},
	} {
		if err := s.SaveSample(t.Context(), sw.ID, &m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func TestHistogramsCanGo(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	m := measured(rand.New(rand.NewPCG(1, 2)), "1.0.0", 1)
	if err := s.SaveSample(t.Context(), sw.ID, m); err != nil {
		t.Fatal(err)
	}
	read := func() (*sweep.Sample, error) {
		got, err := s.LoadSweep(t.Context(), sw.ID)
		if err != nil {
			t.Fatal(err)
		}
		return &got.Samples[0], s.LoadHistograms(t.Context(), got.Samples)
	}
	if _, err := s.write.Exec("UPDATE histogram SET latency = x'1c84930400000001ff'"); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "sample 1") {
		t.Errorf("overwritten: %v", err)
	}
	if _, err := s.write.Exec("DELETE FROM histogram"); err != nil {
		t.Fatal(err)
	}
	got, err := read()
	if err != nil || got.Load.OK != m.Load.OK || got.Load.Latency != nil {
		t.Errorf("thinned out: %+v, %v", got, err)
	}
}

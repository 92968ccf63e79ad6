package store

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// foreign is a sweep that another tool measured: names[0] has no value.
func foreign(target, profile, environment, digest string, names ...string) sweep.Sweep {
	p := plan(names...)
	p.Target, p.Source, p.Launcher, p.Reference = target, "csv", "", ""
	p.Profile = load.Profile{Shape: load.ShapeForeign, Label: profile}
	p.Foreign = &sweep.Foreign{
		Format: "csv", File: "nightly.csv", Digest: digest, Profile: profile,
		Metrics: []sweep.Metric{{Key: "gc_ms", Title: "gc_ms", Unit: "ms", Better: sweep.Lower}},
	}
	sw := sweep.Sweep{Plan: p, Environment: sweep.Environment{Name: environment}}
	sw.Outcomes = []sweep.Outcome{{Version: names[0], Reason: "no value in the file"}}
	for round := 1; round <= 2; round++ {
		for i, name := range names[1:] {
			sw.Samples = append(sw.Samples, sweep.Sample{
				Round: round, Position: i, Version: name, Status: sweep.OK,
				Values: map[string]float64{sweep.QPS: float64(1000 + i), "gc_ms": float64(round)},
			})
		}
	}
	return sw
}

func TestImportedSweepComesBackAsItWent(t *testing.T) {
	s := fresh(t)
	want := foreign("x", "wrk -c 100", "lab", "sha256:1", "nightly-1", "1.10", "1.9")
	answers, err := s.ImportSweeps(t.Context(), []sweep.Sweep{want}, false, noon)
	if err != nil || answers[0] != (Imported{ID: 1, At: noon}) {
		t.Fatalf("%+v, %v", answers, err)
	}
	got, err := s.LatestSweep(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	want.ID, want.Created, want.Finished = 1, noon, noon
	for i := range want.Samples {
		want.Samples[i].ID = int64(i + 1)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if m, ok := got.Plan.MetricByKey("gc_ms"); !ok || m.Unit != "ms" {
		t.Errorf("its own metric: %+v, %v", m, ok)
	}
}

func TestTheSameFileIsNoticed(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	file := []sweep.Sweep{
		foreign("x", "c100", "lab", "sha256:1", "0", "1.0"),
		foreign("x", "c200", "lab", "sha256:1", "0", "1.0"), // the same but for the load
		foreign("x", "c100", "", "sha256:1", "0", "1.0"),    // the same but for the machine
		foreign("y", "c100", "lab", "sha256:1", "0", "1.0"),
	}
	check := func(again bool, now time.Time, want ...Imported) {
		t.Helper()
		got, err := s.ImportSweeps(ctx, file, again, now)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
	later := noon.Add(time.Hour)
	check(false, noon, Imported{1, false, noon}, Imported{2, false, noon}, Imported{3, false, noon}, Imported{4, false, noon})
	check(false, later, Imported{1, true, noon}, Imported{2, true, noon}, Imported{3, true, noon}, Imported{4, true, noon})
	file = append(file[:1], foreign("x", "c100", "lab", "sha256:2", "0", "1.0"))
	check(false, later, Imported{1, true, noon}, Imported{5, false, later})
	check(true, later, Imported{6, false, later}, Imported{7, false, later})
	var series int
	if err := s.read.QueryRow("SELECT count(*) FROM series").Scan(&series); err != nil || series != 4 {
		t.Errorf("%d series, %v", series, err)
	}
}

func TestNothingIsHalfImported(t *testing.T) {
	s := fresh(t)
	good := foreign("x", "", "", "sha256:1", "0", "1.0")
	for name, spoil := range map[string]func(*sweep.Sweep){
		"measured":        func(sw *sweep.Sweep) { sw.Plan.Foreign = nil },
		"twice":           func(sw *sweep.Sweep) { sw.Samples[1].Round = 1 },
		"unknown version": func(sw *sweep.Sweep) { sw.Samples[1].Version = "2.0" },
		"unknown outcome": func(sw *sweep.Sweep) { sw.Outcomes[0].Version = "2.0" },
		"not a number":    func(sw *sweep.Sweep) { sw.Samples[1].Values["gc_ms"] = math.NaN() },
	} {
		bad := foreign("y", "", "", "sha256:1", "0", "1.0")
		spoil(&bad)
		if _, err := s.ImportSweeps(t.Context(), []sweep.Sweep{good, bad}, false, noon); err == nil {
			t.Errorf("%s: no error", name)
		}
		list, err := s.Sweeps(t.Context(), Filter{})
		if err != nil || len(list) != 0 {
			t.Errorf("%s: left %+v, %v", name, list, err)
		}
	}
}

func TestHistory(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	first := begin(t, s, "1.0.0")
	begin(t, s, "1.0.0") // stopped before it had a sample
	last := begin(t, s, "1.0.0", "2.0.0")
	for round, id := range []int64{last.ID, first.ID} {
		m := &sweep.Sample{Round: round + 1, Version: "1.0.0", Status: sweep.OK, Values: map[string]float64{sweep.QPS: 1}}
		if err := s.SaveSample(ctx, id, m); err != nil {
			t.Fatal(err)
		}
	}
	other := foreign("node", "", "", "sha256:1", "0", "1.0")
	if _, err := s.ImportSweeps(ctx, []sweep.Sweep{other, foreign("a", "", "", "sha256:1", "0", "1.0")}, false, noon); err != nil {
		t.Fatal(err)
	}
	ids := func(target string, limit int) string {
		t.Helper()
		history, err := s.History(ctx, target, limit)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, sw := range history {
			ids = append(ids, sw.ID)
			if len(sw.Samples) == 0 || len(sw.Samples[0].Values) == 0 || len(sw.Plan.Versions) == 0 {
				t.Errorf("sweep %d came half: %+v", sw.ID, sw)
			}
		}
		return fmt.Sprint(ids)
	}
	for _, c := range []struct {
		target string
		limit  int
		want   string
	}{{"node", 0, "[1 3 4]"}, {"node", 2, "[3 4]"}, {"a", 9, "[5]"}, {"b", 0, "[]"}} {
		if got := ids(c.target, c.limit); got != c.want {
			t.Errorf("the last %d of %s: %s, want %s", c.limit, c.target, got, c.want)
		}
	}
	if targets, err := s.Targets(ctx); err != nil || fmt.Sprint(targets) != "[a node]" {
		t.Errorf("targets: %q, %v", targets, err)
	}
}

// A foreign load is told apart by what the other tool calls it, and cannot be
// put on by ours. The hashes of measured loads stay what they were.
func TestForeignProfile(t *testing.T) {
	hello, err := load.ProfileByName("hello")
	if err != nil {
		t.Fatal(err)
	}
	hash := func(p load.Profile) string {
		h, err := ProfileHash(p)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if got, want := hash(hello), "45a765003994"; got != want {
		t.Errorf("hello is %s now, was %s", got, want)
	}
	a, b := load.Profile{Shape: load.ShapeForeign, Label: "a"}, load.Profile{Shape: load.ShapeForeign}
	if hash(a) == hash(b) {
		t.Error("two labels, one hash")
	}
	var misuse *load.MisuseError
	if err := a.Validate(); !errors.As(err, &misuse) {
		t.Errorf("validating: %v", err)
	}
}

func BenchmarkImport10000Versions(b *testing.B) {
	names := []string{"0"}
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("%d.0.0", i+1))
	}
	file := []sweep.Sweep{foreign("x", "", "", "sha256:1", names...)}
	for b.Loop() {
		if _, err := fresh(b).ImportSweeps(b.Context(), file, false, noon); err != nil {
			b.Fatal(err)
		}
	}
}

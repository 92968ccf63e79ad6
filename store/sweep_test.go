package store

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/sweep"
)

func TestSweepComesBackAsItWent(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	p := plan("0.10.48", "20.0.0-rc.1", "20.0.0")
	p.Versions[1].Prerelease = true
	p.Versions[2].Commit, p.Versions[2].Digest = "a1b2c3", ""
	want, err := s.CreateSweep(ctx, p, machine(), noon)
	if err != nil {
		t.Fatal(err)
	}
	want.Outcomes = []sweep.Outcome{
		{Version: "0.10.48", Reason: "no package for this platform", Log: []string{"first", "", "\x1b[31mthird\xff"}},
		{Version: "20.0.0-rc.1", Build: sweep.Build{
			Version: "20.0.0-rc.1", Dir: "/cache/a b", Digest: "sha512-abc", Bytes: 94_000_000, FromCache: true,
			Bundled: map[string]string{"v8": "11.3", "uv": "1.44"},
		}},
		{Version: "20.0.0", Build: sweep.Build{Version: "20.0.0", Image: "versweep/node:20.0.0", Digest: "sha256:abc", Base: "node@sha256:abc", Runtime: "/cache/node"}},
	}
	for _, i := range []int{2, 0, 1} { // as they become known, not in version order
		if err := s.SaveOutcome(ctx, want.ID, want.Outcomes[i]); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	full := paced(r, "20.0.0", 1)
	fillNumbers(t, reflect.ValueOf(full.Load).Elem())
	twin := measured(r, "20.0.0", 1)
	twin.Twin, twin.Status, twin.Reason = true, sweep.Degraded, "3 of 40000 requests failed"
	failed := &sweep.Sample{
		Round: 1, Position: 3, Version: "20.0.0-rc.1", Status: sweep.Failed, Reason: "exit status 1",
		Log: []string{"Segmentation fault"}, Values: map[string]float64{},
	}
	empty := measured(r, "20.0.0", 2)
	empty.Load.Latency.Reset()
	bare := measured(r, "20.0.0-rc.1", 2)
	bare.Load.Latency = nil
	both := measured(r, "20.0.0", 3)
	both.Paced = paced(r, "20.0.0", 3).Load
	for _, m := range []*sweep.Sample{full, twin, failed, empty, bare, both} {
		if err := s.SaveSample(ctx, want.ID, m); err != nil {
			t.Fatal(err)
		}
		if m.ID == 0 {
			t.Error("no id")
		}
		want.Samples = append(want.Samples, *m)
	}
	if err := s.FinishSweep(ctx, want.ID, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishSweep(ctx, want.ID, noon.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	want.Finished = noon.Add(time.Hour)

	got, err := s.LoadSweep(ctx, want.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Samples {
		if m.Load != nil && m.Load.Latency != nil {
			t.Error("LoadSweep read a histogram")
		}
	}
	if err := s.LoadHistograms(ctx, got.Samples); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * len(got.Samples) {
		i, pass := i/2, i%2
		g, w := *passes(&got.Samples[i])[pass], *passes(&want.Samples[i])[pass]
		if w == nil || w.Latency == nil {
			continue
		}
		if !g.Latency.Equals(w.Latency) {
			t.Errorf("sample %d: another histogram", i)
		}
		checkCoarse(t, g.Service, w.Service, 0.01)
		checkCoarse(t, g.Lateness, w.Lateness, 0.1)
		// DeepEqual would look at caches inside.
		g.Latency, g.Service, g.Lateness = w.Latency, w.Service, w.Lateness
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}

	latest, err := s.LatestSweep(ctx, "node")
	if err != nil || latest.ID != want.ID || len(latest.Samples) != 6 {
		t.Errorf("latest: %+v, %v", latest, err)
	}
	list, err := s.Sweeps(ctx, Filter{})
	line := Summary{ID: want.ID, Target: "node", Created: noon, Finished: want.Finished, Versions: 3, Outcomes: 3, Samples: 6, Round: 3}
	if err != nil || len(list) != 1 || list[0] != line {
		t.Errorf("listed: %+v, %v; want %+v", list, err, line)
	}
}

// checkCoarse wants got to be want but for a fraction.
func checkCoarse(t *testing.T, got, want *hdrhistogram.Histogram, fraction float64) {
	t.Helper()
	if want == nil {
		if got != nil {
			t.Error("a histogram out of nothing")
		}
		return
	}
	if got.TotalCount() != want.TotalCount() {
		t.Errorf("%d values, want %d", got.TotalCount(), want.TotalCount())
	}
	for _, q := range []float64{0, 1, 50, 99, 99.99, 100} {
		g, w := float64(got.ValueAtQuantile(q)), float64(want.ValueAtQuantile(q))
		if math.Abs(g-w) > fraction*w {
			t.Errorf("at %v %%: %v, want %v", q, g, w)
		}
	}
}

// fillNumbers gives every number, flag and text of a struct a value of its own, so
// that a field that the store forgets, or mixes up, shows.
func fillNumbers(t *testing.T, v reflect.Value) {
	t.Helper()
	next := int64(1001)
	var fill func(reflect.Value)
	fill = func(v reflect.Value) {
		for i := range v.NumField() {
			f := v.Field(i)
			switch f.Kind() {
			case reflect.Int64:
				f.SetInt(next)
			case reflect.Float64:
				f.SetFloat(float64(next) + 0.5)
			case reflect.Bool:
				f.SetBool(true)
			case reflect.String:
				f.SetString(fmt.Sprint("text ", next))
			case reflect.Struct:
				fill(f)
			case reflect.Pointer:
			default:
				t.Errorf("%v: the store knows nothing of its kind", v.Type().Field(i))
			}
			next++
		}
	}
	fill(v)
}

func TestWhichSweepIsMeant(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	if _, err := s.LatestSweep(ctx, "node"); !errors.Is(err, ErrNoSweep) || !strings.Contains(err.Error(), "node") {
		t.Errorf("latest of none: %v", err)
	}
	for _, err := range []error{
		s.FinishSweep(ctx, 7, noon),
		s.SaveOutcome(ctx, 7, sweep.Outcome{Version: "1.0.0"}),
		s.SaveSample(ctx, 7, &sweep.Sample{Version: "1.0.0", Round: 1, Status: sweep.OK}),
		func() error { _, err := s.LoadSweep(ctx, 7); return err }(),
	} {
		if !errors.Is(err, ErrNoSweep) || !strings.Contains(err.Error(), "7") {
			t.Errorf("no such sweep: %v", err)
		}
	}
	add := func(target string, finished, sampled bool, at time.Time) int64 {
		p := plan("1.0.0")
		p.Target = target
		sw, err := s.CreateSweep(ctx, p, machine(), at)
		if err != nil {
			t.Fatal(err)
		}
		if sampled {
			m := sweep.Sample{Version: "1.0.0", Round: 1, Status: sweep.OK}
			if err := s.SaveSample(ctx, sw.ID, &m); err != nil {
				t.Fatal(err)
			}
		}
		if finished {
			if err := s.FinishSweep(ctx, sw.ID, at); err != nil {
				t.Fatal(err)
			}
		}
		return sw.ID
	}
	add("node", true, true, noon.Add(time.Hour))
	second := add("node", false, true, noon) // the clock was set back
	bun := add("bun", true, false, noon)
	third := add("node", false, false, noon) // stopped before its first sample

	for target, want := range map[string]int64{"node": second, "bun": bun} {
		if got, err := s.LatestSweep(ctx, target); err != nil || got.ID != want {
			t.Errorf("latest of %s is %d, %v; want %d", target, got.ID, err, want)
		}
	}
	if got, err := s.ClaimUnfinished(ctx, "me", func(string) bool { return true }); err != nil || got != third {
		t.Errorf("unfinished is %d, %v; want %d", got, err, third)
	}
	for _, c := range []struct {
		filter Filter
		want   int
	}{
		{Filter{}, 4}, {Filter{Target: "node"}, 3}, {Filter{Target: "deno"}, 0}, {Filter{Unfinished: true}, 2}, {Filter{Target: "node", Limit: 1}, 1},
	} {
		list, err := s.Sweeps(ctx, c.filter)
		if err != nil || len(list) != c.want {
			t.Errorf("%+v lists %d, %v; want %d", c.filter, len(list), err, c.want)
		}
		for i := 1; i < len(list); i++ {
			if list[i].ID > list[i-1].ID {
				t.Errorf("%+v: out of order", c.filter)
			}
		}
	}
}

func TestBadPlans(t *testing.T) {
	s := fresh(t)
	twice := plan("1.0.0", "1.0.0")
	nameless := plan("1.0.0")
	nameless.Target = ""
	for want, p := range map[string]sweep.Plan{"1.0.0 is in the plan twice": twice, "target <> ''": nameless} {
		_, err := s.CreateSweep(t.Context(), p, machine(), noon)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if list, err := s.Sweeps(t.Context(), Filter{}); err != nil || len(list) != 0 {
		t.Errorf("left behind: %+v, %v", list, err)
	}
}

func TestOutcomeIsReplaced(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	for _, o := range []sweep.Outcome{
		{Version: "1.0.0", Build: sweep.Build{Version: "1.0.0", Digest: "old", Bundled: map[string]string{"a": "1", "b": "2"}}},
		{Version: "1.0.0", Reason: "gone", Log: []string{"404"}},
		{Version: "1.0.0", Build: sweep.Build{Version: "1.0.0", Digest: "new", Bundled: map[string]string{"b": "3"}}},
	} {
		if err := s.SaveOutcome(t.Context(), sw.ID, o); err != nil {
			t.Fatal(err)
		}
		got, err := s.LoadSweep(t.Context(), sw.ID)
		if err != nil || len(got.Outcomes) != 1 || !reflect.DeepEqual(got.Outcomes[0], o) {
			t.Errorf("got %+v, %v; want %+v", got.Outcomes, err, o)
		}
	}
	err := s.SaveOutcome(t.Context(), sw.ID, sweep.Outcome{Version: "9.9.9"})
	if err == nil || !strings.Contains(err.Error(), `"9.9.9" is not in the plan`) {
		t.Errorf("unplanned version: %v", err)
	}
}

package main

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
)

// measuredStore makes a store with two sweeps of three releases of x, a day
// apart. Every sample of release k has 1,000 latencies from k ms on; one sample,
// which the machine spoilt, has a minute.
func measuredStore(t *testing.T) string {
	t.Helper()
	ctx := t.Context()
	file := filepath.Join(t.TempDir(), "x.db")
	st, err := store.Open(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	hello, err := load.ProfileByName("hello")
	if err != nil {
		t.Fatal(err)
	}
	plan := sweep.Plan{Target: "x", Title: "X", Source: "npm", Launcher: "process", Reference: "3.0.0", Profile: hello, Rounds: 2}
	for _, name := range []string{"1.0.0", "2.0.0", "3.0.0"} {
		v, err := sweep.ParseVersion(name, sweep.LineByMajor)
		if err != nil {
			t.Fatal(err)
		}
		plan.Versions = append(plan.Versions, v)
	}
	for day := range 2 {
		now := time.Date(2026, 11, 28+day, 2, 0, 0, 0, time.UTC)
		sw, err := st.CreateSweep(ctx, plan, sweep.Environment{CPU: "cpu", Cores: 2}, now)
		if err != nil {
			t.Fatal(err)
		}
		for round := 1; round <= 2; round++ {
			for i, v := range plan.Versions {
				s := sweep.Sample{
					Round: round, Position: i, Version: v.Name, Status: sweep.OK, Started: now,
					Values: map[string]float64{sweep.QPS: 1000 * float64(i+1)}, Load: &load.Result{OK: 1000, Latency: latencies(i + 1)},
				}
				if err := save(ctx, st, sw.ID, s); err != nil {
					t.Fatal(err)
				}
			}
		}
		spoilt := sweep.Sample{
			Round: 3, Version: "1.0.0", Status: sweep.OK, Started: now, Values: map[string]float64{sweep.QPS: 1},
			Load: &load.Result{OK: 1, Latency: latencies(60_000)}, Marks: []sweep.Mark{{Kind: sweep.Steal, Detail: "stolen", Spoils: true}},
		}
		if err := save(ctx, st, sw.ID, spoilt); err != nil {
			t.Fatal(err)
		}
		if err := st.FinishSweep(ctx, sw.ID, now); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

func save(ctx context.Context, st *store.Store, sweepID int64, s sweep.Sample) error {
	return st.SaveSample(ctx, sweepID, &s)
}

func latencies(ms int) *hdrhistogram.Histogram {
	h := hdrhistogram.New(1, int64(time.Hour), 3)
	for i := range 1000 {
		h.RecordValue(int64(ms)*int64(time.Millisecond) + int64(i)*1000)
	}
	return h
}

// Histograms of a version's samples are added up, without those that are in no
// figure.
func TestMergedLatency(t *testing.T) {
	st, err := store.OpenReadOnly(t.Context(), measuredStore(t))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	sw, err := st.LatestSweep(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	merged, spoilt, err := mergedLatency(t.Context(), st, sw, "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	if n, most := merged.TotalCount(), float64(merged.Max())/1e6; n != 2000 || spoilt || math.Abs(most-2) > 0.01 {
		t.Errorf("%d latencies up to %v ms, want 2000 up to 2", n, most)
	}
	if none, _, err := mergedLatency(t.Context(), st, sw, "9.0.0"); none != nil || err != nil {
		t.Errorf("of a version without samples: %v, %v", none, err)
	}
}

// As in tables, spoilt samples count where a version has no others.
func TestMergedLatencyOfSpoiltSamples(t *testing.T) {
	st, err := store.OpenReadOnly(t.Context(), measuredStore(t))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	sw, err := st.LatestSweep(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	for i := range sw.Samples {
		sw.Samples[i].Marks = []sweep.Mark{{Kind: sweep.Steal, Detail: "stolen", Spoils: true}}
	}
	merged, spoilt, err := mergedLatency(t.Context(), st, sw, "2.0.0")
	if err != nil || merged == nil || merged.TotalCount() != 2000 || !spoilt {
		t.Errorf("%v, spoilt %v, %v", merged, spoilt, err)
	}
}

// Kinds of pictures that only measured sweeps have.
func TestChartsOfMeasuredSweeps(t *testing.T) {
	file := measuredStore(t)
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		want []string
	}{
		{"--kind percentiles", []string{">X: latency<", ">1.0.0<", ">3.0.0 (reference)<", ">99.9<"}},
		{"--kind percentiles --versions 2.0.0,latest", []string{">2.0.0<", ">3.0.0 (reference)<"}},
		{"--kind history", []string{">X: throughput of 3.0.0 over time<"}},
		{"--kind history --versions 1.0.0", []string{">X: throughput of 1.0.0 over time<", "reference 3.0.0"}},
		{"--kind compare --versions 1.0.0,reference", []string{">X: from 1.0.0 to 3.0.0<", ">better<"}},
		{"--metric qps", []string{">reference 3.0.0<"}},
	} {
		picture := filepath.Join(dir, "x.svg")
		root := (&app{stdout: io.Discard, stderr: io.Discard}).command()
		root.SetArgs(append([]string{"chart", "x", "--db", file, "-o", picture}, strings.Fields(c.args)...))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		svg, err := os.ReadFile(picture)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(svg), want) {
				t.Errorf("%s: no %q in the picture", c.args, want)
			}
		}
	}
}

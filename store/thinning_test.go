package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"versweep/sweep"
)

// thick saves a finished sweep of two versions with all that can be thinned:
// the reference 1.1.0 was sampled twice a round, and of 1.0.0 one attempt was
// spoilt.
func thick(t *testing.T, s *Store, finished time.Time) sweep.Sweep {
	t.Helper()
	sw := begin(t, s, "1.0.0", "1.1.0")
	log := strings.Split(strings.Repeat("a line of the build's log\n", 100)+"why it failed", "\n")
	if err := s.SaveOutcome(t.Context(), sw.ID, sweep.Outcome{Version: "1.0.0", Reason: "slow", Log: log}); err != nil {
		t.Fatal(err)
	}
	for _, m := range thickSamples() {
		save(t, s, sw.ID, &m)
	}
	if !finished.IsZero() {
		if err := s.FinishSweep(t.Context(), sw.ID, finished); err != nil {
			t.Fatal(err)
		}
	}
	return loaded(t, s, sw.ID)
}

var thickSamples = sync.OnceValue(func() (list []sweep.Sample) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 3 {
		spoilt := paced(r, "1.0.0", round+1)
		spoilt.Marks = []sweep.Mark{{Kind: sweep.OtherWork, Detail: "others took 30 %", Spoils: true}}
		again := paced(r, "1.0.0", round+1)
		again.Attempt = 1
		twin := paced(r, "1.1.0", round+1)
		twin.Twin = true
		list = append(list, *spoilt, *again, *paced(r, "1.1.0", round+1), *twin)
	}
	return list
})

func loaded(t *testing.T, s *Store, id int64) sweep.Sweep {
	t.Helper()
	sw, err := s.LoadSweep(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.LoadHistograms(t.Context(), sw.Samples); err != nil {
		t.Fatal(err)
	}
	return sw
}

// held counts the histograms of a sweep: latencies, and others.
func held(sw sweep.Sweep) (latencies, others int) {
	for _, m := range sw.Samples {
		if m.Load.Latency != nil {
			latencies++
		}
		if m.Load.Service != nil || m.Load.Lateness != nil {
			others++
		}
	}
	return latencies, others
}

// days is the time so many days before noon.
func days(n int) time.Time { return noon.AddDate(0, 0, -n) }

var monthly = Ages{LatencyOnly: days(7), Merged: days(30), Bare: days(365), Logs: days(30)}

func TestThinByAge(t *testing.T) {
	s := fresh(t)
	var before []sweep.Sweep
	for _, age := range []int{1, 10, 100, 1000} {
		before = append(before, thick(t, s, days(age)))
	}
	unfinished := thick(t, s, time.Time{})

	planned, err := s.PlanThinning(t.Context(), monthly)
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Thin(t.Context(), monthly, noon, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Of three sweeps something stays, and all of it of two: the unfinished one
	// and that of yesterday.
	want := Thinning{
		Kept: Histograms{3, 36, planned.Kept.Bytes}, Extras: Histograms{2, 24, planned.Extras.Bytes},
		Merging: Histograms{1, 12, planned.Merging.Bytes}, Into: Histograms{1, 3, 0}, Going: Histograms{1, 12, planned.Going.Bytes},
		Logs: 2, LogSize: planned.LogSize,
	}
	if planned != want {
		t.Errorf("planned %+v\nwant    %+v", planned, want)
	}
	if done.Into.Bytes <= 0 || done.Into.Bytes >= done.Merging.Bytes/2 {
		t.Errorf("%d bytes were merged into %d", done.Merging.Bytes, done.Into.Bytes)
	}
	done.Into.Bytes = 0
	if done != planned {
		t.Errorf("done    %+v\nplanned %+v", done, planned)
	}
	for i, kept := range []struct{ latencies, others int }{{12, 12}, {12, 0}, {3, 0}, {0, 0}} {
		after := loaded(t, s, before[i].ID)
		if l, o := held(after); l != kept.latencies || o != kept.others {
			t.Errorf("sweep %d has %d latencies and %d others, want %+v", i, l, o, kept)
		}
		if is, err := s.Thinness(t.Context(), after.ID); err != nil || is != Thinness(i) {
			t.Errorf("sweep %d is %v, %v", i, is, err)
		}
		sameFigures(t, before[i], after)
	}
	if l, o := held(loaded(t, s, unfinished.ID)); l != 12 || o != 12 {
		t.Errorf("of the unfinished sweep %d and %d are left", l, o)
	}
	log := loaded(t, s, before[2].ID).Outcomes[0].Log
	if len(log) != keptLogLines || log[len(log)-1] != "why it failed" {
		t.Errorf("the log is %q", log)
	}
	if again, err := s.PlanThinning(t.Context(), monthly); err != nil || !again.Nothing() {
		t.Errorf("there is more to do: %+v, %v", again, err)
	}
}

// sameFigures checks that all but histograms and logs is as it was.
func sameFigures(t *testing.T, was, is sweep.Sweep) {
	t.Helper()
	if len(is.Samples) != len(was.Samples) || len(is.Outcomes) != len(was.Outcomes) || is.Outcomes[0].Reason != was.Outcomes[0].Reason {
		t.Fatalf("%d samples and %d outcomes of %d and %d", len(is.Samples), len(is.Outcomes), len(was.Samples), len(was.Outcomes))
	}
	for i, m := range was.Samples {
		n := is.Samples[i]
		if m.ID != n.ID || m.Status != n.Status || m.Spoilt() != n.Spoilt() || len(m.Marks) != len(n.Marks) || m.Load.OK != n.Load.OK {
			t.Fatalf("sample %d is %+v, was %+v", i, n, m)
		}
		for key, v := range m.Values {
			if n.Values[key] != v {
				t.Fatalf("%s of sample %d is %v, was %v", key, i, n.Values[key], v)
			}
		}
	}
}

func TestMergedHistogramIsThatOfTheSamplesThatCount(t *testing.T) {
	s := fresh(t)
	was := thick(t, s, days(100))
	if _, err := s.Thin(t.Context(), monthly, noon, nil); err != nil {
		t.Fatal(err)
	}
	is := loaded(t, s, was.ID)
	// Of 1.0.0 the second attempts, samples 1, 5 and 9.
	whole := was.Samples[1].Load.Latency
	whole.Merge(was.Samples[5].Load.Latency)
	whole.Merge(was.Samples[9].Load.Latency)
	merged := is.Samples[1].Load.Latency
	if merged == nil || merged.TotalCount() != whole.TotalCount() {
		t.Fatalf("merged %v, want %d values", merged, whole.TotalCount())
	}
	for _, q := range []float64{0, 50, 90, 99, 99.9, 99.99, 100} {
		if a, b := merged.ValueAtQuantile(q), whole.ValueAtQuantile(q); a != b {
			t.Errorf("percentile %v is %d, want %d", q, a, b)
		}
	}
}

func TestSpoiltSamplesAreMergedWhereThereAreNoOthers(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	for round := range 2 {
		m := measured(rand.New(rand.NewPCG(1, 2)), "1.0.0", round+1)
		m.Marks = []sweep.Mark{{Kind: sweep.Steal, Spoils: true}}
		save(t, s, sw.ID, m)
	}
	if err := s.FinishSweep(t.Context(), sw.ID, days(100)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Thin(t.Context(), monthly, noon, nil); err != nil {
		t.Fatal(err)
	}
	if h := loaded(t, s, sw.ID).Samples[0].Load.Latency; h == nil || h.TotalCount() != 80_000 {
		t.Errorf("merged %v", h)
	}
}

func TestThinKeepsAllForEver(t *testing.T) {
	s := fresh(t)
	was := thick(t, s, days(10_000))
	if done, err := s.Thin(t.Context(), Ages{}, noon, nil); err != nil || !done.Nothing() || done.Kept.Count != 12 {
		t.Errorf("done %+v, %v", done, err)
	}
	if l, o := held(loaded(t, s, was.ID)); l != 12 || o != 12 {
		t.Errorf("%d and %d are left", l, o)
	}
}

func TestDamagedHistogramStopsThinning(t *testing.T) {
	s := fresh(t)
	sw := thick(t, s, days(100))
	if _, err := s.write.Exec("UPDATE histogram SET latency = x'00' WHERE sample_id = ?", sw.Samples[2].ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Thin(t.Context(), monthly, noon, nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("thinned: %v", err)
	}
	var n int
	if err := s.write.QueryRow("SELECT count(*) FROM histogram").Scan(&n); err != nil || n != 12 {
		t.Errorf("%d histograms are left, %v", n, err)
	}
}

func TestCompactShrinksTheFile(t *testing.T) {
	for _, old := range []bool{false, true} {
		s := fresh(t)
		if old { // as earlier builds made it
			for _, statement := range []string{"PRAGMA auto_vacuum = NONE", "VACUUM"} {
				if _, err := s.write.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 5 {
			thick(t, s, days(1000))
		}
		kept := thick(t, s, days(1))
		if _, err := s.Thin(t.Context(), monthly, noon, nil); err != nil {
			t.Fatal(err)
		}
		before, err := s.Room(t.Context())
		if err != nil || before.Free == 0 {
			t.Fatalf("room %+v, %v", before, err)
		}
		if err := s.Compact(t.Context(), false); old != errors.Is(err, ErrCompactWhole) || !old && err != nil {
			t.Fatalf("old %v: %v", old, err)
		}
		if old {
			if err := s.Compact(t.Context(), true); err != nil {
				t.Fatal(err)
			}
		}
		after, err := s.Room(t.Context())
		if err != nil || after.Free != 0 || after.Bytes >= before.Bytes {
			t.Errorf("old %v: from %+v to %+v, %v", old, before, after, err)
		}
		if info, err := os.Stat(s.path); err != nil || info.Size() != after.Bytes {
			t.Errorf("the file has %v bytes, want %d, %v", info.Size(), after.Bytes, err)
		}
		if err := s.Compact(t.Context(), false); err != nil {
			t.Errorf("once more: %v", err)
		}
		if l, _ := held(loaded(t, s, kept.ID)); l != 12 {
			t.Errorf("%d latencies are left", l)
		}
	}
}

// A gc that is killed at any moment leaves every sweep as it was or as it is to be.
func TestKilledWhileThinning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "versweep.db")
	s := reopen(t, path)
	var sweeps []sweep.Sweep
	for range 20 {
		sweeps = append(sweeps, thick(t, s, days(100)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	thinned := 0
	for kill := range 6 {
		cmd, lines := another(t, "thin", path)
		for range 1 + 2*kill {
			lines.Scan()
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		s := reopen(t, path)
		thinned = 0
		for _, was := range sweeps {
			is := loaded(t, s, was.ID)
			sameFigures(t, was, is)
			level, err := s.Thinness(t.Context(), was.ID)
			if err != nil {
				t.Fatal(err)
			}
			l, o := held(is)
			switch {
			case level == Full && l == 12 && o == 12:
			case level == Merged && l == 3 && o == 0:
				thinned++
			default:
				t.Fatalf("sweep %d is %v with %d and %d histograms", was.ID, level, l, o)
			}
		}
		s.Close()
	}
	if thinned == 0 {
		t.Error("no sweep was thinned before the kill")
	}
}

// thinSlowly thins, and says after each sweep that it did.
func thinSlowly(ctx context.Context, path string) error {
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Thin(ctx, monthly, noon, func(done, total int) { fmt.Println("thinned", done) })
	return err
}

// A sweep goes on while another process thins the store and shrinks the file.
func TestThinBesideASweep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "versweep.db")
	s := reopen(t, path)
	for range 20 {
		thick(t, s, days(1000))
	}
	id := begin(t, s, "1.0.0").ID
	m := thickSamples()[0]
	m.Round, m.Attempt, m.Marks = 0, 0, nil
	stop, ended := make(chan bool), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			time.Sleep(5 * time.Millisecond) // a sample takes seconds
			m.Round++
			if err := s.SaveSample(context.WithoutCancel(t.Context()), id, &m); err != nil {
				ended <- err
				<-stop
				return
			}
		}
	}()
	other := reopen(t, path)
	_, err := other.Thin(t.Context(), monthly, noon, nil)
	if err == nil {
		err = other.Compact(t.Context(), false)
	}
	close(stop)
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
	sw := loaded(t, s, id)
	if l, _ := held(sw); len(sw.Samples) != m.Round || l != m.Round || m.Round < 1 {
		t.Errorf("%d samples with %d histograms of %d", len(sw.Samples), l, m.Round)
	}
}

package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
)

// A sweep that a live process carries out is not taken over; one whose process
// is gone is.
func TestSweepIsClaimedByOneProcess(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	running := func(string) bool { return false }
	gone := func(string) bool { return true }
	claim := func(owner string, gone func(string) bool) error { return s.ClaimSweep(t.Context(), sw.ID, owner, gone) }
	if err := claim("a", running); err != nil {
		t.Fatal(err)
	}
	if err := claim("a", running); err != nil {
		t.Errorf("the owner again: %v", err)
	}
	if err := claim("b", running); !errors.Is(err, ErrBusy) {
		t.Errorf("another while the owner runs: %v", err)
	}
	for want, gone := range map[bool]func(string) bool{true: running, false: gone} {
		if held, err := s.HeldSweep(t.Context(), sw.ID, gone); held != want || err != nil {
			t.Errorf("held: %v, %v, want %v", held, err, want)
		}
	}
	if err := claim("b", gone); err != nil {
		t.Errorf("another when the owner is gone: %v", err)
	}
	if err := s.FinishSweep(t.Context(), sw.ID, noon); err != nil {
		t.Fatal(err)
	}
	if err := claim("c", running); err != nil {
		t.Errorf("after the end: %v", err)
	}
	if held, err := s.HeldSweep(t.Context(), sw.ID, gone); held || err != nil {
		t.Errorf("held by one that is gone: %v, %v", held, err)
	}
	if _, err := s.HeldSweep(t.Context(), 99, running); !errors.Is(err, ErrNoSweep) {
		t.Errorf("no such sweep: %v", err)
	}
	if err := s.ClaimSweep(t.Context(), 99, "a", running); !errors.Is(err, ErrNoSweep) {
		t.Errorf("no such sweep: %v", err)
	}
}

// What is saved into a file that has lost its name would be lost with it.
func TestStoreThatIsRemovedOrReplaced(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			if err := os.WriteFile(path+".new", []byte("x"), 0o644); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			begin(t, s, "1.0.0")
			if err := change(path); err != nil {
				t.Fatal(err)
			}
			if _, err := s.CreateSweep(t.Context(), plan("1.0.0"), machine(), noon); !errors.Is(err, ErrGone) {
				t.Errorf("got %v, want ErrGone", err)
			}
		})
	}
}

// resume without a number takes what nobody is at, and never what a live process
// is just carrying out.
func TestUnfinishedSweepIsClaimed(t *testing.T) {
	s := fresh(t)
	live := func(owner string) bool { return owner != "live" }
	claim := func() (int64, error) { return s.ClaimUnfinished(t.Context(), "me", live) }
	if _, err := claim(); !errors.Is(err, ErrNoSweep) {
		t.Errorf("of none: %v", err)
	}
	first, second, third := begin(t, s, "1.0.0"), begin(t, s, "1.0.0"), begin(t, s, "1.0.0")
	for id, owner := range map[int64]string{third.ID: "live", second.ID: "killed"} {
		if err := s.ClaimSweep(t.Context(), id, owner, live); err != nil {
			t.Fatal(err)
		}
	}
	if id, err := claim(); err != nil || id != second.ID {
		t.Errorf("claimed %d, %v; want %d, whose process is gone", id, err, second.ID)
	}
	if err := s.ClaimSweep(t.Context(), second.ID, "other", live); err != nil {
		t.Fatal("me is gone as well:", err)
	}
	for _, sw := range []int64{first.ID, second.ID} {
		if err := s.FinishSweep(t.Context(), sw, noon); err != nil {
			t.Fatal(err)
		}
	}
	if id, err := claim(); !errors.Is(err, ErrBusy) || id != 0 {
		t.Errorf("only one is left, and busy: claimed %d, %v", id, err)
	}
}

// A kill, or a full disk, leaves a whole sweep or none.
func TestSweepBeginsWholeOrNotAtAll(t *testing.T) {
	s := fresh(t)
	outcomes := []sweep.Outcome{
		{Version: "1.0.0", Build: sweep.Build{Version: "1.0.0", Dir: "/x", Digest: "sha256:1", Bundled: map[string]string{"v8": "1"}}},
		{Version: "2.0.0", Reason: "no such release"},
	}
	p := plan("1.0.0", "2.0.0")
	sw, err := s.BeginSweep(t.Context(), p, machine(), outcomes, "me", noon)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.LoadSweep(t.Context(), sw.ID)
	if err != nil || !reflect.DeepEqual(got.Outcomes, outcomes) || !reflect.DeepEqual(sw.Outcomes, outcomes) {
		t.Errorf("read %+v, %v", got.Outcomes, err)
	}
	if err := s.ClaimSweep(t.Context(), sw.ID, "other", func(string) bool { return false }); !errors.Is(err, ErrBusy) {
		t.Errorf("it is not claimed: %v", err)
	}
	// The second outcome is of no version of the plan.
	if _, err := s.BeginSweep(t.Context(), plan("1.0.0"), machine(), outcomes, "me", noon); err == nil {
		t.Error("an outcome of no version was saved")
	}
	if list, err := s.Sweeps(t.Context(), Filter{}); err != nil || len(list) != 1 || list[0].Outcomes != 2 {
		t.Errorf("%+v, %v: half a sweep is there", list, err)
	}
}

// A copy that is put over an open store, in place, is noticed before anything is
// saved, and is afterwards what was copied, untouched by what was still in the air.
func TestStoreThatIsWrittenOver(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		samples int // before it happens: many are in the main file, few beside it
		content func(t *testing.T) string
		save    bool // afterwards, before closing
	}{
		"early":             {0, anotherStore, true},
		"with some beside":  {3, anotherStore, true},
		"with many in it":   {60, anotherStore, true},
		"and nothing saved": {3, anotherStore, false},
		"emptied":           {3, func(*testing.T) string { return "" }, true},
		"by something else": {3, func(*testing.T) string { return strings.Repeat("all work and no play\n", 5000) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			sw := begin(t, s, "1.0.0")
			for i := range c.samples {
				if err := s.SaveSample(t.Context(), sw.ID, measured(r, "1.0.0", i+1)); err != nil {
					t.Fatal(err)
				}
			}
			content := c.content(t)
			write(t, path, content)
			for range 2 {
				if !c.save {
					break
				}
				if err := s.SaveSample(t.Context(), sw.ID, measured(r, "1.0.0", 1000)); !errors.Is(err, ErrGone) {
					t.Errorf("saving: %v, want ErrGone", err)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if read(t, path) != content {
				t.Error("what is there was changed")
			}
			if !strings.HasPrefix(content, "SQLite") {
				return
			}
			if names := entries(t, filepath.Dir(path)); slices.Contains(names, "x.db-wal") {
				t.Errorf("beside it: %q", names)
			}
			// In this process SQLite still has the old store in mind.
			write(t, path+".copy", content)
			other := reopen(t, path+".copy")
			list, err := other.Sweeps(t.Context(), Filter{})
			if err != nil || len(list) != 1 || list[0].Versions != 2 || list[0].Samples != 5 {
				t.Errorf("%+v, %v", list, err)
			}
			checkWhole(t, other, 1, 5)
		})
	}
}

// anotherStore is the content of a closed store with two versions and five samples.
func anotherStore(t *testing.T) string {
	t.Helper()
	s := fresh(t)
	sw := begin(t, s, "2.0.0", "3.0.0")
	for i := range 5 {
		if err := s.SaveSample(t.Context(), sw.ID, measured(rand.New(rand.NewPCG(3, 4)), "2.0.0", i+1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return read(t, s.path)
}

package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
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
	if err := claim("b", gone); err != nil {
		t.Errorf("another when the owner is gone: %v", err)
	}
	if err := s.FinishSweep(t.Context(), sw.ID, noon); err != nil {
		t.Fatal(err)
	}
	if err := claim("c", running); err != nil {
		t.Errorf("after the end: %v", err)
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

package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLockNights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "versweep.db")
	at := time.Unix(1_800_000_000, 0)
	unlock, err := LockNights(path, at)
	if err != nil {
		t.Fatal(err)
	}
	_, err = LockNights(path, at.Add(time.Hour))
	held, ok := errors.AsType[*NightRunningError](err)
	if !ok || held.PID != os.Getpid() || !held.Since.Equal(at) {
		t.Errorf("held by %+v, %v", held, err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	// What a killed process left means nothing.
	write(t, path+".nightly.lock", "1 2001-01-01T00:00:00Z\n")
	unlock, err = LockNights(path, at)
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, filepath.Dir(path)); len(names) != 0 {
		t.Errorf("left behind: %q", names)
	}
}

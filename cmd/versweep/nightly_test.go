package main

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"versweep/store"
	"versweep/sweep/nightly"
)

// ear is a channel that keeps what it is told; deaf ones are told nothing.
type ear struct {
	deaf  bool
	heard []string
}

func (*ear) name() string { return "ear" }

func (e *ear) deliver(_ context.Context, n nightly.Night) error {
	if e.deaf {
		return errors.New("deaf")
	}
	for _, notice := range n.Notices {
		e.heard = append(e.heard, notice.Key)
	}
	return nil
}

// nightStage is an app with a store, and a clock that stands.
type nightStage struct {
	*app
	ear *ear
	at  time.Time
}

func newNightStage(t *testing.T) *nightStage {
	t.Helper()
	a, _, _ := nightlyApp()
	s := &nightStage{app: a, ear: &ear{}, at: time.Date(2026, 11, 1, 1, 0, 0, 0, time.UTC)}
	a.db, a.now = filepath.Join(t.TempDir(), "versweep.db"), func() time.Time { return s.at }
	return s
}

// goes is a night so many days after the one before; what names its targets.
func (s *nightStage) goes(t *testing.T, days int, targets ...nightlyTarget) error {
	t.Helper()
	s.at = s.at.AddDate(0, 0, days)
	s.ear.heard = nil
	return s.night(t.Context(), &nightlySettings{every: 24 * time.Hour, targets: targets, channels: []channel{s.ear}})
}

// That no night came is told until somebody hears it, and only then not again.
func TestMissedNightsAreToldUntilHeard(t *testing.T) {
	s := newNightStage(t)
	for i, night := range []struct {
		days  int
		deaf  bool
		heard string
	}{
		{0, false, ""},
		{1, true, ""}, // nothing was missed: the night ends all the same
		{1, false, ""},
		{5, true, ""},
		{1, true, ""},
		{1, false, "missing-nights"},
		{1, false, ""},
	} {
		s.ear.deaf = night.deaf
		err := s.goes(t, night.days)
		if (err != nil) != night.deaf || strings.Join(s.ear.heard, " ") != night.heard {
			t.Errorf("night %d: heard %q, %v", i+1, s.ear.heard, err)
		}
	}
}

// brokenWriter is standard output on a full disk.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestFullDiskOfOutputKeepsNobodyFromBeingTold(t *testing.T) {
	s := newNightStage(t)
	if err := s.goes(t, 0); err != nil {
		t.Fatal(err)
	}
	s.stdout = brokenWriter{}
	if err := s.goes(t, 5); err == nil || !strings.Contains(err.Error(), "no space left") || len(s.ear.heard) != 1 {
		t.Errorf("heard %q, %v", s.ear.heard, err)
	}
	s.stdout = io.Discard
	if err := s.goes(t, 1); err != nil || len(s.ear.heard) != 0 {
		t.Errorf("the night after heard %q, %v", s.ear.heard, err)
	}
}

// brokenTarget is one that cannot be swept: its repository is not there.
func brokenTarget(t *testing.T) nightlyTarget {
	t.Helper()
	dir := t.TempDir()
	definition := "title: Broken\nabout: is not to be had\nsources:\n  - git: {repository: " + filepath.Join(dir, "nowhere") + "}\nstart: [\"{build}/x\"]\n"
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "broken"), 0o755), os.WriteFile(filepath.Join(dir, "broken", "target.yaml"), []byte(definition), 0o644)); err != nil {
		t.Fatal(err)
	}
	s, told, _ := readSettings(t, "target_dir: "+dir+"\ntargets: [{name: broken, launcher: process}]\n")
	if s == nil {
		t.Fatal(told)
	}
	return s.targets[0]
}

// A store that does not take what was told is a failure, and the night ends.
func TestNightEndsWhenWhatWasToldIsNotKept(t *testing.T) {
	s := newNightStage(t)
	target := brokenTarget(t)
	if err := s.goes(t, 0); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", s.db)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), "CREATE TRIGGER full BEFORE INSERT ON told BEGIN SELECT raise(ABORT, 'told is full'); END")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	err = s.goes(t, 1, target)
	if err == nil || !strings.Contains(err.Error(), "told is full") || len(s.ear.heard) != 1 {
		t.Errorf("heard %q, %v", s.ear.heard, err)
	}
	st, err := store.OpenReadOnly(t.Context(), s.db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if nights, err := st.Nights(t.Context(), 1); err != nil || nights[0].Ended.IsZero() {
		t.Errorf("%+v, %v", nights, err)
	}
}

// A night that is ended while it looks for versions says that the next goes on.
func TestNightEndedBeforeItMeasures(t *testing.T) {
	s := newNightStage(t)
	target := brokenTarget(t)
	ctx, cancel := context.WithCancel(t.Context())
	begun := s.now
	calls := 0
	s.now = func() time.Time {
		if calls++; calls > 1 { // the first one is for the lock
			cancel()
		}
		return begun()
	}
	err := s.night(ctx, &nightlySettings{every: 24 * time.Hour, targets: []nightlyTarget{target}})
	if _, hint, status := s.explain(ctx, err); status != exitInterrupted || hint != "the next versweep nightly goes on from there" {
		t.Errorf("%v: status %d, hint %q", err, status, hint)
	}
}

// A night whose budget fits nothing fails; a target whose turn has not come does not.
func TestNightThatMeasuredNothing(t *testing.T) {
	waiting := nightly.TargetNight{Target: "x", Left: 3}
	if n := leftByAll([]nightly.TargetNight{waiting, waiting}); n != 6 {
		t.Errorf("%d left", n)
	}
	if n := leftByAll([]nightly.TargetNight{waiting, {Target: "y", Measured: []string{"1.0.0"}}}); n != 0 {
		t.Errorf("%d left of a night that did measure", n)
	}
}

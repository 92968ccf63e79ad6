package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"versweep/runtimes"
	"versweep/runtimes/planted"
	"versweep/store"
	"versweep/sweep"
)

// plantedTarget is a folder with the definition of a target whose versions 1.0.0
// and 1.1.0 are so many commits of a repository apart.
func plantedTarget(t *testing.T, commits int) (targets string) {
	t.Helper()
	dir := t.TempDir()
	r, err := planted.Plant(filepath.Join(dir, "repository"), planted.Plan{Commits: commits, Work: 1000})
	if err != nil {
		t.Fatal(err)
	}
	targets = filepath.Join(dir, "targets")
	if _, err := r.WriteTarget(targets, "planted"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	return targets
}

// begunBisection is the store of a process that was killed once it had saved the
// bisection.
func begunBisection(t *testing.T, o bisectOptions) (db string, b store.Bisection) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "versweep.db")
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	usable := sweep.UsableCPUs()
	o.ServerCPUs, o.LoadCPUs, o.MinRounds, o.MaxRounds, o.FirstParent = usable[:1], usable[len(usable)-1:], 5, 30, true
	options, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	b, err = st.CreateBisection(t.Context(), store.Bisection{
		Target: "planted", Source: "git", Good: "1.0.0", Bad: "1.1.0", Metric: sweep.QPS, Effect: 0.03, Options: options,
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return db, b
}

// Who asked for containers and is resumed without an engine does not have commits
// of a stranger run as processes.
func TestResumedBisectionKeepsToContainers(t *testing.T) {
	targets := plantedTarget(t, 4)
	db, _ := begunBisection(t, bisectOptions{Launcher: launcherProcess, Asked: launcherDocker, Commits: true, Direct: true})
	out, stderr, err := ran(t, "bisect", "--resume", "1", "--db", db, "--target-dir", targets)
	if !errors.Is(err, runtimes.ErrNoEngine) {
		t.Errorf("%v\n%s%s", err, out, stderr)
	}
	for _, tt := range []struct{ asked, found, want string }{
		{launcherAuto, launcherDocker, launcherAuto}, {launcherDocker, launcherDocker, launcherDocker}, {launcherProcess, launcherProcess, launcherProcess},
		{"", launcherDocker, launcherDocker}, // of a versweep that did not store it
	} {
		if got := (bisectOptions{Asked: tt.asked, Launcher: tt.found}).launcherOfCommits(); got != tt.want {
			t.Errorf("asked %q, found %q: commits by %q, want %q", tt.asked, tt.found, got, tt.want)
		}
	}
}

// gc leaves the file of a bisection at work as it is, but for what is free at its
// end.
func TestGCSeesBisections(t *testing.T) {
	db, b := begunBisection(t, bisectOptions{})
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if at, err := isSweeping(t.Context(), st); err != nil || at {
		t.Errorf("nobody is at it: %v, %v", at, err)
	}
	if err := claimBisection(t.Context(), st, b.ID); err != nil {
		t.Fatal(err)
	}
	if at, err := isSweeping(t.Context(), st); err != nil || !at {
		t.Errorf("at work: %v, %v", at, err)
	}
}

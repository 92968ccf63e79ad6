package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"versweep/runtimes"
	"versweep/runtimes/planted"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/bisect"
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
	if at, err := st.Claimed(t.Context(), ownerIsGone); err != nil || at {
		t.Errorf("nobody is at it: %v, %v", at, err)
	}
	if err := claimBisection(t.Context(), st, b.ID); err != nil {
		t.Fatal(err)
	}
	if at, err := st.Claimed(t.Context(), ownerIsGone); err != nil || !at {
		t.Errorf("at work: %v, %v", at, err)
	}
}

// What is abandoned holds no builds and is gone on with no more.
func TestAbandonedBisection(t *testing.T) {
	db, _ := begunBisection(t, bisectOptions{})
	if _, stderr, err := ran(t, "bisect", "--abandon", "1", "--db", db); err != nil || !strings.Contains(stderr, "bisection 1 of planted is ended") {
		t.Errorf("%v\n%s", err, stderr)
	}
	for _, flag := range []string{"--abandon", "--resume"} {
		if _, _, err := ran(t, "bisect", flag, "1", "--db", db); err == nil || !strings.Contains(err.Error(), "is finished") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

// An error among the commits leaves the answer about versions, and another process
// that is at it leaves the log.
func TestVersionsAreToldBeforeCommitsFail(t *testing.T) {
	targets := plantedTarget(t, 4)
	version := func(name string) bisectCandidate {
		return bisectCandidate{Version: sweep.Version{Name: name, Raw: name}}
	}
	db, b := begunBisection(t, bisectOptions{
		Launcher: launcherProcess, Asked: launcherProcess, Commits: true, Repository: filepath.Join(t.TempDir(), "nothing"),
		Candidates: []bisectCandidate{version("1.0.0"), version("1.0.5"), version("1.1.0")},
		Replay:     "#= ends 1.0.0 1.1.0 differ=true change=-0.3,-0.4,-0.2 rounds=5\nversweep bisect good 1.0.5\n#= confirm 1.0.5 1.1.0 differ=true change=-0.3,-0.4,-0.2 rounds=5\n",
	})
	log := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(log, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"bisect", "--resume", "1", "--db", db, "--target-dir", targets, "--log", log}
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	out, stderr, err := ran(t, args...)
	if err == nil || !strings.Contains(out, "first bad     1.1.0\n") {
		t.Errorf("%v\n%s%s", err, out, stderr)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(text), "#= versions\nversweep bisect start") {
		t.Errorf("the log is %q, %v", text, err)
	}
	out, _, err = ran(t, append(args, "--json")...)
	if err == nil || !strings.Contains(out, `"finished": false`) || !strings.Contains(out, `"state": "found"`) {
		t.Errorf("%v\n%s", err, out)
	}
	claimed := st.ClaimBisection(t.Context(), b.ID, "somebody at another machine", func(string) bool { return true })
	before, _ := os.ReadFile(log)
	_, _, err = ran(t, args...)
	after, _ := os.ReadFile(log)
	if claimed != nil || !errors.Is(err, store.ErrBusy) || string(before) != string(after) {
		t.Errorf("%v, %v: the log was %q and is %q", claimed, err, before, after)
	}
}

// Of several changes those that were found are told where a later part fails; what
// is missing, and why, is said, and kept out of the document's other keys.
func TestChangesAreToldBeforeALaterPartFails(t *testing.T) {
	targets := plantedTarget(t, 4)
	var candidates []bisectCandidate
	for _, name := range []string{"1.0.0", "1.0.3", "1.0.5", "1.1.0"} {
		candidates = append(candidates, bisectCandidate{Version: sweep.Version{Name: name, Raw: name}})
	}
	begin := func() string {
		db, _ := begunBisection(t, bisectOptions{
			Launcher: launcherProcess, All: true, Candidates: candidates,
			Replay: "#= ends 1.0.0 1.1.0 differ=true change=-0.3,-0.4,-0.2 rounds=5\nversweep bisect good 1.0.3\nversweep bisect good 1.0.5\n" +
				"#= confirm 1.0.5 1.1.0 differ=true change=-0.2,-0.3,-0.1 rounds=5\n#= doubt 1.0.5 where= kind=last-good-differs-from-good is= change=-0.1,-0.2,-0.05\n",
		})
		return db
	}
	db := begin()
	args := []string{"bisect", "--resume", "1", "--target-dir", targets}
	out, _, err := ran(t, append(args, "--db", db)...)
	if err == nil || !strings.Contains(err.Error(), "an end of the search") || !strings.Contains(out, "first bad     1.1.0\n") ||
		!strings.Contains(out, "\nmissing       this is not all: the bisection was broken off: bisecting planted: 1.0.") {
		t.Errorf("%v\n%s", err, out)
	}
	out, _, err = ran(t, append(args, "--db", begin(), "--json")...)
	var doc bisectionJSON
	if failed := json.Unmarshal([]byte(out), &doc); failed != nil || err == nil || len(doc.Changes) != 2 || doc.BrokenOff == nil {
		t.Fatalf("%v, %v\n%s", failed, err, out)
	}
	if broken := doc.Changes[0]; broken.State != "broken off" || broken.FirstBad != nil || broken.KnownBad.Version != "1.0.5" || broken.Between != 1 || doc.Changes[1].State != "found" {
		t.Errorf("%+v", doc.Changes)
	}
	out, _, err = ran(t, "bisect", "log", "1", "--db", db)
	if err != nil || !strings.Contains(out, "# first bad: 1.1.0") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A search that did not end calls nothing the first bad one.
func TestBrokenOffSearchTellsItsBounds(t *testing.T) {
	s := &stretch{b: store.Bisection{Target: "tiny"}, metric: sweep.Metrics[0]}
	for _, name := range []string{"1.0", "1.1", "1.2", "1.3", "1.4"} {
		s.o.Candidates = append(s.o.Candidates, bisectCandidate{Version: sweep.Version{Name: name}})
	}
	for _, state := range []bisect.State{bisect.OutOfBudget, bisect.BrokenOff, bisect.Unconfirmed, bisect.Contradictory} {
		var out strings.Builder
		a := &app{stdout: &out}
		for lastGood, want := range map[int]string{1: "2 versions; the first bad one is among those", 2: "1 version; the first bad one is that or", 3: "nothing: they are next to"} {
			out.Reset()
			a.printAnswer(s, bisect.Answer{State: state, Bad: 4, To: 4, LastGood: lastGood, FirstBad: 4})
			if text := out.String(); !strings.Contains(text, "\nknown good    1."+strconv.Itoa(lastGood)+", the last\nknown bad     1.4, the first\nbetween       "+want) || strings.Contains(text, "\nfirst bad") {
				t.Errorf("%s: %s", state, text)
			}
		}
	}
}

// A trial of which nothing can be had, its ends included, ends the search.
func TestTrialOfNothing(t *testing.T) {
	targets := plantedTarget(t, 4)
	o := bisectOptions{Launcher: launcherProcess, Replay: "#= ends 1.0.2 1.0.4 differ=true change=-0.3,-0.4,-0.2 rounds=5\n"}
	for _, name := range []string{"1.0.2", "1.0.3", "1.0.4"} { // the repository has no such tags
		o.Candidates = append(o.Candidates, bisectCandidate{Version: sweep.Version{Name: name, Raw: name}})
	}
	db, _ := begunBisection(t, o)
	if out, _, err := ran(t, "bisect", "--resume", "1", "--db", db, "--target-dir", targets); err == nil || !strings.Contains(err.Error(), "an end of the search, cannot be measured") {
		t.Errorf("%v\n%s", err, out)
	}
}

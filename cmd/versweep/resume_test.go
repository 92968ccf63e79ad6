//go:build linux

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
)

// A sweep is gone on with as it was begun or not at all; what it lacks is obtained.
func TestResume(t *testing.T) {
	s := newKillStage(t)
	t.Run("another definition", s.anotherDefinition)
	t.Run("versions to obtain", s.versionsToObtain)
	t.Run("reference chosen meanwhile", s.referenceChosenMeanwhile)
}

func (s *killStage) anotherDefinition(t *testing.T) {
	s.newStore()
	s.killed(tinyRun("process"))
	file := filepath.Join(s.folder, "targets", "tiny", "target.yaml")
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := s.stored()
	for what, change := range map[string][2]string{
		"start": {`"{build}/hello", `, `"{build}/hello", "{version}", `}, "environment": {"start:", "env: {X: '1'}\nstart:"}, "answer": {"start:", "answer: {body: \"Hello World\"}\nstart:"},
		"request": {"start:", "request: {path: /x}\nstart:"},
	} {
		changed := bytes.Replace(was, []byte(change[0]), []byte(change[1]), 1)
		if err := os.WriteFile(file, changed, 0o644); err != nil || bytes.Equal(changed, was) {
			t.Fatal("nothing is changed", err)
		}
		said, err := s.command("resume").CombinedOutput()
		if err == nil || !strings.Contains(string(said), "versweep: going on with sweep 1: tiny is defined in another way than when it was begun") || !strings.Contains(string(said), "hint: undo the change") {
			t.Errorf("%s: %v\n%s", what, err, said)
		}
	}
	if err := os.WriteFile(file, append(was, "# A remark is no change.\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(file, was, 0o644)
	if len(samplesOf(s.stored())) != len(samplesOf(before)) {
		t.Error("samples of another definition were taken")
	}
	if said, err := s.command("resume").CombinedOutput(); err != nil {
		t.Errorf("as it was: %v\n%s", err, said)
	}
}

// Sweeps that an older versweep was killed in while it saved what it had obtained.
func (s *killStage) versionsToObtain(t *testing.T) {
	s.newStore()
	if said, err := s.command(tinyRun("process")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	whole := s.stored()[0]
	st, err := store.Open(t.Context(), s.db())
	if err != nil {
		t.Fatal(err)
	}
	half, err := st.CreateSweep(t.Context(), whole.Plan, whole.Environment, time.Now())
	if err == nil {
		err = st.SaveOutcome(t.Context(), half.ID, whole.Outcomes[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if said, err := s.command("resume").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	sweeps := s.stored()
	s.check(sweeps, 4)
	if got := sweep.LastAttempts(sweeps[1].Samples); len(got) != len(sweep.LastAttempts(whole.Samples)) {
		t.Errorf("%d samples, want %d", len(got), len(whole.Samples))
	}
}

// willing starts everything.
type willing struct{}

func (willing) Start(context.Context, sweep.Build) (sweep.Instance, error) { return willing{}, nil }
func (willing) StartupTime() (time.Duration, bool)                         { return 0, false }
func (willing) Load(context.Context, load.Profile, load.Hooks) (load.Result, error) {
	return load.Result{}, nil
}
func (willing) Usage() (sweep.Usage, error) { return sweep.Usage{}, nil }
func (willing) Stop() (sweep.Exit, error)   { return sweep.Exit{}, nil }

// Of two first sweeps of a series, begun at once, both have the reference of the
// one that was quicker, whether they meant to measure it or not.
func (s *killStage) referenceChosenMeanwhile(t *testing.T) {
	s.newStore()
	catalog, err := runtimes.OpenCatalog(filepath.Join(s.folder, "targets"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalog.Find("tiny")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := runtimes.OpenCache(filepath.Join(s.folder, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	supply, err := runtimes.OpenSupply(d, d.Sources[0], cache)
	if err != nil {
		t.Fatal(err)
	}
	l := &launching{supply: supply, launcher: willing{}, environment: sweep.Environment{CPU: "x"}}
	if l.found, _, err = supply.Versions(t.Context()); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), s.db())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var said bytes.Buffer
	a := &app{stdout: &said, stderr: &said, now: time.Now}
	p := sweep.Plan{Target: "tiny", Source: "git", Versions: l.found[2:4]} // 1.2.0 and 1.3.0
	outcomes, err := a.obtain(t.Context(), supply, p.Versions, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.SetSeriesReference(t.Context(), p, l.environment, "1.1.0"); err != nil {
		t.Fatal(err)
	}
	outcomes, err = a.settleReference(t.Context(), st, l, &p, outcomes, reference{})
	if err != nil || p.Reference != "1.1.0" || len(p.Versions) != 3 || len(outcomes) != 3 {
		t.Fatalf("%v: reference %s, %d versions, %d outcomes\n%s", err, p.Reference, len(p.Versions), len(outcomes), &said)
	}
	for i, want := range []string{"1.1.0", "1.2.0", "1.3.0"} {
		if p.Versions[i].Name != want || outcomes[i].Version != want || outcomes[i].Build.Dir == "" || p.Versions[i].Commit == "" {
			t.Errorf("%d: %+v, %+v", i, p.Versions[i], outcomes[i])
		}
	}
	if !strings.Contains(said.String(), "another sweep has chosen 1.1.0 as the series' reference meanwhile") {
		t.Errorf("said %s", &said)
	}
	// Who asked for another, or knows that the series' cannot be measured, keeps it.
	if _, err = a.settleReference(t.Context(), st, l, &p, outcomes, reference{name: "1.3.0", required: true}); err != nil || p.Reference != "1.3.0" {
		t.Errorf("%v: reference %s, asked for 1.3.0", err, p.Reference)
	}
}

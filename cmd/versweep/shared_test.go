//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"versweep/sweep"
)

// Issue 7: processes that use one store at the same time do not harm each other:
// first sweeps of a series begun at once, a sweep that is gone on with beside
// them, and everything that reads and adds.
func TestProcessesShareAStore(t *testing.T) {
	s := newKillStage(t)
	s.newStore()
	second := filepath.Join(s.folder, "targets", "other")
	if err := os.CopyFS(second, os.DirFS(filepath.Join(s.folder, "targets", "tiny"))); err != nil {
		t.Fatal(err)
	}
	figures := filepath.Join(s.folder, "figures.csv")
	if err := os.WriteFile(figures, []byte("target,profile,environment,version,round,metric,value,unit\nforeign,p,e,1.0.0,1,qps,100,1/s\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.killed(tinyRun("process"))
	want := map[string]int{"tiny": 3 * 16, "other": 16}

	var measuring, reading sync.WaitGroup
	other := tinyRun("process")
	other[1] = "other"
	for _, args := range [][]string{tinyRun("process"), tinyRun("process"), other, {"resume"}} {
		measuring.Go(func() {
			if said, err := s.command(args...).CombinedOutput(); err != nil {
				t.Errorf("versweep %q: %v\n%s", args, err, said)
			}
		})
	}
	done := make(chan struct{})
	pages := filepath.Join(s.folder, "pages")
	for _, args := range [][]string{
		{"check", "tiny"}, {"table", "tiny"}, {"report", "-o", pages}, {"import", "csv", figures}, {"export", "csv", "tiny"},
	} {
		reading.Go(func() {
			for n := 0; ; n++ {
				var said bytes.Buffer
				cmd := s.command(args...)
				cmd.Stderr = &said
				if err := cmd.Run(); err != nil && !documented(err, said.String()) {
					t.Errorf("versweep %q: %v\n%s", args, err, &said)
					return
				}
				select {
				case <-done:
					return
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
	measuring.Wait()
	close(done)
	reading.Wait()

	got, references := map[string]int{}, map[string]bool{}
	for _, sw := range s.stored() {
		if sw.Finished.IsZero() {
			t.Errorf("sweep %d of %s is not finished", sw.ID, sw.Plan.Target)
		}
		got[sw.Plan.Target] += len(sweep.LastAttempts(sw.Samples))
		if sw.Plan.Target == "tiny" {
			references[sw.Plan.Reference] = true
		}
		if sw.Plan.Foreign == nil {
			checkAttempts(t, sw.Samples)
		}
		for _, m := range sw.Samples {
			// On a machine this busy a window of 100 ms may pass by.
			if m.Status == sweep.Failed && m.Reason != "no answer in the measuring window" {
				t.Errorf("sweep %d: %s failed: %s", sw.ID, m.Version, m.Reason)
			}
		}
	}
	for target, n := range want {
		if got[target] != n {
			t.Errorf("%d samples of %s, want %d", got[target], target, n)
		}
	}
	if got["foreign"] != 1 || len(references) != 1 {
		t.Errorf("%d imported samples, want one; %v as reference of one series", got["foreign"], references)
	}
	s.checkLeftovers()
}

// killed begins a sweep and kills it once it has a sample.
func (s *killStage) killed(args []string) {
	s.t.Helper()
	cmd := s.command(args...)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); len(samplesOf(s.stored())) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("no sample within 30 s")
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// documented tells whether a failure is one that has nothing to do with others: no
// figures are there yet, or on a machine this busy none that counts.
func documented(err error, said string) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return false
	}
	return exit.ExitCode() == exitRegression ||
		exit.ExitCode() == exitFailure && strings.Contains(said, "no version has a figure that counts")
}

// resume without a number leaves alone what a live process carries out.
func TestResumeTakesWhatNobodyIsAt(t *testing.T) {
	s := newKillStage(t)
	s.newStore()
	s.killed(tinyRun("process"))
	live := tinyRun("process", "--rounds", "60")
	cmd := s.command(live...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	for end := time.Now().Add(30 * time.Second); len(s.stored()) < 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no sweep within 30 s")
		}
	}
	said, err := s.command("resume").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "going on with sweep 1 of Tiny") {
		t.Errorf("%v\n%s", err, said)
	}
	said, err = s.command("resume").CombinedOutput()
	if err == nil || !strings.Contains(string(said), fmt.Sprintf("sweep 2 is being carried out by process %d on ", cmd.Process.Pid)) || !strings.Contains(string(said), "hint: wait until it ends, or end it") {
		t.Errorf("%v\n%s", err, said)
	}
}

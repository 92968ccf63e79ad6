//go:build linux

package runtimes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

func startFake(t *testing.T, how string, change func(*Supply)) (*processInstance, error) {
	t.Helper()
	s, b := fakeTarget(t, how)
	if change != nil {
		change(s)
	}
	cache := emptyCache(t)
	usable := sweep.UsableCPUs()
	l, err := NewProcessLauncher(s, cache, CPUSets{Server: usable[:1], Load: usable[len(usable)-1:]})
	if err != nil {
		t.Fatal(err)
	}
	instance, err := l.Start(t.Context(), b)
	if err != nil {
		return nil, err
	}
	p := instance.(*processInstance)
	t.Cleanup(func() { p.Stop() })
	return p, nil
}

func TestProcessIsMeasured(t *testing.T) {
	p, err := startFake(t, "right", nil)
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("Cpus_allowed_list:\t%d\n", sweep.UsableCPUs()[0]); !strings.Contains(string(status), want) {
		t.Errorf("the server is not pinned:\n%s", status)
	}
	var atStart, atEnd sweep.Usage
	result, err := p.Load(t.Context(), load.Profile{
		Shape: load.ShapeClosed, Connections: 2, Duration: 200 * time.Millisecond, Timeout: time.Second,
	}, load.Hooks{
		WindowStart: func() { atStart, _ = p.Usage() },
		WindowEnd:   func() { atEnd, _ = p.Usage() },
	})
	if err != nil {
		t.Fatal(err)
	}
	if result.OK == 0 || result.Errors.Total() != 0 {
		t.Errorf("result %+v", result)
	}
	if cpu := atEnd.CPU - atStart.CPU; cpu <= 0 || cpu > 2*result.Elapsed {
		t.Errorf("the server used %v of CPU in %v", cpu, result.Elapsed)
	}
	if atEnd.PeakRSS < 1<<20 {
		t.Errorf("peak memory %d bytes", atEnd.PeakRSS)
	}
	if startup, known := p.StartupTime(); !known || startup <= 0 {
		t.Errorf("start-up time %v, %v", startup, known)
	}
	scratch := p.scratch
	if exit, err := p.Stop(); err != nil || exit.Early {
		t.Errorf("Stop() = %+v, %v", exit, err)
	}
	if _, err := os.Stat(scratch); !os.IsNotExist(err) {
		t.Errorf("its folder is left: %v", err)
	}
}

// Two sweeps on one machine may be given the same free port: the slower one takes
// another, and its version has not failed.
func TestPortThatAnotherProcessTook(t *testing.T) {
	s, b := fakeTarget(t, "right")
	l, err := NewProcessLauncher(s, emptyCache(t), CPUSets{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	taken, asked := other.Addr().(*net.TCPAddr).Port, 0
	l.freePort = func() (int, error) {
		if asked++; asked == 1 {
			return taken, nil
		}
		return freePort()
	}
	s.definition.Answer.Timeout = 2 * time.Second // nobody answers there
	i, err := l.Start(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	i.Stop()
	if asked != 2 {
		t.Errorf("asked %d times for a port", asked)
	}
	l.freePort = func() (int, error) { asked++; return taken, nil }
	asked = 0
	if _, err := l.Start(t.Context(), b); err == nil || asked != portTries {
		t.Errorf("%v after %d tries", err, asked)
	}
}

// C5: the exit status and the last lines, at once rather than at a time-out.
func TestProcessThatDiesAtOnce(t *testing.T) {
	_, err := startFake(t, "missing library", func(s *Supply) { s.definition.Answer.Timeout = time.Hour })
	failed, ok := errors.AsType[*sweep.StartError](err)
	if !ok {
		t.Fatalf("got %v, want a *StartError", err)
	}
	if !strings.Contains(failed.Reason, "exit status 127") || !strings.Contains(strings.Join(failed.Log, "\n"), "libfoo.so.1") {
		t.Errorf("reason %q, log %q", failed.Reason, failed.Log)
	}
}

// H1: a wrong answer is never measured, however soon it comes.
func TestProcessThatAnswersWrongly(t *testing.T) {
	for how, want := range map[string]string{
		"not found": "status 404 instead of 200", "another body": `body "It works!\n" instead of "Hello World\n"`,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, err := startFake(t, how, nil)
			failed, ok := errors.AsType[*sweep.StartError](err)
			if !ok || !strings.Contains(failed.Reason, want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

func TestProcessThatNeverListens(t *testing.T) {
	_, err := startFake(t, "never listens", func(s *Supply) { s.definition.Answer.Timeout = 200 * time.Millisecond })
	failed, ok := errors.AsType[*sweep.StartError](err)
	if !ok || !strings.Contains(failed.Reason, "no right answer within 200ms") {
		t.Errorf("got %v", err)
	}
}

func TestProgramThatCannotBeStarted(t *testing.T) {
	_, err := startFake(t, "right", func(s *Supply) { s.recipe.Start = []string{"/nonexistent/node"} })
	failed, ok := errors.AsType[*sweep.StartError](err)
	if !ok || !strings.Contains(failed.Reason, "no such file") {
		t.Errorf("got %v", err)
	}
}

// C3: a server that ignores SIGTERM, and what it started, are gone before the
// next one is measured.
func TestStubbornProcessIsStoppedWithItsChildren(t *testing.T) {
	p, err := startFake(t, "stubborn", nil)
	if err != nil {
		t.Fatal(err)
	}
	tree := processTree(p.cmd.Process.Pid)
	if len(tree) != 2 {
		t.Fatalf("process tree %v, want the server and its child", tree)
	}
	if _, err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range tree {
		// A killed orphan may be a zombie for a moment; it runs no more.
		deadline := time.Now().Add(5 * time.Second)
		for running(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d still runs", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

func TestProcessKilledMeanwhileIsTold(t *testing.T) {
	p, err := startFake(t, "right", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.exited
	exit, err := p.Stop()
	if err != nil || !exit.Early || exit.Status != "signal: killed" || strings.Join(exit.Log, "") != "listening" {
		t.Errorf("Stop() = %+v, %v", exit, err)
	}
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	s, b := fakeTarget(t, "never listens")
	cache := emptyCache(t)
	l, err := NewProcessLauncher(s, cache, CPUSets{})
	if err != nil {
		t.Fatal(err)
	}
	before := len(processTree(os.Getpid()))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := l.Start(ctx, b); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start = %v", err)
	}
	if after := len(processTree(os.Getpid())); after > before {
		t.Errorf("%d processes before, %d after", before, after)
	}
}

// C3: only a listener of the server's own processes proves that it answered.
func TestListensTellsWhoseListenerItIs(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	if ours, err := listens(os.Getpid(), port); err != nil || !ours {
		t.Errorf("our own listener: %v, %v", ours, err)
	}
	other := exec.Command("sleep", "3600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { other.Process.Kill(); other.Wait() }()
	if ours, err := listens(other.Process.Pid, port); err != nil || ours {
		t.Errorf("another process's listener: %v, %v", ours, err)
	}
}

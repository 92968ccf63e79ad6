//go:build linux

package runtimes

import (
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"versweep/sweep"
)

// counted waits until two readings a moment apart differ as wanted.
func counted(t *testing.T, what string, read func() (sweep.Usage, error), rose func(start, end sweep.Usage) bool) {
	t.Helper()
	start, err := read()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if err != nil {
			t.Fatal(err)
		}
		end, readErr := read()
		if err = readErr; rose(start, end) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %+v, then %+v", what, start, end)
		}
	}
}

// startBox starts a command in the base image's container and returns it.
func startBox(t *testing.T, e *Engine, command string, memory int64) *containerInstance {
	t.Helper()
	l, b := startedBy(t, e, command)
	id, err := e.create(t.Context(), box{image: b.Image, labels: l.labels(b.Version), network: "none", memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.remove(id); err != nil {
			t.Error(err)
		}
	})
	if _, err := e.start(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	c := &containerInstance{launcher: l, server: id, gone: make(chan struct{})}
	if c.pid, c.here, err = e.pidHere(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	return c
}

// A quota that somebody puts on a container is seen, by the kernel's counters
// here and by the engine's own elsewhere.
func TestEngineThrottlingIsSeen(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	c := startBox(t, e, "while :; do :; done", 64<<20)
	if !c.here {
		t.Fatal("the engine is on another machine: its counters cannot be read")
	}
	before, err := c.Usage()
	if err != nil || before.Throttled != 0 || before.Elsewhere {
		t.Fatalf("without a quota: %+v, %v", before, err)
	}
	if _, err := e.api.ContainerUpdate(t.Context(), c.server, container.UpdateConfig{
		Resources: container.Resources{CPUPeriod: 100000, CPUQuota: 10000},
	}); err != nil {
		t.Fatal(err)
	}
	throttled := func(start, end sweep.Usage) bool { return end.Throttled > start.Throttled }
	counted(t, "here", c.Usage, throttled)
	c.here = false
	counted(t, "elsewhere", c.Usage, func(start, end sweep.Usage) bool { return throttled(start, end) && end.Elsewhere })
}

// A worker that is killed for its memory leaves the server running.
func TestEngineSeesAWorkerOutOfMemory(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	c := startBox(t, e, "while :; do tail /dev/zero; done", 16<<20)
	if !c.here {
		t.Fatal("the engine is on another machine: its counters cannot be read")
	}
	counted(t, "killed", c.Usage, func(start, end sweep.Usage) bool { return end.OutOfMemory > start.OutOfMemory })
}

package runtimes

import (
	"archive/tar"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Builds that take memory without end are ended, all of their processes: also
// those that left the process group.
func TestBuildsEndForTheirMemory(t *testing.T) {
	for name, command := range map[string]string{
		"the command itself": "exec tail /dev/zero",
		"a child":            "tail /dev/zero & wait",
		"a session":          "setsid tail /dev/zero & wait",
		"several":            "sleep 3600 & for i in 1 2 3; do perl -e '$x = q(x); $x x= 60 << 20; sleep 3600' & done; wait",
	} {
		t.Run(name, func(t *testing.T) {
			before := len(processTree(os.Getpid()))
			_, err := buildIn(t, "echo started; "+command, func(l *ProcessLauncher) { l.cache.memory = newBuildMemory(96<<20, 0) })
			failed, ok := errors.AsType[*BuildError](err)
			if !ok || !strings.Contains(failed.Reason, "sh: ended for taking more than 96 MiB of memory (VERSWEEP_BUILD_MEMORY=192MiB allows more)") || strings.Join(failed.Log, " ") != "started" {
				t.Fatalf("%#v", err)
			}
			for deadline := time.Now().Add(5 * time.Second); len(processTree(os.Getpid())) > before; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("processes are left")
				}
			}
		})
	}
}

// So are npm and go.
func TestFetchesEndForTheirMemory(t *testing.T) {
	fakeCommand(t, "npm", "echo npm error code E1 >&2; tail /dev/zero")
	s := nodeSupply(t)
	s.source.(*npm).cache.memory = newBuildMemory(96<<20, 0)
	if _, _, err := s.Versions(t.Context()); err == nil || !strings.Contains(err.Error(), "npm: ended for taking more than 96 MiB of memory") {
		t.Errorf("npm: %v", err)
	}
	fakeCommand(t, "go", "echo go: no such thing >&2; tail /dev/zero")
	cache := emptyCache(t)
	cache.memory = newBuildMemory(96<<20, 0)
	g, err := newGoMod(&Definition{Name: "fake"}, Recipe{}, &GoModSource{Module: "fake.example/x"}, cache)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := g.versions(t.Context()); err == nil || !strings.Contains(err.Error(), "go: ended for taking more than 96 MiB of memory") {
		t.Errorf("go: %v", err)
	}
}

// Pages that the processes of a build share are counted once: four with the same
// 100 MiB take no 400.
func TestSharedMemoryIsCountedOnce(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "perl", "-e", `$x = "x"; $x x= 100 << 20; fork; fork; $| = 1; print "."; sleep 3600`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stopGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		signalGroup(cmd.Process.Pid, true)
		cmd.Wait()
	})
	for range 4 {
		if n, err := out.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Fatal(err)
		}
	}
	pids := buildProcesses(cmd.Process.Pid)
	var rough int64
	for _, pid := range pids {
		bytes, _ := memoryIn(pid, "status", "VmRSS", "VmSwap")
		rough += bytes
	}
	if len(pids) != 4 || rough < 400<<20 {
		t.Fatalf("%d processes with %d bytes", len(pids), rough)
	}
	if err := newBuildMemory(300<<20, 0).look(cmd.Process.Pid, pids); err != nil {
		t.Errorf("300 MiB: %v", err)
	}
	if err := newBuildMemory(90<<20, 0).look(cmd.Process.Pid, pids); err == nil {
		t.Error("90 MiB are enough for 100")
	}
}

// Each step of a build in a container has its bound, without swap.
func TestEngineBoundsBuilds(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	const bound = 64 << 20
	e.BoundBuilds(bound)
	build := func(command string) (string, error) {
		dockerfile := "FROM debian:bookworm-slim\nRUN " + command + "\n"
		return e.buildImage(t.Context(), imageBuild{
			name: imageName("versweep/fake", "", dockerfile, strconv.FormatInt(time.Now().UnixNano(), 10)), dockerfile: dockerfile,
			labels: map[string]string{labelTarget: "fake"}, write: func(*tar.Writer) error { return nil },
		})
	}
	id, err := build("cd /sys/fs/cgroup; test $(cat memory/memory.limit_in_bytes || cat memory.max) = 67108864 && : " + strconv.FormatInt(time.Now().UnixNano(), 10))
	if err != nil {
		t.Errorf("the bound, from inside: %v", err)
	} else if _, err := e.removeImage(t.Context(), id); err != nil {
		t.Error(err)
	}
	_, err = build("tail /dev/zero")
	failed, ok := errors.AsType[*BuildError](err)
	if !ok || !strings.HasSuffix(failed.Reason, "perhaps for taking more than 64 MiB of memory (VERSWEEP_BUILD_MEMORY=128MiB allows more)") {
		t.Errorf("%v", err)
	}
}

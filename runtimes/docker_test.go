//go:build linux

package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"

	"versweep/sweep"
	"versweep/sweep/load"
)

// Tests named TestEngine… need a container engine. They fail without one where
// $VERSWEEP_TEST_ENGINE is set, as .ci/run does, and are left out elsewhere.
func needEngine(t *testing.T) *Engine {
	t.Helper()
	e, err := ConnectEngine(t.Context(), func(line string) { t.Log(line) })
	if err != nil {
		if os.Getenv("VERSWEEP_TEST_ENGINE") != "" {
			t.Fatal(err)
		}
		t.Skip("left out: ", err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// shellTarget is a target whose server is a shell command of the base image.
func shellTarget(command string) *Supply {
	d := &Definition{Name: "fake", Title: "Fake", Recipe: Recipe{
		Start: []string{"/bin/sh", "-c", command}, Image: Image{Base: "debian:bookworm-slim"},
	}}
	d.fillIn()
	d.Answer.Timeout = 5 * time.Second
	return &Supply{definition: d, recipe: d.Recipe}
}

// staticVersweep is the program, which is the load engine's image.
func staticVersweep(t *testing.T) string {
	t.Helper()
	file, err := builtVersweep()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func engineLauncher(t *testing.T, e *Engine, s *Supply) (*DockerLauncher, sweep.Build) {
	t.Helper()
	usable := sweep.UsableCPUs()
	l, err := newDockerLauncher(t.Context(), e, s, CPUSets{Server: usable[:1], Load: usable[len(usable)-1:]}, staticVersweep(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte(t.Name()), 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := l.Image(t.Context(), sweep.Build{Version: "1.0.0", Dir: dir, Digest: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	return l, b
}

// ours lists the containers that this process has made and not removed.
func ours(t *testing.T, e *Engine) []string {
	t.Helper()
	list, err := e.api.ContainerList(context.Background(), container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", labelOwner+"="+e.owner)),
	})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// A real Node release in a container: apart from all else, measured, removed;
// once with this process looking into its network, once as with an engine
// elsewhere.
func TestEngineMeasuresNode(t *testing.T) {
	e := needEngine(t)
	s := nodeSupply(t)
	l, err := newDockerLauncher(t.Context(), e, s, CPUSets{Server: []int{0}}, staticVersweep(t))
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := s.Obtain(t.Context(), []sweep.Version{{Name: "0.8.28", Raw: "0.8.28", Source: "npm"}}, l.Image, func(Obtained) {})
	if err != nil || outcomes[0].Reason != "" {
		t.Fatal(outcomes, err)
	}
	for _, local := range []bool{true, false} {
		t.Run(fmt.Sprintf("engine here %v", local), func(t *testing.T) {
			e.local = local
			defer func() { e.local = true }()
			instance, err := l.Start(t.Context(), outcomes[0].Build)
			if err != nil {
				t.Fatal(err)
			}
			defer instance.Stop()
			c := instance.(*containerInstance)
			checkConfinement(t, e, c)
			var start, end sweep.Usage
			r, err := instance.Load(t.Context(), load.Profile{
				Shape: load.ShapeClosed, Connections: 5, Duration: 500 * time.Millisecond, Timeout: time.Second,
			}, load.Hooks{
				WindowStart: func() { start, _ = instance.Usage() },
				WindowEnd:   func() { end, _ = instance.Usage() },
			})
			if err != nil || r.OK == 0 || r.Errors.Total() != 0 {
				t.Fatalf("%+v, %v", r, err)
			}
			paced, err := instance.Load(t.Context(), load.Profile{
				Shape: load.ShapeRate, Rate: 200, Connections: 5, Duration: 200 * time.Millisecond, Timeout: time.Second,
			}, load.Hooks{})
			if err != nil || paced.OK == 0 || !paced.Corrected {
				t.Errorf("second pass: %+v, %v", paced, err)
			}
			if end.CPU <= start.CPU {
				t.Errorf("CPU time %v before, %v after", start.CPU, end.CPU)
			}
			startup, known := instance.StartupTime()
			if known != local || known && (startup <= 0 || startup > 5*time.Second) {
				t.Errorf("start-up time %v, %v", startup, known)
			}
			if local && (end.PeakRSS < 5<<20 || end.PeakRSS > 200<<20) {
				t.Errorf("peak memory %d", end.PeakRSS)
			}
			if exit, err := instance.Stop(); err != nil || exit.Early {
				t.Errorf("%+v, %v", exit, err)
			}
			if left := ours(t, e); len(left) > 0 {
				t.Errorf("containers left: %v", left)
			}
		})
	}
}

func checkConfinement(t *testing.T, e *Engine, c *containerInstance) {
	t.Helper()
	for _, id := range []string{c.server, c.loader} {
		info, err := e.api.ContainerInspect(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		h := info.HostConfig
		if h.Privileged || !h.ReadonlyRootfs || !slices.Contains(h.CapDrop, "ALL") || len(h.Binds)+len(h.Mounts) > 0 ||
			!slices.Contains(h.SecurityOpt, "no-new-privileges") || h.Memory == 0 || h.PidsLimit == nil || info.Config.User != "65534:65534" {
			t.Errorf("container %.12s is not confined: %+v", id, h)
		}
		want := "none"
		if id == c.loader {
			want = "container:" + c.server
		}
		if string(h.NetworkMode) != want {
			t.Errorf("container %.12s has network %q, want %q", id, h.NetworkMode, want)
		}
	}
	if c.here {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Uid:\t65534", "Cpus_allowed_list:\t0\n"} {
			if !strings.Contains(string(status), want) {
				t.Errorf("the server's process has not %q", want)
			}
		}
		routes, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/route", c.pid))
		if err != nil || strings.Count(string(routes), "\n") > 1 {
			t.Errorf("the server has a way out: %s, %v", routes, err)
		}
	}
}

// C5, and that nothing is left of what failed.
func TestEngineTellsWhyAContainerDied(t *testing.T) {
	e := needEngine(t)
	s := shellTarget("echo missing libfoo >&2; exit 127")
	s.definition.Answer.Timeout = time.Hour
	for _, local := range []bool{true, false} {
		e.local = local
		l, b := engineLauncher(t, e, s)
		_, err := l.Start(t.Context(), b)
		failed, ok := errors.AsType[*sweep.StartError](err)
		if !ok || !strings.Contains(failed.Reason, "exit status 127") || !slices.Contains(failed.Log, "missing libfoo") {
			t.Errorf("engine here %v: got %v", local, err)
		}
		if left := ours(t, e); len(left) > 0 {
			t.Errorf("containers left: %v", left)
		}
	}
}

func TestEngineGivesUpAContainerThatNeverServes(t *testing.T) {
	e := needEngine(t)
	s := shellTarget("echo waiting; sleep 3600")
	s.definition.Answer.Timeout = 300 * time.Millisecond
	for _, local := range []bool{true, false} {
		e.local = local
		l, b := engineLauncher(t, e, s)
		_, err := l.Start(t.Context(), b)
		failed, ok := errors.AsType[*sweep.StartError](err)
		if !ok || !strings.Contains(failed.Reason, "no right answer within 300ms") || !slices.Contains(failed.Log, "waiting") {
			t.Errorf("engine here %v: got %v", local, err)
		}
		if left := ours(t, e); len(left) > 0 {
			t.Errorf("containers left: %v", left)
		}
	}
}

// C6: clean-up works although the sweep's context has ended.
func TestEngineCleansUpAfterAnInterrupt(t *testing.T) {
	e := needEngine(t)
	l, b := engineLauncher(t, e, shellTarget("sleep 3600"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := l.Start(ctx, b); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start = %v", err)
	}
	if left := ours(t, e); len(left) > 0 {
		t.Errorf("containers left: %v", left)
	}
}

// What a killed sweep left is removed by the next start; what a live one uses
// is not.
func TestEngineRemovesLeftovers(t *testing.T) {
	e := needEngine(t)
	_, b := engineLauncher(t, e, shellTarget("sleep 3600"))
	fields := strings.Fields(e.owner)
	dead := &Engine{api: e.api}
	dead.owner = fields[0] + " " + fields[1] + " " + fields[2] + " 1" // this number, but started at another time
	left, err := dead.create(t.Context(), box{image: b.Image, network: "none", memory: serverMemory})
	if err != nil {
		t.Fatal(err)
	}
	used, err := e.create(t.Context(), box{image: b.Image, network: "none", memory: serverMemory})
	if err != nil {
		t.Fatal(err)
	}
	defer e.remove(used)
	if err := e.removeLeftovers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := e.api.ContainerInspect(t.Context(), left); err == nil {
		t.Error("what a killed sweep left is still there")
	}
	if _, err := e.api.ContainerInspect(t.Context(), used); err != nil {
		t.Errorf("what a live sweep uses was removed: %v", err)
	}
}

func TestEngineReportsAFailedBuild(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	s := shellTarget("true")
	s.recipe.Image.Packages = []string{"no-such-package-anywhere"}
	_, err := newDockerLauncher(t.Context(), e, s, CPUSets{}, staticVersweep(t))
	failed, ok := errors.AsType[*BuildError](err)
	if !ok || !strings.Contains(strings.Join(failed.Log, "\n"), "no-such-package-anywhere") {
		t.Errorf("got %v, log %q", err, failed)
	}
}

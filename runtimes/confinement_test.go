//go:build linux

package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// startedBy makes a launcher whose server is a shell command of the base image.
func startedBy(t *testing.T, e *Engine, command string) (*DockerLauncher, sweep.Build) {
	t.Helper()
	return engineLauncher(t, e, shellTarget(command))
}

// What a server can do, asked from inside: it looks around, writes what it has
// found and ends.
func TestEngineConfinesFromInside(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	l, b := startedBy(t, e, strings.Join([]string{
		"exec 2>/dev/null", // what is refused; the log has few lines
		"grep -E '^(Uid|Gid|CapPrm|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status",
		"echo cpus $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)",
		"echo interfaces $(ls /sys/class/net)",
		"echo routes $(tail -n +2 /proc/net/route | wc -l) $(grep -cv ' lo$' /proc/net/ipv6_route)",
		"touch /x && echo wrote-root",
		"touch /versweep/program/x && echo wrote-program",
		"touch /tmp/x && echo wrote-tmp",
		"dd if=/dev/zero of=/tmp/big bs=1M count=100 && echo filled-tmp; echo tmp $(stat -c %s /tmp/big)",
		"mknod /tmp/disk b 8 0 && echo made-device",
		"ls /var/run/docker.sock /run/docker.sock && echo sees-engine",
		"echo memory $(cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max)",
		"echo pids $(cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max)",
		"su -c true && echo became-root",
		"exit 7",
	}, "\n"))
	l.ForSweep(42)
	_, err := l.Start(t.Context(), b)
	failed, ok := errors.AsType[*sweep.StartError](err)
	if !ok || !strings.Contains(failed.Reason, "exit status 7") {
		t.Fatalf("got %v", err)
	}
	log := strings.Join(failed.Log, "\n") + "\n"
	for _, want := range []string{
		"Uid:\t65534\t65534\t65534\t65534\n", "Gid:\t65534\t65534\t65534\t65534\n", "NoNewPrivs:\t1\n", "Seccomp:\t2\n",
		"CapEff:\t0000000000000000\n", "CapBnd:\t0000000000000000\n", "CapPrm:\t0000000000000000\n",
		"interfaces lo\n", "routes 0 0\n", "wrote-tmp\n", "tmp 67108864\n",
		fmt.Sprintf("cpus %s\n", sweep.FormatCPUs(l.cpus.Server)), fmt.Sprint("memory ", int64(serverMemory)), fmt.Sprint("pids ", maxProcesses),
	} {
		if !strings.Contains(log, want) {
			t.Errorf("not found inside: %q", want)
		}
	}
	for _, never := range []string{"wrote-root", "wrote-program", "filled-tmp", "made-device", "sees-engine", "became-root"} {
		if strings.Contains(log, never+"\n") {
			t.Errorf("the server %s", never)
		}
	}
	if t.Failed() {
		t.Logf("the server wrote:\n%s", log)
	}
}

// Every container says what it is for.
func TestEngineLabelsContainers(t *testing.T) {
	e := needEngine(t)
	l, b := startedBy(t, e, "sleep 3600")
	l.ForSweep(42)
	l.definition.Answer.Timeout = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := l.Start(ctx, b); done <- err }()
	kinds := map[string]string{}
	for wait := time.Now().Add(30 * time.Second); len(kinds) < 2 && time.Now().Before(wait); time.Sleep(50 * time.Millisecond) {
		for _, id := range ours(t, e) {
			info, err := e.api.ContainerInspect(t.Context(), id)
			if err != nil {
				continue
			}
			kinds[info.Config.Labels[labelTarget]] = info.Config.Labels[labelSweep] + " " + info.Config.Labels[labelVersion]
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Start = %v", err)
	}
	if kinds["fake"] != "42 1.0.0" || kinds[labelOfEngine] != "42 " {
		t.Errorf("sweep and version by target: %v", kinds)
	}
	if left := ours(t, e); len(left) > 0 {
		t.Errorf("containers left: %v", left)
	}
}

// A server that wants more memory than it may have, and one that is killed.
func TestEngineTellsOutOfMemoryFromKilled(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	for name, tt := range map[string]struct{ command, want string }{
		"out of memory": {"exec tail /dev/zero", "ended before it served: out of memory"},
		// The first process of a container cannot kill itself: the kernel
		// spares it. It tells how its child ended.
		"killed": {"sh -c 'kill -9 $$'; exit $?", "ended before it served: killed (signal 9)"},
	} {
		t.Run(name, func(t *testing.T) {
			l, b := startedBy(t, e, tt.command)
			l.memory = 64 << 20
			_, err := l.Start(t.Context(), b)
			failed, ok := errors.AsType[*sweep.StartError](err)
			if !ok || failed.Reason != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// C8: of an engine elsewhere the CPU time and the memory are the engine's own
// figures.
func TestEngineReadsMemoryElsewhere(t *testing.T) {
	e := needEngine(t)
	repository := newRepository(t)
	pushImage(t, repository, "1.0.0", newImage(t, needHelloServer(t), runtime.GOARCH, ""))
	s := imageTarget(t, repository, "", newCache(t))
	e.local = false
	l, err := newDockerLauncher(t.Context(), e, s, CPUSets{}, staticVersweep(t))
	if err != nil {
		t.Fatal(err)
	}
	versions, _, err := s.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := s.Obtain(t.Context(), versions, l.Image, func(Obtained) {})
	if err != nil || outcomes[0].Reason != "" {
		t.Fatal(outcomes, err)
	}
	defer l.TidyImages(context.Background(), outcomes, false)
	instance, err := l.Start(t.Context(), outcomes[0].Build)
	if err != nil {
		t.Fatal(err)
	}
	defer instance.Stop()
	var start, end sweep.Usage
	_, err = instance.Load(t.Context(), load.Profile{Shape: load.ShapeClosed, Connections: 2, Duration: 300 * time.Millisecond, Timeout: time.Second}, load.Hooks{
		WindowStart: func() { start, _ = instance.Usage() },
		WindowEnd:   func() { end, _ = instance.Usage() },
	})
	if err != nil || end.CPU <= start.CPU || end.PeakRSS < 1<<20 || end.PeakRSS > 64<<20 {
		t.Errorf("usage %+v, then %+v, %v", start, end, err)
	}
}

// A load engine's image that another versweep has removed meanwhile is made
// anew; older ones are removed when a newer one is made.
func TestEngineMakesItsLoadImageAgain(t *testing.T) {
	e := needEngine(t)
	l, b := startedBy(t, e, "sleep 3600")
	l.definition.Answer.Timeout = 300 * time.Millisecond
	if _, err := e.removeImage(t.Context(), l.engineImage); err != nil {
		t.Fatal(err)
	}
	e.local = false
	_, err := l.Start(t.Context(), b)
	if failed, ok := errors.AsType[*sweep.StartError](err); !ok || !strings.Contains(failed.Reason, "no right answer") {
		t.Errorf("got %v", err)
	}
}

func TestEngineRemovesOlderImages(t *testing.T) {
	e := needEngine(t)
	const repository = "versweep/test-older"
	var ids []string
	for i := range 3 {
		id, err := e.buildImage(t.Context(), imageBuild{
			name: imageName(repository, "", t.Name(), fmt.Sprint(i, os.Getpid())), dockerfile: fmt.Sprintf("FROM scratch\nLABEL n=%d-%d\n", i, os.Getpid()),
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	defer e.removeOlder(context.Background(), repository, "", -time.Hour)
	for _, tt := range []struct {
		age  time.Duration
		left int
	}{{time.Hour, 3}, {-time.Hour, 1}} {
		if err := e.removeOlder(t.Context(), repository, ids[2], tt.age); err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, id := range ids {
			if there, err := e.imageID(t.Context(), id); err != nil {
				t.Fatal(err)
			} else if there != "" {
				left++
			}
		}
		if left != tt.left {
			t.Errorf("age %v: %d left, want %d", tt.age, left, tt.left)
		}
	}
}

// --ca-bundle: what a recipe runs sees the certificates; what is started of the
// image does not.
func TestEngineBuildsTrustTheBundle(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	const bundle = "/etc/ssl/certs/ca-certificates.crt"
	if err := e.TrustInBuilds(bundle); err != nil {
		t.Fatal(err)
	}
	s := shellTarget("env; ls /versweep/ca; exit 7")
	dockerfile := strings.Join([]string{
		"FROM debian:bookworm-slim AS first",
		`RUN cmp "$SSL_CERT_FILE" "$PIP_CERT" && apt-config dump | grep -q "CaInfo.*$NODE_EXTRA_CA_CERTS" && cp "$GIT_SSL_CAINFO" /seen.crt`,
		"FROM debian:bookworm-slim",
		"COPY --from=first /seen.crt /seen.crt",
		`RUN cmp /seen.crt "$CURL_CA_BUNDLE"`,
	}, "\n")
	s.recipe.Dockerfile = "Dockerfile"
	s.definition.files = fstest.MapFS{"Dockerfile": {Data: []byte(dockerfile + "\n# " + time.Now().String() + "\n")}}
	l, err := newDockerLauncher(t.Context(), e, s, CPUSets{}, staticVersweep(t))
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Image(t.Context(), sweep.Build{Version: "1.0.0", Digest: "list:1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.TidyImages(context.Background(), []sweep.Outcome{{Build: b}}, false)
	_, err = l.Start(t.Context(), b)
	failed, ok := errors.AsType[*sweep.StartError](err)
	if !ok || !slices.Contains(failed.Log, "bundle.crt") {
		t.Fatalf("got %v", err)
	}
	if env := strings.Join(failed.Log, "\n"); strings.Contains(env, "CERT") || strings.Contains(env, "APT_CONFIG") {
		t.Errorf("the server's environment has it: %s", env)
	}
	if b.Bytes < 50<<20 || b.FromCache {
		t.Errorf("build %+v", b)
	}
	again, err := l.Image(t.Context(), sweep.Build{Version: "1.0.0", Digest: "list:1.0.0"})
	if err != nil || !again.FromCache || again.Image != b.Image || again.Bytes != b.Bytes {
		t.Errorf("second time %+v, %v; first %+v", again, err, b)
	}
}

//go:build linux

package runtimes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"versweep/sweep"
)

// guestProgram is the hostile release of testdata/guest, built once.
var guestProgram = sync.OnceValues(func() (string, error) {
	file := builtPrograms() + "guest"
	cmd := exec.Command("go", "build", "-o", file, "./testdata/guest")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

// guestLauncher makes an image of the guest that is started with argument.
func guestLauncher(t *testing.T, e *Engine, argument string) (*DockerLauncher, sweep.Build) {
	t.Helper()
	program, err := guestProgram()
	if err != nil {
		t.Fatal(err)
	}
	s := shellTarget("")
	s.recipe.Start = []string{"{build}/guest", argument}
	s.definition.Recipe = s.recipe
	usable := sweep.UsableCPUs()
	l, err := newDockerLauncher(t.Context(), e, s, CPUSets{Server: usable[:1], Load: usable[len(usable)-1:]}, staticVersweep(t))
	if err != nil {
		t.Fatal(err)
	}
	l.ForSweep(42)
	dir := t.TempDir()
	text, err := os.ReadFile(program)
	if err := errors.Join(err, os.WriteFile(filepath.Join(dir, "guest"), text, 0o755)); err != nil {
		t.Fatal(err)
	}
	// Not to be found in an image of an older guest.
	tree, err := treeHash(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Image(t.Context(), sweep.Build{Version: "1.0.0", Dir: dir, Digest: tree})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.TidyImages(context.Background(), []sweep.Outcome{{Build: b}}, false) })
	return l, b
}

// hostAddresses are places outside a container that somebody listens at while
// the test runs, and some where nothing has to be.
func hostAddresses(t *testing.T) []string {
	t.Helper()
	everywhere, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	abstract := fmt.Sprintf("@versweep-test-%d", os.Getpid())
	hidden, err := net.Listen("unix", abstract)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { errors.Join(everywhere.Close(), hidden.Close()) })
	port := strconv.Itoa(everywhere.Addr().(*net.TCPAddr).Port)
	addresses := []string{abstract, "192.0.2.1:80", "[2001:db8::1]:80", "169.254.169.254:80", "127.0.0.1:" + port, "[::1]:" + port}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range interfaces { // the bridge's gateway is one of them
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && !ip.IP.IsLinkLocalUnicast() {
			addresses = append(addresses, net.JoinHostPort(ip.IP.String(), port))
		}
	}
	for _, a := range addresses {
		if strings.HasSuffix(a, ":"+port) {
			c, err := net.Dial("tcp", a)
			if err != nil { // or that the guest cannot would prove nothing
				t.Fatal(err)
			}
			c.Close()
		}
	}
	return addresses
}

// confined is what a guest must have found, whichever container it is in.
func confined(t *testing.T, found map[string]string, cpus []int, memory int64) {
	t.Helper()
	none := "0000000000000000"
	for key, want := range map[string]string{
		"status Uid": "65534 65534 65534 65534", "status Gid": "65534 65534 65534 65534", "status Groups": "65534",
		"status CapInh": none, "status CapPrm": none, "status CapEff": none, "status CapBnd": none, "status CapAmb": none,
		"status NoNewPrivs": "1", "status Seccomp": "2", "status Cpus_allowed_list": sweep.FormatCPUs(cpus),
		"memory limit": fmt.Sprint(memory), "pids limit": fmt.Sprint(maxProcesses),
		"interfaces": "lo", "reached": "", "other processes": "", "descriptors": "", "engine": "", "masked": "", "firmware": "",
		"writable": "/dev/shm /tmp", "filled /tmp": "67108864", "filled /dev/shm": "67108864",
		"setuid program": "65534 65534 65534 65534",
	} {
		if got, ok := found[key]; got != want || !ok && want != "" {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	for key, got := range found {
		if strings.HasPrefix(key, "try ") && got == "done" && key != "try vsock" { // docs/security.md tells of that
			t.Errorf("the guest could %s", key)
		}
		for _, secret := range guestSecrets {
			if strings.Contains(got, secret) {
				t.Errorf("%s holds a secret: %s", key, got)
			}
		}
	}
	for _, name := range strings.Fields(found["devices"]) {
		if !slices.Contains([]string{"console", "core", "fd", "full", "mqueue", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"}, name) {
			t.Errorf("the guest has device %s", name)
		}
	}
	for _, place := range []string{"/", "/tmp", "/proc", "/sys"} {
		if place == "/" && !strings.Contains(found["mount /"], " ro,") {
			t.Errorf("mounted on /: %s", found["mount /"])
		}
		if place != "/" && (!strings.Contains(found["mount "+place], "noexec") || !strings.Contains(found["mount "+place], "nosuid")) {
			t.Errorf("mounted on %s: %s", place, found["mount "+place])
		}
	}
	if host, err := os.Hostname(); err != nil || found["hostname"] == host {
		t.Errorf("the guest knows the name of the machine: %s, %v", host, err)
	}
}

// guestSecrets are in versweep's environment while guests look around.
var guestSecrets = []string{"canary-token", "canary-password", "canary-proxy", "canary-host"}

func plantSecrets(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "canary-token")
	t.Setenv("NPM_CONFIG__AUTH", "canary-password")
	t.Setenv("HTTPS_PROXY", "http://user:canary-proxy@127.0.0.1:1")
	t.Setenv("DOCKER_CANARY", "canary-host")
}

// What a release can see and do from inside its container.
func TestEngineConfinesAGuest(t *testing.T) {
	e := needEngine(t)
	addresses := hostAddresses(t)
	plantSecrets(t)
	l, b := guestLauncher(t, e, strings.Join(addresses, ","))
	_, err := l.Start(t.Context(), b)
	failed, ok := errors.AsType[*sweep.StartError](err)
	if !ok || len(failed.Log) == 0 {
		t.Fatalf("got %v", err)
	}
	var found map[string]string
	if err := json.Unmarshal([]byte(failed.Log[len(failed.Log)-1]), &found); err != nil {
		t.Fatalf("%v: %q", err, failed.Log)
	}
	confined(t, found, l.cpus.Server, serverMemory)
	if got := found["variables"]; got != "HOME HOSTNAME LANG PATH PORT" {
		t.Errorf("its environment has %s", got)
	}

	// In place of the load engine, beside a server.
	l.recipe.Start = []string{"/bin/sleep", "3600"}
	server, err := e.create(t.Context(), func() box { s := l.serverBox(b); s.command = l.recipe.Start; return s }())
	if err != nil {
		t.Fatal(err)
	}
	defer e.remove(server)
	if _, err := e.start(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	loader := l.loaderBox(server, []string{imageBuildDir + "/guest", strings.Join(addresses, ",")})
	loader.image = b.Image
	output, err := e.outputOf(t.Context(), loader)
	if err != nil {
		t.Fatal(err)
	}
	found = nil
	if err := json.Unmarshal(output, &found); err != nil {
		t.Fatalf("%v: %q", err, output)
	}
	confined(t, found, l.cpus.Load, engineMemory)
	if got := found["variables"]; got != "HOME HOSTNAME PATH" {
		t.Errorf("the load engine's environment has %s", got)
	}
}

// A release that forks without end gets no more than its limit, and the next
// one can be started.
func TestEngineBoundsForks(t *testing.T) {
	e := needEngine(t)
	l, b := guestLauncher(t, e, "fork")
	_, err := l.Start(t.Context(), b)
	failed, ok := errors.AsType[*sweep.StartError](err)
	if !ok || len(failed.Log) == 0 {
		t.Fatalf("got %v", err)
	}
	var found map[string]string
	if err := json.Unmarshal([]byte(failed.Log[len(failed.Log)-1]), &found); err != nil {
		t.Fatalf("%v: %q", err, failed.Log)
	}
	if n, err := strconv.Atoi(found["forked"]); err != nil || n < 10 || n >= maxProcesses {
		t.Errorf("it had %s children", found["forked"])
	}
	if left := ours(t, e); len(left) > 0 {
		t.Errorf("containers left: %v", left)
	}
}

// What builds leave in an image: no secret of this process, neither in its
// history nor in its configuration, nor in what a container is told.
func TestEngineBuildsHoldNoSecrets(t *testing.T) {
	e := needEngine(t)
	plantSecrets(t)
	l, b := startedBy(t, e, "env; exit 0")
	_, err := l.Start(t.Context(), b)
	failed, ok := errors.AsType[*sweep.StartError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	history, err := e.api.ImageHistory(t.Context(), b.Image)
	if err != nil {
		t.Fatal(err)
	}
	info, _, err := e.inspectImage(t.Context(), b.Image)
	if err != nil {
		t.Fatal(err)
	}
	id, err := e.create(t.Context(), l.serverBox(b))
	if err != nil {
		t.Fatal(err)
	}
	defer e.remove(id)
	box, err := e.api.ContainerInspect(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	told, err := json.Marshal([]any{history, info, box.Config, box.HostConfig, box.Args, failed.Log})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range guestSecrets {
		if strings.Contains(string(told), secret) {
			t.Errorf("%s is in the image or the container: %s", secret, told)
		}
	}
	if !strings.Contains(string(told), "PORT=8080") {
		t.Errorf("looked at the wrong thing: %s", told)
	}
}

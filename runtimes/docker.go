package runtimes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/stdcopy"

	"versweep/sweep"
)

// This file and its neighbours docker*.go hold every Docker type that versweep uses: the
// required module stopped at v28.5.2 and its successor lives elsewhere, so a
// move should be a small diff.

// ErrNoEngine says that no container engine answers.
var ErrNoEngine = errors.New("no container engine answers")

// Engine is a container engine that answers. Goroutines may share it.
type Engine struct {
	api          *client.Client
	version      string // "Docker 20.10.24", "Docker 20.10.24 elsewhere"
	system       string // of its containers: "linux"
	architecture string // "amd64"
	owner        string // marks what this process makes
	local        bool   // on this machine, by a socket of its file system
	certificates []byte // in PEM, for builds to trust; empty for none
	plainVersion string // "20.10.24"
	builds       buildRoom

	tellUser func(line string)
	waiting  sync.Mutex // for the engine to come back
}

// Labels on all that versweep makes in an engine.
const (
	labelOwner   = "versweep.owner"   // the process that made a container
	labelTarget  = "versweep.target"  // "node", or labelOfEngine
	labelVersion = "versweep.version" // "20.20.2"
	labelSweep   = "versweep.sweep"   // the sweep's number in its store
	labelBase    = "versweep.base"    // id of the image that one was made from
	labelShared  = "versweep.shared"  // bytes that it shares with that
)

// labelOfEngine in place of a target's name marks the load engine's image.
const labelOfEngine = "load"

// How long an engine may take to answer its first call, and through ssh.
const (
	engineAnswerTime = 5 * time.Second
	sshAnswerTime    = 30 * time.Second
)

// ConnectEngine finds the engine that the Docker command line would use, and
// removes containers that processes of this machine left when they were killed.
// warn is told, in a line, what the user should know at once. The error is
// ErrNoEngine when none answers.
func ConnectEngine(ctx context.Context, warn func(line string)) (*Engine, error) {
	host, err := findEngine()
	if err != nil {
		return nil, err
	}
	api, err := client.NewClientWithOpts(host.options()...)
	if err != nil {
		return nil, fmt.Errorf("%w%s: %w", ErrNoEngine, host.name(), err)
	}
	patience := engineAnswerTime
	if host.dial != nil {
		patience = sshAnswerTime
	}
	answer, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	version, err := api.ServerVersion(answer)
	if err != nil {
		api.Close()
		return nil, fmt.Errorf("%w%s: %w", ErrNoEngine, host.name(), err)
	}
	name := "Docker"
	if len(version.Components) > 0 && strings.Contains(version.Components[0].Name, "Podman") {
		name = "Podman"
	}
	local := strings.HasPrefix(api.DaemonHost(), "unix://")
	name += " " + version.Version
	if !local {
		// It sees other figures of a server than are seen here, and may be
		// another machine: its results are not of this environment.
		name += " elsewhere"
	}
	e := &Engine{
		api: api, version: name, system: version.Os, architecture: version.Arch, owner: ThisOwner(),
		local: local, plainVersion: version.Version, tellUser: warn,
	}
	if err := e.removeLeftovers(ctx); err != nil {
		api.Close()
		return nil, err
	}
	return e, nil
}

// options say to the client what was found.
func (h engineHost) options() []client.Opt {
	options := []client.Opt{client.WithVersionFromEnv(), client.WithAPIVersionNegotiation()}
	switch {
	case h.tls != nil:
		options = append(options, client.WithHTTPClient(&http.Client{
			Transport:     &http.Transport{TLSClientConfig: h.tls},
			CheckRedirect: client.CheckRedirect,
		}))
	case h.context == "":
		options = append(options, client.WithTLSClientConfigFromEnv())
	}
	if h.url != "" {
		options = append(options, client.WithHost(h.url))
	}
	if h.dial != nil {
		options = append(options, client.WithDialContext(h.dial))
	}
	return options
}

// name says which context the engine is from.
func (h engineHost) name() string {
	if h.context == "" {
		return ""
	}
	return fmt.Sprintf(" in Docker context %q", h.context)
}

// Version names the engine: "Docker 20.10.24".
func (e *Engine) Version() string { return e.version }

// Close ends the connection.
func (e *Engine) Close() error { return e.api.Close() }

// creationTime bounds the making of one container.
const creationTime = 30 * time.Second

// box says what a container is made of.
type box struct {
	image   string
	command []string // the image's own when empty
	env     []string
	labels  map[string]string
	cpus    []int
	network string // "none", or "container:ID"
	stdin   bool
	memory  int64 // bytes
}

// maxProcesses bounds what a server may fork.
const maxProcesses = 1024

// create makes a container that can reach nothing but its own loopback and
// change nothing but a small /tmp.
//
// It does not end with ctx half-way: the engine might then make a container
// that nobody knows of and removes.
func (e *Engine) create(ctx context.Context, b box) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), creationTime)
	defer cancel()
	labels := map[string]string{labelOwner: e.owner}
	for k, v := range b.labels {
		labels[k] = v
	}
	pids := int64(maxProcesses)
	resources := container.Resources{Memory: b.memory, MemorySwap: b.memory, PidsLimit: &pids, CpusetCpus: sweep.FormatCPUs(b.cpus)}
	created, err := e.api.ContainerCreate(ctx,
		&container.Config{
			Image: b.image, Cmd: b.command, Env: b.env, Labels: labels, User: "65534:65534", WorkingDir: "/tmp",
			Healthcheck: &container.HealthConfig{Test: []string{"NONE"}}, // would run while we measure
			OpenStdin:   b.stdin, StdinOnce: b.stdin, AttachStdin: b.stdin, AttachStdout: b.stdin, AttachStderr: b.stdin,
		},
		&container.HostConfig{
			NetworkMode: container.NetworkMode(b.network), CapDrop: []string{"ALL"},
			SecurityOpt: []string{"no-new-privileges"}, ReadonlyRootfs: true,
			Tmpfs:     map[string]string{"/tmp": "rw,nosuid,nodev,noexec,size=64m"},
			LogConfig: container.LogConfig{Type: "json-file", Config: map[string]string{"max-size": "1m"}},
			Resources: resources,
		}, nil, nil, "")
	if cerrdefs.IsNotFound(err) {
		return "", fmt.Errorf("creating a container of %s: %w", b.image, errNoImage)
	}
	if err != nil {
		return "", fmt.Errorf("creating a container of %s: %w", b.image, err)
	}
	return created.ID, nil
}

var errNoImage = errors.New("the engine has no such image any more")

// ended is how a container ended.
type ended struct {
	status string // "exit status 127", "out of memory", "killed (signal 9)"
	failed bool   // with another exit status than 0
	err    error  // the engine went away before it could tell: sweep.ErrAway
}

// outOfMemory is the status of a container that the kernel killed for its memory.
const outOfMemory = "out of memory"

// start starts a container. The channel tells once when it has ended.
func (e *Engine) start(ctx context.Context, id string) (<-chan ended, error) {
	// The wait outlives the start's context: an interrupt ends the container
	// by its removal, which ends the wait.
	waiting := context.WithoutCancel(ctx)
	exits, errs := e.api.ContainerWait(waiting, id, container.WaitConditionNextExit)
	if err := e.api.ContainerStart(ctx, id, container.StartOptions{}); err != nil {
		return nil, fmt.Errorf("starting container %.12s: %w", id, err)
	}
	done := make(chan ended, 1)
	go func() {
		select {
		case exit := <-exits:
			done <- ended{status: e.exitStatus(waiting, id, exit.StatusCode), failed: exit.StatusCode != 0}
		case err := <-errs:
			if cerrdefs.IsNotFound(err) {
				done <- ended{status: "removed by somebody", failed: true}
				return
			}
			// The engine waits as long as the container runs: that it does not
			// any more is its own end.
			done <- ended{err: away(err)}
		}
	}()
	return done, nil
}

// exitStatus puts into words how a container ended. A process that a signal
// ended has, as in a shell, 128 and the signal's number for its status.
func (e *Engine) exitStatus(ctx context.Context, id string, code int64) string {
	const killed = 128 + 9
	info, err := e.api.ContainerInspect(ctx, id)
	switch {
	case err == nil && info.State.OOMKilled:
		return outOfMemory
	case code != killed:
		return fmt.Sprintf("exit status %d", code)
	case e.ranOutOfMemory(ctx, id):
		return outOfMemory
	}
	return "killed (signal 9)"
}

// memoryNews is how long after the news that a container was killed the news
// may come that it was for its memory. Docker's record of a container misses
// it when it comes last.
const memoryNews = 500 * time.Millisecond

func (e *Engine) ranOutOfMemory(ctx context.Context, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, memoryNews)
	defer cancel()
	news, errs := e.api.Events(ctx, events.ListOptions{
		Since: "1", Filters: filters.NewArgs(filters.Arg("container", id), filters.Arg("event", "oom")),
	})
	select {
	case <-news:
		return true
	case <-errs:
		return false
	}
}

// logs reads the last lines that a container wrote.
func (e *Engine) logs(id string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	stream, err := e.api.ContainerLogs(ctx, id, container.LogsOptions{ShowStdout: true, ShowStderr: true, Tail: fmt.Sprint(tailLines)})
	if err != nil {
		return []string{"(no log: " + WithoutSecrets(err.Error()) + ")"}
	}
	defer stream.Close()
	var t Tail
	if _, err := stdcopy.StdCopy(&t, &t, stream); err != nil {
		return append(t.Lines(), "(log cut: "+WithoutSecrets(err.Error())+")")
	}
	return t.Lines()
}

// outputOf runs a command in a container to its end and returns what it wrote
// to standard output. A command that fails, or writes more than 64 KiB, is an
// error.
func (e *Engine) outputOf(ctx context.Context, b box) (output []byte, err error) {
	id, err := e.create(ctx, b)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.remove(id)) }()
	exit, err := e.start(ctx, id)
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case end := <-exit:
		if end.err != nil {
			return nil, fmt.Errorf("running %s in %s: %w", b.command[0], b.image, end.err)
		}
		if end.failed {
			return nil, fmt.Errorf("running %s in %s: %s", b.command[0], b.image, end.status)
		}
	}
	stream, err := e.api.ContainerLogs(ctx, id, container.LogsOptions{ShowStdout: true})
	if err != nil {
		return nil, fmt.Errorf("reading the output of %s in %s: %w", b.command[0], b.image, err)
	}
	defer stream.Close()
	var stdout bytes.Buffer
	if _, err := stdcopy.StdCopy(&bounded{w: &stdout, left: tailBytes}, io.Discard, stream); err != nil {
		return nil, fmt.Errorf("reading the output of %s in %s: %w", b.command[0], b.image, err)
	}
	return stdout.Bytes(), nil
}

// attach connects to a container that is not started yet: what it writes to
// standard output is read from output, and the end of its standard error is
// kept in complaint.
func (e *Engine) attach(ctx context.Context, id string, complaint io.Writer) (input io.WriteCloser, output io.ReadCloser, err error) {
	stream, err := e.api.ContainerAttach(ctx, id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return nil, nil, fmt.Errorf("attaching to container %.12s: %w", id, err)
	}
	output, demuxed := io.Pipe()
	go func() {
		_, err := stdcopy.StdCopy(demuxed, complaint, stream.Reader)
		demuxed.CloseWithError(err)
		stream.Close()
	}()
	return stream.Conn, output, nil
}

// pidHere is the container's first process in this machine's numbering; false
// when the engine runs elsewhere.
func (e *Engine) pidHere(ctx context.Context, id string) (int, bool, error) {
	if !e.local {
		return 0, false, nil
	}
	info, err := e.api.ContainerInspect(ctx, id)
	if err != nil {
		return 0, false, fmt.Errorf("inspecting container %.12s: %w", id, err)
	}
	// An engine in a virtual machine can have a local socket too. The control
	// group tells whether the number means a process of this machine.
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", info.State.Pid))
	return info.State.Pid, err == nil && bytes.Contains(groups, []byte(id)), nil
}

// stats asks the engine what a container has used.
func (e *Engine) stats(id string) (engineStats, error) {
	ctx, cancel := context.WithTimeout(context.Background(), engineAnswerTime)
	defer cancel()
	answer, err := e.api.ContainerStatsOneShot(ctx, id)
	if err != nil {
		return engineStats{}, fmt.Errorf("reading what container %.12s has used: %w", id, err)
	}
	defer answer.Body.Close()
	s, err := readStats(answer.Body)
	if err != nil {
		return s, fmt.Errorf("reading what container %.12s has used: %w", id, err)
	}
	return s, nil
}

// EngineSetup is how an engine is set up, as far as it says so.
type EngineSetup struct {
	Groups   string // version of control groups: "1", "2"; empty when it does not say
	Driver   string // of its storage: "overlay2"
	Folder   string // where it keeps images, on its own machine
	Rootless bool   // it runs without root
	CPUSets  bool   // containers can be put on chosen CPUs
	Limits   bool   // containers' memory can be limited
	Memory   int64  // of its machine, in bytes; 0 when it does not say
}

// Setup asks the engine how it is set up.
func (e *Engine) Setup(ctx context.Context) (EngineSetup, error) {
	ctx, cancel := context.WithTimeout(ctx, engineAnswerTime)
	defer cancel()
	info, err := e.api.Info(ctx)
	if err != nil {
		return EngineSetup{}, fmt.Errorf("asking the container engine for its settings: %w", err)
	}
	return EngineSetup{
		Groups: info.CgroupVersion, Driver: info.Driver, Folder: info.DockerRootDir, CPUSets: info.CPUSet, Limits: info.MemoryLimit, Memory: info.MemTotal,
		Rootless: slices.ContainsFunc(info.SecurityOptions, func(o string) bool { return strings.Contains(o, "name=rootless") }),
	}, nil
}

// Local tells whether the engine runs on this machine.
func (e *Engine) Local() bool { return e.local }

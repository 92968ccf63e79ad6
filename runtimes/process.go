package runtimes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// ProcessLauncher starts builds as processes of this machine, each in a process
// group of its own. It implements sweep.Launcher.
type ProcessLauncher struct {
	definition *Definition
	recipe     Recipe
	kind       string // of the source that builds come from
	cache      *Cache
	program    string // folder of the hello-world program
	cpus       CPUSets
	self       string        // this program, which is its own load engine
	buildTime  time.Duration // that a build command may take
	freePort   func() (int, error)
}

// CPUSets says which CPUs the server and the load engine run on. An empty set
// leaves the choice to the system.
type CPUSets struct{ Server, Load []int }

// NewProcessLauncher makes a launcher for the builds of one supply.
func NewProcessLauncher(s *Supply, cache *Cache, cpus CPUSets) (*ProcessLauncher, error) {
	program, err := cache.program(s.definition, s.recipe)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to start it as the load engine: %w", err)
	}
	return &ProcessLauncher{
		definition: s.definition, recipe: s.recipe, kind: s.kind, cache: cache, program: program, cpus: cpus, self: self, buildTime: buildTime, freePort: freePort,
	}, nil
}

// serverPath is where a server finds commands, whatever the user's own path is.
const serverPath = "PATH=/usr/local/bin:/usr/bin:/bin"

// portTries bounds how often a server is started because another process was
// quicker to take its port: a second sweep on this machine can be.
const portTries = 3

// Start implements sweep.Launcher.
func (l *ProcessLauncher) Start(ctx context.Context, b sweep.Build) (sweep.Instance, error) {
	for try := 1; ; try++ {
		port, err := l.freePort()
		if err != nil {
			return nil, err
		}
		i, err := l.startAt(ctx, b, port)
		if _, failed := errors.AsType[*sweep.StartError](err); !failed || try == portTries || !portTaken(port) {
			return i, err
		}
	}
}

func (l *ProcessLauncher) startAt(ctx context.Context, b sweep.Build, port int) (sweep.Instance, error) {
	scratch, err := os.MkdirTemp("", runFolder())
	if err != nil {
		return nil, fmt.Errorf("making the server's working folder ($TMPDIR): %w", err)
	}
	at := l.places(b, strconv.Itoa(port))
	args := at.fill(l.recipe.Start)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = scratch
	cmd.Env = append(l.recipe.environment(at.port, scratch), serverPath)
	p := &processInstance{
		launcher: l, port: port, scratch: scratch, cmd: cmd, exited: make(chan struct{}),
	}
	cmd.Stdout, cmd.Stderr = &p.output, &p.output
	cmd.WaitDelay = time.Second // a descendant may hold the pipe open
	started := time.Now()
	if err := p.start(); err != nil {
		os.RemoveAll(scratch)
		return nil, &sweep.StartError{Reason: fmt.Sprintf("cannot be started: %v", err)}
	}
	if err := p.await(ctx, started); err != nil {
		_, stopErr := p.Stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errors.Join(err, stopErr)
	}
	return p, nil
}

func (l *ProcessLauncher) places(b sweep.Build, port string) places {
	return places{build: b.Dir, program: l.program, main: l.recipe.main(), runtime: b.Runtime, port: port, version: b.Version}
}

// freePort asks the system for a port that nobody uses now. The server is
// checked to be the one that listens there, should another be quicker.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("finding a free port on 127.0.0.1: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// portTaken tells whether somebody has a port, ours having ended.
func portTaken(port int) bool {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return errors.Is(err, syscall.EADDRINUSE)
	}
	l.Close()
	return false
}

// processInstance is one running server process.
type processInstance struct {
	launcher *ProcessLauncher
	port     int
	scratch  string // its working folder
	cmd      *exec.Cmd
	output   Tail
	startup  time.Duration

	exited  chan struct{} // closed once the process has ended and waitErr is set
	waitErr error

	stopping sync.Once
	exit     sweep.Exit
	stopErr  error
}

// await waits for the right answer, and makes sure who gave it.
func (p *processInstance) await(ctx context.Context, started time.Time) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-p.exited:
			cancel()
		case <-ctx.Done():
		}
	}()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port))
	ready, err := awaitAnswer(ctx, p.launcher.definition, address, func(ctx context.Context) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "tcp4", address)
	})
	select {
	case <-p.exited:
		return &sweep.StartError{Reason: "ended before it served: " + p.status(), Log: p.output.Lines()}
	default:
	}
	if notReady, ok := errors.AsType[*notReadyError](err); ok {
		return &sweep.StartError{Reason: notReady.reason, Log: p.output.Lines()}
	}
	if err != nil {
		return err
	}
	ours, err := listens(p.cmd.Process.Pid, p.port)
	if err != nil {
		return fmt.Errorf("finding out who listens on port %d: %w", p.port, err)
	}
	if !ours {
		return &sweep.StartError{Reason: fmt.Sprintf("port %d is answered by another process", p.port), Log: p.output.Lines()}
	}
	p.startup = ready.Sub(started)
	return nil
}

// status says how the process ended; only after exited is closed.
func (p *processInstance) status() string {
	if p.cmd.ProcessState != nil {
		return p.cmd.ProcessState.String()
	}
	return p.waitErr.Error()
}

// StartupTime implements sweep.Instance.
func (p *processInstance) StartupTime() (time.Duration, bool) { return p.startup, true }

// Usage implements sweep.Instance.
func (p *processInstance) Usage() (sweep.Usage, error) {
	select {
	case <-p.exited:
		return sweep.Usage{}, nil // how it ended is told by Stop
	default:
		return treeUsage(p.cmd.Process.Pid)
	}
}

// Load implements sweep.Instance.
func (p *processInstance) Load(ctx context.Context, profile load.Profile, hooks load.Hooks) (load.Result, error) {
	job := load.Job{
		Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)), Profile: profile, CPUs: p.launcher.cpus.Load,
	}
	job.Request, job.Expect = p.launcher.definition.load()
	return runEngine(ctx, p.launcher.self, job, hooks)
}

// stopGrace is how long a server may take to end by itself.
const stopGrace = 300 * time.Millisecond

// Stop implements sweep.Instance. The whole process group is ended, so that
// nothing keeps the port or the CPU.
func (p *processInstance) Stop() (sweep.Exit, error) {
	p.stopping.Do(func() {
		select {
		case <-p.exited:
			p.exit.Early, p.exit.Status = true, p.status()
		default:
		}
		signalGroup(p.cmd.Process.Pid, false)
		select {
		case <-p.exited:
		case <-time.After(stopGrace):
		}
		signalGroup(p.cmd.Process.Pid, true)
		<-p.exited
		p.exit.Log = p.output.Lines()
		p.stopErr = os.RemoveAll(p.scratch)
	})
	return p.exit, p.stopErr
}

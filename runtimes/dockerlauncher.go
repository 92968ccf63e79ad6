package runtimes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

// DockerLauncher starts builds in containers without a network; the load
// engine runs in a second container that joins the server's network namespace,
// so that the load passes no bridge and no address translation. It implements
// sweep.Launcher.
type DockerLauncher struct {
	engine      *Engine
	definition  *Definition
	recipe      Recipe
	cpus        CPUSets
	base        string // image that builds start from; empty when each has its own
	self        string // this program, of which the load engine's image is made
	engineImage string // image of the load engine
	memory      int64  // bytes that a server may have
	sweep       string // number of the sweep, for labels; empty before it has one
}

// Memory that a container may have, in bytes.
const (
	serverMemory = 2 << 30
	engineMemory = 512 << 20
)

// NewDockerLauncher makes a launcher for the builds of one supply: it pulls or
// makes the base image, if they have one, and makes the image of the load
// engine. An error says that the target cannot be had in containers here.
func NewDockerLauncher(ctx context.Context, e *Engine, s *Supply, cpus CPUSets) (*DockerLauncher, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to put it into the load engine's image: %w", err)
	}
	return newDockerLauncher(ctx, e, s, cpus, self)
}

// newDockerLauncher takes the program that is its own load engine from a file.
func newDockerLauncher(ctx context.Context, e *Engine, s *Supply, cpus CPUSets, self string) (*DockerLauncher, error) {
	if s.kind == "git" && len(s.recipe.Build) > 0 && s.recipe.Dockerfile == "" {
		// A base image with the source in it would be a server that nobody built.
		return nil, fmt.Errorf("%s from git has no Dockerfile to be built by", s.definition.Name)
	}
	l := &DockerLauncher{engine: e, definition: s.definition, recipe: s.recipe, cpus: cpus, self: self, memory: serverMemory}
	if p, ok := s.source.(platformed); ok {
		p.runOn(e.system, e.architecture)
	}
	var err error
	if s.kind != "image" && s.recipe.Dockerfile == "" {
		if l.base, err = e.baseImage(ctx, s.recipe.Image); err != nil {
			return nil, err
		}
	}
	if l.engineImage, err = e.engineImage(ctx, self); err != nil {
		return nil, err
	}
	return l, nil
}

// platformed is a source whose builds are for one kind of machine.
type platformed interface {
	// runOn says for which, before anything is pinned: "linux", "amd64".
	runOn(system, architecture string)
}

// ForSweep puts a sweep's number on the containers that are started from now on.
func (l *DockerLauncher) ForSweep(id int64) { l.sweep = strconv.FormatInt(id, 10) }

// labels are on every container; version is empty for the load engine's.
func (l *DockerLauncher) labels(version string) map[string]string {
	labels := map[string]string{labelTarget: l.definition.Name}
	if version != "" {
		labels[labelVersion] = version
	}
	if l.sweep != "" {
		labels[labelSweep] = l.sweep
	}
	return labels
}

// Image makes the image of a build and asks it for its components. It is a
// Finish for Supply.Obtain. Where the engine goes away meanwhile, it begins again
// once the engine is back.
func (l *DockerLauncher) Image(ctx context.Context, b sweep.Build) (sweep.Build, error) {
	for lost := 1; ; lost++ {
		made, err := l.image(ctx, b)
		if err = l.engine.lost(ctx, err); !errors.Is(err, sweep.ErrAway) || lost == maxLostImages {
			return made, err
		}
		if err := l.engine.awaitBack(ctx); err != nil {
			return b, err
		}
	}
}

// maxLostImages bounds how often the making of one image may be lost.
const maxLostImages = 3

func (l *DockerLauncher) image(ctx context.Context, b sweep.Build) (sweep.Build, error) {
	b, err := l.engine.targetImage(ctx, l.definition, l.recipe, l.base, b)
	if err != nil {
		return b, err
	}
	return l.withComponents(ctx, b)
}

// serverBox is what a build's server runs in.
func (l *DockerLauncher) serverBox(b sweep.Build) box {
	return box{
		image: b.Image, env: l.recipe.environment(containerPort, containerHome), labels: l.labels(b.Version),
		cpus: l.cpus.Server, network: "none", memory: l.memory,
	}
}

// loaderBox is what the load engine for a server's container runs in.
func (l *DockerLauncher) loaderBox(server string, command []string) box {
	b := box{
		image: l.engineImage, command: command, labels: l.labels(""),
		cpus: l.cpus.Load, network: "container:" + server, stdin: true, memory: engineMemory,
	}
	b.labels[labelTarget] = labelOfEngine
	return b
}

// Start implements sweep.Launcher.
func (l *DockerLauncher) Start(ctx context.Context, b sweep.Build) (sweep.Instance, error) {
	instance, err := l.start(ctx, b)
	if err != nil {
		return nil, l.engine.lost(ctx, err)
	}
	return instance, nil
}

func (l *DockerLauncher) start(ctx context.Context, b sweep.Build) (_ *containerInstance, err error) {
	server, err := l.engine.create(ctx, l.serverBox(b))
	if err != nil {
		return nil, err
	}
	c := &containerInstance{launcher: l, server: server, gone: make(chan struct{})}
	defer func() {
		if err != nil {
			_, stopErr := c.Stop()
			if ctx.Err() != nil {
				err = ctx.Err()
			} else if stopErr != nil {
				err = errors.Join(err, stopErr)
			}
		}
	}()
	started := time.Now()
	exit, err := l.engine.start(ctx, server)
	if isAway(err) {
		return nil, err
	}
	if err != nil {
		return nil, &sweep.StartError{Reason: WithoutSecrets(err.Error())}
	}
	go func() {
		c.ended = <-exit
		close(c.gone)
	}()
	if c.pid, c.here, err = l.engine.pidHere(ctx, server); err != nil {
		return nil, err
	}
	if err := c.await(ctx, started); err != nil {
		return nil, err
	}
	return c, nil
}

// containerInstance is one running server and the load engine beside it.
type containerInstance struct {
	launcher *DockerLauncher
	server   string // container id
	loader   string // container id of the load engine; empty before it is made
	pid      int    // the server's first process, when here
	here     bool   // the engine runs on this machine

	startup   time.Duration
	startupOK bool

	// What the engine's figures told so far; only Usage uses them.
	peak       int64 // bytes
	cpuUnknown bool

	loaded    bool // the load engine has carried out its job
	input     io.WriteCloser
	output    io.ReadCloser
	complaint Tail

	gone  chan struct{} // closed once the server has ended and ended is set
	ended ended

	hearing sync.Once
	news    error // see newsLost

	stopping sync.Once
	exit     sweep.Exit
	stopErr  error
}

// goneNews is how long the news of a container's end may take.
const goneNews = time.Second

// await waits for the first right answer. Where this process may enter the
// server's network namespace it asks from there, which shows the start-up time
// to the millisecond, while the load engine's container starts. Elsewhere the
// load engine asks, and the start-up time is not known.
func (c *containerInstance) await(ctx context.Context, started time.Time) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-c.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	var dial dialFunc
	if c.here {
		// No error but "not possible": then the load engine does it.
		dial, _ = dialInContainer(c.pid, net.JoinHostPort("127.0.0.1", containerPort))
	}
	engine := make(chan error, 1)
	go func() { engine <- c.startEngine(ctx, dial == nil) }()
	var err error
	if dial != nil {
		var ready time.Time
		ready, err = awaitAnswer(ctx, c.launcher.definition, "127.0.0.1:"+containerPort, dial)
		c.startup, c.startupOK = ready.Sub(started), err == nil
		if err != nil {
			cancel()
		}
	}
	engineErr := <-engine
	if engineErr != nil {
		// A load engine cannot join a server that has just ended; that it has
		// ended is told a moment later.
		select {
		case <-c.gone:
		case <-time.After(goneNews):
		}
	}
	select {
	case <-c.gone:
		if err := c.newsLost(); err != nil {
			return err
		}
		return &sweep.StartError{Reason: "ended before it served: " + c.ended.status, Log: c.launcher.engine.logs(c.server)}
	default:
	}
	if notReady, ok := errors.AsType[*notReadyError](errors.Join(err, engineErr)); ok {
		return &sweep.StartError{Reason: notReady.reason, Log: c.launcher.engine.logs(c.server)}
	}
	return errors.Join(err, engineErr)
}

// startEngine starts the load engine's container; with wait it also has the
// engine ask until the server answers rightly.
func (c *containerInstance) startEngine(ctx context.Context, wait bool) error {
	l := c.launcher
	command := []string{EngineCommand}
	if wait {
		command = append(command, "--await", l.definition.Answer.Timeout.String())
	}
	loader := l.loaderBox(c.server, command)
	id, err := l.engine.create(ctx, loader)
	if errors.Is(err, errNoImage) { // a newer versweep has removed it
		if loader.image, err = l.engine.engineImage(ctx, l.self); err == nil {
			id, err = l.engine.create(ctx, loader)
		}
	}
	if err != nil {
		return err
	}
	c.loader = id
	if c.input, c.output, err = l.engine.attach(ctx, id, &c.complaint); err != nil {
		return err
	}
	if _, err := l.engine.start(ctx, id); err != nil {
		return err
	}
	if !wait {
		return nil
	}
	if err := json.NewEncoder(c.input).Encode(c.job(load.Profile{})); err != nil {
		return fmt.Errorf("telling the load engine whom to ask: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { c.output.Close() })
	defer stop()
	return readAwaited(c.output, c.launcher.definition.Answer.Timeout)
}

func (c *containerInstance) job(p load.Profile) load.Job {
	job := load.Job{Address: net.JoinHostPort("127.0.0.1", containerPort), Profile: p, CPUs: c.launcher.cpus.Load}
	job.Request, job.Expect = c.launcher.definition.load()
	return job
}

// StartupTime implements sweep.Instance.
func (c *containerInstance) StartupTime() (time.Duration, bool) { return c.startup, c.startupOK }

// Usage implements sweep.Instance. Of an engine elsewhere the highest of the
// readings stands for the peak of memory, since engines' own peak counts cached
// files. CPU time that was unknown once stays so, or else the difference of two
// readings would be wrong.
func (c *containerInstance) Usage() (sweep.Usage, error) {
	select {
	case <-c.gone:
		return sweep.Usage{Elsewhere: !c.here}, nil // how it ended is told by Stop
	default:
	}
	if c.here {
		return treeUsage(c.pid)
	}
	stats, err := c.launcher.engine.stats(c.server)
	if err != nil {
		return sweep.Usage{}, err
	}
	cpu, known := stats.cpu()
	c.cpuUnknown = c.cpuUnknown || !known
	if c.cpuUnknown {
		cpu = 0
	}
	if memory, known := stats.memory(); known {
		c.peak = max(c.peak, memory)
	}
	u := sweep.Usage{CPU: cpu, PeakRSS: c.peak, Elsewhere: true}
	u.Throttled = time.Duration(stats.CPU.Throttling.Time)
	return u, nil
}

// Load implements sweep.Instance.
func (c *containerInstance) Load(ctx context.Context, profile load.Profile, hooks load.Hooks) (load.Result, error) {
	if c.loaded { // an engine carries out one job
		c.input.Close()
		c.output.Close()
		if err := errors.Join(c.launcher.engine.remove(c.loader), c.startEngine(ctx, false)); err != nil {
			return load.Result{}, err
		}
	}
	c.loaded = true
	if err := json.NewEncoder(c.input).Encode(c.job(profile)); err != nil {
		return load.Result{}, fmt.Errorf("telling the load engine what to do: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { c.output.Close() })
	defer stop()
	result, err := load.Follow(c.output, hooks)
	switch {
	case ctx.Err() != nil:
		return load.Result{}, ctx.Err()
	case err != nil:
		return load.Result{}, c.lost(ctx, fmt.Errorf("%w (load engine: %s)", err, strings.Join(c.complaint.Lines(), "; ")))
	}
	return result, nil
}

// lost tells whether something failed because the engine went away. The news of
// the server's end is then cut off, even where the engine is back already.
func (c *containerInstance) lost(ctx context.Context, err error) error {
	select {
	case <-c.gone:
	case <-time.After(goneNews):
	}
	if news := c.newsLost(); news != nil {
		return news
	}
	return c.launcher.engine.lost(ctx, err)
}

// newsLost tells whether the server ended by the end of the engine: the engine
// cannot tell how it ended, or is gone since, having ended its containers first.
func (c *containerInstance) newsLost() error {
	select {
	case <-c.gone:
	default:
		return nil
	}
	c.hearing.Do(func() {
		if c.news = c.ended.err; c.news == nil && c.ended.status != outOfMemory && c.launcher.engine.staysUp(context.Background()) != nil {
			c.news = away(errors.New("it ended the server"))
		}
	})
	return c.news
}

// Stop implements sweep.Instance.
func (c *containerInstance) Stop() (sweep.Exit, error) {
	c.stopping.Do(func() {
		select {
		case <-c.gone:
			if c.stopErr = c.newsLost(); c.stopErr == nil {
				c.exit.Early, c.exit.Status = true, c.ended.status
				c.exit.OutOfMemory = c.ended.status == outOfMemory
				c.exit.Log = c.launcher.engine.logs(c.server)
			}
		default:
		}
		if c.input != nil {
			c.input.Close()
			c.output.Close()
		}
		var errs [2]error
		var both sync.WaitGroup
		for i, id := range []string{c.loader, c.server} {
			if id != "" {
				both.Go(func() { errs[i] = c.launcher.engine.remove(id) })
			}
		}
		both.Wait()
		if c.stopErr == nil {
			c.stopErr = c.launcher.engine.lost(context.Background(), errors.Join(errs[:]...))
		}
	})
	return c.exit, c.stopErr
}

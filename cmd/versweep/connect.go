package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"versweep/runtimes"
	"versweep/sweep"
)

// launching is a launcher ready to use, with the supply of what it launches and
// what samples by it run on.
type launching struct {
	kind        string // launcherProcess or launcherDocker
	name        string // for people: "docker (Docker 20.10.24)"
	supply      *runtimes.Supply
	found       []sweep.Version // in version order; nil when it was not asked for
	launcher    sweep.Launcher
	finish      runtimes.Finish // what a build still needs; nil when nothing
	environment sweep.Environment
	definition  sweep.Definition
	close       func() error
	containers  *runtimes.DockerLauncher // the launcher, if it is that
}

// connect makes the launcher that the flags ask for, with the first of the
// target's sources that it can use and that answers. What it passes over, it
// says in one line each. list says whether to ask for the versions.
func (a *app) connect(ctx context.Context, d *runtimes.Definition, cache *runtimes.Cache, source string, f launchFlags, cpus runtimes.CPUSets, list bool) (*launching, error) {
	engine, err := a.connectEngine(ctx, f)
	if err != nil {
		return nil, err
	}
	var reasons []error
	for _, s := range sourcesOf(d, source) {
		for _, kind := range []string{launcherDocker, launcherProcess} {
			switch {
			case f.launcher != launcherAuto && f.launcher != kind, kind == launcherDocker && engine == nil:
				continue
			case kind == launcherProcess && engine != nil && !s.RunsAsProcess(d):
				continue // containers were tried already
			}
			l, err := a.tryLaunching(ctx, d, s, cache, engine, kind, cpus, list)
			if err == nil {
				for _, reason := range reasons {
					a.say("passed over: %v", reason)
				}
				return l, nil
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			reasons = append(reasons, err)
		}
	}
	if engine != nil {
		engine.Close()
	}
	if len(reasons) == 0 {
		return nil, fmt.Errorf("%s cannot run without containers: %w", d.Name, runtimes.ErrNoEngine)
	}
	return nil, errors.Join(reasons...)
}

// connectEngine is nil where no engine is asked for, or where none has to be.
func (a *app) connectEngine(ctx context.Context, f launchFlags) (*runtimes.Engine, error) {
	if f.launcher == launcherProcess {
		return nil, nil
	}
	memory, err := buildMemory()
	if err != nil {
		return nil, err
	}
	engine, err := runtimes.ConnectEngine(ctx, a.hear)
	if err != nil && f.launcher == launcherAuto && errors.Is(err, runtimes.ErrNoEngine) && ctx.Err() == nil {
		a.say("no container engine answers: servers run as processes of this machine")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	engine.BoundBuilds(memory)
	if f.caBundle == "" {
		return engine, nil
	}
	if err := engine.TrustInBuilds(f.caBundle); err != nil {
		engine.Close()
		return nil, misuse("name a file of certificates in PEM form, such as the system's own bundle", "--ca-bundle: %v", err)
	}
	return engine, nil
}

func (a *app) tryLaunching(ctx context.Context, d *runtimes.Definition, s runtimes.Source, cache *runtimes.Cache, engine *runtimes.Engine, kind string, cpus runtimes.CPUSets, list bool) (*launching, error) {
	if kind == launcherProcess && !s.RunsAsProcess(d) {
		return nil, fmt.Errorf("source %s of %s needs a container engine", s.Kind(), d.Name)
	}
	supply, err := runtimes.OpenSupply(d, s, cache)
	if err != nil {
		return nil, err
	}
	env := sweep.ProbeEnvironment()
	env.ServerCPUs, env.LoadCPUs, env.Launcher = cpus.Server, cpus.Load, kind
	definition, err := supply.Definition()
	if err != nil {
		return nil, err
	}
	l := &launching{kind: kind, name: kind, supply: supply, environment: env, definition: definition, close: func() error { return nil }}
	if list {
		if l.found, _, err = supply.Versions(ctx); err != nil {
			return nil, err
		}
	}
	if kind == launcherProcess {
		launcher, err := runtimes.NewProcessLauncher(supply, cache, cpus)
		if err != nil {
			return nil, err
		}
		l.launcher, l.finish = launcher, launcher.Ready
		return l, nil
	}
	launcher, err := runtimes.NewDockerLauncher(ctx, engine, supply, cpus)
	if err != nil {
		return nil, err
	}
	l.name = fmt.Sprintf("%s (%s)", kind, engine.Version())
	l.containers = launcher
	l.launcher, l.finish, l.close, l.environment.Engine = launcher, launcher.Image, engine.Close, engine.Version()
	return l, nil
}

// tidy ends a sweep that has been carried out: the engine's images are kept
// within bounds. That they are not is no failure of the sweep.
func (a *app) tidy(ctx context.Context, l *launching, outcomes []sweep.Outcome, keep bool) {
	if l.containers == nil {
		return
	}
	// The sweep is whole: an interrupt must not leave this half done.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidyTime)
	defer cancel()
	removed, err := l.containers.TidyImages(ctx, outcomes, keep)
	if err != nil {
		a.warn("tidying the engine's images: %v", err)
	}
	if removed.Images > 0 {
		a.say("removed %d images, %s, from the engine", removed.Images, humanize.IBytes(uint64(removed.Bytes)))
	}
}

// tidyTime bounds the removal of images.
const tidyTime = 2 * time.Minute

// forSweep tells the launcher which sweep it works for.
func (l *launching) forSweep(id int64) {
	if l.containers != nil {
		l.containers.ForSweep(id)
	}
}

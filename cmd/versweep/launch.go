package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"versweep/runtimes"
	"versweep/sweep"
)

// Values of --launcher.
const (
	launcherAuto    = "auto"
	launcherProcess = "process"
	launcherDocker  = "docker"
)

// launchFlags say how and where servers are started.
type launchFlags struct {
	launcher   string
	cache      string
	serverCPUs string
	loadCPUs   string
}

func (f *launchFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.launcher, "launcher", launcherAuto, "docker, process, or auto: docker where an engine answers and can have the target")
	flags.StringVar(&f.cache, "cache", "", "folder of fetched builds (default versweep in the user's cache folder)")
	flags.StringVar(&f.serverCPUs, "server-cpus", "", "CPUs of the server, such as 0 or 0-3 (default the first)")
	flags.StringVar(&f.loadCPUs, "load-cpus", "", "CPUs of the load engine (default the rest)")
}

func (f *launchFlags) checkLauncher() error {
	switch f.launcher {
	case launcherAuto, launcherDocker, launcherProcess:
		return nil
	}
	return misuse("use auto, docker or process", "--launcher: unknown value %q", f.launcher)
}

func (f *launchFlags) openCache() (*runtimes.Cache, error) {
	dir := f.cache
	if dir == "" {
		var err error
		if dir, err = runtimes.DefaultCacheDir(); err != nil {
			return nil, err
		}
	}
	return runtimes.OpenCache(dir)
}

// cpuSets decides where server and load engine run: apart from each other.
func (f *launchFlags) cpuSets(a *app, d *runtimes.Definition) (runtimes.CPUSets, error) {
	usable := sweep.UsableCPUs()
	if len(usable) == 0 {
		if f.serverCPUs != "" || f.loadCPUs != "" {
			return runtimes.CPUSets{}, misuse("leave out --server-cpus and --load-cpus", "CPUs cannot be chosen on %s", runtime.GOOS)
		}
		a.warn("CPUs cannot be chosen on %s: server and load engine may disturb each other", runtime.GOOS)
		return runtimes.CPUSets{}, nil
	}
	can := make(map[int]bool, len(usable))
	for _, cpu := range usable {
		can[cpu] = true
	}
	parse := func(flag, list string) ([]int, error) {
		if list == "" {
			return nil, nil
		}
		cpus, err := sweep.ParseCPUs(list)
		if err != nil {
			return nil, misuse("CPU lists look like 0-3,6", "%s: %v", flag, err)
		}
		for _, cpu := range cpus {
			if !can[cpu] {
				return nil, misuse("usable here: "+sweep.FormatCPUs(usable), "%s: there is no CPU %d for us", flag, cpu)
			}
		}
		return cpus, nil
	}
	server, err := parse("--server-cpus", f.serverCPUs)
	if err != nil {
		return runtimes.CPUSets{}, err
	}
	engine, err := parse("--load-cpus", f.loadCPUs)
	if err != nil {
		return runtimes.CPUSets{}, err
	}
	without := func(taken []int) []int {
		var rest []int
		for _, cpu := range usable {
			if !slices.Contains(taken, cpu) {
				rest = append(rest, cpu)
			}
		}
		return rest
	}
	shared := false
	switch {
	case server == nil && engine == nil:
		server, engine, shared = sweep.SplitCPUs(usable, d.CPUs)
	case server == nil:
		server = without(engine)
		server = server[:min(len(server), d.CPUs)]
	case engine == nil:
		engine = without(server)
	}
	if len(server) == 0 || len(engine) == 0 {
		return runtimes.CPUSets{}, misuse("usable here: "+sweep.FormatCPUs(usable), "no CPU is left for the %s", map[bool]string{true: "server", false: "load engine"}[len(server) == 0])
	}
	for _, cpu := range engine {
		shared = shared || slices.Contains(server, cpu)
	}
	if shared {
		a.warn("server and load engine share a CPU: figures are lower than the server could do, and noisier")
	}
	return runtimes.CPUSets{Server: server, Load: engine}, nil
}

// launching is a launcher ready to use, and what samples by it run on.
type launching struct {
	kind        string // launcherProcess or launcherDocker
	name        string // for people: "docker (Docker 20.10.24)"
	launcher    sweep.Launcher
	finish      runtimes.Finish // what a build still needs; nil when nothing
	environment sweep.Environment
	close       func() error
}

// connect makes the launcher that the flags ask for. With auto it says in one
// line why it does not take containers.
func (a *app) connect(ctx context.Context, d *runtimes.Definition, cache *runtimes.Cache, f launchFlags, cpus runtimes.CPUSets) (*launching, error) {
	env := sweep.ProbeEnvironment()
	env.ServerCPUs, env.LoadCPUs = cpus.Server, cpus.Load
	switch f.launcher {
	case launcherDocker:
		return a.connectDocker(ctx, d, cpus, env)
	case launcherAuto:
		l, err := a.connectDocker(ctx, d, cpus, env)
		if err == nil {
			return l, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, runtimes.ErrNoEngine) {
			a.say("no container engine answers: servers run as processes of this machine")
		} else {
			a.say("containers cannot be used (%v): servers run as processes of this machine", err)
		}
	}
	launcher, err := runtimes.NewProcessLauncher(d, cache, cpus)
	if err != nil {
		return nil, err
	}
	env.Launcher = launcherProcess
	return &launching{
		kind: launcherProcess, name: launcherProcess, launcher: launcher, environment: env, close: func() error { return nil },
	}, nil
}

func (a *app) connectDocker(ctx context.Context, d *runtimes.Definition, cpus runtimes.CPUSets, env sweep.Environment) (*launching, error) {
	engine, err := runtimes.ConnectEngine(ctx)
	if err != nil {
		return nil, err
	}
	launcher, err := runtimes.NewDockerLauncher(ctx, engine, d, cpus)
	if err != nil {
		engine.Close()
		return nil, err
	}
	env.Launcher, env.Engine = launcherDocker, engine.Version()
	return &launching{
		kind: launcherDocker, name: fmt.Sprintf("%s (%s)", launcherDocker, engine.Version()),
		launcher: launcher, finish: launcher.Image, environment: env, close: engine.Close,
	}, nil
}

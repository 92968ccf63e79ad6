package main

import (
	"os"
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
	containerFlags
}

// containerFlags say what a container engine is to do; resume has them too.
type containerFlags struct {
	keepImages bool
	caBundle   string
}

func (f *containerFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.keepImages, "keep-images", true, "keep the engine's images for the next sweep, up to 20 GiB and 30 days; false removes those of this sweep")
	flags.StringVar(&f.caBundle, "ca-bundle", "", "PEM file of the certificates that builds in containers trust, where a proxy signs with its own (default none)")
}

func (f *launchFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.launcher, "launcher", launcherAuto, "docker, process, or auto: docker where an engine answers and can have the target")
	flags.StringVar(&f.cache, "cache", "", "folder of fetched builds (default versweep in the user's cache folder)")
	flags.StringVar(&f.serverCPUs, "server-cpus", "", "CPUs of the server, such as 0 or 0-3 (default the first)")
	flags.StringVar(&f.loadCPUs, "load-cpus", "", "CPUs of the load engine (default the rest)")
	f.containerFlags.add(cmd)
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
	memory, err := buildMemory()
	if err != nil {
		return nil, err
	}
	cache, err := runtimes.OpenCache(dir)
	if err != nil {
		return nil, &hintedError{err, "name a folder that you may write to with --cache"}
	}
	cache.BoundMemory(memory)
	return cache, nil
}

// buildMemory is what a build may take as the environment says, in bytes; 0 for
// the usual.
func buildMemory() (int64, error) {
	memory, err := runtimes.ParseBuildMemory(os.Getenv(runtimes.BuildMemoryVariable))
	if err != nil {
		return 0, misuse("it is the memory that a build may take, such as 6GiB or 1500MiB", "$%s: %v", runtimes.BuildMemoryVariable, err)
	}
	return memory, nil
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

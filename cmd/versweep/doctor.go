package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/sweep"
)

func (a *app) doctorCommand() *cobra.Command {
	var f launchFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what on this machine would spoil a measurement, and what to do about it",
		Long: `doctor looks at this machine for one second, in which it should be as idle as
for a sweep, and says of each thing that spoils measurements whether it is in
order: ok, warn (noisier or lower figures), bad (spoilt figures) or unknown.

Exit status: 0 when nothing is bad, warnings included, 1 when something is.`,
		Example: "  versweep doctor",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.doctor(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.launcher, "launcher", launcherAuto, "docker, process, or auto: look at the container engine where one answers")
	flags.StringVar(&f.cache, "cache", "", "folder of fetched builds (default versweep in the user's cache folder)")
	flags.StringVar(&f.serverCPUs, "server-cpus", "", "CPUs that the server would have, such as 0 or 0-3 (default the first)")
	flags.StringVar(&f.loadCPUs, "load-cpus", "", "CPUs that the load engine would have (default the rest)")
	return cmd
}

// lookTime is how long doctor watches the machine. Shorter, and the hundredths
// in which the kernel counts would show.
const lookTime = time.Second

func (a *app) doctor(ctx context.Context, f launchFlags) error {
	if err := f.checkLauncher(); err != nil {
		return err
	}
	// As for a target of one CPU. What it warns of is among the checks.
	cpus, err := f.cpuSets(&app{stderr: io.Discard}, &runtimes.Definition{CPUs: 1})
	if err != nil {
		return err
	}
	checks := sweep.ThisMachine().Checks(cpus.Server, cpus.Load, os.Getpid(), func() {
		select {
		case <-ctx.Done():
		case <-time.After(lookTime):
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	checks = append(checks, a.engineChecks(ctx, f)...)
	checks = append(checks, diskCheck("disk of the store", filepath.Dir(a.db), "name a file on another disk with --db, or make room"))
	cache := f.cache
	if cache == "" {
		cache, _ = runtimes.DefaultCacheDir() // without one the check says unknown
	}
	checks = append(checks, diskCheck("disk of the cache", cache, "name a folder on another disk with --cache, or make room"))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := a.printChecks(checks); err != nil {
		return err
	}
	bad := 0
	for _, c := range checks {
		if c.State == sweep.CheckBad {
			bad++
		}
	}
	if bad > 0 {
		return &hintedError{fmt.Errorf("%s would spoil a measurement", counted(bad, "thing")), "the lines marked bad say what to do"}
	}
	return nil
}

type doctorJSON struct {
	Schema int           `json:"schema"`
	Checks []sweep.Check `json:"checks"`
}

// printChecks prints a line a check, and advice below those that need it.
func (a *app) printChecks(checks []sweep.Check) error {
	if a.json {
		return a.printJSON(doctorJSON{jsonSchema, checks})
	}
	const width, indent = 100, 9
	name := 0
	for _, c := range checks {
		name = max(name, len(c.Name))
	}
	for _, c := range checks {
		head := fmt.Sprintf("%-*s%-*s  ", indent, c.State, name, c.Name)
		lines := fold(charts.Printable(c.Found), width-len(head))
		text := head + strings.Join(lines, "\n"+strings.Repeat(" ", len(head))) + "\n"
		if c.State == sweep.CheckWarn || c.State == sweep.CheckBad {
			for _, advice := range []string{c.Why, "→ " + charts.Printable(c.Fix)} {
				for _, line := range fold(advice, width-indent-2) {
					text += strings.Repeat(" ", indent+2) + line + "\n"
				}
			}
		}
		if _, err := fmt.Fprint(a.stdout, text); err != nil {
			return err
		}
	}
	return nil
}

// fold breaks text between words into lines of at most so many bytes, unless a
// word is longer.
func fold(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// engineChecks looks at the container engine; none with the process launcher.
func (a *app) engineChecks(ctx context.Context, f launchFlags) []sweep.Check {
	if f.launcher == launcherProcess {
		return nil
	}
	c := sweep.Check{Name: "container engine", State: sweep.CheckOK, Why: "sweeps of old releases, and of all that is no npm package, run in containers"}
	engine, err := runtimes.ConnectEngine(ctx, a.hear)
	if err != nil {
		c.State, c.Found = sweep.CheckWarn, "none: servers run as processes"
		if !errors.Is(err, runtimes.ErrNoEngine) {
			c.Found = runtimes.WithoutSecrets(strings.Join(strings.Fields(err.Error()), " "))
		}
		if f.launcher == launcherDocker {
			c.State = sweep.CheckBad
		}
		c.Fix = "start Docker or Podman, or set $DOCKER_HOST; docs/engines.md has more"
		return []sweep.Check{c}
	}
	defer engine.Close()
	c.Found = engine.Version()
	if !engine.Local() {
		c.State, c.Found = sweep.CheckWarn, engine.Version()+": its machine's load, steal and heat cannot be seen from here"
		c.Fix = "run versweep on the engine's own machine"
	}
	settings := sweep.Check{Name: "engine settings", State: sweep.CheckOK, Why: "containers must be kept on their CPUs and within their memory"}
	setup, err := engine.Setup(ctx)
	if err != nil {
		settings.State, settings.Found = sweep.CheckUnknown, runtimes.WithoutSecrets(strings.Join(strings.Fields(err.Error()), " "))
		return []sweep.Check{c, settings}
	}
	settings.Found = fmt.Sprintf("control groups version %s, storage %s", setup.Groups, setup.Driver)
	if setup.Rootless {
		settings.Found += ", rootless"
	}
	switch {
	case !setup.CPUSets:
		settings.State = sweep.CheckBad
		settings.Found += ", containers cannot be put on chosen CPUs"
		settings.Fix = "let the engine have the cpuset controller (rootless: Delegate=cpu cpuset memory pids in the user's systemd slice)"
	case !setup.Limits:
		settings.State = sweep.CheckWarn
		settings.Found += ", memory cannot be limited"
		settings.Fix = "let the engine have the memory controller"
	case slices.Contains([]string{"vfs", "devicemapper"}, setup.Driver):
		settings.State = sweep.CheckWarn
		settings.Fix = "storage overlay2: " + setup.Driver + " copies whole images, so builds take long and fill the disk"
	}
	checks := []sweep.Check{c, settings}
	if engine.Local() {
		checks = append(checks, diskCheck("disk of the engine", setup.Folder, "make room, for example with docker image prune"))
	}
	return checks
}

// littleDisk is where a disk gets short: images of a sweep take some GB.
const (
	littleDisk = 5 << 30
	fullDisk   = 500 << 20
)

// diskCheck looks at the disk that a folder is on, or the nearest above it that
// is there.
func diskCheck(name, folder, fix string) sweep.Check {
	c := sweep.Check{Name: name, State: sweep.CheckOK, Why: "a sweep that cannot save stops"}
	var disk syscall.Statfs_t
	dir, err := filepath.Abs(folder)
	for err == nil && folder != "" {
		if err = syscall.Statfs(dir, &disk); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir, err = filepath.Dir(dir), nil
	}
	if err != nil || folder == "" {
		c.State, c.Found = sweep.CheckUnknown, "it cannot be read"
		return c
	}
	free := uint64(disk.Bavail) * uint64(disk.Bsize)
	c.Found = humanize.IBytes(free) + " free"
	switch {
	case free < fullDisk:
		c.State, c.Fix = sweep.CheckBad, fix
	case free < littleDisk:
		c.State, c.Fix = sweep.CheckWarn, fix
	}
	return c
}

//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"versweep/store"
	"versweep/sweep"
)

// bench is the place of one scenario: its own store, cache, targets and
// temporary folder, and what went wrong there.
type bench struct {
	suite     *suite
	dir       string
	mark      string  // in the command lines and environments of all that it starts
	engine    *engine // nil for servers as processes
	ownEngine bool    // nobody else uses it
	program   string  // versweep, unless a scenario has another build of it
	env       []string

	commands []*command
	mounts   []string // of the scenario's own
	mayLie   []string // files beside the store that the scenario put there
	disk     string   // folder of the store, where it is another than usual
	buildCut bool     // the engine's builder may keep layers for the next build
	slow     bool     // servers that behave may answer too late at times
	stops    []func() // end the scenario's servers
	problems []string
}

const (
	storeName  = "versweep.db"
	targetName = "faulty"
	// patience bounds every wait: for what takes seconds when the machine is
	// quiet, and more where other tests run beside it.
	patience = 5 * time.Minute
)

var benches atomic.Int64

// newBench makes the folders. withEngine says that servers run in containers.
func newBench(s *suite, withEngine bool) (*bench, error) {
	n := benches.Add(1)
	b := &bench{suite: s, dir: filepath.Join(s.dir, fmt.Sprintf("bench%d", n)), mark: fmt.Sprintf("faults-%d-%d-", os.Getpid(), n), program: s.versweep}
	for _, dir := range []string{b.tmp(), b.storeDir(), b.targets(), b.cache()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if withEngine {
		var err error
		if b.engine, err = s.engine(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *bench) tmp() string     { return filepath.Join(b.dir, "tmp") }
func (b *bench) cache() string   { return filepath.Join(b.dir, "cache") }
func (b *bench) targets() string { return filepath.Join(b.dir, "targets") }
func (b *bench) storeDir() string {
	if b.disk != "" {
		return b.disk
	}
	return filepath.Join(b.dir, "store")
}
func (b *bench) storeFile() string { return filepath.Join(b.storeDir(), storeName) }

// wrong notes something that is not as it should be.
func (b *bench) wrong(format string, args ...any) {
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

// hopeless ends a scenario that cannot go on.
type hopeless struct{ why string }

// need ends the scenario unless err is nil.
func (b *bench) need(err error) {
	if err != nil {
		panic(hopeless{err.Error()})
	}
}

// must ends the scenario unless something holds.
func (b *bench) must(holds bool, format string, args ...any) {
	if !holds {
		panic(hopeless{fmt.Sprintf(format, args...)})
	}
}

// own gives the bench an engine that it may break.
func (b *bench) own() *engine {
	var err error
	b.engine, err = newEngine(b.suite, filepath.Join(b.dir, "engine"))
	b.need(err)
	b.ownEngine = true
	return b.engine
}

// start runs versweep with the bench's folders. Flags that every command takes
// are left out of the line that people see.
func (b *bench) start(args ...string) *command {
	c := b.prepare(args...)
	b.launch(c)
	return c
}

// prepare makes a command that is not started yet.
func (b *bench) prepare(args ...string) *command {
	c := &command{line: "versweep " + strings.Join(args, " "), ended: make(chan struct{})}
	full := append([]string{"--db", b.storeFile(), "--target-dir", b.targets()}, args...)
	c.cmd = exec.Command(b.program, full...)
	c.cmd.Dir = b.dir
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	c.cmd.Env = append(os.Environ(), "TMPDIR="+b.tmp(), "XDG_CACHE_HOME="+filepath.Join(b.dir, "home"), "FAULTS_MARK="+b.mark, "DOCKER_CONTEXT=")
	host := "unix:///nonexistent/docker.sock"
	if b.engine != nil {
		host = b.engine.host()
	}
	c.cmd.Env = append(append(c.cmd.Env, "DOCKER_HOST="+host), b.env...)
	// A group of its own, as a shell gives: signals that the suite's own
	// terminal sends do not reach it.
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

// launch starts a prepared command.
func (b *bench) launch(c *command) {
	b.need(c.cmd.Start())
	b.commands = append(b.commands, c)
	go func() { c.cmd.Wait(); close(c.ended) }()
}

// run runs versweep to its end.
func (b *bench) run(args ...string) (*command, int) {
	c := b.start(args...)
	return c, b.end(c)
}

// end waits for a command's end.
func (b *bench) end(c *command) int {
	status, ok := c.ends(patience)
	b.must(ok, "%s does not end; it said: %s", c.line, lastLines(c.stderr.String(), 5))
	return status
}

// sweepArgs is the command line of a sweep of three versions in three rounds,
// 12 samples with the reference's twin, of half a second each.
func (b *bench) sweepArgs(flags ...string) []string {
	args := []string{"run", targetName, "--versions", ">=1", "--rounds", "3", "--duration", "500ms", "--warmup", "50ms", "--connections", "5", "--yes"}
	return append(append(args, b.launcher()...), flags...)
}

func (b *bench) launcher() []string {
	if b.engine != nil {
		return []string{"--launcher", "docker", "--cache", b.cache()}
	}
	return []string{"--launcher", "process", "--cache", b.cache()}
}

// resume goes on with the sweep to its end.
func (b *bench) resume() *command {
	c, status := b.run("resume", "--cache", b.cache())
	if status != 0 {
		b.wrong("resume ended with status %d: %s", status, lastLines(c.stderr.String(), 4))
	}
	return c
}

// stored reads the sweep as it is in the store.
func (b *bench) stored() sweep.Sweep {
	ctx := context.Background()
	st, err := store.OpenReadOnly(ctx, b.storeFile())
	b.need(err)
	defer st.Close()
	sw, err := st.LoadSweep(ctx, 1)
	b.need(err)
	return sw
}

// nothingStored tells whether there is no sweep.
func (b *bench) nothingStored() bool {
	ctx := context.Background()
	st, err := store.OpenReadOnly(ctx, b.storeFile())
	if errors.Is(err, store.ErrNoStore) {
		return true
	}
	b.need(err)
	defer st.Close()
	_, err = st.LoadSweep(ctx, 1)
	return errors.Is(err, store.ErrNoSweep)
}

// samples is how many places of rounds have a sample; 0 where there is no sweep.
func (b *bench) samples() int {
	ctx := context.Background()
	st, err := store.OpenReadOnly(ctx, b.storeFile())
	if err != nil {
		return 0
	}
	defer st.Close()
	sw, err := st.LoadSweep(ctx, 1)
	if err != nil {
		return 0
	}
	return len(sweep.LastAttempts(sw.Samples))
}

// reach waits until the sweep has so many samples.
func (b *bench) reach(c *command, samples int) {
	reached := eventually(patience, func() bool { return b.samples() >= samples || !c.running() })
	b.must(reached && c.running(), "%s ended or stood still before it had %d samples: %s", c.line, samples, lastLines(c.stderr.String(), 5))
}

// close ends what still runs and removes the bench.
func (b *bench) close() error {
	var errs []error
	for _, c := range b.commands {
		if c.running() {
			errs = append(errs, fmt.Errorf("%s still ran", c.line))
			c.cmd.Process.Kill()
			<-c.ended
		}
	}
	for _, stop := range b.stops {
		stop()
	}
	if b.ownEngine {
		errs = append(errs, b.engine.close())
	}
	for _, pid := range processesWith(b.mark) {
		errs = append(errs, fmt.Errorf("process %d still ran", pid))
		syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, at := range mountsBelow(b.dir) {
		if slices.Contains(b.mounts, at) {
			errs = append(errs, unmount(at))
		}
	}
	return errors.Join(append(errs, removeAll(b.dir))...)
}

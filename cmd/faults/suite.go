//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// suite is what all scenarios share: the programs, built once, and an engine of
// its own that is never broken on purpose.
type suite struct {
	dir      string // all that the suite makes lies in it
	versweep string // the real program
	server   string // the misbehaving server

	startEngine sync.Once
	shared      *engine
	engineErr   error
}

// newSuite builds the programs. close has to be called afterwards.
func newSuite(ctx context.Context) (*suite, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("the fault suite mounts file systems and starts container engines: run it as root")
	}
	for _, command := range []string{"dockerd", "containerd", "docker", "git", "go"} {
		if _, err := exec.LookPath(command); err != nil {
			return nil, fmt.Errorf("the fault suite needs the command %s", command)
		}
	}
	dir, err := os.MkdirTemp("", "versweep-faults-")
	if err != nil {
		return nil, err
	}
	s := &suite{dir: dir, versweep: filepath.Join(dir, "versweep"), server: filepath.Join(dir, "server")}
	for file, pkg := range map[string]string{s.versweep: "versweep/cmd/versweep", s.server: "versweep/cmd/faults/server"} {
		if err := build(ctx, file, pkg); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// build makes a static program. More flags are for go build.
func build(ctx context.Context, file, pkg string, flags ...string) error {
	args := append([]string{"build", "-trimpath", "-o", file}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// engine starts the engine that scenarios share.
func (s *suite) engine() (*engine, error) {
	s.startEngine.Do(func() {
		s.shared, s.engineErr = newEngine(s, filepath.Join(s.dir, "engine"))
	})
	return s.shared, s.engineErr
}

func (s *suite) close() error {
	var errs []error
	if s.shared != nil {
		errs = append(errs, s.shared.close())
	}
	return errors.Join(append(errs, removeAll(s.dir))...)
}

// removeAll removes a folder that nothing is mounted in any more; what is, is
// unmounted and told.
func removeAll(dir string) error {
	var errs []error
	for _, at := range mountsBelow(dir) {
		errs = append(errs, fmt.Errorf("%s was still mounted", at), unmount(at))
	}
	return errors.Join(append(errs, os.RemoveAll(dir))...)
}

// mountsBelow lists what is mounted in a folder, the innermost first.
func mountsBelow(dir string) []string {
	table, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return []string{"(unknown: " + err.Error() + ")"}
	}
	var found []string
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[1], dir+"/") {
			found = append([]string{fields[1]}, found...)
		}
	}
	return found
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/sweep/nightly"
)

// commandChannel starts a program once for each notice, with the notice as JSON on
// its standard input. No shell is involved.
type commandChannel struct {
	args    []string      // the first is a path that can be started
	called  string        // the first as the settings have it
	folder  string        // in which it runs
	timeout time.Duration // of one notice
}

const (
	// lettersShown is how much of the last line of a program's output is shown.
	lettersShown = 200
	// closingTime is what is left to a killed program's children to let go of its
	// output.
	closingTime = time.Second
	// failuresBorne is after how many notices in vain the rest are not tried: each
	// may take the whole timeout.
	failuresBorne = 3
)

func (c *commandChannel) name() string { return charts.Printable("command " + c.called) }

func (c *commandChannel) deliver(ctx context.Context, night nightly.Night) error {
	var failed []error
	for i, n := range night.Notices {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.tell(ctx, n); err != nil {
			failed = append(failed, fmt.Errorf("%s of %s: %w", n.State, charts.Printable(n.Key), err))
		}
		if rest := len(night.Notices) - i - 1; len(failed) == failuresBorne && rest > 0 {
			failed = append(failed, fmt.Errorf("%s left untried", counted(rest, "notice")))
			break
		}
	}
	return errors.Join(failed...)
}

func (c *commandChannel) tell(ctx context.Context, n nightly.Notice) error {
	input, err := json.Marshal(newNoticeJSON(n))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("not done in %v", c.timeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir, cmd.Stdin = c.folder, bytes.NewReader(append(input, '\n'))
	// An environment variable can hold no NUL, and a name from outside can.
	cmd.Env = append(os.Environ(), "VERSWEEP_STATE="+string(n.State), "VERSWEEP_TARGET="+charts.Printable(n.Target), "VERSWEEP_KEY="+charts.Printable(n.Key))
	var output runtimes.Tail
	cmd.Stdout, cmd.Stderr = &output, &output
	// A group of its own, so that what it has started ends with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = closingTime
	err = cmd.Run()
	switch {
	case ctx.Err() != nil && err != nil:
		return context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay), err == nil, errors.Is(err, syscall.EPIPE):
		return nil // it may leave something behind, and need not read what it is told
	}
	if line := lastLine(&output); line != "" {
		return fmt.Errorf("%w: %s", err, line)
	}
	return err
}

// lastLine is the last line with something in it, printable and without secrets.
func lastLine(output *runtimes.Tail) string {
	lines := output.Lines()
	if len(lines) == 0 {
		return ""
	}
	runes := []rune(strings.TrimSpace(lines[len(lines)-1]))
	return charts.Printable(string(runes[:min(len(runes), lettersShown)]))
}

// newCommandChannel finds the program: one with a slash in its name in folder, any
// other along $PATH.
func newCommandChannel(args []string, folder string, timeout time.Duration) (*commandChannel, error) {
	// Absolute, so that a name with a slash keeps one, and since it runs elsewhere.
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	program := args[0]
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = filepath.Join(folder, program)
	}
	found, err := exec.LookPath(program)
	if err == nil {
		found, err = filepath.Abs(found) // what stands in a relative part of $PATH
	}
	if err != nil {
		return nil, fmt.Errorf("%q cannot be started: %w", args[0], cause(err))
	}
	return &commandChannel{args: append([]string{found}, args[1:]...), called: args[0], folder: folder, timeout: timeout}, nil
}

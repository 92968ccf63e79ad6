package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// command is a program that a build needs run: npm, go or what a recipe names.
type command struct {
	args   []string // the program first
	dir    string   // empty for the current folder
	env    []string
	stdout io.Writer // nil throws it away
	stderr io.Writer
	within time.Duration
	memory *buildMemory
}

// boundError says that a command went beyond what it may take, for which what it
// has written itself is no reason.
type boundError struct{ error }

func (e *boundError) Unwrap() error { return e.error }

// run runs a command to its end and kills what it leaves running. The error is
// ctx's own, a *boundError, or what os/exec says.
func (c command) run(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, c.within)
	defer cancel()
	cmd := exec.CommandContext(limited, c.args[0], c.args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, c.env, c.stdout, c.stderr
	err := runGroup(cmd, c.memory)
	if cmd.Process != nil {
		signalGroup(cmd.Process.Pid, true)
	}
	switch over, isOver := errors.AsType[*memoryError](err); {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // what it left held its output open
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case isOver:
		return &boundError{over}
	case limited.Err() != nil:
		return &boundError{fmt.Errorf("not done within %v", c.within)}
	}
	return err
}

package runtimes

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"versweep/sweep/load"
)

// EngineCommand is the hidden subcommand that makes versweep its own load
// engine.
const EngineCommand = "load-engine"

// runEngine runs the load engine as a process of its own and follows it.
func runEngine(ctx context.Context, self string, job load.Job, hooks load.Hooks) (load.Result, error) {
	order, err := json.Marshal(job)
	if err != nil {
		return load.Result{}, fmt.Errorf("describing the load: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, EngineCommand)
	stopGroup(cmd)
	cmd.WaitDelay = time.Second
	var complaint Tail
	cmd.Stderr = &complaint
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return load.Result{}, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return load.Result{}, err
	}
	if err := cmd.Start(); err != nil {
		return load.Result{}, fmt.Errorf("starting the load engine: %w", err)
	}
	// Standard input stays open: its end tells the engine that we are gone.
	_, writeErr := stdin.Write(append(order, '\n'))
	result, err := load.Follow(stdout, hooks)
	stdin.Close()
	waitErr := cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return load.Result{}, ctx.Err()
	case err != nil && waitErr != nil:
		return load.Result{}, fmt.Errorf("%w (load engine: %v; %s)", err, waitErr, strings.Join(complaint.Lines(), "; "))
	case err != nil:
		return load.Result{}, err
	case writeErr != nil:
		return load.Result{}, fmt.Errorf("telling the load engine what to do: %w", writeErr)
	}
	return result, nil
}

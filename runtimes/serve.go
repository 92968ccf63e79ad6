package runtimes

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"versweep/sweep/load"
)

// awaited is what an engine told to wait writes once, before anything else.
type awaited struct {
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"` // why not
}

// ServeEngine is the load engine's side of a launcher: it reads jobs from in
// and writes what load.Work writes. With wait above 0 it first reads a job that
// says whom to ask, asks until the right answer comes, and says so in a line.
func ServeEngine(ctx context.Context, in io.Reader, out io.Writer, wait time.Duration) error {
	lines := bufio.NewReader(in)
	if wait > 0 {
		order, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("reading whom to wait for: %w", err)
		}
		var job load.Job
		if err := json.Unmarshal(order, &job); err != nil {
			return fmt.Errorf("reading whom to wait for: %w", err)
		}
		answer := awaited{Ready: true}
		if err := awaitByLoad(ctx, job, wait); err != nil {
			answer = awaited{Reason: err.Error()}
		}
		if err := json.NewEncoder(out).Encode(answer); err != nil {
			return err
		}
		if !answer.Ready {
			return nil
		}
	}
	return load.Work(ctx, lines, out)
}

// awaitByLoad makes single requests until one is answered rightly.
func awaitByLoad(ctx context.Context, job load.Job, wait time.Duration) error {
	deadline, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	job.Profile = load.Profile{Shape: load.ShapeClosed, Connections: 1, Requests: 1, Timeout: time.Second}
	for {
		result, err := load.Run(deadline, job, load.Hooks{})
		if err == nil && result.OK == 1 {
			return nil
		}
		select {
		case <-deadline.Done():
			if err == nil {
				err = fmt.Errorf("%+v", result.Errors)
			}
			return fmt.Errorf("no right answer within %v: %w", wait, err)
		case <-time.After(lastPause):
		}
	}
}

// readAwaited reads the line that an engine told to wait writes. The error is
// a *notReadyError when the server never answered rightly.
func readAwaited(out io.Reader, wait time.Duration) error {
	// Byte by byte, so that nothing after the line is taken from load.Follow.
	var line []byte
	for one := make([]byte, 1); ; {
		if _, err := io.ReadFull(out, one); err != nil {
			return fmt.Errorf("waiting for the first right answer: the load engine ended: %w", err)
		}
		if one[0] == '\n' {
			break
		}
		if line = append(line, one[0]); len(line) > 4096 {
			return fmt.Errorf("waiting for the first right answer: the load engine wrote %.40q", line)
		}
	}
	var a awaited
	if err := json.Unmarshal(bytes.TrimSpace(line), &a); err != nil {
		return fmt.Errorf("waiting for the first right answer: the load engine wrote %.80q", line)
	}
	if !a.Ready {
		return &notReadyError{fmt.Sprintf("no right answer within %v: %s", wait, a.Reason)}
	}
	return nil
}

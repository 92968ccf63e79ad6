//go:build linux

package main

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// command is one versweep at work.
type command struct {
	line   string // as one would type it
	cmd    *exec.Cmd
	stdout transcript
	stderr transcript
	ended  chan struct{}
}

// transcript collects output while others read it.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(p)
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

func (c *command) pid() int { return c.cmd.Process.Pid }

// running tells whether it has not ended.
func (c *command) running() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// says waits until standard error matches a pattern.
func (c *command) says(pattern string, within time.Duration) bool {
	re := regexp.MustCompile(pattern)
	return eventually(within, func() bool { return re.MatchString(c.stderr.String()) || !c.running() }) && re.MatchString(c.stderr.String())
}

// ends waits for its end. The status is as a shell has it: 128 and the number
// of a signal. false when it goes on.
func (c *command) ends(within time.Duration) (status int, ok bool) {
	select {
	case <-c.ended:
	case <-time.After(within):
		return 0, false
	}
	state := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if state.Signaled() {
		return 128 + int(state.Signal()), true
	}
	return state.ExitStatus(), true
}

// complaint is the end of standard error, from the error line on.
func (c *command) complaint() []string {
	lines := strings.Split(strings.TrimSpace(c.stderr.String()), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "versweep: ") {
			return lines[i:]
		}
	}
	return nil
}

// eventually asks until the answer is yes or the time is over.
func eventually(within time.Duration, yes func() bool) bool {
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if yes() {
			return true
		}
	}
	return yes()
}

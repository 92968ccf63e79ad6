package runtimes

import (
	"bytes"
	"strings"
	"sync"
)

// How much of a server's output is kept for failure reports.
const (
	tailBytes = 64 << 10
	tailLines = 20
)

// tail keeps the end of what is written to it. Goroutines may share it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailBytes; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// lines returns the last lines written that are not blank, oldest first.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(bytes.ToValidUTF8(t.buf, []byte("\uFFFD")))) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-tailLines):]
}

package runtimes

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
)

// How much of what others write is kept, for failure reports.
const (
	tailBytes = 64 << 10
	tailLines = 20
)

// Tail keeps the end of what is written to it. Goroutines may share it.
type Tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - tailBytes; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

// Lines returns the last lines written that are not blank, oldest first, without
// secrets.
func (t *Tail) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(bytes.ToValidUTF8(t.buf, []byte("\uFFFD")))) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines = append(lines, line)
		}
	}
	lines = lines[max(0, len(lines)-tailLines):]
	for i, line := range lines {
		lines[i] = WithoutSecrets(line)
	}
	return lines
}

// bounded passes on what is written to it until more than left bytes came.
type bounded struct {
	w    io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("more output than anybody expects")
	}
	return b.w.Write(p)
}

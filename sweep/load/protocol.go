package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// event is one line of the stream from an engine process to its parent.
type event struct {
	Event  string       `json:"event"`
	Result *Result      `json:"result,omitempty"`
	Error  string       `json:"error,omitempty"`
	Misuse *MisuseError `json:"misuse,omitempty"` // when the error is one
}

const (
	eventWindowStart = "window_start"
	eventWindowEnd   = "window_end"
	eventResult      = "result"
	eventError       = "error"

	// lineLimit bounds one line either way. A result is some tens of KB; its
	// histograms can reach about a MiB.
	lineLimit = 8 << 20
)

// ErrParentGone says that the parent closed the engine's standard input before
// the run was over: it died or gave the run up.
var ErrParentGone = errors.New("the parent process closed the job's input")

// Work is the engine process: it reads one job as a line of JSON from in,
// carries it out, and writes events as lines of JSON to out. in has to stay
// open until the run is over; when it ends early, so does the run, with
// ErrParentGone. Each error is written as an event as well as returned. Work
// does not wait for a reader of in that blocks: the goroutine reading it stays
// behind until in ends.
func Work(ctx context.Context, in io.Reader, out io.Writer) error {
	w := &eventWriter{out: out}
	lines := bufio.NewReader(in)
	line, err := readLine(lines)
	if err != nil && !(errors.Is(err, io.EOF) && len(line) > 0) {
		return w.fail(fmt.Errorf("reading the job: %w", err))
	}
	var job Job
	if err := json.Unmarshal(line, &job); err != nil {
		return w.fail(fmt.Errorf("reading the job: %w", err))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		// Whatever comes is ignored; only the end matters.
		_, _ = io.Copy(io.Discard, lines)
		cancel(ErrParentGone)
	}()
	result, err := Run(ctx, job, Hooks{
		WindowStart: func() { w.write(event{Event: eventWindowStart}) },
		WindowEnd:   func() { w.write(event{Event: eventWindowEnd}) },
	})
	if err != nil {
		return w.fail(err)
	}
	return w.write(event{Event: eventResult, Result: &result})
}

// eventWriter writes whole lines, and keeps the first error.
type eventWriter struct {
	mu  sync.Mutex
	out io.Writer
	err error
}

func (w *eventWriter) write(e event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, err := json.Marshal(e)
	if err == nil && w.err == nil {
		_, err = w.out.Write(append(b, '\n'))
	}
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("writing a load event: %w", err)
	}
	return w.err
}

func (w *eventWriter) fail(err error) error {
	e := event{Event: eventError, Error: err.Error()}
	errors.As(err, &e.Misuse)
	w.write(e)
	return err
}

// Follow reads the events of an engine process until its result, calling hooks
// as they come. Lines that are no events are skipped, lines beyond 8 MiB cut
// off. A job that the engine refused is a *MisuseError. Follow does not read
// on after the result.
func Follow(r io.Reader, hooks Hooks) (Result, error) {
	lines := bufio.NewReader(r)
	var strays []string
	for {
		line, err := readLine(lines)
		var e event
		switch {
		case len(line) == 0:
		case line[0] != '{' || json.Unmarshal(line, &e) != nil:
			strays = stray(strays, line)
		case e.Event == eventWindowStart:
			hooks.start()
		case e.Event == eventWindowEnd:
			hooks.end()
		case e.Event == eventResult && e.Result != nil:
			return *e.Result, nil
		case e.Event == eventError && e.Misuse != nil:
			return Result{}, e.Misuse
		case e.Event == eventError:
			return Result{}, fmt.Errorf("load engine: %s", e.Error)
		default:
			strays = stray(strays, line)
		}
		if err == nil || errors.Is(err, errLongLine) {
			continue
		}
		if !errors.Is(err, io.EOF) {
			return Result{}, fmt.Errorf("reading from the load engine: %w", err)
		}
		if len(strays) == 0 {
			return Result{}, errors.New("the load engine ended without a result")
		}
		return Result{}, fmt.Errorf("the load engine ended without a result; it said: %s", strings.Join(strays, " | "))
	}
}

var errLongLine = errors.New("line too long")

// readLine reads one line without its end. Of a line beyond lineLimit it gives
// the start, reads over the rest, and returns errLongLine.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if room := lineLimit - len(line); len(part) > room {
			part, long = part[:room], true
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == nil && long {
			err = errLongLine
		}
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		}
		return line, err
	}
}

// stray keeps the last few lines that were no events, shortened and made
// printable, for the error text.
func stray(kept []string, line []byte) []string {
	const most, longest = 3, 200
	if len(line) > longest {
		line = line[:longest]
	}
	text := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == '\ufffd' {
			return '?'
		}
		return c
	}, strings.ToValidUTF8(string(line), "?"))
	kept = append(kept, strings.TrimSpace(text))
	return kept[max(0, len(kept)-most):]
}

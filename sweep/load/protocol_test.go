package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

// startWork runs Work behind pipes, as a process would.
func startWork(t *testing.T, j Job) (stdin io.WriteCloser, stdout io.Reader, done chan error) {
	t.Helper()
	jobs, stdin := io.Pipe()
	stdout, events := io.Pipe()
	done = make(chan error, 1)
	go func() {
		err := Work(context.Background(), jobs, events)
		events.Close()
		done <- err
	}()
	line, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	return stdin, stdout, done
}

func TestWorkAndFollow(t *testing.T) {
	t.Parallel()
	_, stdout, done := startWork(t, helloJob(serve(t, always(hello()))))
	var edges []string
	r, err := Follow(stdout, Hooks{
		WindowStart: func() { edges = append(edges, "start") },
		WindowEnd:   func() { edges = append(edges, "end") },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	checkAccounts(t, r)
	if r.OK == 0 || !reflect.DeepEqual(edges, []string{"start", "end"}) {
		t.Errorf("ok %d, edges %v", r.OK, edges)
	}
}

func TestWorkEndsWhenTheParentIsGone(t *testing.T) {
	t.Parallel()
	j := helloJob(serve(t, acceptOnly))
	j.Profile.Duration, j.Profile.Timeout = time.Minute, time.Minute
	stdin, stdout, done := startWork(t, j)
	start := time.Now()
	stdin.Close()
	if _, err := Follow(stdout, Hooks{}); err == nil || !strings.Contains(err.Error(), ErrParentGone.Error()) {
		t.Errorf("parent read %v", err)
	}
	if err := <-done; !errors.Is(err, ErrParentGone) {
		t.Errorf("work returned %v", err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("took %v to notice", d)
	}
}

func TestWorkPassesMisuseOn(t *testing.T) {
	t.Parallel()
	j := helloJob("127.0.0.1:1")
	j.Profile.Connections = 0
	_, stdout, done := startWork(t, j)
	var m *MisuseError
	if _, err := Follow(stdout, Hooks{}); !errors.As(err, &m) || m.What != "connections" {
		t.Errorf("parent read %v", err)
	}
	if err := <-done; !errors.As(err, &m) {
		t.Errorf("work returned %v", err)
	}
}

func TestWorkRefusesJunkForAJob(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "{", "[1]\n", strings.Repeat("x", lineLimit+10) + "\n"} {
		var out bytes.Buffer
		if err := Work(context.Background(), strings.NewReader(in), &out); err == nil {
			t.Errorf("took %.20q for a job", in)
		}
		if _, err := Follow(&out, Hooks{}); err == nil || strings.Contains(err.Error(), "without a result") {
			t.Errorf("for %.20q the parent read %v", in, err)
		}
	}
}

func TestFollowSurvivesJunk(t *testing.T) {
	t.Parallel()
	good, err := json.Marshal(event{Event: eventResult, Result: &Result{OK: 7, Started: 7, Scheduled: 7}})
	if err != nil {
		t.Fatal(err)
	}
	junk := "warning: something\n\n{\"event\":\"unheard of\"}\n{broken\n[1,2]\n\x00\xff\n" + strings.Repeat("{", lineLimit+100) + "\n"
	if r, err := Follow(strings.NewReader(junk+string(good)+"\n"), Hooks{}); err != nil || r.OK != 7 {
		t.Errorf("result behind junk: ok %d, %v", r.OK, err)
	}
	for in, want := range map[string]string{
		"":                               "ended without a result",
		"panic: oh\x1b[31m no\n":         "panic: oh?[31m no",
		"{\"event\":\"result\"}":         "ended without a result",
		"{\"event\":\"window_start\"}\n": "ended without a result",
		"{\"event\":\"error\",\"error\":\"refused\"}\n": "load engine: refused",
	} {
		if _, err := Follow(strings.NewReader(in), Hooks{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Follow(%q) gave %v, want %q", in, err, want)
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"versweep/sweep/nightly"
)

// script is a command of a program for the shell.
func script(t *testing.T, text string) *commandChannel {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tell.sh"), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := newCommandChannel([]string{"./tell.sh", "a b", "$HOME;*"}, dir, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCommandGetsEachNotice(t *testing.T) {
	c := script(t, `cat >>in.json; printf '%s|' "$1" "$2" "$VERSWEEP_STATE" "$VERSWEEP_TARGET" "$VERSWEEP_KEY" >>args`)
	if err := c.deliver(context.Background(), night); err != nil {
		t.Fatal(err)
	}
	args, err := os.ReadFile(filepath.Join(c.folder, "args"))
	if want := "a b|$HOME;*|new|node|node-qps-20.5.0|a b|$HOME;*|missing|node|missing-node-x|"; err != nil || string(args) != want {
		t.Errorf("%s, %v", args, err)
	}
	in, err := os.ReadFile(filepath.Join(c.folder, "in.json"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(in)), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines for 2 notices: %s", len(lines), in)
	}
	var doc noticeJSON
	if err := json.Unmarshal([]byte(lines[1]), &doc); err != nil || *doc.Version != hostile || doc.State != nightly.Missing || doc.Schema != 1 {
		t.Errorf("%+v, %v", doc, err)
	}
	quiet := night
	quiet.Notices = nil
	if err := script(t, "exit 1").deliver(context.Background(), quiet); err != nil {
		t.Error(err)
	}
}

// The settings may be named relative to the working folder, as versweep.yaml is.
func TestCommandIsLookedForBesideTheSettings(t *testing.T) {
	dir := script(t, `pwd >where`).folder
	t.Chdir(dir)
	if err := os.WriteFile("tell", []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for called, want := range map[string]string{"./tell.sh": "tell.sh", "../" + filepath.Base(dir) + "/tell.sh": "tell.sh", "tell": "tell", dir + "/tell": "tell"} {
		c, err := newCommandChannel([]string{called}, ".", time.Second)
		if err != nil || c.args[0] != filepath.Join(dir, want) || c.folder != dir || c.name() != "command "+called {
			t.Errorf("%s: %+v, %v", called, c, err)
		}
	}
	for _, called := range []string{"tell.sh.no", "./no", "/", dir} {
		if _, err := newCommandChannel([]string{called}, ".", time.Second); err == nil {
			t.Errorf("%s can be started", called)
		}
	}
}

func TestCommandThatFails(t *testing.T) {
	for text, want := range map[string]string{
		`echo first; echo last >&2; exit 3`:                     "new of node-qps-20.5.0: exit status 3: last\nmissing of missing-node-x: exit status 3: last",
		`exit 1`:                                                "new of node-qps-20.5.0: exit status 1\nmissing of missing-node-x: exit status 1",
		`[ "$VERSWEEP_STATE" = new ] || exit 1`:                 "missing of missing-node-x: exit status 1",
		`printf '\033[31mred\n\n'; exit 1`:                      `new of node-qps-20.5.0: exit status 1: \x1b[31mred` + "\n" + `missing of missing-node-x: exit status 1: \x1b[31mred`,
		`echo "PUT https://me:hunter22@host.example/x"; exit 1`: "new of node-qps-20.5.0: exit status 1: PUT https://***@host.example/x\nmissing of missing-node-x: exit status 1: PUT https://***@host.example/x",
		`kill -9 $$`:                                            "new of node-qps-20.5.0: signal: killed\nmissing of missing-node-x: signal: killed",
		`exec true`:                                             "", // need not read what it is told
		`head -c 3000000 /dev/zero | tr '\0' x; echo end`:       "",
	} {
		err := script(t, text).deliver(context.Background(), night)
		if got := errors.Join(err); got == nil && want != "" || got != nil && got.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	c := script(t, `exit 1`)
	many := night
	many.Notices = append(append([]nightly.Notice{}, night.Notices...), append(night.Notices, night.Notices...)...)
	if err := c.deliver(context.Background(), many); err == nil || !strings.HasSuffix(err.Error(), "\n3 notices left untried") {
		t.Error(err)
	}
	if err := os.Remove(c.args[0]); err != nil {
		t.Fatal(err)
	}
	if err := c.deliver(context.Background(), night); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}

// What a command has started ends with it, when it takes too long or Ctrl-C comes.
func TestCommandEndsWithAllItStarted(t *testing.T) {
	const endless = "sleep 600 & echo $! >child; echo started; wait"
	gone := func(c *commandChannel) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(c.folder, "child"))
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || zombie(pid) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("process %d is still there", pid)
	}
	one := night
	one.Notices = night.Notices[:1]
	c := script(t, endless)
	c.timeout = 300 * time.Millisecond
	if err := c.deliver(context.Background(), one); err == nil || err.Error() != "new of node-qps-20.5.0: not done in 300ms" {
		t.Error(err)
	}
	gone(c)

	c = script(t, endless)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for {
			if _, err := os.Stat(filepath.Join(c.folder, "child")); err == nil {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	if err := c.deliver(ctx, night); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	gone(c)
}

// zombie tells whether a process has ended and waits for whoever inherited it.
func zombie(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

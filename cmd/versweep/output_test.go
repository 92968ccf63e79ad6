package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A reader that goes away ends a command quietly, by a status and not by a
// signal.
func TestOutputThatNobodyReads(t *testing.T) {
	db := filepath.Join(t.TempDir(), "x.db")
	importInto(t, db, "x", servedCSV)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close()
	defer write.Close()
	var stderr bytes.Buffer
	if status := run([]string{"table", "x", "--db", db}, strings.NewReader(""), write, &stderr); status != exitInterrupted || stderr.Len() > 0 {
		t.Errorf("status %d: %s", status, &stderr)
	}
	if status := run([]string{"table", "x", "--db", db}, strings.NewReader(""), io.Discard, &stderr); status != exitDone {
		t.Errorf("status %d: %s", status, &stderr)
	}
}

// A closed terminal ends the program as Ctrl-C does, but not where it was
// started by nohup.
func TestClosedTerminal(t *testing.T) {
	for _, c := range []struct {
		command []string
		ends    bool
	}{
		{[]string{"versweep"}, true},
		{[]string{"nohup", "versweep"}, false},
	} {
		cmd := exec.Command(c.command[0], append(c.command[1:], "load", "http://127.0.0.1:1/", "--rate", "1", "--duration", "3s")...)
		cmd.Stdin, cmd.Stdout = nil, nil
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1200 * time.Millisecond)
		cmd.Process.Signal(syscall.SIGHUP)
		cmd.Wait()
		if ended := cmd.ProcessState.ExitCode() == exitInterrupted; ended != c.ends {
			t.Errorf("%v: status %d: %s", c.command, cmd.ProcessState.ExitCode(), &stderr)
		}
	}
}

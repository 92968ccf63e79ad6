package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"versweep/charts/report"
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

// A full disk is told in a line, with what to do, whatever was being written.
func TestFullDiskHasAHint(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	file := filepath.Join(t.TempDir(), "x.csv")
	inReport := report.Write(filepath.Join(t.TempDir(), "r"), []report.File{{Path: "index.html", Write: func(io.Writer) error { return full }}})
	for _, err := range []error{
		inReport, writeWhole(file, func(io.Writer) error { return full }),
		&hintedError{full, "name a file in a folder that you may write to"}, fmt.Errorf("x: %w", syscall.EDQUOT),
	} {
		a, _, _ := testApp()
		a.begun = true
		line, hint, status := a.explain(t.Context(), err)
		if hint != "make room on that disk, or name a place on another one" || status != exitFailure || strings.Count(line, "no space left") > 1 {
			t.Errorf("%v: %q, hint %q, status %d", err, line, hint, status)
		}
	}
}

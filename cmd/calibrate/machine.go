package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// machine sweeps one Node release on this machine under ten labels: all alike,
// and with a busy loop in the handler that costs a twentieth from one label on.
// It is not simulated, so its figures differ from run to run. It takes some ten
// minutes and asks for a machine that does nothing else.
func machine(out io.Writer, _ int) {
	fmt.Fprintf(out, "## On this machine\n\n")
	if err := sweepThisMachine(out); err != nil {
		fmt.Fprintf(out, "failed: %v\n", err)
	}
}

const (
	labels     = 10
	plantedAt  = 6    // first label that is slower
	plantedBy  = 0.05 // of the throughput
	probeLoops = 20_000
)

func sweepThisMachine(out io.Writer) error {
	dir, err := os.MkdirTemp("", "calibrate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bench := workbench{dir: dir, program: filepath.Join(dir, "versweep")}
	if err := bench.command("go", "build", "-o", bench.program, "./cmd/versweep"); err != nil {
		return err
	}
	// How long the loop has to be is found out on this machine: by the server's
	// CPU per request with a long one and with none.
	probe, err := bench.sweep("probe", 2, 1, probeLoops, "5")
	if err != nil {
		return err
	}
	none, long := probe.cpu("1.0.0"), probe.cpu("1.1.0")
	loops := int(probeLoops * none * plantedBy / (1 - plantedBy) / (long - none))
	fmt.Fprintf(out, "%s; a loop of %d turns makes a request %.0f %% dearer.\n\n", probe.machine(), loops, 100*plantedBy)
	fmt.Fprintf(out, "| sweep | rounds | noise of a sample | found |\n|---|---|---|---|\n")
	for _, c := range []struct {
		name string
		from int
	}{{"ten labels, all alike", labels}, {fmt.Sprintf("from 1.%d.0 on 5 %% slower", plantedAt), plantedAt}} {
		began := time.Now()
		s, err := bench.sweep(fmt.Sprintf("from%d", c.from), labels, c.from, loops, "5:15")
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | 5:15, %v | %.1f %% | %s |\n", c.name, time.Since(began).Round(time.Second), 100*s.Noise["qps"], s.found())
	}
	return nil
}

// workbench is where labels are made and swept.
type workbench struct{ dir, program string }

// labelled is what a sweep of labels says.
type labelled struct {
	Noise       map[string]float64
	Environment struct {
		CPU   string `json:"cpu"`
		Cores int    `json:"cores"`
	}
	Versions []struct {
		Version string
		Metrics map[string]struct{ Median float64 }
	}
	Findings []struct {
		ID, Metric, To, Verdict string
		Change, Lo, Hi          float64
	}
}

func (l labelled) cpu(version string) float64 {
	for _, v := range l.Versions {
		if v.Version == version {
			return v.Metrics["cpu_us_per_request"].Median
		}
	}
	return 0
}

func (l labelled) machine() string {
	return fmt.Sprintf("%s, %d cores", l.Environment.CPU, l.Environment.Cores)
}

// found tells the findings about throughput and CPU per request, and counts
// others.
func (l labelled) found() string {
	var words []string
	for _, f := range l.Findings {
		words = append(words, fmt.Sprintf("%s of %s at %s, %+.1f %% (%+.1f to %+.1f)", f.Verdict, f.Metric, f.To, 100*f.Change, 100*f.Lo, 100*f.Hi))
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, "; ")
}

// sweep makes a repository whose tags from slower on have a loop in the handler,
// and sweeps it.
func (b workbench) sweep(name string, tags, slower, loops int, rounds string) (labelled, error) {
	var s labelled
	repository, targets := filepath.Join(b.dir, name), filepath.Join(b.dir, "targets", name)
	if err := errors.Join(os.MkdirAll(repository, 0o755), os.MkdirAll(targets, 0o755)); err != nil {
		return s, err
	}
	git := func(args ...string) error {
		return b.command("git", append([]string{"-C", repository, "-c", "user.name=calibrate", "-c", "user.email=calibrate@localhost"}, args...)...)
	}
	if err := git("init", "-q"); err != nil {
		return s, err
	}
	for tag := range tags {
		turns := 0
		if tag >= slower {
			turns = loops
		}
		program := fmt.Sprintf(handler, tag, turns)
		if err := os.WriteFile(filepath.Join(repository, "server.js"), []byte(program), 0o644); err != nil {
			return s, err
		}
		label := fmt.Sprintf("v1.%d.0", tag)
		if err := errors.Join(git("add", "."), git("commit", "-q", "-m", label), git("tag", label)); err != nil {
			return s, err
		}
	}
	if err := os.WriteFile(filepath.Join(targets, "target.yaml"), fmt.Appendf(nil, definition, repository), 0o644); err != nil {
		return s, err
	}
	db := filepath.Join(b.dir, name+".db")
	if err := b.command(b.program, "run", name, "--db", db, "--target-dir", filepath.Join(b.dir, "targets"), "--launcher", "process",
		"--per", "patch", "--rounds", rounds, "--yes", "--quiet"); err != nil {
		return s, err
	}
	table, err := b.output("table", name, "--db", db, "--json", "--quiet")
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(table, &s); err != nil {
		return s, err
	}
	verdicts, err := b.output("check", name, "--db", db, "--json")
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(verdicts, &s)
}

const handler = `// label %d
const http = require('http');
const turns = %d;
let sink = 0;
http.createServer((request, response) => {
  for (let i = 0; i < turns; i++) sink = (sink + i) | 0;
  response.writeHead(200, {'Content-Type': 'text/plain'});
  response.end('Hello World\n');
}).listen(Number(process.env.PORT), '127.0.0.1');
`

const definition = `title: Labels
about: One Node release under several labels.
line: minor
sources:
  - git: {repository: %q, tags: "v{version}"}
runtime: node@22.23.5
start: ["{runtime}/bin/node", "{build}/server.js"]
`

func (b workbench) command(name string, args ...string) error {
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}

// output runs versweep; a regression found is no failure here.
func (b workbench) output(args ...string) ([]byte, error) {
	out, err := exec.Command(b.program, args...).Output()
	e, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case exited && e.ExitCode() == 3, err == nil:
		return out, nil
	case exited:
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(e.Stderr)))
	}
	return nil, fmt.Errorf("versweep %s: %w", args[0], err)
}

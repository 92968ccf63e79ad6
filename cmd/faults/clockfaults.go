//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"versweep/store"
	"versweep/sweep"
)

// clockFaults step the wall clock. The machine's own is left alone: a build of
// versweep in which every reading of the time passes through steppedNow, and is
// otherwise the same, sees another one.
func clockFaults() []scenario {
	return []scenario{{name: "clock-back", long: true, run: clockBack}}
}

// steppedNow sets the wall clock of a reading back by an hour once there is a
// file; the monotonic clock in it stays, as where a person or a time server steps
// the real one. time.Time keeps the seconds since 1885 in the bits from 30 on
// where it holds both.
const steppedNow = `package %s

import (
	"os"
	"time"
	"unsafe"
)

func steppedNow(t time.Time) time.Time {
	if _, err := os.Stat(os.Getenv("FAULTS_CLOCK")); err != nil {
		return t
	}
	wall := (*uint64)(unsafe.Pointer(&t))
	if *wall>>63 == 0 {
		return t.Add(-time.Hour)
	}
	*wall -= 3600 << 30
	return t
}
`

// steppedPackages read the time somewhere.
var steppedPackages = []string{"cmd/versweep", "runtimes", "store", "sweep", "sweep/load"}

// buildStepped builds versweep with the other clock.
func (s *suite) buildStepped(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	root, dir := strings.TrimSpace(string(out)), filepath.Join(s.dir, "stepped")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	overlay := map[string]map[string]string{"Replace": {}}
	write := func(replaced, text string) error {
		file := filepath.Join(dir, strings.NewReplacer("/", "-").Replace(strings.TrimPrefix(replaced, root)))
		overlay["Replace"][replaced] = file
		return os.WriteFile(file, []byte(text), 0o644)
	}
	call, value := regexp.MustCompile(`\btime\.Now\(\)`), regexp.MustCompile(`\btime\.Now\b([^(]|$)`)
	for _, pkg := range steppedPackages {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil {
			return "", err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", err
			}
			if strings.HasSuffix(file, "_test.go") || !bytes.Contains(text, []byte("time.Now")) {
				continue
			}
			text = value.ReplaceAll(text, []byte("func() time.Time { return steppedNow(time.Now()) }$1"))
			text = call.ReplaceAll(text, []byte("steppedNow(time.Now())"))
			text = bytes.ReplaceAll(text, []byte("steppedNow(steppedNow(time.Now()))"), []byte("steppedNow(time.Now())"))
			if err := write(file, string(text)); err != nil {
				return "", err
			}
		}
		name := filepath.Base(pkg)
		if pkg == "cmd/versweep" {
			name = "main"
		}
		if err := write(filepath.Join(root, pkg, "zz_stepped.go"), fmt.Sprintf(steppedNow, name)); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	replacements := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(replacements, text, 0o644); err != nil {
		return "", err
	}
	program := filepath.Join(s.dir, "versweep-stepped")
	return program, build(ctx, program, "versweep/cmd/versweep", "-overlay", replacements)
}

// clockBack steps the clock in mid-sweep and looks at all that rests on time:
// windows, the budget, the order of samples and sweeps, what is printed.
func clockBack(b *bench) row {
	ctx := context.Background()
	var err error
	b.program, err = b.suite.buildStepped(ctx)
	b.need(err)
	step := filepath.Join(b.dir, "step")
	b.env = append(b.env, "FAULTS_CLOCK="+step)
	b.target("well", "none")
	c := b.start(b.sweepArgs("--budget", "3m")...)
	b.reach(c, 2)
	b.need(os.WriteFile(step, nil, 0o644))
	r := row{fault: "the clock is stepped back an hour in mid-sweep", seen: b.seen(c, 0)}
	sw := b.stored()
	b.whole(sw)
	b.noneFailed(sw)
	b.must(sw.Finished.Before(sw.Created), "the clock was not stepped: begun %v, finished %v", sw.Created, sw.Finished)
	for _, s := range sw.Samples {
		if e := s.Load.Elapsed; e < 450*time.Millisecond || e > 2*time.Second {
			b.wrong("a window of 500ms took %v", e)
		}
		if up := s.Values[sweep.Startup]; up <= 0 || up > 60_000 {
			b.wrong("a start-up took %v ms", up)
		}
	}
	// The next sweep is the latest, although its date is an hour before.
	again, status := b.run(b.sweepArgs("--rounds", "1")...)
	b.must(status == 0, "the next sweep: status %d: %s", status, again.stderr.String())
	st, err := store.OpenReadOnly(ctx, b.storeFile())
	b.need(err)
	latest, err := st.LatestSweep(ctx, targetName)
	b.need(errors.Join(err, st.Close()))
	if latest.ID != 2 {
		b.wrong("sweep %d counts as the latest", latest.ID)
	}
	negative := regexp.MustCompile(`-\d+(\.\d+)?(h|m|s|ms|µs)\b|from now`)
	for _, c := range append(b.commands, b.start("check", targetName), b.start("table", targetName)) {
		b.end(c)
		if odd := negative.FindString(c.stdout.String() + c.stderr.String()); odd != "" {
			b.wrong("%s says %q", c.line, odd)
		}
	}
	r.stored = "all samples, windows and start-up times as long as they were; the next sweep is the latest, whatever its date"
	r.left = b.nothingLeft()
	return r
}

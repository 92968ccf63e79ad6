//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"versweep/sweep"
)

// scenario is one fault, brought about on a bench of its own.
type scenario struct {
	name   string // for -run and tests: no blanks
	engine bool   // servers run in containers of the shared engine
	long   bool   // it takes long and mostly waits: begun first
	run    func(*bench) row
}

// row is what came of a fault.
type row struct {
	fault  string
	seen   string // exit status and messages
	stored string
	left   string // what lay about afterwards
}

// carryOut runs a scenario and cleans up after it. The problems are what was not
// as it should be.
func (sc scenario) carryOut(s *suite) (r row, problems []string) {
	b, err := newBench(s, sc.engine)
	if err != nil {
		return row{fault: sc.name}, []string{err.Error()}
	}
	defer func() {
		if why := recover(); why != nil {
			h, ok := why.(hopeless)
			if !ok {
				panic(why)
			}
			b.wrong("%s", h.why)
		}
		if err := b.close(); err != nil {
			b.wrong("cleaning up: %v", err)
		}
		problems = b.problems
	}()
	return sc.run(b), nil
}

// seen puts exit status and messages of a command into words, and makes sure of
// the status and that each pattern is matched. Of a command that fails the error
// is told, of others what the patterns match.
func (b *bench) seen(c *command, status int, patterns ...string) string {
	got := b.end(c)
	if got != status {
		b.wrong("%s: exit status %d, want %d; it said: %s", c.line, got, status, lastLines(c.stderr.String(), 6))
	}
	all := c.stdout.String() + c.stderr.String()
	lines := c.complaint()
	for _, p := range patterns {
		found := regexp.MustCompile(p).FindString(all)
		if found == "" {
			b.wrong("%s: nothing matches %q in what it said: %s", c.line, p, lastLines(all, 12))
		}
		if said := strings.Join(lines, "\n"); !strings.Contains(said, found) {
			lines = append(lines, found)
		}
	}
	words := fmt.Sprintf("status %d", got)
	for _, line := range lines {
		words += "<br>`" + b.plain(line) + "`"
	}
	return words
}

// What differs from one run of the suite to the next.
var passing = []struct {
	pattern *regexp.Regexp
	words   string
}{
	{regexp.MustCompile(`(disk is full): .*`), "$1: …"},
	{regexp.MustCompile(` --(db|target-dir) …\S+`), ""},
	{regexp.MustCompile(`versweep/faulty:[\w.-]+`), "versweep/faulty:VERSION-ID"},
	{regexp.MustCompile(`making faulty \d+\.\d+\.\d+`), "making faulty VERSION"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`\bcontainer [0-9a-f]{12}\b`), "container ID"},
	{regexp.MustCompile(`(removing container ID: Error response from daemon: ).*(; it does not)`), "$1…$2"},
	{regexp.MustCompile(`round \d+ of \d+\.\d+\.\d+( \(twin\))?`), "round N of VERSION"},
	{regexp.MustCompile(`\d+ failed \(`), "N failed ("},
	{regexp.MustCompile(`(timeout|status|closed|reset|refused): \d+`), "$1: N"},
	{regexp.MustCompile(`[\d.e+]+ % of the`), "N % of the"},
}

// plain leaves out of a message what is of this run alone.
func (b *bench) plain(line string) string {
	line = strings.ReplaceAll(line, b.dir, "…")
	for _, p := range passing {
		line = p.pattern.ReplaceAllString(line, p.words)
	}
	return strings.NewReplacer("|", `\|`, "`", "'").Replace(line)
}

// nothingLeft makes sure that a fault has left nothing, and says so.
func (b *bench) nothingLeft() string {
	found := b.left()
	// What the engine does for a build that was cancelled is done a moment later.
	eventually(10*time.Second, func() bool { found = b.left(); return len(found) == 0 || !b.buildCut })
	if len(found) > 0 {
		b.wrong("left behind: %s", strings.Join(found, "; "))
		return strings.Join(found, ", ")
	}
	if b.buildCut && b.engine != nil {
		return "at most layers that the engine's builder keeps for the next build"
	}
	return "nothing"
}

// whole makes sure that a finished sweep has every sample once.
func (b *bench) whole(sw sweep.Sweep) {
	if sw.Finished.IsZero() {
		b.wrong("the sweep is not finished")
	}
	last := sweep.LastAttempts(sw.Samples)
	if want := sw.Plan.Rounds * (len(versionNames) + 1); len(last) != want {
		b.wrong("%d samples, want %d", len(last), want)
	}
	b.once(sw)
}

// once makes sure that no place of a round was measured twice, but for attempts
// that the machine spoilt, which are numbered without a gap.
func (b *bench) once(sw sweep.Sweep) {
	attempts := map[string]int{}
	for _, s := range sw.Samples {
		place := fmt.Sprint(s.Round, s.Version, s.Twin)
		if s.Attempt != attempts[place] {
			b.wrong("round %d of %s was measured twice", s.Round, s.Version)
		}
		attempts[place]++
	}
}

// failures counts the samples of a version by status, and gives the reason of
// the last that is not ok.
func failures(sw sweep.Sweep, version string) (failed, degraded int, reason string) {
	for _, s := range sweep.LastAttempts(sw.Samples) {
		if s.Version != version {
			continue
		}
		switch s.Status {
		case sweep.Failed:
			failed++
		case sweep.Degraded:
			degraded++
		}
		if s.Reason != "" {
			reason = s.Reason
		}
	}
	return failed, degraded, reason
}

// othersFine makes sure that the versions that behaved were measured.
func (b *bench) othersFine(sw sweep.Sweep) {
	for _, v := range versionNames {
		failed, degraded, reason := failures(sw, v)
		if b.slow {
			degraded = 0
		}
		if v != badVersion && failed+degraded > 0 {
			b.wrong("%s, which behaved, has %d failed and %d degraded samples: %s", v, failed, degraded, reason)
		}
	}
}

// noneFailed makes sure that no version was blamed for the fault.
func (b *bench) noneFailed(sw sweep.Sweep) {
	b.othersFine(sw)
	if failed, degraded, reason := failures(sw, badVersion); failed+degraded > 0 {
		b.wrong("%s has %d failed and %d degraded samples: %s", badVersion, failed, degraded, reason)
	}
}

// afterResume goes on with the sweep and says what is there then.
func (b *bench) afterResume() string {
	b.resume()
	sw := b.stored()
	b.whole(sw)
	b.noneFailed(sw)
	return fmt.Sprintf("`versweep resume` takes the rest: %d samples, none twice", len(sweep.LastAttempts(sw.Samples)))
}

const ballast = 256 << 10 // bytes

func randomBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return b
}

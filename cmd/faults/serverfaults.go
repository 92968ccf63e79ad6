//go:build linux

package main

import (
	"fmt"
	"strings"
	"time"

	"versweep/sweep"
)

// serverFaults are faults of one version's server: outcomes of that version,
// whatever else is measured.
func serverFaults() []scenario {
	var all []scenario
	for _, withEngine := range []bool{true, false} {
		place := map[bool]string{true: "container", false: "process"}[withEngine]
		add := func(name string, run func(b *bench, place string) row) {
			all = append(all, scenario{name: name + "-" + place, engine: withEngine, run: func(b *bench) row { return run(b, place) }})
		}
		add("killed", killed)
		add("never-ready", neverReady)
		add("silent", silent)
		add("wrong-answers", wrongAnswers)
	}
	return append(all, scenario{name: "out-of-memory", engine: true, run: outOfMemory})
}

// blamed says what is stored of the version that misbehaved, and makes sure that
// the reason holds some words.
func (b *bench) blamed(sw sweep.Sweep, words string) string {
	b.finished(sw)
	failed, degraded, reason := failures(sw, badVersion)
	if !strings.Contains(reason, words) {
		b.wrong("the reason is %q, which has not %q in it", reason, words)
	}
	switch {
	case failed > 0:
		return fmt.Sprintf("%s failed %d times: `%s`; all others measured", badVersion, failed, b.plain(reason))
	case degraded > 0:
		return fmt.Sprintf("%s degraded: `%s`; all others measured", badVersion, b.plain(reason))
	}
	b.wrong("%s is not blamed", badVersion)
	return "nothing of it"
}

// finished makes sure that a sweep is, in which a version may have been given up.
func (b *bench) finished(sw sweep.Sweep) {
	if sw.Finished.IsZero() {
		b.wrong("the sweep is not finished")
	}
	b.once(sw)
	b.othersFine(sw)
}

func outOfMemory(b *bench) row {
	b.target("greedy", badVersion)
	c, _ := b.run(b.sweepArgs("--versions", ">=1.1", "--duration", "10s", "--rounds", "1")...)
	r := row{fault: "a container runs out of memory while it is measured", seen: b.seen(c, 0) + ": the table gives the reason"}
	sw := b.stored()
	r.stored, r.left = b.blamed(sw, `out of memory`), b.nothingLeft()
	return r
}

func neverReady(b *bench, place string) row {
	b.target("mute", badVersion, "answer: {timeout: 2s}")
	began := time.Now()
	c, _ := b.run(b.sweepArgs()...)
	r := row{fault: "a " + place + " never answers", seen: b.seen(c, 0) + ": the table gives the reason"}
	if took := time.Since(began); took > patience {
		b.wrong("took %v", took)
	}
	r.stored, r.left = b.blamed(b.stored(), `no right answer within 2s`), b.nothingLeft()
	return r
}

func silent(b *bench, place string) row {
	b.slow = true // half a second is little on a busy machine
	b.target("silent", badVersion)
	c, _ := b.run(b.sweepArgs("--timeout", "500ms", "--warmup", "0s", "--duration", "2s", "--rounds", "2")...)
	r := row{fault: "a " + place + " answers at first, then no more", seen: b.seen(c, 0) + ": the table gives the reason"}
	r.stored, r.left = b.blamed(b.stored(), `timeout`), b.nothingLeft()
	return r
}

func wrongAnswers(b *bench, place string) row {
	b.target("wrong", badVersion)
	c, _ := b.run(b.sweepArgs("--warmup", "0s", "--duration", "1s")...)
	r := row{fault: "a " + place + " answers rightly at first, then with status 503", seen: b.seen(c, 0) + ": the table gives the reason"}
	r.stored, r.left = b.blamed(b.stored(), `wrong status`), b.nothingLeft()
	return r
}

// killed has somebody else kill the server while it is measured, once.
func killed(b *bench, place string) row {
	b.target("well", "none")
	c := b.start(b.sweepArgs("--duration", "3s", "--rounds", "1")...)
	b.must(eventually(patience, func() bool { return b.killServer(badVersion) || !c.running() }) && c.running(), "no server to kill: %s", lastLines(c.stderr.String(), 3))
	r := row{fault: "somebody kills a " + place + " while it is measured", seen: b.seen(c, 0) + ": the table gives the reason"}
	r.stored, r.left = b.blamed(b.stored(), `ended while it was measured`), b.nothingLeft()
	return r
}

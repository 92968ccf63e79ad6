//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// signalFaults end a sweep from outside, at each moment of its life.
func signalFaults() []scenario {
	var all []scenario
	for _, withEngine := range []bool{true, false} {
		place := map[bool]string{true: "containers", false: "processes"}[withEngine]
		add := func(name string, run func(*bench) row) {
			all = append(all, scenario{name: name + "-" + place, engine: withEngine, run: func(b *bench) row {
				r := run(b)
				r.fault += " (" + place + ")"
				return r
			}})
		}
		for _, m := range moments {
			if m.only == "" || m.only == place {
				add("ctrl-c-"+strings.Fields(m.name)[0], func(b *bench) row { return interrupted(b, m) })
			}
		}
		for _, s := range []ending{
			{"ctrl-c-twice", "Ctrl-C twice while a version is measured", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
			{"sigkill", "SIGKILL while a version is measured", []syscall.Signal{syscall.SIGKILL}},
		} {
			add(s.name, func(b *bench) row { return cutOff(b, s) })
		}
		for _, s := range []ending{
			{"sigterm", "SIGTERM, as from a service manager, while a version is measured", []syscall.Signal{syscall.SIGTERM}},
			{"sighup", "SIGHUP, as from a closed terminal, while a version is measured", []syscall.Signal{syscall.SIGHUP}},
		} {
			add(s.name, func(b *bench) row { return endedBySignal(b, s) })
		}
		add("output-closed", outputClosed)
	}
	return append(all,
		scenario{name: "ctrl-c-tidying-containers", run: interruptedTidying},
		scenario{name: "ctrl-c-twice-building-processes", run: cutOffBuilding},
		scenario{name: "output-closed-table", run: tableClosed})
}

// ending is one or more signals.
type ending struct {
	name, fault string
	signals     []syscall.Signal
}

// moment is a time in a sweep's life at which it is interrupted.
type moment struct {
	name  string // "measuring a version"; its first word is in the scenario's name
	only  string // place; empty for both
	begun bool   // the sweep is stored then, and can be gone on with
	// reach starts a sweep and returns when it is there.
	reach func(*bench) *command
}

var moments = []moment{
	{name: "listing versions", only: "processes", reach: listing},
	{name: "fetching a version", only: "processes", reach: fetching},
	{name: "building a version", reach: building},
	{name: "starting a server", begun: true, reach: func(b *bench) *command {
		b.target("mute", badVersion, "answer: {timeout: 10m}")
		c := b.start(b.sweepArgs()...)
		b.awaitServer(c, badVersion, false)
		return c
	}},
	{name: "warming a server up", begun: true, reach: func(b *bench) *command {
		return b.measuring("--warmup", "60s")
	}},
	{name: "measuring a version", begun: true, reach: func(b *bench) *command {
		return b.measuring("--duration", "60s")
	}},
	{name: "saving a sample", begun: true, reach: saving},
}

// awaitServer waits until the server of a version runs.
func (b *bench) awaitServer(c *command, version string, atWork bool) {
	there := eventually(patience, func() bool {
		container, pid := b.serverOf(version, atWork)
		return container != "" || pid != 0 || !c.running()
	})
	b.must(there && c.running(), "%s: no server at work: %s", c.line, lastLines(c.stderr.String(), 4))
}

// measuring starts a sweep that takes long and returns in the middle of a
// sample.
func (b *bench) measuring(flags ...string) *command {
	b.target("well", "none")
	c := b.start(b.sweepArgs(append([]string{"--rounds", "1"}, flags...)...)...)
	b.must(c.says(`round 1 of`, patience), "no round begins: %s", lastLines(c.stderr.String(), 4))
	b.awaitServer(c, "any", true)
	return c
}

func building(b *bench) *command {
	if b.engine != nil {
		b.own()
		b.slowBuild(`RUN ["/server", "sleep", "1h", "` + b.mark + `"]`)
	} else {
		b.target("well", "none", fmt.Sprintf("build: [%q, sleep, 1h, %q]", b.suite.server, b.mark))
	}
	c := b.start(b.sweepArgs()...)
	begun := func() bool { return len(processesWith("sleep\x001h\x00"+b.mark)) > 0 }
	b.buildCut = true
	b.must(eventually(patience, begun) && c.running(), "no build: %s", lastLines(c.stderr.String(), 4))
	return c
}

// saving keeps a sample from being saved, and lets go a moment after the signal.
func saving(b *bench) *command {
	b.target("well", "none")
	c := b.start(b.sweepArgs()...)
	b.reach(c, 2)
	unlock := b.lock()
	time.Sleep(5 * time.Second) // the sample under way ends meanwhile
	time.AfterFunc(time.Second, unlock)
	return c
}

// interrupted sends one Ctrl-C.
func interrupted(b *bench, m moment) row {
	c := m.reach(b)
	return b.endedWell(c, row{fault: "Ctrl-C while " + m.name}, m.begun, syscall.SIGINT)
}

func endedBySignal(b *bench, e ending) row {
	return b.endedWell(b.measuring("--duration", "60s"), row{fault: e.fault}, true, e.signals...)
}

// endedWell sends signals and looks for a clean end.
func (b *bench) endedWell(c *command, r row, begun bool, signals ...syscall.Signal) row {
	had := b.samples()
	for _, s := range signals {
		b.need(c.cmd.Process.Signal(s))
	}
	status, ok := c.ends(time.Minute)
	b.must(ok, "%s goes on a minute after the signal (status %d)", c.line, status)
	patterns := []string{`interrupted`}
	if begun {
		patterns = append(patterns, `versweep resume 1( --\S+ \S+)* goes on from there`)
	}
	r.seen = b.seen(c, 130, patterns...)
	r.left = b.nothingLeft()
	if !begun {
		b.must(b.nothingStored(), "a sweep is stored that had not begun")
		r.stored = "nothing: the sweep had not begun"
		return r
	}
	sw := b.stored()
	b.once(sw)
	b.noneFailed(sw)
	if now := b.samples(); now < had {
		b.wrong("%d samples, %d before", now, had)
	}
	r.stored = "what was measured; the sweep can be gone on with"
	return r
}

// interruptedTidying sends a Ctrl-C when all samples are there and images are
// being removed.
func interruptedTidying(b *bench) row {
	e := b.own()
	b.target("well", "none")
	c := b.start(b.sweepArgs("--rounds", "1", "--keep-images=false")...)
	b.must(c.says(`samples in \d`, patience), "no samples: %s", lastLines(c.stderr.String(), 3))
	if err := c.cmd.Process.Signal(syscall.SIGINT); !errors.Is(err, os.ErrProcessDone) {
		b.need(err)
	}
	r := row{fault: "Ctrl-C while images are removed (containers)", seen: "status 130, or 0 when it was done by then"}
	if status := b.end(c); status != 130 && status != 0 {
		b.wrong("status %d: %s", status, lastLines(c.stderr.String(), 3))
	}
	b.whole(b.stored())
	images, err := e.docker("images", "-q", "--filter", "label=versweep.target="+targetName)
	b.need(err)
	if images != "" {
		b.wrong("images left: %s", images)
	}
	r.stored, r.left = "all samples", b.nothingLeft()
	return r
}

// cutOff ends the sweep without giving it time to clean up: the next one does.
func cutOff(b *bench, e ending) row {
	c := b.measuring("--duration", "60s")
	for _, s := range e.signals {
		if err := c.cmd.Process.Signal(s); !errors.Is(err, os.ErrProcessDone) { // it may be quicker
			b.need(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
	status, ok := c.ends(20 * time.Second)
	b.must(ok, "%s goes on 20s after %v", c.line, e.signals)
	last := e.signals[len(e.signals)-1]
	if status != 128+int(last) && status != 130 {
		b.wrong("status %d", status)
	}
	b.once(b.stored())
	r := row{fault: e.fault, seen: fmt.Sprintf("the end at once, status %d", 128+int(last))}
	r.left = b.nextRemoves()
	r.stored = "what was saved before; the sample under way is lost"
	return r
}

// nextRemoves has another start clean up, and says what there was to do.
func (b *bench) nextRemoves() string {
	kinds := map[string]bool{}
	for _, l := range b.left() {
		kinds[strings.Fields(l)[0]] = true
	}
	if kinds["process"] && b.engine == nil {
		// Nothing but a container outlives versweep. The load engine and the like notice a moment later.
		if !eventually(5*time.Second, func() bool { return len(processesWith(b.mark)) == 0 }) {
			b.wrong("processes live on: %v", b.left())
		}
	}
	b.target("well", "none")
	c, status := b.run(b.sweepArgs("--rounds", "1")...)
	if status != 0 {
		b.wrong("the next start: status %d: %s", status, lastLines(c.stderr.String(), 4))
	}
	b.nothingLeft()
	return "what was under way, until the next start of versweep, which removes it"
}

// cutOffBuilding is a second Ctrl-C while a build command runs.
func cutOffBuilding(b *bench) row {
	c := building(b)
	r := row{fault: "Ctrl-C twice while building a version (processes)"}
	for range 2 {
		if err := c.cmd.Process.Signal(syscall.SIGINT); !errors.Is(err, os.ErrProcessDone) {
			b.need(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
	status, ok := c.ends(20 * time.Second)
	b.must(ok && status == 130, "%s: after 20s its status is %d", c.line, status)
	b.must(b.nothingStored(), "a sweep is stored that had not begun")
	r.seen, r.stored = "the end at once, status 130", "nothing: the sweep had not begun"
	r.left = b.nextRemoves()
	return r
}

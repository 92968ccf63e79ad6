//go:build linux

package main

import (
	"syscall"
	"time"
)

// engineFaults are faults of the container engine. Each breaks an engine of its
// own.
func engineFaults() []scenario {
	restarted := func(name, how string, signal syscall.Signal) scenario {
		return scenario{name: name, run: func(b *bench) row { return engineRestarted(b, how, signal) }}
	}
	return []scenario{
		restarted("engine-restarted", "the engine is restarted in mid-sweep", syscall.SIGTERM),
		restarted("engine-killed", "the engine is killed in mid-sweep and started again", syscall.SIGKILL),
		{name: "engine-restarted-building", long: true, run: engineRestartedBuilding},
		{name: "engine-gone", long: true, run: engineGone},
	}
}

const waiting = `waiting up to 1m0s for it to come back`

// engineRestarted stops the engine while a sample is measured, and starts it
// again.
func engineRestarted(b *bench, how string, signal syscall.Signal) row {
	e := b.own()
	b.target("well", "none")
	c := b.start(b.sweepArgs("--duration", "1s")...)
	b.reach(c, 2)
	b.need(e.stop(signal))
	b.must(c.says(waiting, time.Minute), "it does not wait for the engine: %s", lastLines(c.stderr.String(), 3))
	b.need(e.start())
	r := row{fault: how, seen: b.seen(c, 0, `the container engine went away; waiting.*`, `the container engine is back; .*`)}
	sw := b.stored()
	b.whole(sw)
	b.noneFailed(sw)
	r.stored, r.left = "all samples, none twice; no version is blamed; the sample under way is taken again", b.nothingLeft()
	return r
}

// engineRestartedBuilding stops the engine while it builds images.
func engineRestartedBuilding(b *bench) row {
	e := b.own()
	b.slowBuild(`RUN ["/server", "sleep", "3s", "` + b.mark + `"]`)
	c := b.start(b.sweepArgs("--rounds", "1")...)
	b.must(eventually(patience, func() bool {
		ids, err := e.containers("status=running")
		return err == nil && len(ids) > 0
	}), "no image is being built: %s", lastLines(c.stderr.String(), 3))
	b.need(e.stop(syscall.SIGKILL))
	b.must(c.says(waiting, time.Minute), "it does not wait for the engine: %s", lastLines(c.stderr.String(), 3))
	b.need(e.start())
	r := row{fault: "the engine is killed while it builds images, and started again", seen: b.seen(c, 0, `the container engine went away; waiting.*`, `the container engine is back; .*`)}
	sw := b.stored()
	b.whole(sw)
	b.noneFailed(sw)
	// Containers of a build have no labels, and the engine, killed, has forgotten
	// them; it has no command but this to take them away.
	b.buildCut = true
	if left := b.left(); len(left) > 0 {
		_, err := e.docker("container", "prune", "--force")
		b.need(err)
		b.nothingLeft()
	}
	r.stored, r.left = "all samples; every version was built", "at most stopped containers of the engine's builder, until `docker container prune`"
	return r
}

// engineGone stops the engine for good, as far as the sweep can see.
func engineGone(b *bench) row {
	e := b.own()
	b.target("well", "none")
	c := b.start(b.sweepArgs()...)
	b.reach(c, 2)
	b.need(e.stop(syscall.SIGKILL))
	began := time.Now()
	r := row{fault: "the engine ends and stays away", seen: b.seen(c, 1, `went away and did not come back within 1m0s`, `versweep resume`)}
	if took := time.Since(began); took > 2*time.Minute {
		b.wrong("it took %v to give up", took)
	}
	sw := b.stored()
	b.once(sw)
	b.noneFailed(sw)
	b.need(e.start())
	r.stored = "what was measured; no version is blamed. With the engine back, " + b.afterResume()
	r.left = b.nothingLeft()
	return r
}

// slowBuild is a target whose images are built by a Dockerfile with one more
// line.
func (b *bench) slowBuild(line string) {
	b.target("well", "none", "dockerfile: Dockerfile")
	b.write("Dockerfile", "FROM "+baseImage+"\nARG VERSION\n"+line+"\n")
}

//go:build linux

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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
		{name: "engine-keeps-container", run: engineKeepsContainer},
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
	r.stored = "all samples, none twice; no version is blamed; the sample under way is taken again"
	// An engine that is ended while it mounts a container's files, and mounts its
	// data folder onto itself when it starts, cannot reach that mount any more.
	if hidden := e.containerMounts(); len(hidden) > 0 {
		ids, err := e.containers()
		b.need(err)
		b.must(len(ids) <= len(hidden), "left behind: %d containers, of which the engine cannot remove %d", len(ids), len(hidden))
		b.need(e.stop(syscall.SIGTERM))
		for _, at := range hidden {
			b.need(unmount(at))
		}
		b.need(e.start())
		b.run("doctor")
	}
	b.nothingLeft()
	r.left = "nothing, or a container that the engine made while it ended and cannot remove; the next start tries again"
	return r
}

// containerMounts are where files of containers are mounted.
func (e *engine) containerMounts() []string {
	var found []string
	for _, at := range mountsBelow(filepath.Join(e.dir, "data")) {
		if strings.HasSuffix(at, "/merged") && !strings.HasSuffix(at, "-init/merged") {
			found = append(found, at)
		}
	}
	return found
}

// engineKeepsContainer keeps the engine from removing a container, in the way
// that an engine does that is ended at the wrong moment: by a mount in its files
// that the engine does not see.
func engineKeepsContainer(b *bench) row {
	e := b.own()
	b.target("well", "none")
	// The data folder is mounted onto itself; this leads below that mount.
	below := filepath.Join(b.dir, "below")
	b.need(os.Mkdir(below, 0o755))
	b.need(unix.Mount(e.dir, below, "", unix.MS_BIND, ""))
	b.mounts = append(b.mounts, below)
	c := b.start(b.sweepArgs("--duration", "2s")...)
	b.reach(c, 2)
	ids := e.running()
	b.must(len(ids) > 0, "no container runs: %s", lastLines(c.stderr.String(), 3))
	merged, err := e.docker("inspect", "--format", "{{.GraphDriver.Data.MergedDir}}", ids[0])
	b.need(err)
	inside, err := filepath.Rel(e.dir, filepath.Join(filepath.Dir(merged), "diff"))
	b.need(err)
	mount := filepath.Join(below, inside)
	b.need(smallDisk(mount, 1<<20))
	b.mounts = append(b.mounts, mount)
	r := row{fault: "the engine cannot remove a container that has ended", seen: b.seen(c, 0, `warning: removing container .*; it does not run any more, and the next start of versweep tries again`)}
	sw := b.stored()
	b.whole(sw)
	b.noneFailed(sw)
	left, err := e.containers()
	b.need(err)
	b.must(len(left) == 1 && left[0] == ids[0], "containers left: %q, want %q", left, ids[:1])
	b.need(errors.Join(unmount(mount), unmount(below)))
	b.run("doctor")
	b.nothingLeft()
	r.stored, r.left = "all samples; no version is blamed", "that container, until a start of versweep finds that the engine can remove it"
	return r
}

// engineRestartedBuilding stops the engine while it builds images.
func engineRestartedBuilding(b *bench) row {
	e := b.own()
	b.slowBuild(`RUN ["/server", "sleep", "3s", "` + b.mark + `"]`)
	c := b.start(b.sweepArgs("--rounds", "1")...)
	b.must(len(e.running()) > 0, "no image is being built: %s", lastLines(c.stderr.String(), 3))
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

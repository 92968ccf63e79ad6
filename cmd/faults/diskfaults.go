//go:build linux

package main

import (
	"os"
	"path/filepath"
)

// diskFaults are disks that fill up.
func diskFaults() []scenario {
	return []scenario{
		{name: "disk-full-building-process", run: diskFullBuilding},
		{name: "disk-full-building-container", run: engineDiskFull},
		{name: "disk-full-saving", run: diskFullSaving},
	}
}

// plenty is more than any scenario needs, in bytes.
const plenty = 1 << 30

// mount makes a small disk that goes with the bench.
func (b *bench) mount(at string, bytes int64) {
	b.need(smallDisk(at, bytes))
	b.mounts = append(b.mounts, at)
}

// diskFullBuilding has room in the cache for two of three versions.
func diskFullBuilding(b *bench) row {
	b.mount(b.cache(), 2*ballast+ballast/2)
	b.target("well", "none")
	c, _ := b.run(b.sweepArgs()...)
	r := row{fault: "the disk of the cache is full while versions are fetched", seen: b.seen(c, 1, `the disk is full`, `--cache`)}
	b.must(b.nothingStored(), "a sweep is stored")
	r.left = b.nothingLeft()
	b.need(resizeDisk(b.cache(), plenty, false))
	again, status := b.run(b.sweepArgs("--rounds", "1")...)
	b.must(status == 0, "with room it ended with status %d: %s", status, lastLines(again.stderr.String(), 3))
	b.whole(b.stored())
	r.stored = "nothing: the sweep had not begun. With room, the same command measures all"
	return r
}

// engineDiskFull has no room in the engine for the images of all versions.
func engineDiskFull(b *bench) row {
	data := filepath.Join(b.dir, "engine", "data")
	b.mount(data, 200<<20)
	b.own()
	b.target("well", "none", "program: [ballast]")
	b.write("ballast", string(randomBytes(40<<20)))
	b.buildCut = true
	c, _ := b.run(b.sweepArgs()...)
	r := row{fault: "the engine's disk is full while images are built", seen: b.seen(c, 1, `making faulty \S+: .*the engine's disk is full`)}
	b.must(b.nothingStored(), "a sweep is stored")
	r.left = b.nothingLeft()
	b.need(resizeDisk(data, plenty, false))
	again, status := b.run(b.sweepArgs("--rounds", "1")...)
	b.must(status == 0, "with room it ended with status %d: %s", status, lastLines(again.stderr.String(), 3))
	b.whole(b.stored())
	r.stored = "nothing: the sweep had not begun. With room, the same command measures all"
	return r
}

// diskFullSaving fills the store's disk in mid-sweep.
func diskFullSaving(b *bench) row {
	b.disk = filepath.Join(b.dir, "small")
	b.mount(b.disk, 4<<20)
	b.target("well", "none")
	c := b.start(b.sweepArgs()...)
	b.reach(c, 2)
	filling := filepath.Join(b.disk, "filling")
	b.need(fill(filling))
	r := row{fault: "the store's disk is full while a sample is saved", seen: b.seen(c, 1, `disk full`, `versweep resume`)}
	had := b.samples()
	b.must(had >= 2, "%d samples are left of 2", had)
	b.once(b.stored())
	b.need(os.Remove(filling))
	r.stored = "what was saved before; the sample that found no room is lost. With room, " + b.afterResume()
	r.left = b.nothingLeft()
	return r
}

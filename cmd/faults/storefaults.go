//go:build linux

package main

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"time"
)

// storeFaults are faults of the store's file, besides a full disk.
func storeFaults() []scenario {
	return []scenario{
		{name: "store-locked-shortly", run: storeLockedShortly},
		{name: "store-locked", run: storeLocked},
		{name: "store-read-only", run: storeReadOnly},
		{name: "store-cut-short", run: storeCutShort},
		{name: "store-removed", run: storeRemoved},
	}
}

// lock keeps the store to the suite, as another process would that writes. The
// driver is the one that package store brings along.
func (b *bench) lock() (unlock func()) {
	db, err := sql.Open("sqlite", "file:"+b.storeFile()+"?mode=rw&_txlock=immediate&_busy_timeout=5000")
	b.need(err)
	tx, err := db.BeginTx(context.Background(), nil)
	b.need(err)
	return func() {
		tx.Rollback()
		db.Close()
	}
}

func storeLockedShortly(b *bench) row {
	b.target("well", "none")
	c := b.start(b.sweepArgs()...)
	b.reach(c, 2)
	unlock := b.lock()
	time.Sleep(4 * time.Second)
	unlock()
	r := row{fault: "another process locks the store for 4 seconds", seen: b.seen(c, 0)}
	sw := b.stored()
	b.whole(sw)
	b.noneFailed(sw)
	r.stored, r.left = "all samples, none twice", b.nothingLeft()
	return r
}

func storeLocked(b *bench) row {
	b.target("well", "none")
	c := b.start(b.sweepArgs()...)
	b.reach(c, 2)
	unlock := b.lock()
	status, ok := c.ends(patience)
	unlock()
	b.must(ok, "it does not end (status %d)", status)
	r := row{fault: "another process locks the store for more than 10 seconds", seen: b.seen(c, 1, `locked by another process`)}
	r.stored = "what was saved before; the sample that waited is lost. Afterwards " + b.afterResume()
	r.left = b.nothingLeft()
	return r
}

// storeReadOnly begins with a disk that takes no changes.
func storeReadOnly(b *bench) row {
	b.disk = filepath.Join(b.dir, "small")
	b.mount(b.disk, 16<<20)
	b.target("well", "none")
	b.run(b.sweepArgs("--rounds", "1")...)
	b.whole(b.stored())
	b.need(resizeDisk(b.disk, 16<<20, true))
	c, _ := b.run(b.sweepArgs("--rounds", "1")...)
	r := row{fault: "the store is read-only", seen: b.seen(c, 1, `read-only|cannot be opened`)}
	if table, status := b.run("table", targetName); status != 0 {
		b.wrong("table: status %d: %s", status, table.stderr.String())
	}
	b.whole(b.stored())
	r.stored, r.left = "what was there, unchanged; `versweep table` reads it", b.nothingLeft()
	return r
}

// storeCutShort cuts the store in half and has all kinds of commands look at it.
func storeCutShort(b *bench) row {
	b.target("well", "none")
	b.run(b.sweepArgs("--rounds", "1")...)
	b.whole(b.stored())
	info, err := os.Stat(b.storeFile())
	b.need(err)
	b.need(os.Truncate(b.storeFile(), info.Size()/2))
	before, err := os.ReadFile(b.storeFile())
	b.need(err)
	r := row{fault: "the store is cut short"}
	for _, args := range [][]string{
		{"table", targetName}, {"check", targetName}, {"chart", targetName, "-o", filepath.Join(b.dir, "x.png")}, {"resume", "--cache", b.cache()},
		{"export", "csv", targetName}, {"report", targetName, "-o", filepath.Join(b.dir, "pages")}, b.sweepArgs("--rounds", "1"),
	} {
		c, _ := b.run(args...)
		r.seen = b.seen(c, 1, `damaged`)
		after, err := os.ReadFile(b.storeFile())
		b.need(err)
		if !bytes.Equal(before, after) {
			b.wrong("%s changed the damaged file", c.line)
		}
	}
	r.seen += "<br>by every command that reads or writes"
	r.stored, r.left = "the file is not touched", b.nothingLeft()
	return r
}

func storeRemoved(b *bench) row {
	b.target("well", "none")
	c := b.start(b.sweepArgs()...)
	b.reach(c, 2)
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(b.storeFile() + end); err != nil && !os.IsNotExist(err) {
			b.need(err)
		}
	}
	r := row{fault: "the store is removed in mid-sweep", seen: b.seen(c, 1, `removed or replaced`)}
	r.stored, r.left = "nothing: the sweep ends with the next sample instead of losing all", b.nothingLeft()
	return r
}

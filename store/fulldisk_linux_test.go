package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A full disk, wherever it is met, loses nothing of the store: it has its schema or
// one on the way, and with room the next opening goes through.
func TestMigrationMeetsAFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("left out: a small disk takes root's right to mount one")
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("left out: a small disk cannot be mounted: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	resize := func(bytes int64) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", bytes)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(disk, "versweep.db")
	sw := older(t, path, 1, 300)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	full, was := 0, int64(1)
	for room := int64(0); ; room += 64 << 10 {
		resize(info.Size() + room)
		s, err := Open(t.Context(), path)
		if err == nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			break
		}
		full++
		if !errors.Is(err, ErrFull) && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes of room: %v", room, err)
		}
		// Each migration is whole or not there at all.
		is := checkSame(t, path, sw)
		if is < was || is == thisSchema(t) {
			t.Fatalf("%d bytes of room: schema %d, after %d", room, is, was)
		}
		was = is
		for _, name := range entries(t, disk) {
			switch name {
			case "versweep.db", "versweep.db-wal", "versweep.db-shm": // the next to close tidies up
			case "versweep.db.before-v" + fmt.Sprint(thisSchema(t)): // whole, as the migration failed
				checkSame(t, filepath.Join(disk, name), sw)
				if err := os.Remove(filepath.Join(disk, name)); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("%d bytes of room: left %s", room, name)
			}
		}
		if room > 8<<20 {
			t.Fatal("it never goes through")
		}
	}
	if full < 3 {
		t.Errorf("only %d of the disks were full", full)
	}
	// With barely enough room for the migration, closing may have had none to tidy
	// up: the next one does.
	resize(info.Size() + 16<<20)
	if err := reopen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, disk); checkSame(t, path, sw) != thisSchema(t) || len(names) != 2 {
		t.Errorf("in the end the disk holds %q", names)
	}
}

package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a folder with a disk of its own, whose bounds limit sets, as tmpfs has
// them.
func smallDisk(t *testing.T) (disk string, limit func(options string)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("left out: a small disk takes root's right to mount one")
	}
	disk = t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("left out: a small disk cannot be mounted: ", err)
	}
	t.Cleanup(func() { syscall.Unmount(disk, syscall.MNT_DETACH) })
	return disk, func(options string) {
		t.Helper()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, options); err != nil {
			t.Fatal(err)
		}
	}
}

// What has no room for one more file or byte is told as that, whatever SQLite takes it
// for.
func TestOpeningMeetsAFullDisk(t *testing.T) {
	disk, limit := smallDisk(t)
	var at syscall.Statfs_t
	here := func(n string) string { return filepath.Join(disk, n) }
	s := reopen(t, here("x.db"))
	begin(t, s, "1.0.0")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	older(t, here("old.db"), 1, 3)
	for kind, fill := range map[string]func(spare uint64) string{
		"bytes": func(spare uint64) string { return fmt.Sprint("size=", (at.Blocks-at.Bfree+spare)*uint64(at.Bsize)) },
		"files": func(spare uint64) string { return fmt.Sprint("nr_inodes=", at.Files-at.Ffree+spare) },
	} {
		for spare := range uint64(2) {
			if err := syscall.Statfs(disk, &at); err != nil {
				t.Fatal(err)
			}
			limit(fill(spare))
			for what, open := range map[string]func() error{
				"opening":   func() error { _, err := Open(t.Context(), here("x.db")); return err },
				"migrating": func() error { _, err := Open(t.Context(), here("old.db")); return err },
				"a night":   func() error { _, err := LockNights(here("x.db"), noon); return err },
			} {
				if what == "a night" && (kind == "bytes" || spare > 0) {
					continue // it has room for its file, of some bytes
				}
				if err := open(); !errors.Is(err, ErrFull) || errors.Is(err, ErrUnreachable) || !strings.HasSuffix(err.Error(), ": disk full") {
					t.Errorf("%s, %d %s to spare: %v", what, spare, kind, err)
				}
			}
			limit("size=8m")
			limit("nr_inodes=1000")
			for _, name := range []string{"x.db", "old.db"} { // SQLite's files beside it go
				if r, err := OpenReadOnly(t.Context(), here(name)); err != nil {
					t.Error(err)
				} else if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A full disk, wherever it is met, loses nothing of the store: it has its schema or
// one on the way, and with room the next opening goes through.
func TestMigrationMeetsAFullDisk(t *testing.T) {
	disk, limit := smallDisk(t)
	resize := func(bytes int64) {
		t.Helper()
		limit(fmt.Sprintf("size=%d", bytes))
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
		if !errors.Is(err, ErrFull) || !strings.HasSuffix(err.Error(), ": disk full") {
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
	// Where there was room for no more than the change, closing could not tidy up.
	resize(2*info.Size() + 16<<20)
	if err := reopen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, disk); checkSame(t, path, sw) != thisSchema(t) || len(names) != 2 {
		t.Errorf("in the end the disk holds %q", names)
	}
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
	sqlite3 "modernc.org/sqlite/lib"
)

// Room is how large a store's file is, and how much of it nothing is kept in.
type Room struct{ Bytes, Free int64 }

// Room tells it.
func (s *Store) Room(ctx context.Context) (r Room, err error) {
	err = s.look(ctx, "reading the size", func(tx *sql.Tx) error {
		var page, pages, free int64
		for pragma, to := range map[string]*int64{"page_size": &page, "page_count": &pages, "freelist_count": &free} {
			if err := tx.QueryRowContext(ctx, "PRAGMA "+pragma).Scan(to); err != nil {
				return err
			}
		}
		r = Room{page * pages, page * free}
		return nil
	})
	return r, err
}

// NoRoomError says that the disk has too little room to shrink the file. Nothing
// was changed: what is free in it is used for what comes.
type NoRoomError struct {
	Folder     string
	Need, Free int64 // bytes
}

func (e *NoRoomError) Error() string {
	return fmt.Sprintf("%s has %d bytes free, and %d are needed", e.Folder, e.Free, e.Need)
}

// Kinds of SQLite files, as PRAGMA auto_vacuum tells them.
const vacuumsInSteps = 2

// pagesAtOnce bounds how long a step of Compact keeps others from writing.
const pagesAtOnce = 512

// fewPages is a step where the disk is nearly full: each page is written beside the
// store before it has its place in it.
const fewPages = 8

// ErrCompactWhole: the store was made by an earlier build, whose files can be
// shrunk as a whole only.
var ErrCompactWhole = errors.New("the file can be shrunk as a whole only")

// Compact gives back to the disk what is free in the file. It moves some pages at
// a time, so that others can use the store meanwhile.
//
// A file that an earlier build has made is written anew instead, once, if whole
// allows it: others cannot write for so long, which is seconds for each GB, and
// the disk needs room for it twice. It fails with ErrCompactWhole or a
// NoRoomError, nothing changed.
func (s *Store) Compact(ctx context.Context, whole bool) error {
	if s.write == nil {
		return fmt.Errorf("shrinking %s: %w", s.path, ErrReadOnly)
	}
	var mode int
	if err := s.write.QueryRowContext(ctx, "PRAGMA auto_vacuum").Scan(&mode); err != nil {
		return fmt.Errorf("shrinking %s: %w", s.path, explain(s.file, err))
	}
	var err error
	switch {
	case mode == vacuumsInSteps:
		err = s.compactInSteps(ctx)
	case !whole:
		err = ErrCompactWhole
	default:
		err = s.compactWhole(ctx)
	}
	if err != nil {
		return fmt.Errorf("shrinking %s: %w", s.path, explain(s.file, err))
	}
	return nil
}

func (s *Store) compactInSteps(ctx context.Context) error {
	for pages := pagesAtOnce; ; {
		room, err := s.Room(ctx)
		if err != nil || room.Free == 0 {
			return errors.Join(err, s.checkpoint(ctx))
		}
		err = s.freePages(ctx, pages)
		full := pages > fewPages && hasCode(err, sqlite3.SQLITE_FULL)
		if full {
			pages, err = fewPages, nil
		}
		if err == nil && pages == fewPages {
			err = s.checkpoint(ctx)
		}
		if err != nil {
			return err
		}
		after, err := s.Room(ctx)
		if err != nil {
			return err
		}
		if after.Free >= room.Free && !full {
			return s.checkpoint(ctx) // another process fills and frees it meanwhile
		}
	}
}

// freePages moves so many pages into free ones and cuts the file. The pragma does
// one each time it is asked for a row.
func (s *Store) freePages(ctx context.Context, pages int) error {
	rows, err := s.write.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}

// compactWhole writes the file anew, so that it can be shrunk in steps from then
// on.
func (s *Store) compactWhole(ctx context.Context) error {
	room, err := s.Room(ctx)
	if err != nil {
		return err
	}
	// SQLite builds the new file among the temporary ones, then copies it to the
	// file beside the store from where it goes into the store.
	need := (room.Bytes - room.Free) + 16<<20
	folders := []string{filepath.Dir(s.file), temporaryFolder()}
	if sameDisk(folders[0], folders[1]) {
		folders, need = folders[:1], 2*need
	}
	for _, folder := range folders {
		free, err := freeBytes(folder)
		if err != nil {
			return fmt.Errorf("looking for room in %s: %w", folder, reason(err))
		}
		if free < need {
			return &NoRoomError{folder, need, free}
		}
	}
	for _, statement := range []string{"PRAGMA auto_vacuum = INCREMENTAL", "VACUUM"} {
		if _, err := s.write.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return s.checkpoint(ctx)
}

// checkpoint moves all into the main file, as far as readers let it, and cuts it
// to its size.
func (s *Store) checkpoint(ctx context.Context) error {
	_, err := s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// temporaryFolder is where SQLite puts its temporary files.
func temporaryFolder() string {
	for _, dir := range []string{os.Getenv("SQLITE_TMPDIR"), os.Getenv("TMPDIR"), "/var/tmp", "/usr/tmp"} {
		if dir == "" {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return "/tmp"
}

func sameDisk(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Stat(a, &x) == nil && unix.Stat(b, &y) == nil && x.Dev == y.Dev
}

// freeBytes is what this user may still write to the disk of a folder.
func freeBytes(folder string) (int64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return 0, err
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil
}

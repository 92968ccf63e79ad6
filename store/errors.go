package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What can be wrong with a store, for callers that treat the cases
// differently. Every error of this package names the file and what was being
// done to it; these are found in it with errors.Is.
var (
	// ErrNoStore: nothing has been stored there yet.
	ErrNoStore = errors.New("no versweep store")
	// ErrForeign: the file belongs to something else. It was not touched.
	ErrForeign = errors.New("not a versweep store")
	// ErrNewer: a newer versweep made the file. It was not touched.
	ErrNewer = errors.New("made by a newer versweep")
	// ErrReadOnly: the file, its folder or this Store takes no changes.
	ErrReadOnly = errors.New("read-only")
	// ErrLocked: another process kept the store to itself for longer than
	// busyTimeout.
	ErrLocked = errors.New("locked by another process")
	// ErrFull: the disk, or the space this user may fill, is full.
	ErrFull = errors.New("disk full")
	// ErrDamaged: the file is cut short or overwritten.
	ErrDamaged = errors.New("damaged")
	// ErrUnreachable: the file or the files beside it cannot be opened.
	ErrUnreachable = errors.New("cannot be opened, or its folder cannot be written to")

	// ErrGone: the file was removed or replaced while the store was open; what
	// is saved would be lost with it.
	ErrGone = errors.New("removed or replaced meanwhile")
	// ErrBusy: a process that still runs carries the sweep out.
	ErrBusy = errors.New("being carried out by another process")

	// ErrNoSweep: there is no such sweep.
	ErrNoSweep = errors.New("no such sweep")
	// ErrDuplicate: this sample of this round is stored already.
	ErrDuplicate = errors.New("stored already")
	// ErrNotFinite: a number is NaN or infinite.
	ErrNotFinite = errors.New("not a finite number")
)

// explain puts the sentinel that fits before SQLite's own words, for what was done to
// file or beside it. Errors without one are returned as they are.
func explain(file string, err error) error {
	if errors.Is(err, ErrFull) {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &fullError{err}
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	var kind error
	switch code := e.Code(); code & 0xff { // the low byte is the kind, the rest a detail
	case sqlite3.SQLITE_IOERR:
		// SQLite says so of most files that it cannot write for want of room.
		if code == sqlite3.SQLITE_IOERR_SHMSIZE || isFull(filepath.Dir(file)) {
			return &fullError{e}
		}
		return err
	case sqlite3.SQLITE_FULL:
		return &fullError{e}
	case sqlite3.SQLITE_CANTOPEN:
		if isFull(filepath.Dir(file)) { // of files, that is
			return &fullError{e}
		}
		kind = ErrUnreachable
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		kind = ErrLocked
	case sqlite3.SQLITE_READONLY:
		kind = ErrReadOnly
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		kind = ErrDamaged
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		kind = ErrUnreachable
	default:
		return err
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// fullError is ErrFull, and leaves out what SQLite takes a full disk for: "disk I/O
// error", "unable to open database file".
type fullError struct{ cause error }

func (e *fullError) Error() string   { return ErrFull.Error() }
func (e *fullError) Unwrap() []error { return []error{ErrFull, e.cause} }

// isDuplicate says whether a unique index turned a row away.
func isDuplicate(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE
}

// hasCode says whether err is SQLite's error of this kind.
func hasCode(err error, kind int) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == kind
}

// Package store keeps sweeps in one SQLite file: plans, builds, samples with
// every number and histogram, and the machine that they ran on.
//
// A sample is saved in one transaction the moment it exists, so that a sweep
// that is killed goes on where it was: LoadSweep gives back the plan and what
// is missing from it. Two processes may use one file at the same time.
//
// Read store.go for opening and closing, file.go for how a file is recognised,
// schema.go and migrations/ for the tables, and the file of each noun for how
// it is written and read. hdrhistogram is imported only to read back the
// histograms that load.Result holds. Locks are flock's: Linux and macOS.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// readers is the number of connections that read at the same time.
const readers = 4

// Store is an open store. Goroutines may share it: changes are made one after
// the other, reading goes on beside them and sees whole transactions.
//
// Its methods block on the disk, and up to ten seconds on another process that
// is changing the file, before they give up with ErrLocked. They end early with
// the context's error when it is done; what they were saving is then not saved.
type Store struct {
	path string    // as the user wrote it, for messages
	file string    // its real place
	was  *identity // nil until it is open

	// schema is the file's when it was opened. Reading takes tables that a
	// later one brought for empty.
	schema int64

	// One connection changes the file. Waiting for it is fair, where SQLite's
	// own lock lets one of many waiters starve. Nil when reading only.
	write *sql.DB
	read  *sql.DB

	claims claimLock
}

// Open opens the store at path, making it when there is no file or an empty
// one, and bringing an older schema up to date after copying the file to
// path.before-vN, N being the new schema. The file's folder must exist.
//
// It fails with ErrForeign or ErrNewer, the file untouched, or with
// ErrReadOnly, ErrLocked, ErrFull, ErrDamaged or ErrUnreachable.
func Open(ctx context.Context, path string) (*Store, error) {
	s, err := open(ctx, path, migrations(), false)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	return s, nil
}

// OpenReadOnly opens the store at path for reading: methods that would change
// it fail with ErrReadOnly. Where there is no file, or an empty one, it makes
// none and fails with ErrNoStore. An older schema is read as it is: looking at a
// store changes nothing, and one in a folder or on a disk that cannot be written
// to is read as well. It fails otherwise as Open does.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	s, err := open(ctx, path, migrations(), true)
	if err != nil {
		return nil, fmt.Errorf("opening %s for reading: %w", path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string, migrations fs.FS, readOnly bool) (*Store, error) {
	file, err := resolve(path)
	if readOnly && errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoStore
	}
	if err != nil {
		return nil, err
	}
	target, err := latest(migrations)
	if err != nil {
		return nil, err
	}
	found, err := probe(ctx, file)
	switch {
	case err != nil:
		return nil, err
	case readOnly && (!found.exists || found.version == 0):
		return nil, ErrNoStore
	case found.version > target:
		return nil, fmt.Errorf("%w (schema %d; this one knows up to %d)", ErrNewer, found.version, target)
	case found.version < target && !readOnly:
		if err := migrate(ctx, file, migrations, target); err != nil {
			doing := "making it"
			if found.version > 0 {
				doing = fmt.Sprintf("bringing it from schema %d to %d", found.version, target)
			}
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		found.version = target
	case !readOnly:
		clearLock(file + ".lock")
	}
	s := &Store{path: path, file: file, schema: found.version}
	if !readOnly {
		s.clearClaims()
	}
	if readOnly {
		s.read, err = openReader(ctx, file)
	} else {
		err = s.openBoth(ctx, file)
	}
	if err == nil {
		s.was, err = identityOf(ctx, file)
	}
	if err != nil {
		return nil, errors.Join(explain(file, err), s.Close())
	}
	return s, nil
}

// openBoth opens the connection that writes, then those that read.
func (s *Store) openBoth(ctx context.Context, file string) (err error) {
	a := writing("rw")
	a["_journal_mode"] = []string{"WAL"} // a copy made by VACUUM INTO has lost it
	if s.write, err = openFile(file, a, 1); err != nil {
		return err
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var readOnly bool
	err = conn.Raw(func(c any) (err error) {
		// SQLite opens a file that it may not write for reading, silently.
		readOnly, err = c.(interface{ IsReadOnly(string) (bool, error) }).IsReadOnly("main")
		return err
	})
	if err != nil {
		return err
	}
	if readOnly {
		return ErrReadOnly
	}
	s.read, err = openFile(file, reading(), readers)
	return err
}

// openReader opens the connections of a store that is only read.
func openReader(ctx context.Context, file string) (*sql.DB, error) {
	db, err := openFile(file, reading(), readers)
	if err != nil {
		return nil, err
	}
	_, err = schemaVersion(ctx, db)
	if err == nil {
		return db, nil
	}
	db.Close()
	// Where the -shm file cannot be made, on a full disk too, the main file is read
	// alone, if all is in it.
	if !hasCode(err, sqlite3.SQLITE_CANTOPEN) && !hasCode(err, sqlite3.SQLITE_READONLY) && !errors.Is(explain(file, err), ErrFull) {
		return nil, err
	}
	if filled(file + "-wal") {
		return nil, err
	}
	return openFile(file, untouched(), readers)
}

// Close ends all use of the store. The last one of all processes to close a
// store moves everything into the main file and removes the files beside it;
// where two close at the same moment, neither may be last, and the next one is.
//
// Of a store that was written over the connections stay open until the process
// ends: closing them would move what they have into what is there now.
//
// What it claimed and did not finish is free for others from then on.
func (s *Store) Close() error {
	s.endClaims()
	errs := []error{s.unlockClaims()}
	if s.was != nil && s.was.writtenOver() {
		return nil
	}
	// The writer last: a connection that only reads cannot tidy up.
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing %s: %w", s.path, explain(s.file, err))
	}
	return nil
}

// change does something to the store, described by doing ("saving …"), whole
// or not at all.
func (s *Store) change(ctx context.Context, doing string, f func(*sql.Tx) error) error {
	if s.write == nil {
		return fmt.Errorf("%s in %s: %w", doing, s.path, ErrReadOnly)
	}
	// SQLite goes on writing into a file that has no name any more.
	if err := s.was.check(ctx); err != nil {
		return fmt.Errorf("%s in %s: %w", doing, s.path, err)
	}
	return s.transact(ctx, s.write, nil, doing, f)
}

// look reads from the store as it is at one moment.
func (s *Store) look(ctx context.Context, doing string, f func(*sql.Tx) error) error {
	return s.transact(ctx, s.read, &sql.TxOptions{ReadOnly: true}, doing, f)
}

func (s *Store) transact(ctx context.Context, db *sql.DB, opts *sql.TxOptions, doing string, f func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, opts)
	if err == nil {
		defer tx.Rollback() // after Commit it does nothing
		if err = f(tx); err == nil {
			err = tx.Commit()
		}
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return fmt.Errorf("%s in %s: %w", doing, s.path, explain(s.file, err))
}

// each calls row for every row of a query, with a Scan that fills its columns.
func each(ctx context.Context, tx *sql.Tx, row func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// optional is NULL for an empty text.
func optional(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// nanoseconds is NULL for the zero time, which has no nanoseconds since 1970.
func nanoseconds(t time.Time) sql.NullInt64 {
	if t.IsZero() {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: t.UnixNano(), Valid: true}
}

// moment is the time in UTC that nanoseconds was given; zero for NULL.
func moment(ns sql.NullInt64) time.Time {
	if !ns.Valid {
		return time.Time{}
	}
	return time.Unix(0, ns.Int64).UTC()
}

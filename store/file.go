package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

const (
	// applicationID marks a SQLite file as ours: "vswp". It is written before
	// anything else and never changes.
	applicationID = 0x76737770

	// busyTimeout is how long a statement waits for another process's
	// transaction before it gives up with ErrLocked.
	busyTimeout = 10 * time.Second

	// pageBytes is the unit in which the file grows. Histograms of 1 to 3 KB
	// leave a third of each default page (4 KB) empty, and a seventh of these.
	pageBytes = 16384
)

// access is a way to open the file, as parameters of its URI. All that a
// connection needs is in there: a pragma that is executed once would reach one
// connection of the pool only.
type access url.Values

// writing waits for its turn when a transaction begins and not in the middle of
// it, where waiting would be a deadlock. Each commit reaches the disk
// (synchronous FULL) before it returns: a killed process would lose nothing
// without that, but a power cut would, and one flush costs little beside the
// seconds that a sample takes.
func writing(mode string) access {
	return access{
		"mode":          {mode},
		"_txlock":       {"immediate"},
		"_foreign_keys": {"1"},
		"_synchronous":  {"FULL"},
		"_busy_timeout": {strconv.FormatInt(busyTimeout.Milliseconds(), 10)},
	}
}

// reading refuses every change, yet opens the file for writing where it can:
// only such a connection can clear away the -wal and -shm files when it is the
// last one.
func reading() access {
	a := writing("rw")
	a["_txlock"] = []string{"deferred"}
	a["_query_only"] = []string{"1"}
	return a
}

// untouched reads the main file alone: without locks, without making or
// looking at the files beside it.
func untouched() access {
	return access{"mode": {"ro"}, "immutable": {"1"}}
}

// openFile makes a pool of at most n connections; none is opened yet. file is
// an absolute path and may hold any character but NUL.
func openFile(file string, a access, n int) (*sql.DB, error) {
	uri := url.URL{Scheme: "file", Path: file, RawQuery: url.Values(a).Encode()}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// resolve makes the path absolute and follows links, since the files beside a
// store lie beside the link's target. It fails when the folder is not there.
func resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("no file named")
	}
	if strings.ContainsRune(path, 0) {
		return "", errors.New("the name holds a NUL character")
	}
	file, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(file)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", reason(err)
	}
	dir := filepath.Dir(file)
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("its folder: %w", reason(err))
	}
	return file, nil
}

// reason drops the call and the path from a file error, when the message that
// it goes into names the path itself.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// state is what lies at a path.
type state struct {
	exists  bool  // a file of ours; false when there is none or it is empty
	version int64 // of its schema; 0 when it was never completed
}

// How often, and how far apart, a file that looks damaged is looked at again.
const (
	looks     = 10
	lookPause = 20 * time.Millisecond
)

// probe looks at a file without changing it or making files beside it.
// It fails with ErrForeign when the file is something else's.
//
// It takes no locks, so another process that is just writing the file can make
// it look damaged or foreign: only what stays so is.
func probe(ctx context.Context, file string) (found state, err error) {
	for range looks {
		found, err = probeOnce(ctx, file)
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			break
		}
		select {
		case <-ctx.Done():
			return state{}, ctx.Err()
		case <-time.After(lookPause):
		}
	}
	return found, err
}

// probeOnce reads through SQLite and never through os.Open: closing a
// descriptor drops all POSIX locks that this process holds on the file, those
// of an open store included.
func probeOnce(ctx context.Context, file string) (state, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return state{}, nil
	case err != nil:
		return state{}, reason(err)
	case info.IsDir():
		return state{}, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return state{}, errors.New("it is not a regular file")
	case info.Size() == 0:
		return state{}, nil
	}

	db, err := openFile(file, untouched(), 1)
	if err != nil {
		return state{}, err
	}
	defer func() { db.Close() }()
	id, err := readID(ctx, db)
	if err != nil && (filled(file+"-journal") || filled(file+"-wal")) {
		// A process was killed in mid-transaction. Opening the file in the
		// ordinary way takes back, or takes over, what it left.
		db.Close()
		if db, err = openFile(file, reading(), 1); err != nil {
			return state{}, err
		}
		id, err = readID(ctx, db)
	}
	if hasCode(err, sqlite3.SQLITE_NOTADB) {
		return state{}, ErrForeign
	}
	if err != nil {
		return state{}, explain(file, err)
	}
	if info, err = os.Stat(file); err == nil && info.Size() == 0 {
		return state{}, nil // the transaction taken back was the first
	}
	if id != applicationID {
		return state{}, fmt.Errorf("%w but another program's database", ErrForeign)
	}

	if filled(file + "-wal") {
		// A migration may still be in there. A connection that cannot write
		// the main file cannot move it either.
		db.Close()
		if db, err = openFile(file, access{"mode": {"ro"}, "_busy_timeout": reading()["_busy_timeout"]}, 1); err != nil {
			return state{}, err
		}
	}
	version, err := schemaVersion(ctx, db)
	if err != nil {
		return state{}, explain(file, err)
	}
	return state{exists: true, version: version}, nil
}

// readID reads the mark of the program that a database belongs to.
func readID(ctx context.Context, db *sql.DB) (id int64, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id)
	return id, err
}

// filled says whether there is a file with something in it.
func filled(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Size() > 0
}

package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"
)

// identity tells whether a file is still the store that was opened. A copy may be
// put over it in place ("cp other.db versweep.db"), which SQLite does not notice: it
// would lay pages of the old store over the new one.
type identity struct {
	file string

	mu     sync.Mutex
	number int64       // of the store, from its header; 0 while it is not known
	seen   os.FileInfo // when the number was read last
	lost   bool        // it is not the store any more, for good
}

// identityOf reads what file is now.
func identityOf(ctx context.Context, file string) (*identity, error) {
	i := &identity{file: file}
	var err error
	if i.seen, err = os.Stat(file); err != nil {
		return nil, reason(err)
	}
	// Where the main file alone cannot be read it is a store all the same: see check.
	i.number, err = readNumber(ctx, file)
	if err != nil {
		i.number = 0
	}
	return i, ctx.Err()
}

// check fails with ErrGone when the file has been removed or replaced, or when
// other content was put into it. Looking is cheap: the main file is only read
// where it has been written to, as SQLite itself does now and then.
func (i *identity) check(ctx context.Context) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	is, err := os.Stat(i.file)
	if err != nil || i.lost || !os.SameFile(i.seen, is) {
		return ErrGone
	}
	if is.ModTime().Equal(i.seen.ModTime()) && is.Size() == i.seen.Size() {
		return nil
	}
	number, err := readNumber(ctx, i.file)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !hasCode(err, sqlite3.SQLITE_NOTADB):
		// The main file alone may be half moved into, by another process or on a full
		// disk, and that is nothing new to SQLite.
		return nil
	case err != nil, i.number != 0 && number != i.number:
		i.lost = true
		// What is in there belongs to what is gone. Under another name it cannot
		// be laid over what has come in its place.
		os.Rename(i.file+"-wal", i.file+"-wal.gone")
		os.Remove(i.file + "-shm")
		return fmt.Errorf("%w, or written over", ErrGone)
	}
	i.number, i.seen = number, is
	return nil
}

// writtenOver tells whether the file has the name and none of the content any more.
func (i *identity) writtenOver() bool {
	i.check(context.Background())
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.lost
}

// newNumber tells a new store from others. It is kept as SQLite's user_version,
// which is in the header of the main file.
func newNumber() int64 { return 1 + rand.Int64N(math.MaxInt32) }

// numbering is the statement that gives the store its number.
func numbering() string { return "PRAGMA user_version = " + strconv.FormatInt(newNumber(), 10) }

// readNumber reads the number in the main file; 0 for stores of versions that gave
// none.
func readNumber(ctx context.Context, file string) (int64, error) {
	db, err := openFile(file, untouched(), 1)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return numberOf(ctx, db)
}

func numberOf(ctx context.Context, db *sql.DB) (number int64, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&number)
	return number, err
}

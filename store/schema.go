package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var embedded embed.FS

// migrations are the numbered schema changes that this build knows.
func migrations() fs.FS {
	sub, err := fs.Sub(embedded, "migrations")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return sub
}

// latest is the highest version among migrations.
func latest(migrations fs.FS) (int64, error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return 0, err
	}
	var top int64
	for _, name := range names {
		n, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		top = max(top, n)
	}
	return top, nil
}

// schemaVersion is the last migration that was carried out; 0 when none was.
func schemaVersion(ctx context.Context, db *sql.DB) (int64, error) {
	var n int64
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'goose_db_version'").Scan(&n)
	if err != nil || n == 0 {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&n)
	return n, err
}

// migrate brings the file to the version target, making it when it is not
// there, and leaves it alone when another process has done so meanwhile. A
// store that holds something already is copied first. It waits for as long as
// another process migrates the same file.
func migrate(ctx context.Context, file string, migrations fs.FS, target int64) (err error) {
	unlock, err := lock(ctx, file+".lock")
	if err != nil {
		return explain(file, err)
	}
	defer unlock()

	was, err := probe(ctx, file)
	if err != nil || was.version >= target {
		return err
	}
	a := writing("rwc")
	// What migrations sort and put aside is little, and no full $TMPDIR is in its way.
	a["_pragma"] = []string{"page_size(" + strconv.Itoa(pageBytes) + ")", "temp_store(MEMORY)"}
	db, err := openFile(file, a, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	if !was.exists {
		// Outside of WAL, so that the mark is in the main file from its first
		// byte on: a store killed while it was made is still known as ours.
		if err := mark(ctx, db); err != nil {
			return explain(file, err)
		}
	}
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return explain(file, err)
	}
	if full, err := holdsRows(ctx, db); err != nil {
		return explain(file, err)
	} else if full {
		info, err := os.Stat(file)
		if err != nil {
			return fmt.Errorf("copying it first: %w", reason(err))
		}
		if err := backup(ctx, db, fmt.Sprintf("%s.before-v%d", file, target), info.Mode().Perm()); err != nil {
			return fmt.Errorf("copying it first: %w", explain(file, err))
		}
	}
	if number, err := numberOf(ctx, db); err != nil {
		return explain(file, err)
	} else if number == 0 {
		if _, err := db.ExecContext(ctx, numbering()); err != nil {
			return explain(file, err)
		}
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, migrations, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return explain(file, err)
}

// holdsRows tells whether there is anything in a store that could be lost: there is
// not where one was killed, or met a full disk, while it was made.
func holdsRows(ctx context.Context, db *sql.DB) (bool, error) {
	var tables []string
	rows, err := db.QueryContext(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'goose_db_version'")
	if err != nil {
		return false, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return false, err
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil {
		return false, err
	}
	for _, name := range tables {
		var full bool
		err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM "`+strings.ReplaceAll(name, `"`, `""`)+`")`).Scan(&full)
		if full || err != nil {
			return full, err
		}
	}
	return false, nil
}

// mark makes the file ours, and one that Compact can shrink in steps: that can be
// said only before anything is in it. A transaction that holds the file from its
// beginning, as BeginTx makes here, would be something.
func mark(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, statement := range []string{
		"BEGIN", "PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA application_id = " + strconv.Itoa(applicationID), numbering(), "COMMIT",
	} {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") // without a transaction it does nothing
			return err
		}
	}
	return nil
}

// backup copies the store, with what is still in its -wal file, to name, or to
// name-2, name-3 … when there are copies already. Nobody may read the copy who may
// not read the store: mode is the store's.
func backup(ctx context.Context, db *sql.DB, name string, mode fs.FileMode) (err error) {
	part := name + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	if err := makeEmpty(part, mode); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return err
	}
	if err := flush(part); err != nil {
		return err
	}
	free := name
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			break
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
	if err := os.Rename(part, free); err != nil {
		return err
	}
	return flush(filepath.Dir(free))
}

// makeEmpty makes a file for SQLite to fill, which takes an empty one for none. It
// does not follow a link that somebody has put there.
func makeEmpty(name string, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(mode), f.Close())
}

// flush waits until a file or folder has reached the disk.
func flush(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

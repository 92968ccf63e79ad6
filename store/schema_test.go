package store

import (
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/pressly/goose/v3"

	"versweep/sweep"
)

// future is the schema of a later versweep: ours and these migrations.
func future(t testing.TB, more ...string) fs.FS {
	t.Helper()
	all := fstest.MapFS{}
	names, err := fs.Glob(migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(migrations(), name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: b}
	}
	for i, sql := range more {
		all["9000"+string(rune('1'+i))+"_later.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
	}
	return all
}

const laterTable = "CREATE TABLE later (id INTEGER PRIMARY KEY); INSERT INTO later VALUES (7);"

func TestForeignFilesAreLeftAlone(t *testing.T) {
	database := func(statements ...string) func(string) {
		return func(path string) {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, s := range statements {
				if _, err := db.Exec(s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	text := func(s string) func(string) { return func(path string) { write(t, path, s) } }
	for name, make := range map[string]func(string){
		"one byte":          text("x"),
		"text":              text("target,version,round\nnode,1.0.0,1\n"),
		"long text":         text(strings.Repeat("all work and no play\n", 5000)),
		"only the magic":    text("SQLite format 3\x00"),
		"noise":             text("SQLite format 3\x00" + strings.Repeat("\xff\x00\x37", 3000)),
		"another's tables":  database("CREATE TABLE t (x)", "INSERT INTO t VALUES (1)"),
		"another's mark":    database("PRAGMA application_id = 42", "CREATE TABLE t (x)"),
		"in WAL mode":       database("PRAGMA journal_mode = WAL", "CREATE TABLE t (x)"),
		"goose's, not ours": database("CREATE TABLE goose_db_version (id, version_id, is_applied)"),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "other.db")
			make(path)
			before := read(t, path)
			for i, open := range []func() (*Store, error){
				func() (*Store, error) { return Open(t.Context(), path) },
				func() (*Store, error) { return OpenReadOnly(t.Context(), path) },
			} {
				_, err := open()
				if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), path) {
					t.Errorf("way %d: %v", i, err)
				}
			}
			if read(t, path) != before {
				t.Error("the file was changed")
			}
			if names := entries(t, dir); len(names) != 1 {
				t.Errorf("beside it: %q", names)
			}
		})
	}
}

func TestNewerStoreIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "versweep.db")
	s, err := open(t.Context(), path, future(t, laterTable), false)
	if err != nil {
		t.Fatal(err)
	}
	refuse := func(state string, files int) {
		t.Helper()
		before := read(t, path)
		_, errW := Open(t.Context(), path)
		_, errR := OpenReadOnly(t.Context(), path)
		if !errors.Is(errW, ErrNewer) || !errors.Is(errR, ErrNewer) || !strings.Contains(errW.Error(), path) {
			t.Errorf("%s: %v; %v", state, errW, errR)
		}
		if read(t, path) != before {
			t.Errorf("%s: the file was changed", state)
		}
		if names := entries(t, dir); len(names) != files {
			t.Errorf("%s: the folder holds %q", state, names)
		}
	}
	begin(t, s, "1.0.0")
	refuse("in use", 3)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	refuse("closed", 1)
}

func TestOlderStoreIsCopiedThenMigrated(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "versweep.db")
	old := reopen(t, path)
	sw := begin(t, old, "1.0.0")
	sample := measured(rand.New(rand.NewPCG(1, 2)), "1.0.0", 1)
	if err := old.SaveSample(t.Context(), sw.ID, sample); err != nil {
		t.Fatal(err)
	}
	// A copy taken while the sample is in the -wal file only, as after a kill.
	killed := filepath.Join(dir, "killed.db")
	write(t, killed, read(t, path))
	write(t, killed+"-wal", read(t, path+"-wal"))
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}

	s, err := open(t.Context(), killed, future(t, laterTable), false)
	if err != nil {
		t.Fatal(err)
	}
	checkWhole(t, s, sw.ID, 1)
	var seven int
	if err := s.read.QueryRow("SELECT id FROM later").Scan(&seven); err != nil || seven != 7 {
		t.Fatalf("after migrating: %d, %v", seven, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"killed.db", "killed.db.before-v90001", "versweep.db"}
	if names := entries(t, dir); !slices.Equal(names, want) {
		t.Fatalf("the folder holds %q, want %q", names, want)
	}
	// The copy opens with the versweep that it was made by, and has it all.
	checkWhole(t, reopen(t, killed+".before-v90001"), sw.ID, 1)
}

// unpack writes the store that the first released schema has, as the versweep
// of that time made it.
func unpack(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open("testdata/schema1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(b))
}

func checkReleased(t *testing.T, s *Store) {
	t.Helper()
	checkWhole(t, s, 1, 2)
	history, err := s.History(t.Context(), "node", 0)
	if err != nil || len(history) != 1 {
		t.Fatalf("history: %d sweeps, %v", len(history), err)
	}
	sw := history[0]
	if len(sw.Samples) != 2 || len(sw.Outcomes) != 2 || sw.Outcomes[0].Build.Bundled["v8"] != "10.2" || sw.Outcomes[1].Log[1] != "second" {
		t.Errorf("read %+v", sw)
	}
	reference, err := s.SeriesReference(t.Context(), sw.Plan, sw.Environment)
	if err != nil || reference != "20.0.0" {
		t.Errorf("reference %q, %v: the series is not found any more", reference, err)
	}
}

// Reading must work where nothing may be written, and never surprises another
// versweep, still in use, with a schema that it does not know.
func TestReleasedSchemaIsReadAsItIs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "versweep.db")
	unpack(t, path)
	before := read(t, path)
	s, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	checkReleased(t, s)
	if list, err := s.Acknowledgements(t.Context(), "node"); err != nil || len(list) != 0 {
		t.Errorf("acknowledgements: %v, %v", list, err)
	}
	if targets, err := s.Targets(t.Context()); err != nil || !slices.Equal(targets, []string{"node"}) {
		t.Errorf("targets: %q, %v", targets, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if read(t, path) != before {
		t.Error("reading changed the file")
	}
	if names := entries(t, dir); len(names) != 1 {
		t.Errorf("reading left %q", names)
	}
}

func TestReleasedSchemaIsUpgraded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "versweep.db")
	unpack(t, path)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	s := reopen(t, path)
	checkReleased(t, s)
	a := sweep.Acknowledgement{ID: "node-qps-20.0.0", Target: "node", State: sweep.Expected}
	if err := s.SetState(t.Context(), a, noon); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	newest, err := latest(migrations())
	if err != nil {
		t.Fatal(err)
	}
	backup := fmt.Sprintf("versweep.db.before-v%d", newest)
	if names := entries(t, dir); !slices.Equal(names, []string{"versweep.db", backup}) {
		t.Errorf("the folder holds %q", names)
	}
	if info, err := os.Stat(filepath.Join(dir, backup)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("nobody else may read the store, but its copy: %v, %v", info.Mode(), err)
	}
	copied, err := OpenReadOnly(t.Context(), filepath.Join(dir, backup))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if copied.schema != 1 {
		t.Errorf("the copy has schema %d", copied.schema)
	}
	checkReleased(t, copied)
}

func TestOneOfManyMigrates(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "versweep.db")
	s := reopen(t, path)
	sw := begin(t, s, "1.0.0")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	later := future(t, "CREATE TABLE later (id INTEGER PRIMARY KEY);", "INSERT INTO later DEFAULT VALUES;")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := open(t.Context(), path, later, false)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			var rows int
			if err := s.read.QueryRow("SELECT count(*) FROM later").Scan(&rows); err != nil || rows != 1 {
				t.Errorf("the migration ran %d times, %v", rows, err)
			}
			if _, err := s.LoadSweep(t.Context(), sw.ID); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if names := entries(t, dir); !slices.Equal(names, []string{"versweep.db", "versweep.db.before-v90002"}) {
		t.Errorf("the folder holds %q", names)
	}
}

// Of a store that was killed while it was made nothing can be lost.
func TestHalfMadeStoreIsNotCopied(t *testing.T) {
	newest, err := latest(migrations())
	if err != nil {
		t.Fatal(err)
	}
	for made := int64(1); made < newest; made++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "versweep.db")
		first, all := fstest.MapFS{}, future(t).(fstest.MapFS)
		for name, file := range all {
			if n, err := goose.NumericComponent(name); err == nil && n <= made {
				first[name] = file
			}
		}
		half, err := open(t.Context(), path, first, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := half.Close(); err != nil {
			t.Fatal(err)
		}
		s := reopen(t, path)
		begin(t, s, "1.0.0")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if names := entries(t, dir); !slices.Equal(names, []string{"versweep.db"}) {
			t.Errorf("after %d of %d migrations: the folder holds %q", made, newest, names)
		}
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "versweep.db")
	s := reopen(t, path)
	sw := begin(t, s, "1.0.0")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	broken := future(t, "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1);")
	for range 2 {
		_, err := open(t.Context(), path, broken, false)
		if err == nil || !strings.Contains(err.Error(), "nowhere") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("got %v", err)
		}
	}
	// Each try keeps its own copy: the first may be the only good one.
	for _, name := range []string{path, path + ".before-v90001", path + ".before-v90001-2"} {
		s := reopen(t, name)
		if _, err := s.LoadSweep(t.Context(), sw.ID); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var n int
		if err := s.read.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: half a migration: %d, %v", name, n, err)
		}
	}
}

func TestCutStore(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	r := rand.New(rand.NewPCG(1, 2))
	for round := 1; round <= 50; round++ {
		if err := s.SaveSample(t.Context(), sw.ID, measured(r, "1.0.0", round)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole := read(t, s.path)
	for _, size := range []int{1, 99, 100, 5000, pageBytes, 2*pageBytes + 1, len(whole) / 2, len(whole) - pageBytes} {
		path := filepath.Join(t.TempDir(), "cut.db")
		if err := os.WriteFile(path, []byte(whole[:size]), 0o644); err != nil {
			t.Fatal(err)
		}
		cut, err := Open(t.Context(), path)
		if err == nil {
			_, err = cut.LoadSweep(t.Context(), sw.ID)
			cut.Close()
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Errorf("%d of %d bytes: %v", size, len(whole), err)
		}
	}
}

// A process that was killed in mid-migration leaves its lock file, which means
// nothing and goes with the next opening; one that is held stays.
func TestLeftLockFileIsCleared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "versweep.db")
	if err := reopen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path+".lock", "")
	unlock, err := lock(t.Context(), path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	if err := reopen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, filepath.Dir(path)); len(names) != 2 {
		t.Errorf("with the lock held: %q", names)
	}
	unlock()
	write(t, path+".lock", "")
	if err := reopen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, filepath.Dir(path)); len(names) != 1 {
		t.Errorf("left behind: %q", names)
	}
}

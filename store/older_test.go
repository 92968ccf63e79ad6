package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"versweep/sweep"
)

// upTo are the migrations that a versweep of some time ago knew.
func upTo(t testing.TB, schema int64) fs.FS {
	t.Helper()
	known := fstest.MapFS{}
	names, err := fs.Glob(migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(migrations(), name)
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		if _, err := fmt.Sscanf(name, "%d", &n); err != nil {
			t.Fatal(err)
		}
		if n <= schema {
			known[name] = &fstest.MapFile{Data: b}
		}
	}
	return known
}

// older makes the store that a versweep of that schema would have, with samples in
// so many rounds beside the two of the released file.
func older(t *testing.T, path string, schema int64, rounds int) sweep.Sweep {
	t.Helper()
	unpack(t, path)
	s, err := open(t.Context(), path, upTo(t, schema), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec(`
		WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < ?)
		INSERT INTO sample (id, sweep_id, ordinal, round, position, twin, status)
		SELECT 1000 + n, sweep_id, ordinal, 100 + n, 0, 0, 'ok' FROM sample, more WHERE sample.id = 1`, rounds); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"INSERT INTO value SELECT sample.id, metric_id, value + sample.id FROM sample, value WHERE sample.id > 1000 AND sample_id = 1",
		"CREATE TEMP TABLE one AS SELECT * FROM load WHERE sample_id = 1 AND pass = 0",
	} {
		if _, err := s.write.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	columns := strings.Join(strings.Fields(loadColumns), " ")
	if _, err := s.write.Exec("INSERT INTO load (sample_id, pass, " + columns + ") SELECT sample.id, 0, " + columns + " FROM sample, temp.one WHERE sample.id > 1000"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.Exec("INSERT INTO histogram (sample_id, pass, latency) SELECT id, 0, randomblob(2000) FROM sample WHERE id > 1000"); err != nil {
		t.Fatal(err)
	}
	sw, err := s.LoadSweep(t.Context(), 1)
	if err != nil || len(sw.Samples) != rounds+2 || len(sw.Samples[rounds].Values) == 0 {
		t.Fatalf("%d samples, %v", len(sw.Samples), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Where it was upgraded to get here there is a copy of that.
	if err := os.Remove(fmt.Sprintf("%s.before-v%d", path, schema)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return sw
}

// checkSame reads a store and compares its first sweep.
func checkSame(t *testing.T, path string, want sweep.Sweep) (schema int64) {
	t.Helper()
	s, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.LoadSweep(t.Context(), want.ID)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s has another sweep: %v", path, err)
	}
	var verdict string
	if err := s.read.QueryRow("PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("%s: %q, %v", path, verdict, err)
	}
	return s.schema
}

func thisSchema(t *testing.T) int64 {
	t.Helper()
	n, err := latest(migrations())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Every schema that there was is brought up to date, and the copy is what was there.
func TestEverySchemaIsCopiedThenMigrated(t *testing.T) {
	this := thisSchema(t)
	for schema := int64(1); schema < this; schema++ {
		if names, err := fs.Glob(migrations(), fmt.Sprintf("%05d_*.sql", schema)); err != nil || len(names) == 0 {
			t.Logf("no schema has the number %d: %v", schema, err)
			continue
		}
		path := filepath.Join(t.TempDir(), "versweep.db")
		sw := older(t, path, schema, 40)
		if got := checkSame(t, path, sw); got != schema {
			t.Fatalf("made schema %d, want %d", got, schema)
		}
		if err := reopen(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		if got := checkSame(t, path, sw); got != this {
			t.Errorf("from %d: schema %d, want %d", schema, got, this)
		}
		if got := checkSame(t, fmt.Sprintf("%s.before-v%d", path, this), sw); got != schema {
			t.Errorf("the copy of schema %d has %d", schema, got)
		}
		if names := entries(t, filepath.Dir(path)); len(names) != 2 {
			t.Errorf("from %d: the folder holds %q", schema, names)
		}
	}
}

// A kill, wherever it comes, leaves the old store or the new one.
func TestKilledWhileMigrating(t *testing.T) {
	dir := t.TempDir()
	master := filepath.Join(dir, "master.db")
	sw := older(t, master, 2, 500)
	whole := read(t, master)
	states := map[int64]int{}
	for try := range 14 {
		path := filepath.Join(dir, fmt.Sprint(try), "versweep.db")
		if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, whole)
		cmd, lines := another(t, "migrate", path)
		if !lines.Scan() || lines.Text() != "opening" {
			t.Fatalf("the other process said %q", lines.Text())
		}
		time.AfterFunc(time.Duration(try)*3*time.Millisecond, func() { cmd.Process.Signal(syscall.SIGKILL) })
		for lines.Scan() {
			t.Error(lines.Text())
		}
		cmd.Wait()
		states[checkSame(t, path, sw)]++
		if err := reopen(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		if got := checkSame(t, path, sw); got != thisSchema(t) {
			t.Errorf("try %d: schema %d in the end", try, got)
		}
		for _, name := range entries(t, filepath.Dir(path)) {
			if strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, "-wal") {
				t.Errorf("try %d: left %s", try, name)
			}
		}
	}
	t.Logf("killed with this schema in the file: %v", states)
}

// In a folder that cannot be written to an older store is read, and left as it is.
func TestOlderStoreInAReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "versweep.db")
	older(t, path, 2, 10)
	before := read(t, path)
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	cmd, lines := another(t, "nobody", path)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	if err := cmd.Wait(); err != nil || len(said) != 3 {
		t.Fatalf("%q, %v", said, err)
	}
	if !strings.Contains(said[0], "its folder cannot be written to") || !strings.Contains(said[0], "bringing it from schema 2") {
		t.Errorf("opening: %s", said[0])
	}
	if said[1] != "1" || said[2] != "<nil>" {
		t.Errorf("reading: %q", said[1:])
	}
	if read(t, path) != before || len(entries(t, dir)) != 1 {
		t.Errorf("the folder was changed: %q", entries(t, dir))
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/runtimes"
	"versweep/store"
	"versweep/store/simulated"
	"versweep/sweep"
)

// oldStore has 60 nights of a target, the last one today, and an old build in a
// cache beside it.
func oldStore(t *testing.T) (db, cache string) {
	t.Helper()
	dir := t.TempDir()
	db, cache = filepath.Join(dir, "versweep.db"), filepath.Join(dir, "cache")
	_, err := simulated.Write(t.Context(), db, simulated.Store{
		Target: "node", Nights: 60, Versions: 24, Rounds: 2, Sampled: 6, Histograms: true, Seed: 1, Last: time.Now().Add(-2 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	build := filepath.Join(cache, "builds", "node", "20.0.0-0123456789ab")
	if err := os.MkdirAll(build, 0o755); err != nil {
		t.Fatal(err)
	}
	// As a sweep marks it.
	const tag = "Signature: 8a477f597d28d172789f06886806bc55\n# versweep keeps fetched and built releases here, and may remove them.\n"
	if err := os.WriteFile(filepath.Join(cache, "CACHEDIR.TAG"), []byte(tag), 0o644); err != nil {
		t.Fatal(err)
	}
	facts := filepath.Join(build, "build.json")
	if err := os.WriteFile(facts, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	old := time.Now().AddDate(0, 0, -90)
	for _, path := range []string{facts, build} {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	return db, cache
}

// ran runs a command line and returns what it printed.
func ran(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, complaints bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &complaints, now: time.Now}
	cmd := a.command()
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), complaints.String(), err
}

func collected(t *testing.T, args ...string) gcJSON {
	t.Helper()
	out, _, err := ran(t, append([]string{"gc", "--json"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	var doc gcJSON
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return doc
}

func TestGC(t *testing.T) {
	db, cache := oldStore(t)
	where := []string{"--db", db, "--cache", cache}
	check := func() string {
		out, _, _ := ran(t, "check", "node", "--json", "--db", db)
		return out
	}
	before, size := check(), fileSize(t, db)

	plan := collected(t, append(where, "--dry-run")...)
	if plan.Done || plan.Store.Merged.Sweeps == 0 || plan.Store.Kept.Sweeps == 0 || len(plan.Cache.Removed) != 1 {
		t.Fatalf("planned %+v", plan)
	}
	if fileSize(t, db) != size {
		t.Error("--dry-run changed the store")
	}

	// What 'gc' says is what --dry-run said.
	done := collected(t, where...)
	if !done.Done || done.Store.Merged.Histograms != plan.Store.Merged.Histograms || done.Store.Kept.Sweeps != plan.Store.Kept.Sweeps || done.Store.NotShrunk != nil {
		t.Errorf("planned %+v\ndone %+v", plan.Store, done.Store)
	}
	if now := fileSize(t, db); now >= size || done.Store.Bytes == nil || now != *done.Store.Bytes || done.Store.FreeBytes != 0 {
		t.Errorf("the file had %d bytes and has %d; gc says %+v", size, now, done.Store)
	}
	if _, err := os.Stat(filepath.Join(cache, "builds", "node")); !os.IsNotExist(err) {
		t.Errorf("the old build is there: %v", err)
	}
	if after := check(); after != before {
		t.Errorf("verdicts changed from\n%s\nto\n%s", before, after)
	}

	out, stderr, err := ran(t, append([]string{"gc"}, where...)...)
	if err != nil || !strings.Contains(out, "nothing is old enough to be thinned") || stderr != "" {
		t.Errorf("once more: %v\n%s%s", err, out, stderr)
	}
}

func fileSize(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestPercentilesOfThinnedSweeps(t *testing.T) {
	db, cache := oldStore(t)
	picture := filepath.Join(t.TempDir(), "tail.svg")
	chart := []string{"chart", "node", "--kind", "percentiles", "--versions", "latest", "-o", picture, "--db", db}
	drawn := func() string {
		t.Helper()
		b, err := os.ReadFile(picture)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if _, stderr, err := ran(t, chart...); err != nil || strings.Contains(stderr, "merged") {
		t.Fatalf("%v: %s", err, stderr)
	}
	whole := drawn()
	collected(t, "--db", db, "--cache", cache, "--keep-service", "0d", "--keep-histograms", "0d", "--builds", "never")
	_, stderr, err := ran(t, chart...)
	if err != nil || !strings.Contains(stderr, "has merged the histograms of sweep") {
		t.Fatalf("%v: %s", err, stderr)
	}
	if drawn() != whole {
		t.Error("merged histograms give another picture")
	}
	collected(t, "--db", db, "--cache", cache, "--keep-histograms", "0d", "--keep-merged", "0d", "--builds", "never")
	if _, _, err = ran(t, chart...); err == nil || !strings.Contains(err.Error(), "versweep gc has removed the histograms of sweep") {
		t.Errorf("without histograms: %v", err)
	}
}

func TestGCSparesWhatIsNeeded(t *testing.T) {
	db, cache := oldStore(t)
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	p := sweep.Plan{Target: "node", Source: "npm", Rounds: 1, Versions: []sweep.Version{{Name: "20.0.0"}}}
	sw, err := st.CreateSweep(t.Context(), p, sweep.Environment{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "builds", "node", "20.0.0-0123456789ab", "files")
	if err := st.SaveOutcome(t.Context(), sw.ID, sweep.Outcome{Version: "20.0.0", Build: sweep.Build{Version: "20.0.0", Dir: dir}}); err != nil {
		t.Fatal(err)
	}
	if doc := collected(t, "--db", db, "--cache", cache); len(doc.Cache.Removed) != 0 {
		t.Errorf("an unfinished sweep needs %+v", doc.Cache.Removed)
	}
	if err := st.FinishSweep(t.Context(), sw.ID, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := runtimes.OpenCache(cache); err != nil {
		t.Fatal(err)
	}
	if doc := collected(t, "--db", db, "--cache", cache); !doc.Cache.InUse || len(doc.Cache.Removed) != 0 {
		t.Errorf("from a cache in use it took %+v", doc.Cache)
	}
}

func TestGCRefuses(t *testing.T) {
	for flags, want := range map[string]string{
		"--keep-histograms month":                 `--keep-histograms: "month" is not an age`,
		"--keep-service -3d":                      `--keep-service: "-3d" is not an age`,
		"--builds 1e400d":                         `--builds: "1e400d" is not an age`,
		"--keep-histograms 30d --keep-merged 10d": "--keep-merged 10d is shorter than --keep-histograms 30d",
		"": "no versweep store",
	} {
		args := append([]string{"gc", "--db", filepath.Join(t.TempDir(), "none.db")}, strings.Fields(flags)...)
		if _, _, err := ran(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("gc %s: %v, want %s", flags, err, want)
		}
	}
}

func TestGCAsksBeforeItRemoves(t *testing.T) {
	db, cache := oldStore(t)
	size := fileSize(t, db)
	for _, answer := range []string{"", "\n", "no\n", "y\n"} {
		removes := answer == "y\n"
		var out, told bytes.Buffer
		a := &app{stdin: strings.NewReader(answer), stdout: &out, stderr: &told, terminal: true, asks: true, db: db, now: time.Now}
		o, err := gcFlags{histograms: "30d", merged: "730d", service: "7d", logs: never, builds: never, cache: cache}.check(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		err = a.gc(t.Context(), o)
		if removes != (err == nil) || !removes && fileSize(t, db) != size {
			t.Errorf("after %q: %v", answer, err)
		}
		if !strings.Contains(told.String(), " histograms (") || !slices.Contains(strings.Fields(told.String()), "[y/N]") {
			t.Errorf("before it asks it says %q", told.String())
		}
	}
}

// Without a terminal gc goes on, as run does, and tells by name what goes before it does.
func TestGCTellsBeforeItRemovesUnasked(t *testing.T) {
	const name, unasked = "builds/node/20.0.0-0123456789ab", "nobody can be asked here"
	for flags, want := range map[string]struct{ plan, note bool }{
		"": {true, true}, "--json": {true, true}, "--yes": {true, false}, "--quiet": {false, false}, "--dry-run": {false, false},
	} {
		t.Run(flags, func(t *testing.T) {
			db, cache := oldStore(t)
			out, told, err := ran(t, append([]string{"gc", "--db", db, "--cache", cache}, strings.Fields(flags)...)...)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(told, name+" (") != want.plan || strings.Contains(told, unasked) != want.note {
				t.Errorf("told\n%s", told)
			}
			if flags == "--dry-run" != strings.Contains(out, name+" (") {
				t.Errorf("printed\n%s", out)
			}
			if _, err := os.Stat(filepath.Join(cache, name)); os.IsNotExist(err) != (flags != "--dry-run") {
				t.Errorf("the build: %v", err)
			}
		})
	}
}

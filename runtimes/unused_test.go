package runtimes

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fullCache holds two things of each kind, one of which was used yesterday and
// one a hundred days ago, and things that are nobody's business.
func fullCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, age := range map[string]int{
		"builds/node/20.0.0-0123456789ab/build.json": 1, "builds/node/18.0.0-0123456789ac/build.json": 100,
		"builds/my-git/0123456789abcdef0123456789abcdef01234567-ba9876543210/build.json": 100,
		"builds/node/20.0.0-0123456789ab/files/node":                                     100,
		"programs/node-0123456789ab/server.js":                                           1, "programs/node-0123456789ac/server.js": 100,
		"repositories/0123456789abcdef/objects/pack": 1, "repositories/0123456789abcde0/objects/pack": 100,
		"scratch/build-1/x": 0, "scratch/build-2/x": 100,
		// A folder of the same name may be something else.
		"builds/mine/photo-0123456789ab/photo.jpg": 100, "builds/node/20.0.0/build.json": 100, "programs/notes/a": 100,
		"repositories/mine/objects/x": 100, "scratch/thesis/x": 100, "other/x": 100,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		aged(t, path, age)
	}
	if err := markCache(dir); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			newest := time.Time{}
			filepath.WalkDir(path, func(file string, e os.DirEntry, _ error) error {
				if info, err := e.Info(); err == nil && !e.IsDir() && info.ModTime().After(newest) {
					newest = info.ModTime()
				}
				return nil
			})
			return os.Chtimes(path, newest, newest)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func aged(t *testing.T, path string, days int) {
	t.Helper()
	then := time.Now().AddDate(0, 0, -days)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func namesOf(list []Cached) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return names
}

var oldThings = []string{
	"builds/my-git/0123456789abcdef0123456789abcdef01234567-ba9876543210", "builds/node/18.0.0-0123456789ac",
	"programs/node-0123456789ac", "repositories/0123456789abcde0", "scratch/build-2",
}

func TestUnused(t *testing.T) {
	dir := fullCache(t)
	month := time.Now().AddDate(0, 0, -30)
	list, rest, err := Unused(t.Context(), dir, month, nil)
	if err != nil || !slices.Equal(namesOf(list), oldThings) {
		t.Errorf("unused are %q, %v", namesOf(list), err)
	}
	if rest.Bytes == 0 {
		t.Error("nothing is left")
	}
	spared := []string{filepath.Join(dir, "builds/node/18.0.0-0123456789ac/files")}
	list, _, err = Unused(t.Context(), dir, month, spared)
	if err != nil || slices.Contains(namesOf(list), "builds/node/18.0.0-0123456789ac") || len(list) != len(oldThings)-1 {
		t.Errorf("with one spared, unused are %q, %v", namesOf(list), err)
	}
	if list, _, err := Unused(t.Context(), dir, time.Time{}, nil); err != nil || len(list) > 0 {
		t.Errorf("since ever, unused are %q, %v", namesOf(list), err)
	}
	if list, _, err := Unused(t.Context(), filepath.Join(dir, "none"), month, nil); err != nil || len(list) > 0 {
		t.Errorf("without a cache, unused are %q, %v", namesOf(list), err)
	}
	odd := filepath.Join(t.TempDir(), "a[b]*c")
	if err := os.Rename(dir, odd); err != nil {
		t.Fatal(err)
	}
	if list, _, err := Unused(t.Context(), odd, month, nil); err != nil || len(list) != len(oldThings) {
		t.Errorf("in %s, unused are %q, %v", odd, namesOf(list), err)
	}
}

func TestRemoveCached(t *testing.T) {
	dir := fullCache(t)
	stuck := filepath.Join(dir, "builds/node/18.0.0-0123456789ac/files/sealed")
	if err := os.MkdirAll(stuck, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(stuck, "x"), nil, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(stuck, 0o500); err != nil {
		t.Fatal(err)
	}
	aged(t, filepath.Join(dir, "builds/node/18.0.0-0123456789ac"), 100)
	outside := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "programs/node-0123456789ac/link")); err != nil {
		t.Fatal(err)
	}
	aged(t, filepath.Join(dir, "programs/node-0123456789ac"), 100)
	month := time.Now().AddDate(0, 0, -30)
	list, _, err := Unused(t.Context(), dir, month, nil)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := RemoveCached(t.Context(), dir, list)
	if err != nil || len(removed) != len(oldThings) {
		t.Fatalf("removed %q, %v", namesOf(removed), err)
	}
	for _, name := range oldThings {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range []string{"builds/node/20.0.0-0123456789ab/files/node", "builds/mine/photo-0123456789ab/photo.jpg", "scratch/thesis/x", "other/x"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(outside); err != nil {
		t.Error("what a link leads to is gone")
	}
	if _, err := os.Lstat(filepath.Join(dir, "builds/my-git")); err == nil {
		t.Error("the empty folder of a target is still there")
	}
	left, err := filepath.Glob(filepath.Join(dir, "scratch/gone-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in scratch: %q, %v", left, err)
	}
	if again, err := RemoveCached(t.Context(), dir, list); err != nil || len(again) > 0 {
		t.Errorf("once more: %q, %v", namesOf(again), err)
	}
}

func TestCacheInUseIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	called := 0
	clear := func(context.Context) error { called++; return nil }
	if err := AloneWithCache(t.Context(), dir, clear); err != nil || called != 1 {
		t.Fatalf("a cache that nobody uses: %v", err)
	}
	if _, err := OpenCache(dir); err != nil {
		t.Fatal(err)
	}
	if err := AloneWithCache(t.Context(), dir, clear); !errors.Is(err, ErrCacheInUse) || called != 1 {
		t.Errorf("a cache in use: %v", err)
	}
}

// What a sweep takes from the cache counts as used, however old it is.
func TestCachedBuildIsMarkedAsUsed(t *testing.T) {
	dir := t.TempDir()
	c, err := OpenCache(dir)
	if err != nil {
		t.Fatal(err)
	}
	build := c.buildDir("node", "20.0.0", "sha512-x")
	fill := func(_ context.Context, _, files string) (buildFacts, error) {
		return buildFacts{Digest: "sha512-x"}, os.WriteFile(filepath.Join(files, "node"), nil, 0o755)
	}
	unused := func() string {
		t.Helper()
		list, _, err := Unused(t.Context(), dir, time.Now().AddDate(0, 0, -30), nil)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(namesOf(list), " ")
	}
	for _, cached := range []bool{false, true} {
		if _, was, err := c.make(t.Context(), build, fill); err != nil || was != cached {
			t.Fatalf("cached %v, %v", was, err)
		}
		if list := unused(); list != "" {
			t.Errorf("just used, but listed: %s", list)
		}
		aged(t, filepath.Join(build, factsFile), 100)
		aged(t, build, 100)
		if list := unused(); !strings.HasPrefix(list, "builds/node/20.0.0-") {
			t.Errorf("not used for long, but listed are %q", list)
		}
	}
}

// A mark that a full disk cut short is made whole; what another program has written
// stays; what cannot be written leaves nothing.
func TestMarkCutShort(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, cacheTag)
	for there, want := range map[string]string{
		"": cacheTagText, cacheTagText[:20]: cacheTagText, cacheTagText[:60]: cacheTagText, cacheTagText: cacheTagText,
		signatureLine: signatureLine, signatureLine + "\n": signatureLine + "\n", signatureLine + "\n# of another program\n": signatureLine + "\n# of another program\n", "x": "x",
	} {
		if err := os.WriteFile(name, []byte(there), 0o644); err != nil {
			t.Fatal(err)
		}
		err := markCache(dir)
		if text, _ := os.ReadFile(name); err != nil || string(text) != want {
			t.Errorf("%q became %q, %v", there, text, err)
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	err := writeMark(dir, func(w io.Writer) error {
		io.WriteString(w, cacheTagText[:20])
		return full
	})
	if left, _ := os.ReadDir(dir); !errors.Is(err, full) || len(left) > 0 {
		t.Errorf("on a full disk: %v, and %v is left", err, left)
	}
}

// What only looks like a cache, or lies behind a link, is not versweep's to remove.
func TestUnusedStaysInTheCache(t *testing.T) {
	month := time.Now().AddDate(0, 0, -30)
	foreign := fullCache(t)
	if err := os.Remove(filepath.Join(foreign, cacheTag)); err != nil {
		t.Fatal(err)
	}
	if list, _, err := Unused(t.Context(), foreign, month, nil); !errors.Is(err, ErrNoCache) || len(list) > 0 {
		t.Errorf("%q of a folder that is no cache are unused, %v", namesOf(list), err)
	}
	outside, dir := fullCache(t), t.TempDir()
	if err := markCache(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"builds", "programs", "repositories", "scratch"} {
		if err := os.Symlink(filepath.Join(outside, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if list, _, err := Unused(t.Context(), dir, month, nil); err != nil || len(list) > 0 {
		t.Errorf("%q behind links are unused, %v", namesOf(list), err)
	}
	// What a sweep needs is spared by whatever name the cache goes.
	t.Chdir(filepath.Dir(outside))
	spared := []string{filepath.Join(outside, "builds/node/18.0.0-0123456789ac/files")}
	list, _, err := Unused(t.Context(), filepath.Base(outside), month, spared)
	if err != nil || slices.ContainsFunc(list, func(c Cached) bool { return strings.Contains(c.Name, "18.0.0") }) {
		t.Errorf("%q are unused, %v", namesOf(list), err)
	}
	// A cache that is opened takes away nothing of somebody else's.
	thesis := filepath.Join(foreign, "scratch", "thesis", "x")
	if _, err := OpenCache(foreign); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(thesis); err != nil {
		t.Error(err)
	}
}

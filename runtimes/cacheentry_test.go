package runtimes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
)

// What releases, a search and a remote repository leave is listed by when it
// was last used, and is had again after it was dropped.
func TestCacheEntries(t *testing.T) {
	work := everyTagForm(t)
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--bare", work, "bare.git")
	server, _ := serveGit(t, dir, "")
	s := gitTarget(t, GitSource{Repository: server + "/bare.git"}, Recipe{})
	cache := gitCache(s)
	obtain := func(versions ...sweep.Version) {
		t.Helper()
		outcomes, err := s.Obtain(t.Context(), versions, nil, func(Obtained) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range outcomes {
			if o.Reason != "" {
				t.Fatal(o.Reason)
			}
		}
	}
	entries := func() map[CacheKind]CacheEntry {
		t.Helper()
		list, err := cache.Entries(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		byKind := map[CacheKind]CacheEntry{}
		for i, e := range list {
			if byKind[e.Kind] = e; i > 0 && e.Used.Before(list[i-1].Used) {
				t.Errorf("out of order: %+v", list)
			}
		}
		return byKind
	}
	if none := entries(); len(none) != 0 {
		t.Errorf("%+v", none)
	}
	found, _ := listed(t, s)
	h, err := s.History(t.Context(), found[0], found[1], HistoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	obtain(found[0])
	obtain(h.Commits[0].Version)
	all := entries()
	if len(all) != 3 || all[CachedBuild].Bytes == 0 || all[CachedRepository].Bytes == 0 || !strings.HasPrefix(all[CachedCommit].Path, "builds/server/commit-") {
		t.Fatalf("%+v", all)
	}

	long := time.Now().Add(-90 * 24 * time.Hour).Truncate(time.Second)
	for kind, e := range all {
		if err := os.Chtimes(filepath.Join(cache.dir, e.Path, usedFile(kind)), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if e := entries()[CachedBuild]; !e.Used.Equal(long) {
		t.Errorf("%+v", e)
	}
	if _, err := s.History(t.Context(), found[0], found[1], HistoryOptions{}); err != nil {
		t.Fatal(err)
	}
	obtain(h.Commits[0].Version)
	for kind, unused := range map[CacheKind]bool{CachedBuild: true, CachedCommit: false, CachedRepository: false} {
		if e := entries()[kind]; e.Used.Equal(long) != unused {
			t.Errorf("%+v, unused %v", e, unused)
		}
	}

	for _, e := range all {
		if err := cache.Drop(e); err != nil {
			t.Error(err)
		}
		if err := cache.Drop(e); !errors.Is(err, ErrNoEntry) {
			t.Errorf("dropped twice: %v", err)
		}
	}
	if left := entries(); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	obtain(found[0], h.Commits[0].Version)
	if left := filesIn(t, cache.scratch()); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// Only what is an entry can be dropped.
func TestDropStaysInTheCache(t *testing.T) {
	cache := emptyCache(t)
	outside := filepath.Join(filepath.Dir(cache.dir), "outside")
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "builds", "builds/node", "scratch/x", "../outside", "builds/../../outside", "builds/node/..", "programs/", "programs/./x", "/etc/passwd", "repositories/x/y"} {
		if err := cache.Drop(CacheEntry{Path: path}); !errors.Is(err, ErrNoEntry) {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, dir := range []string{outside, cache.builds(), cache.scratch()} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
}

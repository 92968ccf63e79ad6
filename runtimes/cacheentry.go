package runtimes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// CacheKind is what an entry of the cache holds.
type CacheKind string

const (
	CachedBuild      CacheKind = "build"      // of a release
	CachedCommit     CacheKind = "commit"     // build of a commit, which only a search needs
	CachedRepository CacheKind = "repository" // history of a remote git repository
	CachedProgram    CacheKind = "program"    // hello-world program, a few files
)

// CacheEntry is a part of the cache that can be dropped by itself: what it holds
// is made or fetched again when it is needed.
type CacheEntry struct {
	Kind  CacheKind
	Path  string    // below the cache's folder, with slashes: "builds/node/22.1.0-0123456789ab"
	Bytes int64     // of its files
	Used  time.Time // when a build or history was last taken, or made; programs only when they were written
}

// ErrNoEntry says that the cache has no such entry.
var ErrNoEntry = errors.New("the cache has no such entry")

// Entries lists what the cache holds, what was used longest ago first. Entries
// that go meanwhile are left out.
func (c *Cache) Entries(ctx context.Context) ([]CacheEntry, error) {
	var all []CacheEntry
	for _, pattern := range []string{"builds/*/*", "programs/*", "repositories/*"} {
		found, err := fs.Glob(os.DirFS(c.dir), pattern)
		if err != nil {
			return nil, fmt.Errorf("listing the cache %s: %w", c.dir, err)
		}
		for _, path := range found {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e, err := c.entry(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("listing the cache %s: %w", c.dir, err)
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b CacheEntry) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.Path, b.Path)) })
	return all, nil
}

func (c *Cache) entry(path string) (CacheEntry, error) {
	dir := filepath.Join(c.dir, filepath.FromSlash(path))
	e := CacheEntry{Kind: kindOfEntry(path), Path: path}
	size, err := folderSize(dir)
	if err != nil {
		return CacheEntry{}, err
	}
	info, err := os.Stat(filepath.Join(dir, usedFile(e.Kind)))
	if errors.Is(err, fs.ErrNotExist) { // not whole, or of a version of long ago
		info, err = os.Stat(dir)
	}
	if err != nil {
		return CacheEntry{}, err
	}
	e.Bytes, e.Used = size, info.ModTime().UTC()
	return e, nil
}

// kindOfEntry tells the kind by the path; empty when it is no entry's.
func kindOfEntry(path string) CacheKind {
	parts := strings.Split(path, "/")
	switch {
	case slices.ContainsFunc(parts, func(p string) bool { return p == "" || p == "." || p == ".." }):
	case len(parts) == 3 && parts[0] == "builds" && strings.HasPrefix(parts[2], commitPrefix):
		return CachedCommit
	case len(parts) == 3 && parts[0] == "builds":
		return CachedBuild
	case len(parts) == 2 && parts[0] == "programs":
		return CachedProgram
	case len(parts) == 2 && parts[0] == "repositories":
		return CachedRepository
	}
	return ""
}

// usedFile is the file whose time tells when an entry was last used.
func usedFile(k CacheKind) string {
	switch k {
	case CachedRepository:
		return tipsFile
	case CachedProgram:
		return "."
	}
	return factsFile
}

// noteUse remembers that something was taken from the cache now. A cache that
// cannot be written to works as well.
func noteUse(file string) {
	now := time.Now()
	_ = os.Chtimes(file, now, now)
}

// Drop removes an entry that Entries has listed. Nobody finds half of it: it is
// moved out of the way first. Callers see to it that no sweep is using it. The
// error is ErrNoEntry when it is gone already, or is none.
func (c *Cache) Drop(e CacheEntry) error {
	if kindOfEntry(e.Path) == "" {
		return fmt.Errorf("dropping %q: %w", e.Path, ErrNoEntry)
	}
	scratch, err := os.MkdirTemp(c.scratch(), runFolder(os.Getpid())+"-")
	if err != nil {
		return fmt.Errorf("dropping %s: %w", e.Path, err)
	}
	err = os.Rename(filepath.Join(c.dir, filepath.FromSlash(e.Path)), filepath.Join(scratch, "entry"))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoEntry
	}
	if err := errors.Join(err, os.RemoveAll(scratch)); err != nil {
		return fmt.Errorf("dropping %s: %w", e.Path, err)
	}
	return nil
}

package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Kinds of what a cache holds.
const (
	CachedBuild      = "build"
	CachedProgram    = "program"
	CachedRepository = "repository"
	CachedScratch    = "scratch"
)

// Cached is one thing that a cache holds.
type Cached struct {
	Kind  string
	Name  string    // below the cache's folder: "builds/node/20.0.0-0123456789ab"
	Used  time.Time // last
	Bytes int64     // on disk
}

// scratchAge is how old scratch folders are that no process works in any more.
const scratchAge = 24 * time.Hour

// cacheShelf is a kind of things in a cache, and by what they are known: a folder of
// some other use, or a file that somebody put there, is left alone.
type cacheShelf struct {
	kind, folder string
	depth        int
	name         *regexp.Regexp
	holds        string // a file or folder in each; empty for none
}

var cacheShelves = []cacheShelf{
	{CachedBuild, "builds", 2, regexp.MustCompile(`-[0-9a-f]{12}$`), factsFile},
	{CachedProgram, "programs", 1, regexp.MustCompile(`-[0-9a-f]{12}$`), ""},
	{CachedRepository, "repositories", 1, regexp.MustCompile(`^[0-9a-f]{16}$`), "objects"},
	{CachedScratch, "scratch", 1, scratchName, ""},
}

// scratchName is what scratch folders are called, with or without the process that
// made them.
var scratchName = regexp.MustCompile(`^(build|program|history|gone)-([0-9a-f]{8}-[0-9]+-[0-9]*-)?[0-9]+$`)

// Unused lists what the cache in dir holds that was not used since a time, and
// sums up the rest. What one of the spared paths lies in is never listed, nor what
// lies behind a link. There may be no cache yet; a folder that is not marked as one
// is ErrNoCache.
func Unused(ctx context.Context, dir string, since time.Time, spared []string) (unused []Cached, rest Cached, err error) {
	if dir, err = realFolder(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, rest, nil
	}
	if err != nil {
		return nil, rest, fmt.Errorf("looking through the cache %s: %w", dir, err)
	}
	if !isCache(dir) {
		return nil, rest, fmt.Errorf("%s: %w", dir, ErrNoCache)
	}
	spared = slices.Clone(spared)
	for i, path := range spared {
		if real, err := realFolder(path); err == nil {
			spared[i] = real
		}
	}
	for _, s := range cacheShelves {
		paths, err := filepath.Glob(filepath.Join(globSafe(dir), s.folder+strings.Repeat("/*", s.depth)))
		if err != nil {
			return nil, rest, fmt.Errorf("looking through the cache %s: %w", dir, err)
		}
		for _, path := range paths {
			if err := ctx.Err(); err != nil {
				return nil, rest, err
			}
			c, ok, err := s.at(dir, path)
			if err != nil {
				return nil, rest, fmt.Errorf("looking through the cache %s: %w", dir, err)
			}
			switch {
			case !ok:
			case s.kind == CachedScratch && time.Since(c.Used) < scratchAge, !c.Used.Before(since), anyWithin(spared, path):
				rest.Bytes += c.Bytes
			default:
				unused = append(unused, c)
			}
		}
	}
	return unused, rest, nil
}

// globSafe keeps characters of a folder's name from being a pattern.
func globSafe(dir string) string {
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(dir, `\$0`)
}

// realFolder is an absolute path without links.
func realFolder(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// at tells about what lies at path; false when it is nothing of the kind.
func (s cacheShelf) at(dir, path string) (c Cached, ok bool, err error) {
	for above := filepath.Dir(path); above != dir; above = filepath.Dir(above) {
		if info, err := os.Lstat(above); err != nil || !info.IsDir() {
			return c, false, nil // a link leads elsewhere
		}
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	if err != nil || !info.IsDir() || !s.name.MatchString(filepath.Base(path)) {
		return c, false, err
	}
	c = Cached{Kind: s.kind, Used: info.ModTime()}
	if s.holds != "" {
		inside, err := os.Lstat(filepath.Join(path, s.holds))
		if err != nil {
			return c, false, nil
		}
		if inside.ModTime().After(c.Used) {
			c.Used = inside.ModTime()
		}
	}
	if c.Name, err = filepath.Rel(dir, path); err != nil {
		return c, false, err
	}
	c.Bytes, err = diskUse(path)
	return c, err == nil, err
}

func anyWithin(paths []string, folder string) bool {
	for _, p := range paths {
		if rel, err := filepath.Rel(folder, p); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// diskUse is the size of all files in a folder.
func diskUse(folder string) (total int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return nil
	})
	return total, err
}

// RemoveCached removes things from the cache in dir, as Unused lists them. Each is
// taken out of its place in one step, so that a kill leaves no half of it there. It
// is for AloneWithCache. What was removed before an error is in the answer.
func RemoveCached(ctx context.Context, dir string, list []Cached) (removed []Cached, err error) {
	dir, err = realFolder(dir)
	if errors.Is(err, fs.ErrNotExist) && len(list) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("clearing the cache %s: %w", dir, err)
	}
	cache := &Cache{dir: dir}
	if err := os.MkdirAll(cache.scratch(), 0o755); err != nil {
		return nil, fmt.Errorf("clearing the cache %s: %w", dir, err)
	}
	for _, c := range list {
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		away, err := cache.scratchFolder("gone")
		if err == nil {
			err = os.Rename(filepath.Join(dir, c.Name), filepath.Join(away, "folder"))
			if errors.Is(err, fs.ErrNotExist) {
				os.Remove(away)
				continue
			}
		}
		if err == nil {
			err = removeAll(away)
		}
		if err != nil {
			return removed, fmt.Errorf("removing %s from the cache %s: %w", c.Name, dir, err)
		}
		removed = append(removed, c)
		if c.Kind == CachedBuild {
			os.Remove(filepath.Dir(filepath.Join(dir, c.Name))) // of a target's builds; it stays unless it is empty
		}
	}
	return removed, nil
}

// removeAll removes a folder, even where its folders may not be written to.
func removeAll(folder string) error {
	if err := os.RemoveAll(folder); err == nil {
		return nil
	}
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(folder)
}

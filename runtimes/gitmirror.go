package runtimes

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	objectcache "github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// openObjects opens the store of objects in dir, which need not be there yet.
func openObjects(dir string) *filesystem.Storage {
	return filesystem.NewStorage(osfs.New(dir), objectcache.NewObjectLRUDefault())
}

// repositories holds what is kept of remote git repositories.
func (c *Cache) repositories() string { return filepath.Join(c.dir, "repositories") }

// mirrorDir holds all commits of the repository, once they were asked for.
func (r *remoteGit) mirrorDir() string {
	sum := sha256.Sum256([]byte(r.String()))
	return filepath.Join(r.cache.repositories(), hex.EncodeToString(sum[:8]))
}

// tipsFile, in a mirror, holds the hashes that branches and tags had when the
// mirror was last brought up to date, one a line. Without it a branch that has
// moved on since would be fetched as a whole again.
const tipsFile = "tips"

// history brings the mirror up to date. It keeps objects only: the names of
// references stay in memory.
func (r *remoteGit) history(ctx context.Context) (storer.EncodedObjectStorer, map[string]plumbing.Hash, error) {
	s, err := r.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	dir := r.mirrorDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	objects := openObjects(dir)
	references := make(map[string]plumbing.Hash, len(s.listed.References)+1)
	if s.listed.Head != nil {
		references["HEAD"] = *s.listed.Head
	}
	w := wish{limit: maxTreePack}
	tips := map[plumbing.Hash]bool{}
	for name, hash := range s.listed.References {
		references[name] = hash
		isHistory := strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, tagPrefix)
		if !isHistory || tips[hash] {
			continue
		}
		tips[hash] = true
		if hasObject(objects, hash) {
			w.have = append(w.have, hash)
		} else {
			w.want = append(w.want, hash)
		}
	}
	if len(w.want) == 0 {
		noteUse(filepath.Join(dir, tipsFile))
		return objects, references, nil
	}
	for _, hash := range keptTips(dir) {
		if !tips[hash] && hasObject(objects, hash) {
			w.have = append(w.have, hash)
		}
	}
	scratch, err := os.MkdirTemp(r.cache.scratch(), runFolder(os.Getpid())+"-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(scratch)
	if err := s.fetch(ctx, openObjects(scratch), w); err != nil {
		return nil, nil, fmt.Errorf("fetching its history: %w", err)
	}
	if err := moveObjects(scratch, dir); err != nil {
		return nil, nil, fmt.Errorf("keeping its history: %w", err)
	}
	if err := keepTips(scratch, dir, tips); err != nil {
		return nil, nil, fmt.Errorf("keeping its history: %w", err)
	}
	return openObjects(dir), references, nil
}

// moveObjects moves the objects of one store into another. go-git writes a
// pack's index in place, so that a process killed meanwhile would leave half an
// index, and trusts one that is there: it must not write into what is kept.
func moveObjects(from, to string) error {
	var files []string
	err := filepath.WalkDir(filepath.Join(from, "objects"), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		return err
	}
	// A pack last: then it is looked for, and has to have its index.
	slices.SortStableFunc(files, func(a, b string) int {
		isPack := func(file string) int { return strings.Count(filepath.Ext(file), ".pack") }
		return cmp.Compare(isPack(a), isPack(b))
	})
	for _, file := range files {
		inside, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.Rename(file, target); err != nil {
			return err
		}
	}
	return nil
}

// keptTips reads a mirror's tips; none where there is no such list.
func keptTips(dir string) []plumbing.Hash {
	text, err := os.ReadFile(filepath.Join(dir, tipsFile))
	if err != nil {
		return nil // then all is fetched
	}
	var tips []plumbing.Hash
	for line := range strings.Lines(string(text)) {
		if hash := strings.TrimSpace(line); plumbing.IsHash(hash) {
			tips = append(tips, plumbing.NewHash(hash))
		}
	}
	return tips
}

// keepTips writes the list whole or not at all.
func keepTips(scratch, dir string, tips map[plumbing.Hash]bool) error {
	var lines []string
	for hash := range tips {
		lines = append(lines, hash.String()+"\n")
	}
	slices.Sort(lines)
	file := filepath.Join(scratch, tipsFile)
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		return err
	}
	return os.Rename(file, filepath.Join(dir, tipsFile))
}

// historyOf implements gitRepository. What was fetched once is whole, since
// fetches are all or nothing and leave out no parent.
func (r *remoteGit) historyOf(ctx context.Context, commits ...plumbing.Hash) (storer.EncodedObjectStorer, error) {
	mirror := openObjects(r.mirrorDir())
	if !slices.ContainsFunc(commits, func(hash plumbing.Hash) bool { return !hasObject(mirror, hash) }) {
		noteUse(filepath.Join(r.mirrorDir(), tipsFile))
		return mirror, nil
	}
	objects, _, err := r.history(ctx)
	return objects, err
}

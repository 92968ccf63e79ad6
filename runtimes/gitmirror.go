package runtimes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
		return objects, references, nil
	}
	for _, hash := range keptTips(dir) {
		if !tips[hash] && hasObject(objects, hash) {
			w.have = append(w.have, hash)
		}
	}
	if err := s.fetch(ctx, objects, w); err != nil {
		return nil, nil, fmt.Errorf("fetching its history: %w", err)
	}
	if err := r.keepTips(dir, tips); err != nil {
		return nil, nil, err
	}
	return openObjects(dir), references, nil
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
func (r *remoteGit) keepTips(dir string, tips map[plumbing.Hash]bool) error {
	var lines []string
	for hash := range tips {
		lines = append(lines, hash.String()+"\n")
	}
	slices.Sort(lines)
	scratch, err := os.MkdirTemp(r.cache.scratch(), "tips-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
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
		return mirror, nil
	}
	objects, _, err := r.history(ctx)
	return objects, err
}

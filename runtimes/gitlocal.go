package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	objectcache "github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// localGit is a repository on this machine, read in place and never written to.
// It is opened anew for each use, since go-git's stores are not safe for
// several goroutines.
//
// A shallow clone lacks most tags. Those are its origin's, when it has one:
// each is fetched from there into a scratch folder.
type localGit struct {
	path   string
	origin gitRepository // of a shallow clone; nil for a whole one
	cache  *Cache
}

func newLocalGit(path string, cache *Cache) (*localGit, error) {
	l := &localGit{path: path, cache: cache}
	repository, err := l.open()
	if err != nil {
		return nil, fmt.Errorf("git repository %s: %w", path, err)
	}
	shallow, err := repository.Shallow()
	if err != nil {
		return nil, fmt.Errorf("git repository %s: %w", path, err)
	}
	if len(shallow) == 0 {
		return l, nil
	}
	settings, err := repository.Config()
	if err != nil {
		return nil, fmt.Errorf("git repository %s: %w", path, err)
	}
	origin, known := settings.Remotes[git.DefaultRemoteName]
	if !known || len(origin.URLs) == 0 {
		return l, nil
	}
	if l.origin, err = openGitRepository(submoduleAddress(path, origin.URLs[0]), cache); err != nil {
		return nil, fmt.Errorf("git repository %s is a shallow clone: its origin: %w", path, err)
	}
	return l, nil
}

func (l *localGit) String() string { return l.path }

func (l *localGit) open() (storage.Storer, error) {
	repository, err := git.PlainOpenWithOptions(l.path, &git.PlainOpenOptions{EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) || errors.Is(err, os.ErrNotExist) {
		return nil, errNoRepository
	}
	if err != nil {
		return nil, err
	}
	opened, ok := repository.Storer.(*filesystem.Storage)
	if !ok {
		return repository.Storer, nil
	}
	// Opened once more, since only so the objects that a clone shares with
	// another are found: their paths are from the root.
	everywhere := filesystem.Options{AlternatesFS: osfs.New("/")}
	return filesystem.NewStorageWithOptions(opened.Filesystem(), objectcache.NewObjectLRUDefault(), everywhere), nil
}

// ownReferences maps the full names of a repository's own references to what
// they hold.
func ownReferences(repository storage.Storer) (map[string]plumbing.Hash, error) {
	references, err := repository.IterReferences()
	if err != nil {
		return nil, err
	}
	own := map[string]plumbing.Hash{}
	err = references.ForEach(func(r *plumbing.Reference) error {
		if r.Type() == plumbing.SymbolicReference {
			target, err := storer.ResolveReference(repository, r.Name())
			if err != nil {
				return nil // HEAD of a repository without commits
			}
			r = plumbing.NewHashReference(r.Name(), target.Hash())
		}
		own[r.Name().String()] = r.Hash()
		return nil
	})
	return own, err
}

func (l *localGit) tags(ctx context.Context) ([]gitTag, error) {
	repository, err := l.open()
	if err != nil {
		return nil, err
	}
	own, err := ownReferences(repository)
	if err != nil {
		return nil, err
	}
	tags := tagsOf(own, nil)
	if l.origin == nil {
		return tags, nil
	}
	more, err := l.origin.tags(ctx)
	if err != nil {
		return nil, fmt.Errorf("it is a shallow clone, and its origin %s: %w", l.origin, err)
	}
	for _, t := range more {
		if _, known := own[tagPrefix+t.name]; !known {
			tags = append(tags, t)
		}
	}
	return tags, nil
}

// tagsOf picks the tags among references.
func tagsOf(references, peeled map[string]plumbing.Hash) []gitTag {
	var tags []gitTag
	for name, hash := range references {
		// Some servers list the peeled name as a reference of its own.
		if tag, ok := strings.CutPrefix(name, tagPrefix); ok && !strings.HasSuffix(tag, "^{}") {
			tags = append(tags, gitTag{name: tag, object: hash, peeled: peeled[name]})
		}
	}
	return tags
}

func (l *localGit) commits(ctx context.Context, tags []gitTag) (map[string]plumbing.Hash, map[string]string, error) {
	repository, err := l.open()
	if err != nil {
		return nil, nil, err
	}
	var here, there []gitTag
	for _, t := range tags {
		if l.origin == nil || hasObject(repository, t.object) {
			here = append(here, t)
		} else {
			there = append(there, t)
		}
	}
	commits, elsewhere, err := peelAll(repository, here)
	if err != nil || len(there) == 0 {
		return commits, elsewhere, err
	}
	fetched, unfit, err := l.origin.commits(ctx, there)
	if err != nil {
		return nil, nil, err
	}
	for name, commit := range fetched {
		commits[name] = commit
	}
	for name, reason := range unfit {
		elsewhere[name] = reason
	}
	return commits, elsewhere, nil
}

func (l *localGit) tree(ctx context.Context, commit plumbing.Hash, tag, scratch string) (storer.EncodedObjectStorer, error) {
	repository, err := l.open()
	if err != nil {
		return nil, err
	}
	if hasObject(repository, commit) {
		return repository, nil
	}
	if l.origin == nil {
		return nil, fmt.Errorf("it has no commit %s", commit)
	}
	return l.origin.tree(ctx, commit, tag, scratch)
}

func (l *localGit) history(ctx context.Context) (storer.EncodedObjectStorer, map[string]plumbing.Hash, error) {
	if l.origin != nil {
		return l.origin.history(ctx)
	}
	repository, err := l.open()
	if err != nil {
		return nil, nil, err
	}
	own, err := ownReferences(repository)
	return repository, own, err
}

func (l *localGit) historyOf(ctx context.Context, commits ...plumbing.Hash) (storer.EncodedObjectStorer, error) {
	if l.origin != nil {
		return l.origin.historyOf(ctx, commits...)
	}
	return l.open()
}

// submodule opens what a repository on this machine names. What is in it may
// have come from anywhere, so that as with git itself it must not name files of
// this machine, but for a repository beside it.
func (l *localGit) submodule(rawURL string) (gitRepository, error) {
	address := submoduleAddress(l.path, rawURL)
	endpoint, err := transport.NewEndpoint(address)
	if err != nil {
		return nil, fmt.Errorf("git repository %s: %w", withoutCredentials(address), bareURLError(err))
	}
	beside := address != rawURL && (filepath.Dir(endpoint.Path) == filepath.Dir(l.path) || filepath.Dir(endpoint.Path) == l.path)
	if endpoint.Protocol == "file" && !beside {
		return nil, fmt.Errorf("%q is a path of this machine, and not beside %s", rawURL, l.path)
	}
	return openGitRepository(address, l.cache)
}

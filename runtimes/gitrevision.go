package runtimes

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"versweep/sweep"
)

// ErrNoCommits says that a source has no commits to build.
var ErrNoCommits = errors.New("only a git source has commits")

// ErrNoCommit says that no commit is called so.
var ErrNoCommit = errors.New("there is no such commit")

// commitSource is a source that can make any commit a version.
type commitSource interface {
	commit(ctx context.Context, revision string) (sweep.Version, error)
}

// Commit makes a version of any commit of a git source, for Obtain: of a full
// hash, a short one of at least 4 digits, a branch, a tag, or one of these with
// ~N and ^N after it, as git writes revisions. The version is named
// "commit-" and 12 digits of the hash, and has no place on the version axis:
// commits are ordered by whoever asks for them.
//
// A full hash is taken as it is, and found out about by Obtain. Anything else
// of a remote repository needs its history, which is fetched into the cache
// once and brought up to date at each call. The error is ErrNoCommits for a
// source of another kind.
func (s *Supply) Commit(ctx context.Context, revision string) (sweep.Version, error) {
	source, ok := s.source.(commitSource)
	if !ok {
		return sweep.Version{}, fmt.Errorf("%s of %s: %w", s.kind, s.definition.Name, ErrNoCommits)
	}
	return source.commit(ctx, revision)
}

func (g *gitSource) commit(ctx context.Context, revision string) (sweep.Version, error) {
	hash := strings.ToLower(revision)
	if !plumbing.IsHash(hash) {
		found, err := g.find(ctx, revision)
		if err != nil {
			return sweep.Version{}, fmt.Errorf("looking for commit %q in %s: %w", revision, g.repository, err)
		}
		hash = found.String()
	}
	return commitVersion(hash), nil
}

// minShortHash is the fewest digits that git takes for a hash.
const minShortHash = 4

// find resolves a revision by the repository's history.
func (g *gitSource) find(ctx context.Context, revision string) (plumbing.Hash, error) {
	objects, references, err := g.repository.history(ctx)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	// git names no reference with these characters, so they begin the steps
	// from it.
	name, steps := revision, ""
	if i := strings.IndexAny(revision, "~^"); i >= 0 {
		name, steps = revision[:i], revision[i:]
	}
	if name == "" {
		return plumbing.ZeroHash, ErrNoCommit
	}
	start, err := named(objects, references, name)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	return walk(objects, start, steps)
}

// named finds the commit that a name means: as for git, a reference comes
// before a short hash.
func named(objects storer.EncodedObjectStorer, references map[string]plumbing.Hash, name string) (plumbing.Hash, error) {
	var candidates []plumbing.Hash
	for _, place := range []string{"", "refs/", tagPrefix, "refs/heads/", "refs/remotes/", "refs/remotes/origin/"} {
		if hash, ok := references[place+name]; ok {
			candidates = []plumbing.Hash{hash}
			break
		}
	}
	if candidates == nil {
		var err error
		if candidates, err = withPrefix(objects, references, name); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	var commits []plumbing.Hash
	problem := ErrNoCommit
	for _, hash := range candidates {
		commit, elsewhere, err := peel(objects, hash)
		switch {
		case errors.Is(err, plumbing.ErrObjectNotFound): // a shallow clone's
		case err != nil:
			return plumbing.ZeroHash, err
		case elsewhere != "":
			problem = errors.New(elsewhere)
		case !slices.Contains(commits, commit):
			commits = append(commits, commit)
		}
	}
	switch len(commits) {
	case 0:
		return plumbing.ZeroHash, problem
	case 1:
		return commits[0], nil
	}
	return plumbing.ZeroHash, fmt.Errorf("%d commits begin with it", len(commits))
}

// withPrefix lists the objects whose hashes begin with the digits given; none
// when these are no hash.
func withPrefix(objects storer.EncodedObjectStorer, references map[string]plumbing.Hash, digits string) ([]plumbing.Hash, error) {
	digits = strings.ToLower(digits)
	whole, err := hex.DecodeString(digits[:len(digits)&^1])
	if len(digits) < minShortHash || err != nil {
		return nil, nil
	}
	var found []plumbing.Hash
	if index, ok := objects.(interface {
		HashesWithPrefix(prefix []byte) ([]plumbing.Hash, error)
	}); ok {
		if found, err = index.HashesWithPrefix(whole); err != nil {
			return nil, fmt.Errorf("looking for hashes that begin with %s: %w", digits, err)
		}
	}
	begins := func(h plumbing.Hash) bool { return strings.HasPrefix(h.String(), digits) }
	found = slices.DeleteFunc(found, func(h plumbing.Hash) bool { return !begins(h) })
	if len(found) > 0 {
		return found, nil
	}
	// What a clone shares with another is in no index of its own: then all
	// commits are looked at.
	seen := map[plumbing.Hash]bool{}
	for _, reference := range references {
		start, elsewhere, err := peel(objects, reference)
		if err != nil || elsewhere != "" {
			continue // leads to no commit here
		}
		commit, err := object.GetCommit(objects, start)
		if err != nil {
			return nil, fmt.Errorf("reading commit %s: %w", start, err)
		}
		err = object.NewCommitPreorderIter(commit, seen, nil).ForEach(func(c *object.Commit) error {
			seen[c.Hash] = true
			if begins(c.Hash) {
				found = append(found, c.Hash)
			}
			return nil
		})
		if err != nil && !errors.Is(err, plumbing.ErrObjectNotFound) { // a shallow clone ends early
			return nil, fmt.Errorf("looking for hashes that begin with %s: %w", digits, err)
		}
	}
	return found, nil
}

// walk follows steps such as "~3^2" from a commit: ~N goes to the Nth first
// parent, ^N to the Nth parent, and N is 1 where it is left out.
func walk(objects storer.EncodedObjectStorer, at plumbing.Hash, steps string) (plumbing.Hash, error) {
	for steps != "" {
		kind := steps[0]
		digits := leadingNumber(steps[1:])
		steps = steps[1+len(digits):]
		n := 1
		if digits != "" {
			var err error
			if n, err = strconv.Atoi(digits); err != nil {
				return plumbing.ZeroHash, ErrNoCommit
			}
		}
		parent, times := n, 1
		switch kind {
		case '~':
			parent, times = 1, n
		case '^':
		default:
			return plumbing.ZeroHash, fmt.Errorf("only ~N and ^N can follow a name, not %q", string(kind)+steps)
		}
		for range times {
			if parent == 0 {
				break
			}
			commit, err := object.GetCommit(objects, at)
			if err != nil || parent > len(commit.ParentHashes) {
				return plumbing.ZeroHash, ErrNoCommit
			}
			at = commit.ParentHashes[parent-1]
		}
	}
	if _, err := object.GetCommit(objects, at); err != nil {
		return plumbing.ZeroHash, ErrNoCommit
	}
	return at, nil
}

func leadingNumber(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

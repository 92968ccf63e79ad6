package runtimes

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// commitGraph walks the commits of one repository. It trusts no dates: clocks
// were wrong in many a history.
type commitGraph struct {
	objects storer.EncodedObjectStorer
	cut     map[plumbing.Hash]bool // commits of a shallow clone whose parents it does not have
}

func newCommitGraph(objects storer.EncodedObjectStorer) (*commitGraph, error) {
	g := &commitGraph{objects: objects, cut: map[plumbing.Hash]bool{}}
	if shallow, ok := objects.(storer.ShallowStorer); ok {
		hashes, err := shallow.Shallow()
		if err != nil {
			return nil, fmt.Errorf("reading where the history is cut off: %w", err)
		}
		for _, h := range hashes {
			g.cut[h] = true
		}
	}
	return g, nil
}

// read reads one commit.
func (g *commitGraph) read(hash plumbing.Hash) (*object.Commit, error) {
	c, err := object.GetCommit(g.objects, hash)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		if len(g.cut) > 0 {
			return nil, fmt.Errorf("commit %s is missing: %w", hash, ErrShallowClone)
		}
		return nil, fmt.Errorf("the repository has no commit %s", hash)
	}
	if err != nil {
		return nil, fmt.Errorf("reading commit %s: %w", hash, err)
	}
	return c, nil
}

// commitAt follows tags from hash to a commit.
func (g *commitGraph) commitAt(hash plumbing.Hash) (plumbing.Hash, error) {
	if !hasObject(g.objects, hash) {
		_, err := g.read(hash)
		return plumbing.ZeroHash, err
	}
	commit, elsewhere, err := peel(g.objects, hash)
	if err == nil && elsewhere != "" {
		err = errors.New(elsewhere)
	}
	return commit, err
}

// step reads the next commit of a walk.
func (g *commitGraph) step(ctx context.Context, hash plumbing.Hash) (*object.Commit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return g.read(hash)
}

// ancestors are a commit and all before it, as far as the repository has them.
func (g *commitGraph) ancestors(ctx context.Context, of ...plumbing.Hash) (map[plumbing.Hash]bool, error) {
	seen := map[plumbing.Hash]bool{}
	next := of
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if seen[at] {
			continue
		}
		c, err := g.step(ctx, at)
		if err != nil {
			return nil, err
		}
		seen[at] = true
		if !g.cut[at] {
			next = append(next, c.ParentHashes...)
		}
	}
	return seen, nil
}

// without walks from a commit to those that are in had. It returns what is not,
// and the commits of had that it came to. With most 0 commits have no bound, and
// one whose parents are missing ends its way; else it is an error.
func (g *commitGraph) without(ctx context.Context, had map[plumbing.Hash]bool, from plumbing.Hash, most int) (new map[plumbing.Hash]Commit, shared map[plumbing.Hash]bool, err error) {
	new, shared = map[plumbing.Hash]Commit{}, map[plumbing.Hash]bool{}
	next := []plumbing.Hash{from}
	for len(next) > 0 {
		at := next[len(next)-1]
		next = next[:len(next)-1]
		if had[at] {
			shared[at] = true
			continue
		}
		if _, seen := new[at]; seen {
			continue
		}
		c, err := g.step(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		new[at] = newCommit(c)
		switch {
		case most > 0 && len(new) > most:
			return nil, nil, tooLong(most)
		case !g.cut[at]:
			next = append(next, c.ParentHashes...)
		case most > 0:
			return nil, nil, fmt.Errorf("%w between the two", ErrShallowClone)
		}
	}
	if len(shared) == 0 && most > 0 {
		return nil, nil, ErrUnrelated
	}
	return new, shared, nil
}

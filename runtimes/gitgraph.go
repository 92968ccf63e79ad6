package runtimes

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// history lists what bad has and good has not.
func (g *commitGraph) history(ctx context.Context, good, bad plumbing.Hash, o HistoryOptions) (History, error) {
	if good == bad {
		return History{}, fmt.Errorf("%w, %s", ErrSameCommit, good)
	}
	if o.Most == 0 {
		o.Most = MaxHistory
	}
	find := g.firstParents
	if o.AllParents {
		find = g.allParents
	}
	found, err := find(ctx, good, bad, o.Most)
	if err != nil {
		return History{}, err
	}
	h := History{GoodIsAncestor: found.goodIsAncestor, AllParents: o.AllParents, Commits: found.commits}
	nameApart(h.Commits)
	h.Bad = h.Commits[len(h.Commits)-1]
	for _, end := range []struct {
		hash plumbing.Hash
		into *Commit
	}{{good, &h.Good}, {found.base, &h.Base}} {
		c, err := g.read(end.hash)
		if err != nil {
			return History{}, err
		}
		*end.into = newCommit(c)
	}
	return h, nil
}

// foundHistory is what a walk found.
type foundHistory struct {
	commits        []Commit // oldest first
	base           plumbing.Hash
	goodIsAncestor bool
}

// firstParents follows first parents from bad to good, or to the first commit
// that good has too.
func (g *commitGraph) firstParents(ctx context.Context, good, bad plumbing.Hash, most int) (foundHistory, error) {
	var line []Commit // newest first
	at := bad
	ended := false // at a commit without parents
	for at != good && len(line) <= most && !ended {
		c, err := g.step(ctx, at)
		if err != nil {
			return foundHistory{}, err
		}
		line = append(line, newCommit(c))
		if ended = len(c.ParentHashes) == 0 || g.cut[at]; !ended {
			at = c.ParentHashes[0]
		}
	}
	if at == good && len(line) <= most {
		slices.Reverse(line)
		return foundHistory{commits: line, base: good, goodIsAncestor: true}, nil
	}
	had, err := g.ancestors(ctx, good)
	if err != nil {
		return foundHistory{}, err
	}
	i := slices.IndexFunc(line, func(c Commit) bool { return had[plumbing.NewHash(c.Hash)] })
	switch {
	case i == 0:
		return foundHistory{}, ErrBadIsOlder
	case i < 0 && len(line) > most:
		return foundHistory{}, tooLong(most)
	case i < 0 && len(g.cut) > 0:
		return foundHistory{}, fmt.Errorf("%w between the two", ErrShallowClone)
	case i < 0:
		return foundHistory{}, fmt.Errorf("%w along first parents", ErrUnrelated)
	}
	found := foundHistory{base: plumbing.NewHash(line[i].Hash), commits: line[:i]}
	slices.Reverse(found.commits)
	_, shared, err := g.without(ctx, had, bad, 0)
	if err != nil {
		return foundHistory{}, err
	}
	found.goodIsAncestor = shared[good]
	return found, nil
}

// allParents takes all commits that bad has and good has not.
func (g *commitGraph) allParents(ctx context.Context, good, bad plumbing.Hash, most int) (foundHistory, error) {
	had, err := g.ancestors(ctx, good)
	if err != nil {
		return foundHistory{}, err
	}
	if had[bad] {
		return foundHistory{}, ErrBadIsOlder
	}
	new, shared, err := g.without(ctx, had, bad, most)
	if err != nil {
		return foundHistory{}, err
	}
	found := foundHistory{commits: inTopologicalOrder(new, bad), base: good, goodIsAncestor: shared[good]}
	if !found.goodIsAncestor {
		if found.base, err = g.newest(ctx, shared); err != nil {
			return foundHistory{}, err
		}
	}
	return found, nil
}

func tooLong(most int) error { return fmt.Errorf("%w, more than %d", ErrLongHistory, most) }

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

// newest picks, of commits that both histories have, one that no other one has
// before it: of several the last committed, then the one with the lowest hash.
func (g *commitGraph) newest(ctx context.Context, shared map[plumbing.Hash]bool) (plumbing.Hash, error) {
	var before []plumbing.Hash
	dates := map[plumbing.Hash]int64{}
	for hash := range shared {
		c, err := g.step(ctx, hash)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		dates[hash] = c.Committer.When.Unix()
		if !g.cut[hash] {
			before = append(before, c.ParentHashes...)
		}
	}
	older, err := g.ancestors(ctx, before...)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	var best plumbing.Hash
	for hash, date := range dates {
		switch {
		case older[hash]:
		case best.IsZero(), date > dates[best], date == dates[best] && hash.String() < best.String():
			best = hash
		}
	}
	return best, nil
}

// inTopologicalOrder puts parents before children and keeps branches in one
// piece, as git's rev-list --topo-order --reverse does: from the last commit
// backwards, a commit comes once all its children have, and of several that
// could come the one whose turn came last.
func inTopologicalOrder(commits map[plumbing.Hash]Commit, last plumbing.Hash) []Commit {
	children := make(map[string]int, len(commits))
	for _, c := range commits {
		for _, p := range c.Parents {
			children[p]++
		}
	}
	ordered := make([]Commit, 0, len(commits))
	ready := []plumbing.Hash{last}
	for len(ready) > 0 {
		c := commits[ready[len(ready)-1]]
		ready = ready[:len(ready)-1]
		ordered = append(ordered, c)
		for _, p := range c.Parents {
			children[p]--
			hash := plumbing.NewHash(p)
			if _, in := commits[hash]; in && children[p] == 0 {
				ready = append(ready, hash)
			}
		}
	}
	slices.Reverse(ordered)
	return ordered
}

package runtimes

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

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

package runtimes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"versweep/sweep"
)

// History is the commits between two of a repository: what a search for the
// commit that changed something looks through.
type History struct {
	Good Commit `json:"good"`
	Bad  Commit `json:"bad"` // the last of Commits

	// Base is the commit that Commits follow: Good where that is on the way,
	// else the last one that both share. It is then as good as Good only if it
	// is measured, and has to be, before the commits after it.
	Base Commit `json:"base"`
	// GoodIsAncestor tells whether Bad has all that Good has. It is false for a
	// release on a branch of its own.
	GoodIsAncestor bool `json:"good_is_ancestor"`
	// AllParents tells that Commits has those of merged branches too.
	AllParents bool `json:"all_parents,omitempty"`
	// Commits are in the order in which they came into Bad, oldest first, at
	// least one.
	Commits []Commit `json:"commits"`
}

// HistoryOptions say which commits a history has.
type HistoryOptions struct {
	// AllParents takes every commit that Bad has and Good has not, parents
	// before children and each merged branch as a piece right before its merge:
	// the order of git's rev-list --topo-order --reverse.
	//
	// Such a list is no line: a commit need not have what the one before it
	// has. After a slow commit on one branch come fast ones of another, so that
	// a search that halves the list can end at a merge that only brought the
	// change in. The default, which follows first parents as git's --first-parent
	// does, is a line; Merged then goes on inside the merge that is found.
	AllParents bool
	// Most is how many commits there may be; MaxHistory when 0.
	Most int
}

// MaxHistory is how many commits a history has at most. More would mean that
// the wrong two commits were named.
const MaxHistory = 100_000

// Errors of histories, for errors.Is.
var (
	ErrSameCommit   = errors.New("both are the same commit")
	ErrBadIsOlder   = errors.New("the bad one is older: the good one has it among its ancestors")
	ErrUnrelated    = errors.New("they have no common history")
	ErrLongHistory  = errors.New("there are too many commits between them")
	ErrShallowClone = errors.New("the repository is a shallow clone, which lacks part of the history")
)

// History lists the commits between two versions of a git source: of those of
// its tags, or of what Commit makes. A version of another source is looked for
// by its name among the tags. Where that fails, or with no Commit set, the name
// is read as Commit reads revisions.
//
// The history of a remote repository is fetched into the cache once and brought
// up to date only when it lacks one of the two commits, so that a search goes on
// without the network. The error is ErrNoCommits for a source without commits, and
// wraps one of the errors above where there is no history to search.
func (s *Supply) History(ctx context.Context, good, bad sweep.Version, o HistoryOptions) (History, error) {
	source, ok := s.source.(*gitSource)
	if !ok {
		return History{}, fmt.Errorf("%s of %s: %w", s.kind, s.definition.Name, ErrNoCommits)
	}
	h, err := source.history(ctx, good, bad, o)
	if err != nil {
		return History{}, fmt.Errorf("listing the commits from %.80q to %.80q of %s: %w", good.Name, bad.Name, source.repository, err)
	}
	return h, nil
}

// Merged lists what a merge brought in: for each parent but the first the
// commits from where it left the first parent's line. It is empty for a commit
// that is no merge. A parent that brought in nothing, as when another one had
// all of it, has no history.
//
// Nothing is brought in that one of the hashes of had has among its ancestors: where
// a branch merged the main line before it was merged itself, its inner merge brought
// the branch what the main line had already.
func (s *Supply) Merged(ctx context.Context, merge Commit, o HistoryOptions, had ...string) ([]History, error) {
	var all []History
	for i := 1; i < len(merge.Parents); i++ {
		var least History
		nothing := false
		for _, known := range append([]string{merge.Parents[0]}, had...) {
			h, err := s.History(ctx, commitVersion(known), commitVersion(merge.Parents[i]), o)
			if nothing = errors.Is(err, ErrBadIsOlder) || errors.Is(err, ErrSameCommit); nothing {
				break
			}
			if err != nil {
				return nil, err
			}
			if len(least.Commits) == 0 || len(h.Commits) < len(least.Commits) {
				least = h
			}
		}
		if !nothing {
			all = append(all, least)
		}
	}
	return all, nil
}

func (g *gitSource) history(ctx context.Context, good, bad sweep.Version, o HistoryOptions) (History, error) {
	from, err := g.commitOf(ctx, good)
	if err != nil {
		return History{}, fmt.Errorf("good %.80q: %w", good.Name, err)
	}
	to, err := g.commitOf(ctx, bad)
	if err != nil {
		return History{}, fmt.Errorf("bad %.80q: %w", bad.Name, err)
	}
	objects, err := g.repository.historyOf(ctx, from, to)
	if err != nil {
		return History{}, err
	}
	graph, err := newCommitGraph(objects)
	if err != nil {
		return History{}, err
	}
	// Where the server does not say what a tag ends at, these are tag objects.
	for _, hash := range []*plumbing.Hash{&from, &to} {
		if *hash, err = graph.commitAt(*hash); err != nil {
			return History{}, err
		}
	}
	return graph.history(ctx, from, to, o)
}

// commitOf finds the commit of a version, or a tag object that ends there.
func (g *gitSource) commitOf(ctx context.Context, v sweep.Version) (plumbing.Hash, error) {
	if plumbing.IsHash(v.Commit) {
		return plumbing.NewHash(v.Commit), nil
	}
	if !IsCommit(v) {
		found, _, err := g.list(ctx)
		if err != nil && ctx.Err() != nil {
			return plumbing.ZeroHash, err
		}
		for _, f := range found {
			if f.Name == v.Name {
				return plumbing.NewHash(f.Commit), nil
			}
		}
	}
	return g.find(ctx, strings.TrimPrefix(v.Name, commitPrefix))
}

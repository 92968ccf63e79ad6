package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/bisect"
)

// searchCommits goes on between the neighbours that were found, or between good
// and bad themselves.
func (r *bisecting) searchCommits(ctx context.Context, versions *stretch) ([]*stretch, error) {
	type pair struct{ good, bad sweep.Version }
	var pairs []pair
	if versions.o.Direct {
		good, bad := endsOf(versions.b, versions.o)
		pairs = append(pairs, pair{good, bad})
	}
	for _, answer := range versions.answers {
		if answer.State == bisect.Found || answer.State == bisect.OneOf {
			pairs = append(pairs, pair{versions.candidate(answer.LastGood).Version, versions.candidate(answer.FirstBad).Version})
		}
	}
	var parts []*stretch
	for _, p := range pairs {
		part, err := r.part(ctx, versions, p.good, p.bad)
		if err != nil {
			return parts, err
		}
		parts = append(parts, part)
		if err := r.search(ctx, part, r.commits); err != nil {
			return parts, err
		}
		inside, err := r.searchMerges(ctx, part)
		parts = append(parts, inside...)
		if err != nil {
			return parts, err
		}
	}
	return parts, nil
}

// part finds the search over the commits between two versions, or begins it.
func (r *bisecting) part(ctx context.Context, versions *stretch, good, bad sweep.Version) (*stretch, error) {
	known, err := r.st.Bisections(ctx, store.BisectionFilter{PartOf: versions.b.ID})
	if err != nil {
		return nil, err
	}
	for _, b := range known {
		part, err := newStretch(b)
		if err == nil && (part.o.Inside != "" || b.Good != good.Name || b.Bad != bad.Name) {
			continue
		}
		if err == nil {
			r.launch.launcher = part.o.Launcher // as its first trials
			err = r.connectCommits(ctx, part.o)
		}
		return part, err
	}
	if err := r.connectCommits(ctx, versions.o); err != nil {
		return nil, err
	}
	o := versions.o
	o.Launcher, o.Candidates = r.commits.kind, r.history
	if o.Candidates == nil {
		if o.Candidates, err = r.commitsBetween(ctx, versions.b, o, good, bad); err != nil {
			return nil, err
		}
	}
	options, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	b := versions.b
	b.PartOf, b.Source, b.Good, b.Bad, b.Options, b.Finished, b.Answer = versions.b.ID, r.commits.supply.Kind(), good.Name, bad.Name, options, time.Time{}, nil
	if b, err = r.st.CreateBisection(ctx, b, r.app.now()); err != nil {
		return nil, err
	}
	return newStretch(b)
}

// connectCommits makes the launcher of commits, once.
func (r *bisecting) connectCommits(ctx context.Context, o bisectOptions) error {
	if r.commits != nil {
		return nil
	}
	d, err := r.targetOfCommits(o)
	if err != nil {
		return err
	}
	r.commits, err = r.app.connect(ctx, d, r.cache, d.Sources[0].Kind(), r.launch, r.cpus, false)
	return err
}

// targetOfCommits is the target with one source: the repository of its commits.
func (r *bisecting) targetOfCommits(o bisectOptions) (*runtimes.Definition, error) {
	source, err := runtimes.CommitSource(r.definition, cmp.Or(r.repository, o.Repository))
	if err != nil {
		return nil, noCommitsError(r.definition, err)
	}
	d := *r.definition
	d.Sources = []runtimes.Source{source}
	return &d, nil
}

// definitionOfCommits is what trials of commits are saved with.
func (r *bisecting) definitionOfCommits(o bisectOptions) (sweep.Definition, error) {
	if r.commits != nil {
		return r.commits.definition, nil
	}
	d, err := r.targetOfCommits(o)
	if err != nil {
		return sweep.Definition{}, err
	}
	supply, err := runtimes.OpenSupply(d, d.Sources[0], r.cache)
	if err != nil {
		return sweep.Definition{}, err
	}
	return supply.Definition()
}

// commitsBetween lists the commits from good to bad, both included.
func (r *bisecting) commitsBetween(ctx context.Context, b store.Bisection, o bisectOptions, good, bad sweep.Version) ([]bisectCandidate, error) {
	if err := r.connectCommits(ctx, o); err != nil {
		return nil, err
	}
	history, err := r.commits.supply.History(ctx, good, bad, runtimes.HistoryOptions{AllParents: !o.FirstParent})
	if err != nil {
		return nil, historyError(b.Target, good, bad, err)
	}
	candidates := []bisectCandidate{newCommitCandidate(history.Base)}
	for _, c := range history.Commits {
		candidates = append(candidates, newCommitCandidate(c))
	}
	if !history.GoodIsAncestor {
		r.app.warn("%s is on a branch of its own: the search begins at %s, the last commit that it shares with %s", good.Name, history.Base.Hash[:12], bad.Name)
	}
	return candidates, nil
}

func newCommitCandidate(c runtimes.Commit) bisectCandidate {
	made := bisectCandidate{Version: c.Version, Subject: c.Subject, Date: c.Date, Merge: len(c.Parents) > 1}
	if made.Merge {
		made.Parents = c.Parents
	}
	return made
}

func historyError(target string, good, bad sweep.Version, err error) error {
	switch {
	case errors.Is(err, runtimes.ErrBadIsOlder):
		return misuse(fmt.Sprintf("versweep bisect %s %s %s --commits", target, bad.Name, good.Name), "%v", err)
	case errors.Is(err, runtimes.ErrSameCommit):
		return misuse("two versions of one commit differ in how they were packaged only", "%v", err)
	case errors.Is(err, runtimes.ErrUnrelated):
		return misuse("--repository names another one", "%v", err)
	case errors.Is(err, runtimes.ErrLongHistory):
		return misuse("name versions that are nearer to each other", "%v", err)
	case errors.Is(err, runtimes.ErrNoCommit) && (good.Source == "" || bad.Source == ""): // no version either
		return misuse(fmt.Sprintf("versweep versions %s lists the versions; what else GOOD and BAD may be are the repository's tags, branches and hashes", target), "%v", err)
	case errors.Is(err, runtimes.ErrShallowClone):
		return &hintedError{err, "git fetch --unshallow, or name the repository that it was cloned from"}
	}
	return &hintedError{err, "versions are looked for among the repository's tags; --repository names another repository"}
}

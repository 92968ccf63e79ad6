package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep/bisect"
)

// searchMerges goes on among the commits that merges brought in, where a search
// found a merge, and inside the merges that are found there.
func (r *bisecting) searchMerges(ctx context.Context, outer *stretch) ([]*stretch, error) {
	var all []*stretch
	for _, answer := range outer.answers {
		c := outer.candidate(answer.FirstBad)
		if answer.State != bisect.Found || outer.o.MergesWhole || !outer.o.FirstParent || len(c.Parents) < 2 {
			continue
		}
		inside, err := r.branches(ctx, outer, answer)
		if err != nil {
			return all, err
		}
		for _, s := range inside {
			all = append(all, s)
			if s.o.Unsearched != "" {
				continue
			}
			if err := r.search(ctx, s, r.commits); err != nil && !s.cannotBeSearched(err) {
				return all, err
			}
			deeper, err := r.searchMerges(ctx, s)
			all = append(all, deeper...)
			if err != nil {
				return all, err
			}
		}
	}
	return all, nil
}

// branches finds the searches inside a merge, one for each branch, or begins them.
func (r *bisecting) branches(ctx context.Context, outer *stretch, answer bisect.Answer) ([]*stretch, error) {
	merge := outer.candidate(answer.FirstBad)
	o := outer.o
	o.Inside, o.Way, o.Had, o.Candidates = merge.Version.Commit, -1, append(slices.Clone(outer.o.Had), merge.Parents[0]), nil
	if answer.Higher {
		o.Way = 1
	}
	histories, err := r.commits.supply.Merged(ctx, runtimes.Commit{Parents: merge.Parents}, runtimes.HistoryOptions{}, outer.o.Had...)
	switch {
	case errors.Is(err, runtimes.ErrUnrelated), errors.Is(err, runtimes.ErrLongHistory), errors.Is(err, runtimes.ErrShallowClone):
		o.Unsearched = err.Error()
	case err != nil:
		return nil, err
	case len(histories) == 0:
		o.Empty, o.Unsearched = true, "it brought in no commit that the last good one has not"
	}
	if o.Unsearched != "" {
		s, err := r.branch(ctx, outer, o, merge.Version.Name, merge.Version.Name)
		return []*stretch{s}, err
	}
	var all []*stretch
	for _, h := range histories {
		o.Candidates = []bisectCandidate{newCommitCandidate(h.Base)}
		for _, c := range h.Commits {
			o.Candidates = append(o.Candidates, newCommitCandidate(c))
		}
		s, err := r.branch(ctx, outer, o, h.Base.Version.Name, h.Bad.Version.Name)
		if err != nil {
			return nil, err
		}
		r.app.say("going on inside merge %.12s: %s of a branch", o.Inside, counted(len(h.Commits), "commit"))
		all = append(all, s)
	}
	return all, nil
}

// branch finds the search over one branch of a merge, or begins it.
func (r *bisecting) branch(ctx context.Context, outer *stretch, o bisectOptions, good, bad string) (*stretch, error) {
	known, err := r.st.Bisections(ctx, store.BisectionFilter{PartOf: outer.b.PartOf})
	if err != nil {
		return nil, err
	}
	for _, b := range known {
		if s, err := newStretch(b); err != nil || s.o.Inside == o.Inside && b.Good == good && b.Bad == bad {
			return s, err
		}
	}
	options, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	b := outer.b
	b.Good, b.Bad, b.Options, b.Finished, b.Answer = good, bad, options, time.Time{}, nil
	if b, err = r.st.CreateBisection(ctx, b, r.app.now()); err != nil {
		return nil, err
	}
	return newStretch(b)
}

// cannotBeSearched takes it in when an end of a merged branch does not build or run:
// the merge stays the answer then.
func (s *stretch) cannotBeSearched(err error) bool {
	end, is := errors.AsType[*endError](err)
	if !is || s.o.Inside == "" {
		return false
	}
	s.noEnd, s.answers = end.Error(), nil
	return true
}

// unsearched is why a merged branch was not searched; empty when it was.
func (s *stretch) unsearched() string {
	if s.noEnd != "" {
		return s.noEnd
	}
	return s.o.Unsearched
}

func (s *stretch) insideText() string {
	if s.o.Inside == "" {
		return ""
	}
	return fmt.Sprintf(", inside merge %.12s", s.o.Inside)
}

// bisectMergeJSON is where in a merge the change is.
type bisectMergeJSON struct {
	Verdict string `json:"verdict"` // inside, itself or not told
	Text    string `json:"text"`
}

// mergeOf tells where in a merge that was found the change is. It is not ok when the
// answer is no merge, or nobody looked inside.
func (s *stretch) mergeOf(answer bisect.Answer, parts []*stretch) (m bisectMergeJSON, ok bool) {
	if answer.State != bisect.Found || !s.ofCommits() {
		return m, false
	}
	var found, open []string
	also := "" // changes the other way, which are no part of this one
	for _, p := range parts {
		if p.o.Inside == "" || p.o.Inside != s.candidate(answer.FirstBad).Version.Commit {
			continue
		}
		ok = true
		if why := p.unsearched(); why != "" && !p.o.Empty {
			open = append(open, "a branch could not be searched: "+why)
		} else if why == "" && len(p.answers) == 0 {
			open = append(open, "a branch was not searched yet")
		}
		for _, a := range p.answers {
			switch {
			case a.State == bisect.Found && a.Higher != answer.Higher:
				also += fmt.Sprintf("; the branch also has %s, %s", p.label(a.FirstBad), p.changeText(a.Step))
			case a.State == bisect.Found:
				text := p.label(a.FirstBad)
				if a.Step.Lo > answer.Step.Hi || a.Step.Hi < answer.Step.Lo {
					text += fmt.Sprintf(" (%s, where the merge is %s: it is not all of the change)", p.changeText(a.Step), s.changeText(answer.Step))
				}
				found = append(found, text)
			case a.State == bisect.OtherWay, a.State == bisect.NoDifference && a.RoundsNeeded == 0:
			default:
				open = append(open, fmt.Sprintf("%s in the branch up to %s", p.headline(a), p.short(a.Bad)))
			}
		}
	}
	switch {
	case !ok:
		return m, false
	case len(found) > 0:
		return bisectMergeJSON{"inside", "the change came with it, and is in " + strings.Join(append(found, open...), "; ") + also}, true
	case len(open) > 0:
		return bisectMergeJSON{"not told", "not told where in it: " + strings.Join(open, "; ") + also}, true
	}
	return bisectMergeJSON{"itself", "it is the merge itself: no branch that it merged shows the change alone; the merge changes more, or both sides together do" + also}, true
}

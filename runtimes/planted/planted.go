// Package planted makes git repositories of which it is known in which commit
// a server became slower, to try a search on: by tests, and by people through
// cmd/plantrepo. It needs no git program; building a commit needs the go
// command and sh, and no network.
package planted

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// Plan says what is in a repository. Places count the commits on the main branch
// after the good release, from 1.
type Plan struct {
	Commits int      // on the main branch, from 2: the last one is the bad release
	Changes []Change // of speed
	Broken  []int    // places of commits that cannot be built; the next one can
	Noise   float64  // standard deviation of the work from process to process, a fraction
	Work    int      // rounds of work for a request before all changes
}

// Change is a commit that changes how much work a request is.
type Change struct {
	At    int     // its place
	Share float64 // of work that comes on top: 0.2 is a fifth more, -0.2 a fifth less
	// Merged puts it on a branch that the commit at its place merges.
	Merged bool
}

// Usual is 60 commits of which the 38th is a fifth slower, two cannot be built,
// and no process is as fast as another by 5 %. Of a request the work is far
// more than all else, about a quarter of a millisecond.
func Usual() Plan {
	return Plan{Commits: 60, Changes: []Change{{At: 38, Share: 0.2}}, Broken: []int{30, 41}, Noise: 0.05, Work: 200_000}
}

// mergeEvery is how often a commit on the main branch merges another branch, of
// two commits that left it three before.
const mergeEvery = 10

// Good and Bad are the tags of the releases.
const (
	Good = "v1.0.0"
	Bad  = "v1.1.0"
)

// Repository is what was made.
type Repository struct {
	Dir     string   // bare repository
	Good    string   // hash of the good release's commit
	Commits []string // hashes on the main branch after it, oldest first
	Changes []string // hashes of the commits with the changes, as the plan has them
	Broken  []string // hashes
}

// ErrPlan says that a plan cannot be carried out.
var ErrPlan = errors.New("no repository can be made so")

func (p Plan) check() error {
	inside := func(at int) bool { return 0 < at && at <= p.Commits }
	if p.Commits < 2 || p.Work < 1 || p.Noise < 0 {
		return fmt.Errorf("%w: there have to be 2 commits and some work", ErrPlan)
	}
	for _, at := range p.Broken {
		if !inside(at) || at == p.Commits {
			return fmt.Errorf("%w: place %d to break is not before the bad release, at %d", ErrPlan, at, p.Commits)
		}
	}
	for i, c := range p.Changes {
		switch {
		case !inside(c.At), c.Share <= -1:
			return fmt.Errorf("%w: a change by %+g at place %d of %d", ErrPlan, c.Share, c.At, p.Commits)
		case slices.Contains(p.Broken, c.At), slices.ContainsFunc(p.Changes[:i], func(o Change) bool { return o.At == c.At }):
			return fmt.Errorf("%w: place %d is taken", ErrPlan, c.At)
		}
	}
	return nil
}

// Plant makes the repository in dir, which must not exist or be empty. The same
// plan makes the same hashes. The error is ErrPlan for places that make no sense.
func Plant(dir string, p Plan) (Repository, error) {
	if err := p.check(); err != nil {
		return Repository{}, err
	}
	made, err := git.PlainInit(dir, true)
	if err != nil {
		return Repository{}, fmt.Errorf("making a repository in %s: %w", dir, err)
	}
	g := &gardener{plan: p, objects: made.Storer}
	r, err := g.plant()
	if err != nil {
		return Repository{}, fmt.Errorf("planting %s: %w", dir, err)
	}
	if r.Dir, err = filepath.Abs(dir); err != nil {
		return Repository{}, err
	}
	return r, nil
}

// plant makes the commits, then the branch and tags that name them.
func (g *gardener) plant() (Repository, error) {
	var at state
	for i := range 4 {
		at = g.commit(at.with(i-4), fmt.Sprintf("Begin, part %d", i+1), at)
	}
	good := at
	r := Repository{Good: good.hash.String(), Changes: make([]string, len(g.plan.Changes))}
	line := []state{good}
	for place := 1; place <= g.plan.Commits; place++ {
		before := at
		change := slices.IndexFunc(g.plan.Changes, func(c Change) bool { return c.At == place })
		broken := slices.Index(g.plan.Broken, place)
		next := before.with(place)
		subject := fmt.Sprintf("Describe part %d", place)
		parents := []state{before}
		switch merged := change >= 0 && g.plan.Changes[change].Merged; {
		case merged || place%mergeEvery == 0 && change < 0:
			side := line[max(0, len(line)-3)]
			side = g.commit(side.with(1000+place), fmt.Sprintf("Draft part %d on a branch", place), side)
			inner := side.with(2000 + place)
			innerSubject := fmt.Sprintf("Finish part %d on a branch", place)
			if merged {
				inner, innerSubject = inner.changed(change), fmt.Sprintf("Look twice, for part %d", place)
			}
			side = g.commit(inner, innerSubject, side)
			if merged {
				r.Changes[change] = side.hash.String()
			}
			next, subject = next.merging(side), fmt.Sprintf("Merge the branch of part %d", place)
			parents = append(parents, side)
		case change >= 0:
			next, subject = next.changed(change), fmt.Sprintf("Answer with more care, part %d", place)
		}
		if broken >= 0 {
			next.broken = 1 + broken%2
		}
		at = g.commit(next, subject, parents...)
		at.broken = 0
		line = append(line, at)
		hash := at.hash.String()
		r.Commits = append(r.Commits, hash)
		if change >= 0 && r.Changes[change] == "" {
			r.Changes[change] = hash
		}
		if broken >= 0 {
			r.Broken = append(r.Broken, hash)
		}
	}
	g.tag(Good, good.hash)
	g.tag(Bad, at.hash)
	g.refer(plumbing.NewHashReference(plumbing.NewBranchReferenceName("main"), at.hash))
	g.refer(plumbing.NewSymbolicReference(plumbing.HEAD, plumbing.NewBranchReferenceName("main")))
	return r, g.failed
}

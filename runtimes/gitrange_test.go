package runtimes

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage"
	"github.com/go-git/go-git/v5/storage/memory"
)

// graphMaker writes commits with an empty tree, by name.
type graphMaker struct {
	t       testing.TB
	objects storage.Storer
	tree    plumbing.Hash
	commits map[string]plumbing.Hash
}

func newGraphMaker(t testing.TB, objects storage.Storer) *graphMaker {
	g := &graphMaker{t: t, objects: objects, commits: map[string]plumbing.Hash{}}
	g.tree = g.write(&object.Tree{})
	return g
}

func (g *graphMaker) write(o interface {
	Encode(plumbing.EncodedObject) error
}) plumbing.Hash {
	g.t.Helper()
	encoded := g.objects.NewEncodedObject()
	if err := o.Encode(encoded); err != nil {
		g.t.Fatal(err)
	}
	hash, err := g.objects.SetEncodedObject(encoded)
	if err != nil {
		g.t.Fatal(err)
	}
	return hash
}

// commit makes a commit on top of others. Its committer's date is so many
// seconds after 2020.
func (g *graphMaker) commit(name, message string, seconds int, parents ...string) plumbing.Hash {
	g.t.Helper()
	by := object.Signature{Name: "A", Email: "a@example.org", When: time.Unix(1577836800+int64(seconds), 0).In(time.FixedZone("", 5*3600))}
	c := &object.Commit{Author: by, Committer: by, Message: message, TreeHash: g.tree}
	c.Author.When = time.Unix(0, 0)
	for _, p := range parents {
		c.ParentHashes = append(c.ParentHashes, g.commits[p])
	}
	g.commits[name] = g.write(c)
	return g.commits[name]
}

// lines makes commits from "c:a,b": c on top of a and b, each a second later.
func (g *graphMaker) lines(text string) {
	for i, field := range strings.Fields(text) {
		name, parents, _ := strings.Cut(field, ":")
		g.commit(name, name+"\n", i, strings.FieldsFunc(parents, func(r rune) bool { return r == ',' })...)
	}
}

func subjects(commits []Commit) string {
	var list []string
	for _, c := range commits {
		list = append(list, c.Subject)
	}
	return strings.Join(list, " ")
}

// Of releases on one line, after merges, on branches of their own and inside
// merged branches: which commits a search has to look through.
func TestHistory(t *testing.T) {
	const (
		line   = "a b:a c:b d:c"
		merges = "a b:a c:b s1:b s2:s1 d:c,s2 e:d"
		// x.1 was released on a branch that left at b; y is the next release.
		branch = "a b:a x1:b x2:x1 c:b y:c"
		// As branch, and merged back.
		merged  = "a b:a x1:b x2:x1 c:b m:c,x2 y:m"
		octopus = "a s:a t:a b:a m:b,s,t"
		criss   = "a b:a c:a d:b,c e:c,b f:e"
		apart   = "a b:a y z:y"
		nested  = "a b:a s:a t:s u:t v:s,u m:b,v"
	)
	for name, tt := range map[string]struct {
		graph, good, bad string
		first, all       string // commits, then where they begin when not at good
		firstBase        string
		allBase          string
		ancestor         bool
		err              error
	}{
		"a line":                 {graph: line, good: "a", bad: "d", first: "b c d", all: "b c d", ancestor: true},
		"neighbours":             {graph: line, good: "c", bad: "d", first: "d", all: "d", ancestor: true},
		"merges":                 {graph: merges, good: "a", bad: "e", first: "b c d e", all: "b c s1 s2 d e", ancestor: true},
		"good in a merged one":   {graph: merges, good: "s1", bad: "e", first: "c d e", firstBase: "b", all: "c s2 d e", ancestor: true},
		"good on a branch":       {graph: branch, good: "x2", bad: "y", first: "c y", firstBase: "b", all: "c y", allBase: "b"},
		"a branch merged back":   {graph: merged, good: "x2", bad: "y", first: "c m y", firstBase: "b", all: "c m y", ancestor: true},
		"three merged at once":   {graph: octopus, good: "a", bad: "m", first: "b m", all: "b s t m", ancestor: true},
		"merged crosswise":       {graph: criss, good: "d", bad: "f", first: "e f", firstBase: "c", all: "e f", allBase: "c"},
		"branches on branches":   {graph: nested, good: "a", bad: "m", first: "b m", all: "b s t u v m", ancestor: true},
		"the same":               {graph: line, good: "b", bad: "b", err: ErrSameCommit},
		"the wrong way round":    {graph: line, good: "d", bad: "a", err: ErrBadIsOlder},
		"bad in a merged branch": {graph: merges, good: "e", bad: "s1", err: ErrBadIsOlder},
		"nothing in common":      {graph: apart, good: "b", bad: "z", err: ErrUnrelated},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGraphMaker(t, memory.NewStorage())
			g.lines(tt.graph)
			graph, err := newCommitGraph(g.objects)
			if err != nil {
				t.Fatal(err)
			}
			for _, all := range []bool{false, true} {
				h, err := graph.history(t.Context(), g.commits[tt.good], g.commits[tt.bad], HistoryOptions{AllParents: all})
				if !errors.Is(err, tt.err) {
					t.Fatalf("%v, want %v", err, tt.err)
				}
				if tt.err != nil {
					continue
				}
				want, base := tt.first, tt.firstBase
				if all {
					want, base = tt.all, tt.allBase
				}
				if base == "" {
					base = tt.good
				}
				if got := subjects(h.Commits); got != want || h.Base.Subject != base || h.Good.Subject != tt.good || h.Bad.Subject != tt.bad || h.GoodIsAncestor != tt.ancestor {
					t.Errorf("all %v: %s after %s, good %s, bad %s, ancestor %v; want %s after %s", all, got, h.Base.Subject, h.Good.Subject, h.Bad.Subject, h.GoodIsAncestor, want, base)
				}
			}
		})
	}
}

// Where only another parent than the first has something in common, that is
// said rather than the whole history listed.
func TestHistoryWithoutACommonFirstParent(t *testing.T) {
	g := newGraphMaker(t, memory.NewStorage())
	g.lines("a b:a y z:y,b")
	graph, err := newCommitGraph(g.objects)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := graph.history(t.Context(), g.commits["b"], g.commits["z"], HistoryOptions{}); !errors.Is(err, ErrUnrelated) || !strings.Contains(err.Error(), "first parents") {
		t.Errorf("%v", err)
	}
	h, err := graph.history(t.Context(), g.commits["b"], g.commits["z"], HistoryOptions{AllParents: true})
	if err != nil || subjects(h.Commits) != "y z" || !h.GoodIsAncestor {
		t.Errorf("%+v, %v", h, err)
	}
}

// Histories of any form are those that git itself lists, in its order. The dates
// are random: with such, git's own good..bad goes wrong, so git is asked for all
// of both histories and the difference taken here.
func TestHistoryIsGits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	repository, err := git.PlainInit(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	g := newGraphMaker(t, repository.Storer)
	random := rand.New(rand.NewPCG(7, 1))
	var names []string
	for i := range 120 {
		var parents []string
		for len(names) > 0 && len(parents) < 1+random.IntN(4)/2 && random.IntN(40) > 0 {
			near := names[max(0, len(names)-1-random.IntN(6))]
			if !slices.Contains(parents, near) {
				parents = append(parents, near)
			}
		}
		name := fmt.Sprint(i)
		g.commit(name, name, random.IntN(1000), parents...)
		names = append(names, name)
	}
	s := gitTarget(t, GitSource{Repository: dir}, Recipe{})
	listed := 0
	for range 60 {
		good, bad := names[random.IntN(len(names))], names[random.IntN(len(names))]
		from, to := g.commits[good].String(), g.commits[bad].String()
		had := strings.Fields(runGit(t, dir, "rev-list", from))
		bases := strings.Fields(runGit(t, dir, "rev-parse", "--revs-only", from+"..."+to))
		bases = slices.DeleteFunc(bases, func(h string) bool { return !strings.HasPrefix(h, "^") })
		for i, h := range bases {
			bases[i] = strings.TrimPrefix(h, "^")
		}
		for how, all := range map[string]bool{"--first-parent": false, "--topo-order": true} {
			var want []string
			whole := strings.Fields(runGit(t, dir, "rev-list", how, to))
			for _, hash := range whole {
				if !slices.Contains(had, hash) {
					want = append(want, hash)
				} else if !all {
					break
				}
			}
			slices.Reverse(want)
			h, err := s.History(t.Context(), commitVersion(from), commitVersion(to), HistoryOptions{AllParents: all})
			switch {
			case len(want) == 0 && (errors.Is(err, ErrBadIsOlder) || errors.Is(err, ErrSameCommit)):
				continue
			case len(bases) == 0 && errors.Is(err, ErrUnrelated), !all && len(want) == len(whole) && errors.Is(err, ErrUnrelated):
				continue
			case err != nil:
				t.Errorf("%s to %s: %v, git has %d commits", good, bad, err, len(want))
				continue
			}
			listed++
			var got []string
			for _, c := range h.Commits {
				got = append(got, c.Hash)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s to %s, all %v: %v, git has %v", good, bad, all, got, want)
			}
			if h.GoodIsAncestor != slices.Contains(bases, from) {
				t.Errorf("%s to %s: good is an ancestor: %v", good, bad, h.GoodIsAncestor)
			}
			if all && !slices.Contains(bases, h.Base.Hash) {
				t.Errorf("%s to %s: base %s, git has %s", good, bad, h.Base.Hash, bases)
			}
		}
	}
	if listed < 30 {
		t.Errorf("only %d histories were compared", listed)
	}
}

// A history of 50,000 commits is listed; one longer than the bound is not.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	g := newGraphMaker(t, memory.NewStorage())
	const n = 50_000
	g.commit("at", "0", 0)
	begin := g.commits["at"]
	for i := 1; i <= n; i++ {
		g.commit("at", fmt.Sprint(i), i, "at")
	}
	graph, err := newCommitGraph(g.objects)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{false, true} {
		h, err := graph.history(t.Context(), begin, g.commits["at"], HistoryOptions{AllParents: all, Most: n})
		if err != nil || len(h.Commits) != n || h.Commits[0].Subject != "1" || h.Commits[n-1].Subject != fmt.Sprint(n) {
			t.Errorf("all %v: %d commits, %v", all, len(h.Commits), err)
		}
		_, err = graph.history(t.Context(), begin, g.commits["at"], HistoryOptions{AllParents: all, Most: n - 1})
		if !errors.Is(err, ErrLongHistory) {
			t.Errorf("all %v: %v", all, err)
		}
	}
}

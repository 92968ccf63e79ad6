package runtimes

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage"
	"github.com/go-git/go-git/v5/storage/memory"

	"versweep/sweep"
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

// What a merge brought in is searched as a history of its own, from where it
// left.
func TestMergedBranches(t *testing.T) {
	dir := t.TempDir()
	repository, err := git.PlainInit(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	g := newGraphMaker(t, repository.Storer)
	g.lines("a b:a s1:a s2:s1 t:b c:b m:c,s2,t,a n:m")
	s := gitTarget(t, GitSource{Repository: dir}, Recipe{})
	h, err := s.History(t.Context(), commitVersion(g.commits["a"].String()), commitVersion(g.commits["n"].String()), HistoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range h.Commits {
		inside, err := s.Merged(t.Context(), c, HistoryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range inside {
			got = append(got, fmt.Sprintf("%s: %s from %s", c.Subject, subjects(in.Commits), in.Base.Subject))
		}
	}
	if want := "m: s1 s2 from a, m: t from b"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// By name, tag and hash, wherever the repository lies, with the dates of the
// commits and not of their tags, and nothing fetched twice.
func TestHistoryOfVersions(t *testing.T) {
	work := everyTagForm(t)
	runGit(t, work, "checkout", "-q", "-b", "side", "v1.0.0")
	commitFiles(t, work, map[string]string{"side": "x"})
	runGit(t, work, "checkout", "-q", "main")
	runGit(t, work, "merge", "-q", "-m", "merged", "side")
	runGit(t, work, "tag", "-a", "-m", "later", "v1.1.0")
	want := runGit(t, work, "rev-list", "--first-parent", "--reverse", "v1.0.0..v1.1.0")
	for name, place := range gitPlaces(t, work) {
		t.Run(name, func(t *testing.T) {
			s := gitTarget(t, GitSource{Repository: place}, Recipe{})
			var found []sweep.Version
			for _, v := range first(t, s) {
				if v.Name == "1.0.0" || v.Name == "1.1.0" {
					found = append(found, v)
				}
			}
			ends := map[string][]sweep.Version{
				"versions": found, "names": {{Name: "1.0.0", Source: "npm"}, {Name: "1.1.0"}}, "tags": {{Name: "v1.0.0"}, {Name: "v1.1.0"}},
				"revisions": {{Name: "main~3"}, {Name: "HEAD"}},
				"commits":   {commitVersion(found[0].Commit), commitVersion(found[1].Commit)},
				"digits":    {{Name: commitVersion(found[0].Commit).Name}, {Name: found[1].Commit[:8]}},
			}
			for what, pair := range ends {
				h, err := s.History(t.Context(), pair[0], pair[1], HistoryOptions{})
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				var got []string
				for _, c := range h.Commits {
					got = append(got, c.Hash)
					date, err := time.Parse(time.RFC3339, runGit(t, work, "log", "-1", "--format=%cI", c.Hash))
					if err != nil || !c.Date.Equal(date) || c.Date.Location() != time.UTC || c.Version != commitVersion(c.Hash) {
						t.Errorf("%+v, committed %v, %v", c, date, err)
					}
				}
				if strings.Join(got, "\n") != want || h.Bad.Hash != found[1].Commit || h.Good.Hash != found[0].Commit || h.Base.Hash != h.Good.Hash {
					t.Errorf("%s: %v, want %s", what, got, want)
				}
			}
		})
	}
}

func first(t *testing.T, s *Supply) []sweep.Version {
	found, _ := listed(t, s)
	return found
}

// A search that was broken off goes on without the server, and so do its builds.
func TestHistoryIsKept(t *testing.T) {
	work := everyTagForm(t)
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--bare", work, "bare.git")
	server, fetches := serveGit(t, dir, "")
	s := gitTarget(t, GitSource{Repository: server + "/bare.git"}, Recipe{})
	found, _ := listed(t, s)
	asked := fetches.Load()
	for range 3 {
		h, err := s.History(t.Context(), found[0], found[2], HistoryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range h.Commits {
			outcomes, err := s.Obtain(t.Context(), []sweep.Version{c.Version}, nil, func(Obtained) {})
			if err != nil || outcomes[0].Reason != "" {
				t.Fatalf("%+v, %v", outcomes, err)
			}
		}
	}
	if n := fetches.Load() - asked; n != 1 {
		t.Errorf("%d fetches", n)
	}
}

// A clone that lacks part of the history says so, unless what it has is enough.
func TestHistoryOfAShallowClone(t *testing.T) {
	work := t.TempDir()
	runGit(t, work, "init", "-q")
	for i := range 10 {
		commitFiles(t, work, map[string]string{"n": fmt.Sprint(i)})
	}
	runGit(t, work, "checkout", "-q", "-b", "side", "HEAD~8")
	commitFiles(t, work, map[string]string{"side": "x"})
	side := runGit(t, work, "rev-parse", "HEAD")
	runGit(t, work, "checkout", "-q", "main")
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--depth", "5", "--no-single-branch", "file://"+work, "shallow")
	clone := filepath.Join(dir, "shallow")
	hash := func(revision string) sweep.Version { return commitVersion(runGit(t, work, "rev-parse", revision)) }
	server, _ := serveGit(t, dir, "")
	alone := filepath.Join(dir, "alone")
	runGit(t, dir, "clone", "-q", "--depth", "5", "--no-single-branch", "file://"+work, alone)
	runGit(t, alone, "remote", "remove", "origin")
	runGit(t, alone, "branch", "side", side)
	for name, tt := range map[string]struct {
		place     string
		good, bad sweep.Version
		all       bool
		want      int
		err       error
		says      string
	}{
		"enough of it":              {place: alone, good: hash("main~3"), bad: hash("main"), want: 3},
		"all of it, all parents":    {place: alone, good: hash("main~3"), bad: hash("main"), all: true, want: 3},
		"a commit that is missing":  {place: alone, good: hash("main~7"), bad: hash("main"), err: ErrShallowClone, says: "is missing"},
		"the way there is missing":  {place: alone, good: hash(side), bad: hash("main"), err: ErrShallowClone, says: "between the two"},
		"the way there, all of it":  {place: alone, good: hash(side), bad: hash("main"), all: true, err: ErrShallowClone, says: "between the two"},
		"its origin has it":         {place: clone, good: hash("main~7"), bad: hash("main"), want: 7},
		"a server's, enough of it":  {place: server + "/alone/.git", good: hash("main~3"), bad: hash("main"), want: 3},
		"a server's, not enough":    {place: server + "/alone/.git", good: hash(side), bad: hash("main"), says: "has no commit"},
		"a commit that never was":   {place: work, good: commitVersion(strings.Repeat("ab", 20)), bad: hash("main"), says: "has no commit abab"},
		"a name that nothing has":   {place: work, good: sweep.Version{Name: "9.9.9"}, bad: hash("main"), says: "there is no such commit"},
		"a branch that left before": {place: work, good: hash(side), bad: hash("main"), want: 8},
	} {
		t.Run(name, func(t *testing.T) {
			s := gitTarget(t, GitSource{Repository: tt.place}, Recipe{})
			h, err := s.History(t.Context(), tt.good, tt.bad, HistoryOptions{AllParents: tt.all})
			if tt.says != "" || tt.err != nil {
				if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") || tt.err != nil && !errors.Is(err, tt.err) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || len(h.Commits) != tt.want {
				t.Errorf("%d commits, %v, want %d", len(h.Commits), err, tt.want)
			}
		})
	}
}

// Messages and dates from outside: one short line without anything that a
// terminal or a page could take amiss, and dates that JSON can hold.
func TestCommitsFromOutside(t *testing.T) {
	for message, want := range map[string]string{
		"plain\n\nbody\n":                         "plain",
		"\n\n  later \n":                          "later",
		"":                                        "",
		"windows\r\nbody":                         "windows",
		"\x1b[31mred\x07\x00 \t and\u009b more":   "[31mred and more",
		"a\u202eb\u2066c\u200bd\ufeffe":           "abcde",
		"bad \xff\xfe bytes":                      "bad \uFFFD bytes",
		"Ünïcödé ✓ 日本":                            "Ünïcödé ✓ 日本",
		"<script>alert(1)</script>":               "<script>alert(1)</script>",
		"line\u2028separator\u00a0and no-break":   "line separator and no-break",
		strings.Repeat("x", 100):                  strings.Repeat("x", 100),
		strings.Repeat("é", 10_000) + "\n":        strings.Repeat("é", 99) + "…",
		"cr\ronly":                                "cr only",
		strings.Repeat("\u202e", 10_000) + "tail": "",
	} {
		got := subjectOf(message)
		if got != want || !utf8.ValidString(got) {
			t.Errorf("%.60q: %q, want %q", message, got, want)
		}
	}
	for _, date := range []time.Time{time.Unix(-5, 0), time.Unix(1<<50, 0), {}} {
		c := newCommit(&object.Commit{Committer: object.Signature{When: date}})
		if _, err := json.Marshal(c); err != nil || !c.Date.IsZero() {
			t.Errorf("%v: %v, %v", date, c.Date, err)
		}
	}
}

// Commits whose names would be the same are told by their whole hash.
func TestCommitNamesAreUnique(t *testing.T) {
	var commits []Commit
	for _, hash := range []string{strings.Repeat("a", 40), strings.Repeat("a", 39) + "b", strings.Repeat("c", 40)} {
		commits = append(commits, Commit{Hash: hash, Version: commitVersion(hash)})
	}
	nameApart(commits)
	for i, want := range []string{"commit-" + commits[0].Hash, "commit-" + commits[1].Hash, "commit-cccccccccccc"} {
		if commits[i].Version.Name != want || !IsCommit(commits[i].Version) {
			t.Errorf("%+v", commits[i])
		}
	}
}

// A history of 50,000 commits is listed; one longer than the bound is not.
func TestLongHistory(t *testing.T) {
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

// Only a target that can be built from a repository has commits.
func TestCommitSupply(t *testing.T) {
	work := everyTagForm(t)
	build := Recipe{Build: []string{"make"}}
	for name, tt := range map[string]struct {
		definition *Definition
		repository string
		err        error
	}{
		"its own":              {definition: &Definition{Name: "x", Sources: []Source{{List: []string{"1"}}, {Git: &GitSource{Repository: work}}}}},
		"another, its recipe":  {definition: &Definition{Name: "x", Sources: []Source{{Git: &GitSource{Repository: "/nothing", Submodules: true}}}}, repository: work},
		"another, the target":  {definition: &Definition{Name: "x", Recipe: build}, repository: work},
		"no repository":        {definition: &Definition{Name: "x", Recipe: build}, err: ErrNoCommits},
		"no way to build them": {definition: &Definition{Name: "x"}, repository: work, err: ErrNoRecipe},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := OpenCommitSupply(tt.definition, tt.repository, emptyCache(t))
			if !errors.Is(err, tt.err) {
				t.Fatalf("%v, want %v", err, tt.err)
			}
			if tt.err != nil {
				return
			}
			if v, err := s.Commit(t.Context(), "v1.0.0"); err != nil || !IsCommit(v) {
				t.Errorf("%+v, %v", v, err)
			}
			if name == "another, its recipe" && (!s.source.(*gitSource).settings.Submodules || tt.definition.Sources[0].Git.Repository != "/nothing") {
				t.Error("the target's own settings were not kept")
			}
		})
	}
}

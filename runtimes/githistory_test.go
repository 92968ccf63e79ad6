package runtimes

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"

	"versweep/sweep"
)

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

// A branch that merged the main line before it was merged itself: its inner merge
// brought in nothing that the outer one's first parent has not, and a part where that
// has a part of it.
func TestMergesThatCross(t *testing.T) {
	dir := t.TempDir()
	repository, err := git.PlainInit(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	g := newGraphMaker(t, repository.Storer)
	g.lines("a b:a c:b s1:a i:s1,b s2:i m:c,s2 x1:b x2:x1 k:s2,x2 n:m,k")
	s := gitTarget(t, GitSource{Repository: dir}, Recipe{})
	inside := func(merge string, parents []string, had ...string) string {
		c := Commit{}
		for _, p := range parents {
			c.Parents = append(c.Parents, g.commits[p].String())
		}
		for i := range had {
			had[i] = g.commits[had[i]].String()
		}
		found, err := s.Merged(t.Context(), c, HistoryOptions{}, had...)
		if err != nil {
			t.Fatal(err)
		}
		text := merge
		for _, h := range found {
			text += fmt.Sprintf(" %s from %s", subjects(h.Commits), h.Base.Subject)
		}
		return text
	}
	for _, tt := range []struct{ got, want string }{
		{inside("m", []string{"c", "s2"}), "m s1 i s2 from a"},
		{inside("i", []string{"s1", "b"}), "i b from a"},
		{inside("i", []string{"s1", "b"}, "c"), "i"},
		{inside("k", []string{"s2", "x2"}, "m"), "k x1 x2 from b"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
}

// By name, tag and hash, wherever the repository lies, with the dates of the
// commits and not of their tags, and nothing fetched twice.
func TestHistoryOfVersions(t *testing.T) {
	t.Parallel()
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
			from, err := CommitSource(tt.definition, tt.repository)
			if !errors.Is(err, tt.err) {
				t.Fatalf("%v, want %v", err, tt.err)
			}
			if tt.err != nil {
				return
			}
			s, err := OpenSupply(tt.definition, from, emptyCache(t))
			if err != nil {
				t.Fatal(err)
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

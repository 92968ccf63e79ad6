package planted_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"versweep/runtimes"
	"versweep/runtimes/planted"
	"versweep/sweep"
)

// plant makes a repository and the supply of its commits.
func plant(t *testing.T, p planted.Plan) (planted.Repository, *runtimes.Supply, *runtimes.Cache) {
	t.Helper()
	r, err := planted.Plant(filepath.Join(t.TempDir(), "repository"), p)
	if err != nil {
		t.Fatal(err)
	}
	targets := t.TempDir()
	if _, err := r.WriteTarget(targets, "planted"); err != nil {
		t.Fatal(err)
	}
	catalog, err := runtimes.OpenCatalog(targets)
	if err != nil {
		t.Fatal(err)
	}
	d, err := catalog.Find("planted")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := runtimes.OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	from, err := runtimes.CommitSource(d, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtimes.OpenSupply(d, from, cache)
	if err != nil {
		t.Fatal(err)
	}
	return r, s, cache
}

func history(t *testing.T, s *runtimes.Supply, o runtimes.HistoryOptions) runtimes.History {
	t.Helper()
	found, _, err := s.Versions(t.Context())
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	h, err := s.History(t.Context(), found[0], found[1], o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func hashes(commits []runtimes.Commit) []string {
	var list []string
	for _, c := range commits {
		list = append(list, c.Hash)
	}
	return list
}

// The commits between the releases are those that were planted, and from the
// slow one on, and in no other, there is more work. The ones that are broken do
// not build.
func TestUsual(t *testing.T) {
	p := planted.Usual()
	r, s, cache := plant(t, p)
	h := history(t, s, runtimes.HistoryOptions{})
	if got := hashes(h.Commits); !slices.Equal(got, r.Commits) || len(got) != 60 || h.Base.Hash != r.Good || !h.GoodIsAncestor {
		t.Fatalf("%d commits after %s, ancestor %v: %v", len(got), h.Base.Hash, h.GoodIsAncestor, got)
	}
	if all := history(t, s, runtimes.HistoryOptions{AllParents: true}); len(all.Commits) != 60+2*6 {
		t.Errorf("%d commits with all parents", len(all.Commits))
	}
	if again, err := planted.Plant(filepath.Join(t.TempDir(), "again"), p); err != nil || !slices.Equal(again.Commits, r.Commits) {
		t.Errorf("the same plan made other commits, %v", err)
	}
	versions := []sweep.Version{h.Base.Version}
	for _, c := range h.Commits {
		versions = append(versions, c.Version)
	}
	outcomes, err := s.Obtain(t.Context(), versions, nil, func(runtimes.Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	for place, o := range outcomes {
		text, err := os.ReadFile(filepath.Join(o.Build.Dir, "work.go"))
		want := "work  = 200000\n"
		if place >= p.Changes[0].At {
			want = "work  = 240000\n"
		}
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("place %d: %q, %v", place, text, err)
		}
	}
	if h.Commits[p.Changes[0].At-1].Hash != r.Changes[0] {
		t.Errorf("the slow commit is %s", r.Changes[0])
	}
	cpus := sweep.UsableCPUs()
	l, err := runtimes.NewProcessLauncher(s, cache, runtimes.CPUSets{Server: cpus[:1], Load: cpus[len(cpus)-1:]})
	if err != nil {
		t.Fatal(err)
	}
	built, err := s.Obtain(t.Context(), []sweep.Version{versions[0], versions[30], versions[41]}, l.Build, func(runtimes.Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(built[0].Build.Dir, "server")); built[0].Reason != "" || err != nil {
		t.Errorf("%+v, %v", built[0], err)
	}
	for i, says := range []string{"syntax error", "build.sh: not yet"} {
		if o := built[i+1]; o.Reason == "" || !strings.Contains(strings.Join(o.Log, "\n"), says) || r.Broken[i] != h.Commits[p.Broken[i]-1].Hash {
			t.Errorf("%+v", o)
		}
	}
}

// A culprit on a merged branch is found inside the merge; a change that is
// taken back is in no later commit.
func TestChanges(t *testing.T) {
	p := planted.Plan{Commits: 25, Work: 1000, Changes: []planted.Change{{At: 7, Share: 1, Merged: true}, {At: 20, Share: -0.5}}}
	r, s, _ := plant(t, p)
	h := history(t, s, runtimes.HistoryOptions{})
	inside, err := s.Merged(t.Context(), h.Commits[6], runtimes.HistoryOptions{})
	if err != nil || len(inside) != 1 || !slices.Equal(hashes(inside[0].Commits)[1:], r.Changes[:1]) || inside[0].Base.Hash != r.Commits[3] {
		t.Fatalf("%+v, %v", inside, err)
	}
	if h.Commits[19].Hash != r.Changes[1] {
		t.Errorf("the second change is %s", r.Changes[1])
	}
	want := map[string]int{r.Commits[5]: 1000, r.Commits[6]: 2000, r.Changes[0]: 2000, inside[0].Commits[0].Hash: 1000, r.Commits[18]: 2000, r.Commits[19]: 1000, r.Commits[24]: 1000}
	for hash, work := range want {
		v, err := s.Commit(t.Context(), hash)
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Obtain(t.Context(), []sweep.Version{v}, nil, func(runtimes.Obtained) {})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(o[0].Build.Dir, "work.go"))
		if err != nil || !strings.Contains(string(text), fmt.Sprintf("work  = %d\n", work)) {
			t.Errorf("%s: %q, %v, want %d", hash, text, err, work)
		}
	}
}

func TestPlansThatMakeNoSense(t *testing.T) {
	for name, change := range map[string]func(p *planted.Plan){
		"one commit":          func(p *planted.Plan) { p.Commits = 1 },
		"no work":             func(p *planted.Plan) { p.Work = 0 },
		"a place outside":     func(p *planted.Plan) { p.Changes[0].At = 61 },
		"less than no work":   func(p *planted.Plan) { p.Changes[0].Share = -1 },
		"a broken release":    func(p *planted.Plan) { p.Broken = []int{60} },
		"one place for two":   func(p *planted.Plan) { p.Broken = []int{38} },
		"two changes at once": func(p *planted.Plan) { p.Changes = append(p.Changes, p.Changes[0]) },
	} {
		t.Run(name, func(t *testing.T) {
			p := planted.Usual()
			change(&p)
			if _, err := planted.Plant(t.TempDir(), p); !errors.Is(err, planted.ErrPlan) {
				t.Errorf("%v", err)
			}
		})
	}
}

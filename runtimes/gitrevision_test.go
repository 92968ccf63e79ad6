package runtimes

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"versweep/sweep"
)

func hashBytes(t *testing.T, hash string) []byte {
	t.Helper()
	b, err := hex.DecodeString(hash)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Any commit is built as a tag is, however it is named and wherever it lies:
// what git itself takes the name for.
func TestGitCommits(t *testing.T) {
	t.Parallel()
	work := everyTagForm(t)
	runGit(t, work, "checkout", "-q", "-b", "side", "v1.0.0")
	commitFiles(t, work, map[string]string{"version": "side", "more": "x"})
	runGit(t, work, "checkout", "-q", "main")
	runGit(t, work, "merge", "-q", "-X", "ours", "-m", "merged", "side")
	hash := runGit(t, work, "rev-parse", "main^2")
	for name, place := range gitPlaces(t, work) {
		t.Run(name, func(t *testing.T) {
			s := gitTarget(t, GitSource{Repository: place}, Recipe{})
			for _, revision := range []string{
				hash, strings.ToUpper(hash), hash[:7], hash[:8], "main", "HEAD", "v1.0.0", "inner", "tags/v1.0.2", "refs/heads/side",
				"main~1", "main^", "main^1~2", "main^2", "main~", "v1.0.2^0", "middle~2", hash[:9] + "^",
			} {
				v, err := s.Commit(t.Context(), revision)
				if err != nil {
					t.Errorf("%s: %v", revision, err)
					continue
				}
				want := runGit(t, work, "rev-parse", revision+"^{commit}")
				if v.Commit != want || v.Name != "commit-"+want[:12] {
					t.Errorf("%s: %+v, want %s", revision, v, want)
				}
			}
			v, err := s.Commit(t.Context(), hash)
			if err != nil {
				t.Fatal(err)
			}
			outcomes, err := s.Obtain(t.Context(), []sweep.Version{v}, nil, func(Obtained) {})
			if err != nil || outcomes[0].Reason != "" {
				t.Fatalf("%+v, %v", outcomes, err)
			}
			text, err := os.ReadFile(filepath.Join(outcomes[0].Build.Dir, "version"))
			if err != nil || string(text) != "side" {
				t.Errorf("%q, %v", text, err)
			}
			for _, revision := range []string{"nothing", "main~99", "main^3", "", "~1", "v1.0.3", "main^{tree}", "main@{1}", "../x", "-n"} {
				if v, err := s.Commit(t.Context(), revision); err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("%q is %+v, %v", revision, v, err)
				}
			}
		})
	}
}

// A commit that no branch or tag names is had by its hash alone, without a
// history, where the server gives it.
func TestGitCommitByHashNeedsNoHistory(t *testing.T) {
	work := everyTagForm(t)
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--bare", work, "bare.git")
	runGit(t, filepath.Join(dir, "bare.git"), "config", "uploadpack.allowReachableSHA1InWant", "true")
	server, fetches := serveGit(t, dir, "")
	commitFiles(t, work, nil)
	runGit(t, work, "push", "-q", filepath.Join(dir, "bare.git"), "main")
	hash := runGit(t, work, "rev-parse", "main~1")
	for _, tag := range []string{"v1.0.2", "inner", "middle"} {
		runGit(t, filepath.Join(dir, "bare.git"), "tag", "-d", tag)
	}
	s := gitTarget(t, GitSource{Repository: server + "/bare.git"}, Recipe{})
	v, err := s.Commit(t.Context(), hash)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := s.Obtain(t.Context(), []sweep.Version{v}, nil, func(Obtained) {})
	if err != nil || outcomes[0].Reason != "" || fetches.Load() != 1 {
		t.Errorf("%+v, %v, %d fetches", outcomes, err, fetches.Load())
	}
	if _, err := os.Stat(gitCache(s).repositories()); !os.IsNotExist(err) {
		t.Errorf("the history was fetched: %v", err)
	}
	gone, err := s.Commit(t.Context(), strings.Repeat("ab", 20))
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err = s.Obtain(t.Context(), []sweep.Version{gone}, nil, func(Obtained) {})
	if err != nil || !strings.Contains(outcomes[0].Reason, "has no commit abab") {
		t.Errorf("%+v, %v", outcomes, err)
	}
}

// What the repository got since is found too, and nothing else is fetched again.
func TestGitHistoryIsBroughtUpToDate(t *testing.T) {
	work := everyTagForm(t)
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--bare", "--no-tags", work, "bare.git")
	server, fetches := serveGit(t, dir, "")
	s := gitTarget(t, GitSource{Repository: server + "/bare.git"}, Recipe{})
	objects := func() int {
		mirrors, err := filepath.Glob(filepath.Join(gitCache(s).repositories(), "*", "objects", "pack", "*.idx"))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, index := range mirrors {
			n += len(strings.Split(runGit(t, work, "verify-pack", "-v", index), " commit ")) - 1
		}
		return n
	}
	for i := range 2 {
		want := commitFiles(t, work, map[string]string{"version": "newer"})
		runGit(t, work, "push", "-q", filepath.Join(dir, "bare.git"), "main")
		for range 2 {
			if v, err := s.Commit(t.Context(), want[:10]); err != nil || v.Commit != want {
				t.Errorf("%+v, %v", v, err)
			}
		}
		if fetches.Load() != int32(i+1) {
			t.Errorf("%d fetches, want %d", fetches.Load(), i+1)
		}
		if got := objects(); got != 4+i { // three and the first new one, then one more
			t.Errorf("%d commits were fetched, want %d", got, 4+i)
		}
	}
}

func TestOnlyGitHasCommits(t *testing.T) {
	d := &Definition{Name: "x"}
	s, err := OpenSupply(d, Source{List: []string{"1.0.0"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(t.Context(), "main"); !errors.Is(err, ErrNoCommits) {
		t.Errorf("%v", err)
	}
}

// A fetch that a kill ended leaves nothing in the mirror that a later one trips
// over, and the mirror has no file that was being written.
func TestGitHistoryAfterAKill(t *testing.T) {
	work := everyTagForm(t)
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--bare", work, "bare.git")
	server, _ := serveGit(t, dir, "")
	s := gitTarget(t, GitSource{Repository: server + "/bare.git"}, Recipe{})
	if _, err := s.Commit(t.Context(), "main"); err != nil {
		t.Fatal(err)
	}
	packs := filepath.Join(gitCache(s).repositories(), "*", "objects", "pack", "*")
	files, err := filepath.Glob(packs)
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		switch filepath.Ext(file) {
		case ".pack":
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		case ".idx": // as go-git leaves it when it is killed
			if err := os.Chmod(file, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(file, 100); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is no part of a pack", file)
		}
	}
	v, err := s.Commit(t.Context(), "main~1")
	if want := runGit(t, work, "rev-parse", "main~1"); err != nil || v.Commit != want {
		t.Errorf("%+v, %v, want %s", v, err, want)
	}
	if left := filesIn(t, gitCache(s).scratch()); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

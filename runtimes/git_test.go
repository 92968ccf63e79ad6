package runtimes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
)

// runGit runs the git program, which makes the repositories of these tests, and
// returns what it prints. The product needs no such program.
func runGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commitFiles writes files, commits them and returns the commit.
func commitFiles(t testing.TB, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	return runGit(t, dir, "rev-parse", "HEAD")
}

// everyTagForm is a repository with each kind of tag.
func everyTagForm(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	for i, tag := range []string{"v1.0.0", "v1.0.1", "v1.0.2"} {
		commitFiles(t, dir, map[string]string{"version": fmt.Sprintln(i), "below/it": "x"})
		switch tag {
		case "v1.0.0":
			runGit(t, dir, "tag", "-a", "-m", "annotated", tag)
		case "v1.0.1":
			runGit(t, dir, "tag", tag)
		case "v1.0.2":
			runGit(t, dir, "tag", "-a", "-m", "inner", "inner")
			runGit(t, dir, "tag", "-a", "-m", "middle", "middle", "inner")
			runGit(t, dir, "tag", "-a", "-m", "nested", tag, "middle")
		}
	}
	runGit(t, dir, "tag", "v1.0.3", runGit(t, dir, "rev-parse", "HEAD:version"))
	runGit(t, dir, "tag", "-a", "-m", "a blob", "v1.0.4", runGit(t, dir, "rev-parse", "HEAD:version"))
	runGit(t, dir, "tag", "v1.0.5", runGit(t, dir, "rev-parse", "HEAD:below"))
	return dir
}

// gitTarget opens a git source of a target.
func gitTarget(t testing.TB, settings GitSource, recipe Recipe) *Supply {
	t.Helper()
	cache := emptyCache(t)
	d := &Definition{Name: "server", Title: "Server", Recipe: recipe}
	d.fillIn()
	s, err := OpenSupply(d, Source{Git: &settings}, cache)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func gitCache(s *Supply) *Cache { return s.source.(*gitSource).cache }

func listed(t testing.TB, s *Supply) ([]sweep.Version, []sweep.Skipped) {
	t.Helper()
	found, skipped, err := s.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found, skipped
}

// gitPlaces are ways to have one repository: by path, file://, bare, as a
// linked worktree, with another's objects, cloned with depth 1, and from servers
// that can and cannot leave trees out.
func gitPlaces(t *testing.T, work string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--mirror", work, "bare.git")
	runGit(t, dir, "clone", "-q", "--mirror", work, "filters.git")
	runGit(t, filepath.Join(dir, "filters.git"), "config", "uploadpack.allowFilter", "true")
	runGit(t, dir, "clone", "-q", "--depth", "1", "file://"+work, "shallow")
	runGit(t, dir, "clone", "-q", "--mirror", "--shared", work, "shared")
	runGit(t, filepath.Join(dir, "shared"), "worktree", "add", "-q", "--detach", filepath.Join(dir, "linked"))
	server, _ := serveGit(t, dir, "")
	return map[string]string{
		"a path": work, "file://": "file://" + work, "a bare repository": filepath.Join(dir, "bare.git"),
		"a clone with depth 1": filepath.Join(dir, "shallow"), "another's objects": filepath.Join(dir, "shared"),
		"a linked worktree": filepath.Join(dir, "linked"),
		"http":              server + "/bare.git", "http with filters": server + "/filters.git",
	}
}

// V7: every tag form, wherever the repository lies, is the commit that git
// itself finds.
func TestGitTagsAreCommits(t *testing.T) {
	work := everyTagForm(t)
	for name, place := range gitPlaces(t, work) {
		t.Run(name, func(t *testing.T) {
			found, skipped := listed(t, gitTarget(t, GitSource{Repository: place}, Recipe{}))
			var names []string
			for _, v := range found {
				names = append(names, v.Name)
				// A server that cannot leave trees out does not say what a
				// tag without an object of its own is on.
				if name == "http" && v.Name >= "1.0.3" {
					continue
				}
				if want := runGit(t, work, "rev-parse", v.Raw+"^{commit}"); v.Commit != want {
					t.Errorf("%s is %s, want %s", v.Raw, v.Commit, want)
				}
			}
			got := strings.Join(names, " ")
			if want := "1.0.0 1.0.1 1.0.2"; got != want && (name != "http" || got != want+" 1.0.3 1.0.4 1.0.5") {
				t.Errorf("versions %s", got)
			}
			for raw, reason := range map[string]string{
				"v1.0.3": "a tag on a blob, not on a commit", "v1.0.4": "a tag on a blob, not on a commit",
				"v1.0.5": "a tag on a tree, not on a commit", "inner": "not a version", "middle": "not a version",
			} {
				if name == "http" && strings.HasPrefix(raw, "v") {
					continue
				}
				if !slices.Contains(skipped, sweep.Skipped{Raw: raw, Reason: reason}) {
					t.Errorf("%s is not skipped as %q: %v", raw, reason, skipped)
				}
			}
			for _, s := range skipped {
				if strings.Contains(s.Raw, "^{}") {
					t.Errorf("a peeled name is shown: %q", s.Raw)
				}
			}
		})
	}
}

// The files of a tag's commit, and no .git, from wherever they come; a tag on
// no commit that the listing could not see is not measured, with the reason. A
// second time nothing is fetched.
func TestGitBuildsHaveTheFilesOfTheirTag(t *testing.T) {
	work := everyTagForm(t)
	for name, place := range gitPlaces(t, work) {
		t.Run(name, func(t *testing.T) {
			s := gitTarget(t, GitSource{Repository: place}, Recipe{})
			found, _ := listed(t, s)
			for again, fromCache := range []bool{false, true} {
				outcomes, err := s.Obtain(t.Context(), found, nil, func(Obtained) {})
				if err != nil {
					t.Fatal(err)
				}
				for i, o := range outcomes {
					if i > 2 {
						if !strings.HasSuffix(o.Reason, "not on a commit") {
							t.Errorf("%+v", o)
						}
						continue
					}
					if o.Reason != "" || o.Build.FromCache != fromCache || o.Build.Digest != "git:"+found[i].Commit {
						t.Fatalf("time %d: %+v", again, o)
					}
					text, err := os.ReadFile(filepath.Join(o.Build.Dir, "version"))
					if files := filesIn(t, o.Build.Dir); string(text) != fmt.Sprintln(i) || len(files) != 2 || o.Build.Bytes != 3 {
						t.Errorf("%s: %q, %v, files %v, %d bytes", o.Version, text, err, files, o.Build.Bytes)
					}
				}
			}
			if left := filesIn(t, gitCache(s).scratch()); len(left) > 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

// A version that was listed and is gone, or is on another commit, is not
// measured; the others go on.
func TestGitTagThatVanishedOrMoved(t *testing.T) {
	work := everyTagForm(t)
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--bare", work, "bare.git")
	bare := filepath.Join(dir, "bare.git")
	server, _ := serveGit(t, dir, "")
	s := gitTarget(t, GitSource{Repository: server + "/bare.git"}, Recipe{})
	found, _ := listed(t, s)
	runGit(t, bare, "update-ref", "refs/heads/main", found[0].Commit)
	runGit(t, bare, "tag", "-d", "v1.0.1")
	runGit(t, bare, "tag", "-d", "inner")
	runGit(t, bare, "tag", "-d", "middle")
	runGit(t, bare, "tag", "-f", "v1.0.2", found[0].Commit)
	runGit(t, bare, "gc", "-q", "--prune=now")
	outcomes, err := s.Obtain(t.Context(), found[:3], nil, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", `"v1.0.1" is gone`, `tag "v1.0.2" was moved`} {
		if o := outcomes[i]; (o.Reason == "") != (want == "") || !strings.Contains(o.Reason, want) || strings.Contains(o.Reason, "\n") {
			t.Errorf("%s: %q, want %q", o.Version, o.Reason, want)
		}
	}
}

// 1,000 tags, half of them annotated, each on a commit of its own.
func BenchmarkGitTags(b *testing.B) {
	dir := b.TempDir()
	runGit(b, dir, "init", "-q", "--bare", "x.git")
	bare := filepath.Join(dir, "x.git")
	var script strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&script, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.org> %d +0000\ndata 1\nx\n", i+1, i+1)
		if i%2 == 0 {
			fmt.Fprintf(&script, "tag v1.%d.0\nfrom :%d\ntagger A <a@example.org> 1 +0000\ndata 1\nx\n", i, i+1)
		} else {
			fmt.Fprintf(&script, "reset refs/tags/v1.%d.0\nfrom :%d\n\n", i, i+1)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = bare, strings.NewReader(script.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		s := gitTarget(b, GitSource{Repository: bare}, Recipe{})
		if found, _ := listed(b, s); len(found) != 1000 {
			b.Fatalf("%d versions", len(found))
		}
	}
	if each := b.Elapsed() / time.Duration(b.N); each > time.Second {
		b.Errorf("%v for 1,000 tags, more than a second", each)
	}
}

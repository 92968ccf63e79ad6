package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
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
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
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

// serveGit serves the repositories below dir by git's own server, and counts
// the fetches. It stands for a server on the network.
func serveGit(t *testing.T, dir string, login string) (url string, fetches *int) {
	t.Helper()
	fetches = new(int)
	backend := &cgi.Handler{
		Path: filepath.Join(runGit(t, dir, "--exec-path"), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + t.TempDir(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); login != "" && user+":"+password != login {
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "who are you?\nsay it", http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			*fetches++
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, fetches
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

func TestGitErrorsAreOneLine(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "--bare", "empty.git")
	runGit(t, dir, "init", "-q", "--object-format=sha256", "sha256")
	work := filepath.Join(dir, "work")
	runGit(t, dir, "init", "-q", "work")
	commitFiles(t, work, nil)
	runGit(t, work, "tag", "nightly")
	server, _ := serveGit(t, dir, "me:secret")
	with := func(user string) string { return strings.Replace(server, "://", "://"+user+"@", 1) }
	t.Setenv("NETRC", filepath.Join(dir, "none"))
	for name, tt := range map[string]struct{ repository, want string }{
		"no such folder":           {filepath.Join(dir, "nothing"), "there is no git repository"},
		"a folder without one":     {t.TempDir(), "there is no git repository"},
		"hashes of another kind":   {filepath.Join(dir, "sha256"), "sha256"},
		"no tags":                  {filepath.Join(dir, "empty.git"), "it has no tags"},
		"no versions":              {work, "none of its 1 tags is a version"},
		"a server without it":      {with("me:secret") + "/nothing.git", "there is no git repository"},
		"no tags on a server":      {with("me:secret") + "/empty.git", "it has no tags"},
		"no credentials":           {server + "/empty.git", "no access"},
		"wrong credentials":        {with("me:hush") + "/empty.git", "no access"},
		"nobody listens":           {"http://me:hush@127.0.0.1:1/x.git", "connection refused"},
		"a protocol nobody speaks": {"gopher://me:hush@127.0.0.1/x.git", "unsupported scheme"},
		"a URL that is none":       {"http://me:hush@127.0.0.1:port/x.git", "invalid port"},
	} {
		t.Run(name, func(t *testing.T) {
			d := &Definition{Name: "server"}
			d.fillIn()
			s, err := OpenSupply(d, Source{Git: &GitSource{Repository: tt.repository}}, nil)
			if err == nil {
				_, _, err = s.Versions(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err != nil && (strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "secret")) {
				t.Errorf("the password is told: %v", err)
			}
		})
	}
}

func TestGitCredentialsOfNetrc(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "clone", "-q", "--bare", everyTagForm(t), "bare.git")
	server, _ := serveGit(t, dir, "me:secret")
	netrc := filepath.Join(dir, "netrc")
	text := "machine example.org login other password wrong\nmachine 127.0.0.1\n  login me\n  password secret\n"
	if err := os.WriteFile(netrc, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NETRC", netrc)
	if found, _ := listed(t, gitTarget(t, GitSource{Repository: server + "/bare.git"}, Recipe{})); len(found) == 0 {
		t.Error("no versions")
	}
}

// A server may list whatever it likes. Nothing of it reaches a path.
func TestGitServerWithHostileNames(t *testing.T) {
	commit := strings.Repeat("1", 40)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		fmt.Fprint(w, "001e# service=git-upload-pack\n0000")
		capabilities := "\x00agent=x"
		for _, name := range []string{"; rm -rf /", "../../x", "v1.0.\u202e0", "v1.0.0/../../../x", "v1.0.0", "v1.0.0^{}", "v1." + strings.Repeat("0", 10_000)} {
			line := commit + " refs/tags/" + name + capabilities + "\n"
			fmt.Fprintf(w, "%04x%s", len(line)+4, line)
			capabilities = ""
		}
		fmt.Fprint(w, "0000")
	}))
	defer server.Close()
	s := gitTarget(t, GitSource{Repository: server.URL + "/x.git"}, Recipe{})
	found, skipped := listed(t, s)
	if len(found) != 1 || found[0].Raw != "v1.0.0" || found[0].Commit != commit {
		t.Errorf("versions %+v, skipped %+v", found, skipped)
	}
	outcomes, err := s.Obtain(t.Context(), found, nil, func(Obtained) {})
	if err != nil || outcomes[0].Reason == "" {
		t.Errorf("%+v, %v", outcomes, err)
	}
}

func TestGitListingCanBeInterrupted(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-hang }))
	defer server.Close()
	defer close(hang)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := gitTarget(t, GitSource{Repository: server.URL + "/x.git"}, Recipe{})
	if _, _, err := s.Versions(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A server that never stops sending is left.
func TestGitListingWithoutEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "001e# service=git-upload-pack\n0000")
		line := strings.Repeat("1", 40) + " refs/tags/v1." + strings.Repeat("0", 60_000)
		packet := fmt.Sprintf("%04x%s\x00agent=x\n", len(line)+13, line)
		for {
			if _, err := io.WriteString(w, packet); err != nil {
				return
			}
			packet = fmt.Sprintf("%04x%s\n", len(line)+5, line)
		}
	}))
	defer server.Close()
	_, _, err := gitTarget(t, GitSource{Repository: server.URL + "/x.git"}, Recipe{}).Versions(t.Context())
	if err == nil || !strings.Contains(err.Error(), "more than any release needs") {
		t.Errorf("%.200v", err)
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

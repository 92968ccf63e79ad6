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
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// serveGit serves the repositories below dir by git's own server, and counts
// the fetches. It stands for a server on the network.
func serveGit(t *testing.T, dir string, login string) (url string, fetches *atomic.Int32) {
	t.Helper()
	fetches = new(atomic.Int32)
	backend := &cgi.Handler{
		Path: filepath.Join(runGit(t, dir, "--exec-path"), "git-http-backend"),
		Env: []string{
			"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + t.TempDir(),
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); login != "" && user+":"+password != login {
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "who are you?\nsay it", http.StatusUnauthorized)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			fetches.Add(1)
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, fetches
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
		"a password with a slash":  {"http://me:hu/sh@127.0.0.1/x.git", "git repository http://127.0.0.1/x.git"},
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
			if err != nil && (strings.Contains(err.Error(), "hu") || strings.Contains(err.Error(), "secret")) {
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

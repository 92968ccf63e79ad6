package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"versweep/store"
)

// guardedRepositories serves what is below dir by git's own server to those who
// have the password, and is their URL with it.
func guardedRepositories(t *testing.T, dir, password string) string {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"),
		Env: []string{
			"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + t.TempDir(),
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, given, _ := r.BasicAuth(); given != password {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "://", "://user:"+password+"@", 1)
}

// The password of --repository is not kept: what asks the same with another one
// goes on, and --resume takes it again.
func TestBisectionKeepsNoPassword(t *testing.T) {
	const password = "canary-bisect"
	targets := plantedTarget(t, 4)
	t.Setenv("NETRC", filepath.Join(t.TempDir(), "none"))
	address := guardedRepositories(t, filepath.Dir(targets), password) + "/repository"
	kept := "http://" + strings.Split(address, "@")[1]
	bisect := func(db string, args ...string) (string, error) {
		out, stderr, err := ran(t, append([]string{"bisect", "--budget", "1ns", "--db", db, "--target-dir", targets}, args...)...)
		return out + stderr, err
	}
	db := filepath.Join(t.TempDir(), "versweep.db")
	for _, user := range []string{"user", "other"} {
		repository := strings.Replace(address, "user", user, 1)
		said, err := bisect(db, "planted", "1.0.0", "1.1.0", "--commits", "--launcher", "process", "--repository", repository)
		if !strings.Contains(said, "search broken off") || strings.Contains(said, "going on with bisection 1, which asks the same") != (user == "other") {
			t.Errorf("%s begins: %v\n%s", user, err, said)
		}
	}
	if bytes.Contains(allOf(t, db), []byte(password)) {
		t.Error("the store holds the password")
	}
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, f := range []store.BisectionFilter{{}, {PartOf: 1}} {
		list, err := st.Bisections(t.Context(), f)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if o, err := optionsOf(list[0]); err != nil || o.Repository != kept {
			t.Errorf("bisection %d is about %q, %v", list[0].ID, o.Repository, err)
		}
	}

	// An older store may have it.
	db, _ = begunBisection(t, bisectOptions{Launcher: launcherProcess, Asked: launcherProcess, Commits: true, Direct: true, Repository: address})
	if said, err := bisect(db, "--resume", "1"); err == nil || !strings.Contains(err.Error(), "no access") {
		t.Errorf("without the password: %v\n%s", err, said)
	}
	said, err := bisect(db, "--resume", "1", "--repository", address+"2")
	if _, misused := errors.AsType[*misuseError](err); !misused {
		t.Errorf("with another repository: %v\n%s", err, said)
	}
	if said, err := bisect(db, "--resume", "1", "--repository", address); !strings.Contains(said, "search broken off among 5 commits") {
		t.Errorf("with the password: %v\n%s", err, said)
	}
}

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// canaries are secrets that the user of a test has in every place that versweep
// or what it starts reads. None of them may be seen anywhere.
var canaries = []string{
	"canary-npm-token", "canary-netrc", "canary-docker-auth", "canary-git-url", "canary-git-token", "canary-goproxy", "canary-registry", "canary-proxy",
	"canary-header", "canary-engine", "canary-environment",
}

// encoded are the forms in which a canary would be a secret as well.
func encoded(canary string) []string {
	return []string{canary, base64.StdEncoding.EncodeToString([]byte("user:" + canary)), base64.StdEncoding.EncodeToString([]byte("user:" + canary))[:20]}
}

// plantCanaries makes a home for a user who has secrets. Servers that want them
// refuse everything, in words that repeat what they were sent.
func plantCanaries(t *testing.T) (refusing string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		said, _ := json.Marshal(fmt.Sprint("you sent ", r.Header))
		fmt.Fprintf(w, `{"error": %s, "errors": [{"code": "DENIED", "message": %s}]}`, said, said)
	}))
	t.Cleanup(server.Close)
	refusing = strings.TrimPrefix(server.URL, "http://")
	home := t.TempDir()
	docker := base64.StdEncoding.EncodeToString([]byte("user:canary-docker-auth"))
	for name, text := range map[string]string{
		".npmrc":              "//" + refusing + "/:_authToken=canary-npm-token\nregistry=http://user:canary-registry@" + refusing + "/\nfetch-retries=0\n",
		".netrc":              "machine 127.0.0.1 login user password canary-netrc\n",
		".docker/config.json": `{"auths": {"` + refusing + `": {"auth": "` + docker + `"}}}`,
	} {
		file := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range os.Environ() {
		if key, _, _ := strings.Cut(name, "="); strings.HasPrefix(strings.ToUpper(key), "NPM_CONFIG_") {
			t.Setenv(key, "")
			os.Unsetenv(key)
		}
	}
	for key, value := range map[string]string{
		"HOME": home, "DOCKER_CONFIG": filepath.Join(home, ".docker"), "NETRC": filepath.Join(home, ".netrc"),
		"GOPROXY": "http://user:canary-goproxy@" + refusing, "GOFLAGS": "-mod=mod", "GOMODCACHE": filepath.Join(home, "mod"), "GONOSUMDB": "*", "GOCACHE": filepath.Join(home, "go"),
		"HTTPS_PROXY": "http://user:canary-proxy@127.0.0.1:1", "https_proxy": "http://user:canary-proxy@127.0.0.1:1", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
		"DEPLOY_TOKEN": "canary-environment", "DOCKER_HOST": "tcp://user:canary-engine@127.0.0.1:1", "NPM_CONFIG_USERCONFIG": filepath.Join(home, ".npmrc"),
	} {
		t.Setenv(key, value)
	}
	return refusing
}

// talkativeServer serves those who know the secret, and tells it to everybody
// who reads its log. The second release fails.
func talkativeServer() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("asked with", r.Header)
		if r.Header.Get("Authorization") != "Bearer canary-header" || os.Getenv("VERSWEEP_TEST_SERVER") == "2.0.0" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, "Hello World\n")
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// talkativeTarget is swept from a git repository of two tags by this test's own
// program, with a secret in its requests.
func talkativeTarget(t *testing.T, targets string) {
	t.Helper()
	repository := filepath.Join(t.TempDir(), "talkative")
	for _, args := range [][]string{
		{"init", "-q", repository},
		{"-C", repository, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "one"}, {"-C", repository, "tag", "1.0.0"},
		{"-C", repository, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "two"}, {"-C", repository, "tag", "2.0.0"},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(targets, "talkative")
	text := fmt.Sprintf(`title: Talkative
sources:
  - git: {repository: %q}
start: ["/usr/bin/env", "VERSWEEP_TEST_SERVER={version}", %q]
request: {header: {Authorization: "Bearer canary-header"}}
answer: {timeout: 2s}
`, repository, self)
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, "target.yaml"), []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// watchCommandLines gathers the command lines of all processes that hold a
// canary, until stop is called.
func watchCommandLines(t *testing.T) (stop func() []string) {
	done, found := make(chan struct{}), map[string]bool{}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, file := range lines {
				if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte("canary-")) {
					found[strings.ReplaceAll(string(text), "\x00", " ")] = true
				}
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() []string {
		close(done)
		wait.Wait()
		var list []string
		for line := range found {
			list = append(list, line)
		}
		return list
	}
}

// No secret of the user's is in what versweep shows, stores, draws, caches or
// starts, whether what it does goes well or not.
func TestSecretsAreNotTold(t *testing.T) {
	refusing := plantCanaries(t)
	work := t.TempDir()
	targets, cache, db := filepath.Join(work, "targets"), filepath.Join(work, "cache"), filepath.Join(work, "versweep.db")
	talkativeTarget(t, targets)
	for name, source := range map[string]string{
		"by-npm":   "npm: {package: nothing, keep: [x]}",
		"by-gomod": "gomod: {module: example.org/nothing}\n    recipe: {program: [hello.go]}",
		"by-image": "image: {repository: " + refusing + "/nothing}",
		"by-git":   "git: {repository: \"http://user:canary-git-url@" + refusing + "/x.git\"}",
		"by-token": "git: {repository: \"http://canary-git-token@" + refusing + "/x.git\"}",
		"by-port":  "git: {repository: \"http://user:canary-git-url@" + refusing + "x/y.git\"}",
		"by-slash": "git: {repository: \"http://user:canary-git-url/x@" + refusing + "/y.git\"}",
		"by-query": "git: {repository: \"http://" + refusing + "/y.git?private_token=canary-git-token\"}",
		"by-scp":   "git: {repository: \"user:canary-git-url/x@127.0.0.1:y.git\"}",
		"by-typo":  "git: {repository: \"http://user:canary-git-url@" + refusing + "/x.git\", repo: x}",
		"by-proxy": "git: {repository: \"https://nobody.invalid/x.git\"}",
		"by-netrc": "git: {repository: \"http://" + refusing + "/x.git\"}",
	} {
		hostileTarget(t, targets, source)
		folder := filepath.Join(targets, name)
		if err := os.Rename(filepath.Join(targets, "hostile"), folder); err != nil {
			t.Fatal(err)
		}
		if name == "by-gomod" {
			if err := os.WriteFile(filepath.Join(folder, "hello.go"), []byte("//go:build ignore\n\npackage main\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	const anyStatus = -1
	var shown bytes.Buffer
	do := func(want int, args ...string) {
		t.Helper()
		var out bytes.Buffer
		status := run(append(args, "--db", db, "--target-dir", targets), strings.NewReader(""), &out, &out)
		if status != want && want != anyStatus {
			t.Errorf("%q: status %d: %s", args, status, &out)
		}
		fmt.Fprintf(&shown, "%q:\n%s", args[:1], &out)
	}
	stop := watchCommandLines(t)
	for _, name := range []string{"by-npm", "by-gomod", "by-image", "by-git", "by-token", "by-port", "by-slash", "by-query", "by-scp", "by-proxy", "by-netrc"} {
		do(exitFailure, "versions", name)
		do(exitFailure, "versions", name, "--json")
		do(exitFailure, "run", name, "--yes", "--cache", cache, "--launcher", "process")
	}
	do(exitMisuse, "targets", "show", "by-typo")
	do(exitFailure, "run", "talkative", "--yes", "--cache", cache, "--launcher", "docker")
	t.Setenv("DOCKER_HOST", "tcp://user:canary-engine/x@127.0.0.1:1")
	do(exitFailure, "run", "talkative", "--yes", "--cache", cache, "--launcher", "docker")
	do(anyStatus, "doctor", "--json")
	t.Setenv("DOCKER_HOST", "ssh://user:canary-engine@127.0.0.1")
	do(exitFailure, "run", "talkative", "--yes", "--cache", cache, "--launcher", "docker")
	do(anyStatus, "doctor") // says what else the machine does
	do(exitDone, "run", "talkative", "--yes", "--cache", cache, "--launcher", "process", "--rounds", "2", "--duration", "200ms", "--warmup", "50ms", "--connections", "2", "-o", filepath.Join(work, "x.svg"))
	do(exitDone, "table", "talkative", "--json")
	do(anyStatus, "check", "talkative")
	do(exitDone, "export", "junit", "talkative")
	do(exitDone, "report", "-o", filepath.Join(work, "report"))
	secret := filepath.Join(t.TempDir(), "header")
	if err := os.WriteFile(secret, []byte("Authorization: Bearer canary-header\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	do(exitFailure, "load", "http://"+refusing+"/", "--header", "@"+secret, "--requests", "5", "--connections", "1")
	do(exitMisuse, "load", "http://user:canary-git-url@"+refusing+"/")
	do(exitMisuse, "load", "http://user:canary-git-url/x@"+refusing+"/")
	do(exitMisuse, "load", "http://user:canary-git-url"+strings.Repeat("x", 80)+" @"+refusing+"/")
	do(exitFailure, "load", "http://"+refusing+"/?token=canary-git-token", "--requests", "5", "--connections", "1")
	do(exitFailure, "bisect", "talkative", "1.0.0", "2.0.0", "--commits", "--repository", "http://user:canary-git-url/x@"+refusing+"/y.git", "--launcher", "process")
	for _, line := range stop() {
		t.Errorf("a command line holds a secret: %s", line)
	}
	if err := os.RemoveAll(targets); err != nil { // the user's own files
		t.Fatal(err)
	}
	looked := 0
	err := filepath.WalkDir(work, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		looked++
		text, err := os.ReadFile(file)
		holdsNoCanary(t, file, file+string(text))
		return err
	})
	if err != nil || looked < 10 {
		t.Errorf("looked at %d files, %v", looked, err)
	}
	holdsNoCanary(t, "the output", shown.String())
	if !strings.Contains(shown.String(), "Authorization") && !bytes.Contains(allOf(t, db), []byte("asked with")) {
		t.Error("the failing server's log was not kept: nothing was proved of it")
	}
}

func allOf(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func holdsNoCanary(t *testing.T, where, text string) {
	t.Helper()
	for _, canary := range canaries {
		for _, form := range encoded(canary) {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%s holds %s: %q", where, canary, text[max(0, i-200):min(len(text), i+60)])
				break
			}
		}
	}
}

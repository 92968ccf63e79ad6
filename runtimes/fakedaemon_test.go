//go:build linux

package runtimes

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"versweep/sweep"
)

// fakeDaemon answers as a Docker engine does, and notes what is asked.
type fakeDaemon struct {
	mu     sync.Mutex
	asked  []string          // "POST /images/create", without the API version
	answer map[string]string // body by such a line; what is missing is not found
	login  string            // the credentials that came with the last pull
	hangs  string            // such a line that gets no answer

	refusals int      // of removals, for the moment
	broken   bool     // no removal succeeds
	heard    []string // warnings of the engine's user
}

func (f *fakeDaemon) hear(line string) { f.heard = append(f.heard, line) }

func (f *fakeDaemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if strings.HasPrefix(path, "/v1.") {
		path = path[strings.IndexByte(path[1:], '/')+1:]
	}
	line := r.Method + " " + path
	f.mu.Lock()
	f.asked = append(f.asked, line)
	body, ok := f.answer[line]
	if login, err := base64.URLEncoding.DecodeString(r.Header.Get("X-Registry-Auth")); err == nil && path == "/images/create" {
		f.login = string(login)
	}
	f.mu.Unlock()
	w.Header().Set("Api-Version", "1.41")
	switch {
	case r.Method == http.MethodDelete && f.refused():
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, `{"message":"is just ending"}`)
	case r.Method == http.MethodDelete && f.broken:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"message":"unlinkat merged: device or resource busy"}`)
	case f.hangs != "" && line == f.hangs:
		<-r.Context().Done()
	case path == "/_ping":
	case path == "/version":
		fmt.Fprint(w, `{"Version":"20.10.24","ApiVersion":"1.41"}`)
	case path == "/containers/json":
		fmt.Fprint(w, `[]`)
	case ok:
		fmt.Fprint(w, body)
	default:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"no such thing"}`)
	}
}

func (f *fakeDaemon) refused() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refusals--
	return f.refusals >= 0
}

func (f *fakeDaemon) wasAsked(part string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Contains(strings.Join(f.asked, "\n"), part)
}

func connectFake(t *testing.T, answer map[string]string) (*fakeDaemon, *Engine) {
	t.Helper()
	f := &fakeDaemon{answer: answer}
	socket := filepath.Join(t.TempDir(), "docker.sock")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(f)
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	t.Setenv("DOCKER_HOST", "unix://"+socket)
	e, err := ConnectEngine(t.Context(), f.hear)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return f, e
}

func TestNoEngineAnswers(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
	if _, err := ConnectEngine(t.Context(), func(string) {}); !errors.Is(err, ErrNoEngine) {
		t.Errorf("got %v, want ErrNoEngine", err)
	}
}

// C1: the pull's error comes inside a stream whose status is 200. It becomes a
// reason of one line.
func TestPullErrorInsideTheStream(t *testing.T) {
	for _, words := range []string{
		"manifest unknown", "no matching manifest for linux/amd64 in the manifest list entries",
		"toomanyrequests: You have reached your pull rate limit.\nYou may increase the limit by upgrading.",
	} {
		text, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		_, e := connectFake(t, map[string]string{
			"POST /images/create": `{"status":"Pulling from library/x"}` + fmt.Sprintf("\n{\"errorDetail\":{\"message\":%s},\"error\":%s}\n", text, text),
		})
		line, _, _ := strings.Cut(words, "\n")
		if _, err := e.pullMissing(t.Context(), "x:1"); err == nil || err.Error() != "pulling x:1: "+line {
			t.Errorf("got %v, want %s", err, line)
		}
	}
}

// C1: a pull that says all is well, of an image that then is not there.
func TestPullWithoutAnImage(t *testing.T) {
	_, e := connectFake(t, map[string]string{"POST /images/create": `{"status":"Pull complete"}`})
	if _, err := e.pullMissing(t.Context(), "x:1"); err == nil || !strings.Contains(err.Error(), "no such image") {
		t.Errorf("got %v", err)
	}
}

// C2: a build whose stream ends in an error makes no image, whatever image of
// the target is there from before, and no container is started.
func TestBuildErrorInsideTheStream(t *testing.T) {
	f, e := connectFake(t, map[string]string{
		"POST /build": `{"stream":"Step 1/2 : FROM base\n"}
{"stream":"gcc: error: missing.c\n"}
{"errorDetail":{"code":1,"message":"The command returned a non-zero code: 1"},"error":"The command returned a non-zero code: 1"}
`,
		"GET /images/versweep/fake:1.1/json": `{"Id":"sha256:stale"}`,
	})
	s := shellTarget("true")
	_, err := e.targetImage(t.Context(), s.definition, s.recipe, "sha256:base", sweep.Build{Version: "1.1", Dir: t.TempDir(), Digest: "sha512-x"})
	failed, ok := errors.AsType[*BuildError](err)
	if !ok || !strings.Contains(failed.Reason, "non-zero code: 1") || failed.Log[len(failed.Log)-1] != "gcc: error: missing.c" {
		t.Errorf("got %v, %+v", err, failed)
	}
	if f.wasAsked("/containers/create") {
		t.Error("a container was made")
	}
	o := failedOutcome(sweep.Version{Name: "1.1"}, err)
	if o.Reason == "" || len(o.Log) != 2 {
		t.Errorf("outcome %+v", o)
	}
}

func TestBuildStreamCutShort(t *testing.T) {
	_, e := connectFake(t, map[string]string{"POST /build": `{"stream":"Step 1/2`})
	if _, err := e.buildImage(t.Context(), imageBuild{name: "versweep/x:1"}); err == nil {
		t.Error("a stream that is cut short counts as a build")
	}
}

// A full disk is named as such, and ends what is being obtained.
func TestBuildOnAFullDisk(t *testing.T) {
	_, e := connectFake(t, map[string]string{
		"POST /build": `{"stream":"Step 1/2 : FROM base\n"}
{"errorDetail":{"message":"write /var/lib/docker/x: no space left on device"},"error":"write /var/lib/docker/x: no space left on device"}
`})
	s := shellTarget("true")
	s.source = &list{names: []string{"1.0.0"}, line: "major"}
	finish := func(ctx context.Context, b sweep.Build) (sweep.Build, error) {
		b.Dir = t.TempDir()
		return e.targetImage(ctx, s.definition, s.recipe, "sha256:base", b)
	}
	_, err := s.Obtain(t.Context(), []sweep.Version{{Name: "1.0.0", Raw: "1.0.0", Source: "list"}}, finish, func(Obtained) {})
	if !errors.Is(err, ErrEngineFull) || !strings.HasPrefix(err.Error(), "making fake 1.0.0: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

// C6: an interrupt while a container is being started removes it all the same.
func TestInterruptedStartRemovesTheContainer(t *testing.T) {
	f, e := connectFake(t, map[string]string{
		"POST /containers/create":             `{"Id":"0123456789abcdef"}`,
		"DELETE /containers/0123456789abcdef": "",
	})
	f.hangs = "POST /containers/0123456789abcdef/start"
	s := shellTarget("true")
	l := &DockerLauncher{engine: e, definition: s.definition, recipe: s.recipe}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := l.Start(ctx, sweep.Build{Version: "1.0.0", Image: "sha256:x"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Start = %v", err)
	}
	if !f.wasAsked("DELETE /containers/0123456789abcdef") {
		t.Errorf("the container was left: %q", f.asked)
	}
}

// An engine that refuses a removal for the moment is asked again.
func TestRemovalIsTriedAgain(t *testing.T) {
	f, e := connectFake(t, map[string]string{"DELETE /containers/abc": ""})
	f.refusals = 3
	if err := e.remove("abc"); err != nil {
		t.Error(err)
	}
	if n := strings.Count(strings.Join(f.asked, "\n"), "DELETE /containers/abc"); n != 4 {
		t.Errorf("asked %d times, want 4", n)
	}
}

// A container that an engine cannot remove fails nothing once it has ended, and
// everything while it runs. The reason is the engine's, not the end of patience.
func TestContainerThatCannotBeRemoved(t *testing.T) {
	const reason = "removing container abc: Error response from daemon: unlinkat merged: device or resource busy"
	for state, running := range map[string]bool{"exited": false, "running": true} {
		f, e := connectFake(t, map[string]string{
			"GET /containers/abc/json": fmt.Sprintf(`{"Id":"abc","State":{"Status":%q,"Running":%t}}`, state, running),
		})
		f.broken = true
		err := e.removeWithin("abc", 200*time.Millisecond)
		switch {
		case running && (err == nil || err.Error() != reason || len(f.heard) > 0):
			t.Errorf("%s: got %v, and the user heard %q", state, err, f.heard)
		case !running && (err != nil || len(f.heard) != 1 || !strings.HasPrefix(f.heard[0], reason+"; it does not run any more")):
			t.Errorf("%s: got %v, and the user heard %q", state, err, f.heard)
		}
	}
	f, e := connectFake(t, nil) // it was removed after all
	f.broken = true
	if err := e.removeWithin("abc", 100*time.Millisecond); err != nil || len(f.heard) > 0 {
		t.Errorf("gone: got %v, and the user heard %q", err, f.heard)
	}
}

// What the engine says no image is for is not taken for a failure to start.
func TestImageIsGone(t *testing.T) {
	_, e := connectFake(t, nil)
	if _, err := e.create(t.Context(), box{image: "sha256:x"}); !errors.Is(err, errNoImage) {
		t.Errorf("got %v", err)
	}
}

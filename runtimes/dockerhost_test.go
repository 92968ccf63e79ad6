//go:build linux

package runtimes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dockerConfig is a Docker configuration with one context, "far", as "docker
// context create" writes it, and ca.pem for it unless that is empty.
func dockerConfig(t *testing.T, host, current, ca string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	t.Setenv("DOCKER_HOST", "")
	t.Setenv("DOCKER_CONTEXT", "")
	sum := sha256.Sum256([]byte("far"))
	folder := hex.EncodeToString(sum[:])
	files := map[string]string{
		filepath.Join("contexts", "meta", folder, "meta.json"): fmt.Sprintf(
			`{"Name":"far","Metadata":{},"Endpoints":{"docker":{"Host":%q,"SkipTLSVerify":false}}}`, host),
	}
	if current != "" {
		files["config.json"] = fmt.Sprintf(`{"auths":{},"currentContext":%q}`, current)
	}
	if ca != "" {
		files[filepath.Join("contexts", "tls", folder, "docker", "ca.pem")] = ca
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The order in which the Docker command line looks.
func TestFindEngine(t *testing.T) {
	for name, tt := range map[string]struct {
		current, variable, host string // context in use, $DOCKER_CONTEXT, $DOCKER_HOST
		want, context, err      string
	}{
		"nothing":                     {"", "", "", "", "", ""},
		"the default by name":         {"default", "", "", "", "", ""},
		"the context in use":          {"far", "", "", "tcp://far:2376", "far", ""},
		"$DOCKER_CONTEXT is stronger": {"other", "far", "", "tcp://far:2376", "far", ""},
		"$DOCKER_CONTEXT to default":  {"far", "default", "", "", "", ""},
		"$DOCKER_HOST is strongest":   {"far", "other", "tcp://here:1", "tcp://here:1", "", ""},
		"an unknown context":          {"other", "", "", "", "", `there is no Docker context "other"`},
		"a bad ssh address":           {"", "", "ssh://me:secret@host", "", "", "reading the engine's address"},
	} {
		t.Run(name, func(t *testing.T) {
			dockerConfig(t, "tcp://far:2376", tt.current, "")
			t.Setenv("DOCKER_CONTEXT", tt.variable)
			t.Setenv("DOCKER_HOST", tt.host)
			h, err := findEngine()
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || errors.Is(err, ErrNoEngine) {
					t.Errorf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || h.url != tt.want || h.context != tt.context {
				t.Errorf("got %q in context %q, %v; want %q in %q", h.url, h.context, err, tt.want, tt.context)
			}
		})
	}
}

func TestDamagedContext(t *testing.T) {
	dir := dockerConfig(t, "tcp://far:2376", "far", "no certificate")
	if _, err := findEngine(); err == nil || !strings.Contains(err.Error(), `TLS files of Docker context "far": ca.pem holds no certificate`) {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := findEngine(); err == nil || !strings.Contains(err.Error(), "finding the current Docker context") {
		t.Errorf("got %v", err)
	}
}

// An engine behind TLS is reached with what the context has, and not without.
func TestEngineInAContextWithTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(&fakeDaemon{})
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of the second attempt
	server.StartTLS()
	defer server.Close()
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	host := strings.Replace(server.URL, "https", "tcp", 1)
	for _, trusted := range []bool{true, false} {
		if !trusted {
			ca = ""
		}
		dockerConfig(t, host, "far", ca)
		e, err := ConnectEngine(t.Context(), func(line string) { t.Log(line) })
		if !trusted {
			if !errors.Is(err, ErrNoEngine) || !strings.Contains(err.Error(), `in Docker context "far"`) {
				t.Errorf("without its certificate: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if e.local || e.Version() != "Docker 20.10.24 elsewhere" {
			t.Errorf("%s, local %v", e.Version(), e.local)
		}
	}
}

// ssh:// goes through the user's own ssh program, which is told where to go and
// what to run there.
func TestEngineThroughSSH(t *testing.T) {
	f, e := connectFake(t, nil)
	socket := strings.TrimPrefix(e.api.DaemonHost(), "unix://")
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >%s/args\nexec %s %s\n", dir, os.Args[0], socket)
	if err := os.WriteFile(filepath.Join(dir, "ssh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("FAKE_SERVER", "joins a socket")
	t.Setenv("DOCKER_HOST", "ssh://somebody@far")
	through, err := ConnectEngine(t.Context(), func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	defer through.Close()
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	if err != nil || !strings.Contains(string(args), "-l somebody") || !strings.HasSuffix(string(args), "-- far docker system dial-stdio\n") {
		t.Errorf("ssh %s, %v", args, err)
	}
	if through.local || !f.wasAsked("GET /version") {
		t.Errorf("local %v, asked %v", through.local, f.asked)
	}
}

// Credentials go to the engine with the pull, in the form that it reads, and
// nothing that is told holds them.
func TestPullWithCredentials(t *testing.T) {
	f, e := connectFake(t, map[string]string{"POST /images/create": `{"errorDetail":{"message":"unauthorized: incorrect username or password"}}`})
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	t.Setenv("HOME", dir)
	// "somebody:correct-horse"
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"auths":{"registry.test":{"auth":"c29tZWJvZHk6Y29ycmVjdC1ob3JzZQ=="}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for image, want := range map[string]string{"registry.test/x:1": "correct-horse", "elsewhere.test/x:1": ""} {
		_, err := e.pull(t.Context(), image)
		if err == nil || err.Error() != "pulling "+image+": unauthorized: incorrect username or password" {
			t.Errorf("got %v", err)
		}
		f.mu.Lock()
		login := f.login
		f.mu.Unlock()
		var got struct{ Username, Password, ServerAddress string }
		if want == "" {
			if login != "" && login != "{}" {
				t.Errorf("%s: credentials %s for another registry", image, login)
			}
			continue
		}
		if err := json.Unmarshal([]byte(login), &got); err != nil || got.Username != "somebody" || got.Password != want || got.ServerAddress != "registry.test" {
			t.Errorf("%s: credentials %+v, %v", image, got, err)
		}
	}
}

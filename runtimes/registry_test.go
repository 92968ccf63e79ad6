package runtimes

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fakeRegistry serves what answer writes for everything but the greeting.
func fakeRegistry(t *testing.T, answer http.HandlerFunc) *imageRegistry {
	t.Helper()
	t.Setenv("DOCKER_CONFIG", t.TempDir()) // nobody's credentials
	t.Setenv("HOME", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/" {
			answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	r, err := openRegistry(strings.TrimPrefix(server.URL, "http://")+"/x", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func writeTags(w http.ResponseWriter, first, last int) {
	var tags []string
	for i := first; i <= last; i++ {
		tags = append(tags, fmt.Sprintf("0.1.%d", i))
	}
	slices.Sort(tags) // as registries do
	json.NewEncoder(w).Encode(map[string]any{"name": "x", "tags": tags})
}

// V10: pages behind an opaque token, a relative link, and no link.
func TestRegistryTagsInPages(t *testing.T) {
	var asked []string
	r := fakeRegistry(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path+"?"+r.URL.RawQuery)
		switch r.URL.Query().Get("next_page") {
		case "":
			w.Header().Set("Link", `</v2/x/tags/list?next_page=AbC%3D&n=100>; rel="next"`)
			writeTags(w, 0, 99)
		case "AbC=":
			w.Header().Set("Link", `<list?next_page=second%2Fpage>; rel="next"`)
			writeTags(w, 100, 199)
		default:
			writeTags(w, 200, 210)
		}
	})
	tags, err := r.tags(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	versions, skipped := selectTags(tags, "", "major")
	if len(tags) != 211 || len(versions) != 211 || len(skipped) != 0 || versions[210].Name != "0.1.210" {
		t.Errorf("%d tags, %d versions, %d skipped", len(tags), len(versions), len(skipped))
	}
	want := []string{"/v2/x/tags/list?next_page=AbC%3D&n=100", "/v2/x/tags/list?next_page=second%2Fpage"}
	if len(asked) != 3 || !slices.Equal(asked[1:], want) {
		t.Errorf("asked %v, want %v after the first", asked, want)
	}
}

// V10: a link that points at its own page, and one that always finds a next.
func TestRegistryTagsWithoutEnd(t *testing.T) {
	for name, tt := range map[string]struct{ link, want string }{
		"at itself": {`<%[1]s>; rel="next"`, "circles"},
		"for ever":  {`</v2/x/tags/list?last=%[2]d>; rel="next"`, "more than 1000 pages"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			r := fakeRegistry(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Link", fmt.Sprintf(tt.link+"%.0[1]s%.0[2]d", r.URL.RequestURI(), asked.Add(1)))
				writeTags(w, 1, 2)
			})
			if _, err := r.tags(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if n := asked.Load(); n > maxTagPages+1 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// V10: 429 is waited for as long as the registry says, within a bound, and then
// told.
func TestRegistryWantsFewerRequests(t *testing.T) {
	for name, tt := range map[string]struct {
		after    string
		refusals int64
		atLeast  time.Duration
		limit    bool
	}{
		"a second":   {"1", 1, time.Second, false},
		"an hour":    {"3600", 1, 0, true},
		"a date":     {"Mon, 02 Jan 2006 15:04:05 GMT", 2, 200 * time.Millisecond, false},
		"never ends": {"0", 1 << 30, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			r := fakeRegistry(t, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) <= tt.refusals {
					w.Header().Set("Retry-After", tt.after)
					w.WriteHeader(http.StatusTooManyRequests)
					fmt.Fprint(w, `{"errors":[{"code":"TOOMANYREQUESTS","message":"slow down"}]}`)
					return
				}
				writeTags(w, 1, 2)
			})
			start := time.Now()
			tags, err := r.tags(t.Context())
			if tt.limit != errors.Is(err, ErrPullLimit) || !tt.limit && (err != nil || len(tags) != 2) {
				t.Errorf("got %v, %v", tags, err)
			}
			if tt.limit && !strings.HasSuffix(err.Error(), ": slow down") {
				t.Errorf("the reason is %q", err)
			}
			if took := time.Since(start); took < tt.atLeast || took > tt.atLeast+5*time.Second {
				t.Errorf("waited %v, want %v", took, tt.atLeast)
			}
		})
	}
}

// Credentials come from a credential helper, and go to the realm that the
// registry names; they are in no error.
func TestRegistryAsksACredentialHelper(t *testing.T) {
	const secret = "correct-horse"
	var host string
	var askedForToken atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/token":
			askedForToken.Add(1)
			user, password, _ := r.BasicAuth()
			if user != "somebody" || password != secret || r.URL.Query().Get("scope") != "repository:x:pull" {
				w.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(w, `{"errors":[{"code":"UNAUTHORIZED","message":"incorrect username or password"}]}`)
				return
			}
			fmt.Fprint(w, `{"token":"a-token"}`)
		case r.Header.Get("Authorization") != "Bearer a-token":
			w.Header().Set("WWW-Authenticate", `Bearer realm="http://`+host+`/token",service="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/v2/x/tags/list":
			writeTags(w, 1, 2)
		}
	}))
	defer server.Close()
	host = strings.TrimPrefix(server.URL, "http://")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("DOCKER_CONFIG", home)
	t.Setenv("PATH", home+":"+os.Getenv("PATH"))
	config := fmt.Sprintf(`{"credHelpers":{%q:"versweeptest"}}`, host)
	if err := os.WriteFile(filepath.Join(home, "config.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	helper := func(password string) {
		script := fmt.Sprintf("#!/bin/sh\ncat >/dev/null\necho '{\"ServerURL\":\"\",\"Username\":\"somebody\",\"Secret\":%q}'\n", password)
		if err := os.WriteFile(filepath.Join(home, "docker-credential-versweeptest"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	list := func() ([]string, error) {
		r, err := openRegistry(host+"/x", time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return r.tags(t.Context())
	}
	helper(secret)
	if tags, err := list(); err != nil || len(tags) != 2 || askedForToken.Load() != 1 {
		t.Errorf("got %v, %v after %d tokens", tags, err, askedForToken.Load())
	}
	helper("wrong-horse")
	_, err := list()
	if !errors.Is(err, ErrRegistryAccess) || strings.Contains(err.Error(), "horse") {
		t.Errorf("got %v", err)
	}
}

func TestRegistryErrorsAreOneLine(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"no repository": {404, `{"errors":[{"code":"NAME_UNKNOWN","message":"repository name not known to registry"}]}`, "repository name not known to registry"},
		"denied":        {403, `{"errors":[{"code":"DENIED","message":"requested access to the resource is denied"}]}`, "the registry refuses access: requested access to the resource is denied"},
		"a web page":    {404, "<html>\n<body>Nothing here", "Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			r := fakeRegistry(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			})
			if _, err := r.tags(t.Context()); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

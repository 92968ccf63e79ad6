package runtimes

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A server that sends those who ask it elsewhere does not send their password
// there too.
func TestGitKeepsCredentialsFromOtherHosts(t *testing.T) {
	var mu sync.Mutex
	var asked []string // of the other host, with the credentials that came
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		if r.Method == http.MethodGet { // one tag, so that it goes on to fetch
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			const hash = "1111111111111111111111111111111111111111"
			line := hash + " refs/tags/1.0.0\x00shallow filter allow-tip-sha1-in-want\n"
			for _, text := range []string{"# service=git-upload-pack\n", "", line, ""} {
				if text == "" {
					w.Write([]byte("0000"))
					continue
				}
				n := len(text) + 4
				const digits = "0123456789abcdef"
				w.Write([]byte{digits[n>>12&15], digits[n>>8&15], digits[n>>4&15], digits[n&15]})
				w.Write([]byte(text))
			}
			return
		}
		w.WriteHeader(http.StatusForbidden)
	}))
	defer other.Close()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(other.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	var first string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		first = r.Header.Get("Authorization")
		http.Redirect(w, r, "http://localhost:"+port+r.URL.RequestURI(), http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	g, err := openGitRepository(strings.Replace(server.URL, "http://", "http://user:canary@", 1)+"/x.git", emptyCache(t))
	if err != nil {
		t.Fatal(err)
	}
	tags, err := g.tags(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = g.commits(t.Context(), tags); err == nil {
		t.Error("what the other host refuses was fetched")
	}
	mu.Lock()
	defer mu.Unlock()
	if first == "" {
		t.Error("the first host got no credentials: nothing is proved")
	}
	if len(asked) == 0 || !strings.HasPrefix(asked[len(asked)-1], "POST ") {
		t.Errorf("it did not get as far as to fetch: %q", asked)
	}
	for _, line := range asked {
		if !strings.HasSuffix(line, " ") {
			t.Errorf("another host was sent credentials: %s", line)
		}
	}
}

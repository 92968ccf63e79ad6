package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const servedCSV = `version,round,qps
1.0.0,1,100
1.0.0,2,101
1.1.0,1,90
1.1.0,2,91
`

// importInto makes a store that holds text as a target's figures.
func importInto(t *testing.T, db, target, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), target+".csv")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if status := run([]string{"import", "csv", file, "--target", target, "--db", db}, strings.NewReader(""), io.Discard, &stderr); status != exitDone {
		t.Fatalf("importing: status %d: %s", status, &stderr)
	}
}

func servedPages(t *testing.T) (*pages, string) {
	t.Helper()
	db := filepath.Join(t.TempDir(), "versweep.db")
	importInto(t, db, "proxy", servedCSV)
	a, _, _ := testApp()
	a.db = db
	return &pages{app: a, host: "127.0.0.1"}, db
}

// ask sends a request as it would come to 127.0.0.1.
func ask(p *pages, method, path, host string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8042}))
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

func TestServedPages(t *testing.T) {
	p, db := servedPages(t)
	for path, want := range map[string]string{
		"/": "proxy", "/index.html": "proxy", "/proxy/": "1.1.0", "/proxy/version-1.0.0.html": "1.0.0", "/method.html": "How it was measured",
		"/proxy/data.json": `"schema": 1`, "/proxy/data.csv": "1.1.0", "/proxy/trend.svg": "<svg",
	} {
		w := ask(p, "GET", path, "localhost:8042")
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, %.80q", path, w.Code, w.Body)
		}
		for _, h := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "ETag"} {
			if w.Header().Get(h) == "" {
				t.Errorf("%s has no %s", path, h)
			}
		}
		if !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %s", path, w.Header().Get("Content-Security-Policy"))
		}
	}
	if w := ask(p, "HEAD", "/", "localhost"); w.Code != http.StatusOK || w.Body.Len() != 0 {
		t.Errorf("HEAD: %d, %d bytes", w.Code, w.Body.Len())
	}
	if w := ask(p, "GET", "/proxy", "localhost"); w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "proxy/" {
		t.Errorf("without the slash: %d %s", w.Code, w.Header().Get("Location"))
	}
	for _, path := range []string{"/nothing", "/nothing/", "//proxy/", "/proxy/../method.html", "/proxy//index.html", "/" + filepath.Base(db)} {
		if w := ask(p, "GET", path, "localhost"); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE"} {
		if w := ask(p, method, "/", "localhost"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: status %d", method, w.Code)
		}
	}
}

// A name of another site that was made to lead here is refused.
func TestServedNames(t *testing.T) {
	p, _ := servedPages(t)
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:8042": 200, "127.0.0.1:8042": 200, "127.0.0.1": 200, "[::1]:8042": 200, "127.9.9.9:1": 200,
		"localhost.": 200, "localhost.:8042": 200, "localhost..": 403, ".": 403, "box": 403, // nobody else reaches it
		"evil.example": 403, "evil.example:8042": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "10.0.0.1:8042": 403, "": 403, "[": 403,
	} {
		if w := ask(p, "GET", "/", host); w.Code != want {
			t.Errorf("%q: status %d, want %d", host, w.Code, want)
		}
	}
	p.host = "box.lan"
	if w := ask(p, "GET", "/", "Box.lan:8042"); w.Code != 200 {
		t.Errorf("the name that --listen gives: status %d", w.Code)
	}
	p.host, p.machine = "0.0.0.0", "Box"
	for host, want := range map[string]int{"box:8042": 200, "BOX.": 200, "box.evil.example": 403, "evilbox": 403, "localhost": 200} {
		if w := ask(p, "GET", "/", host); w.Code != want {
			t.Errorf("%q of others: status %d, want %d", host, w.Code, want)
		}
	}
}

func TestServedPagesAreLive(t *testing.T) {
	p, db := servedPages(t)
	first := ask(p, "GET", "/", "localhost")
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "localhost"
	r.Header.Set("If-None-Match", first.Header().Get("ETag"))
	w := httptest.NewRecorder()
	if p.ServeHTTP(w, r); w.Code != http.StatusNotModified {
		t.Errorf("unchanged: status %d", w.Code)
	}
	importInto(t, db, "other", servedCSV)
	if page := ask(p, "GET", "/", "localhost").Body.String(); !strings.Contains(page, "other") {
		t.Error("a target that was added is not there")
	}
	if err := os.Remove(db); err != nil {
		t.Fatal(err)
	}
	if w := ask(p, "GET", "/", "localhost"); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "no versweep store") {
		t.Errorf("without a store: %d %s", w.Code, w.Body)
	}
}

func TestServeUntilInterrupted(t *testing.T) {
	p, _ := servedPages(t)
	in, out := io.Pipe()
	p.app.stdout = out
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.app.serve(ctx, "127.0.0.1:0", "127.0.0.1") }()
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line)
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("status %d", answer.StatusCode)
	}
	taken := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
	if err := p.app.serve(ctx, taken, "127.0.0.1"); err == nil || err.Error() != "listening on "+taken+": the port is in use" {
		t.Errorf("a port in use: %v", err)
	}
	interrupt()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("interrupted: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it does not end")
	}
	if _, err := http.Get(url); err == nil {
		t.Error("it still answers")
	}
}

// Where others reach it, the machine's host name is its own; where none does, it need
// not be.
func TestServeGoesByTheHostName(t *testing.T) {
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for listen, want := range map[string]int{"0.0.0.0:0": http.StatusOK, "127.0.0.1:0": http.StatusForbidden} {
		p, _ := servedPages(t)
		in, out := io.Pipe()
		p.app.stdout = out
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.app.serve(ctx, listen, strings.TrimSuffix(listen, ":0")) }()
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(strings.Trim(strings.TrimSpace(line), "htp:/"))
		r, err := http.NewRequest("GET", "http://127.0.0.1:"+port+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = machine
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s, called %s: status %d, want %d", listen, machine, answer.StatusCode, want)
		}
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestServeWarnsOfOtherMachines(t *testing.T) {
	p, _ := servedPages(t)
	var stderr bytes.Buffer
	p.app.stderr = &stderr
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.app.serve(ctx, "0.0.0.0:0", "0.0.0.0"); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if !strings.Contains(stderr.String(), "can be reached from other machines") {
		t.Errorf("no warning: %q", stderr.String())
	}
}

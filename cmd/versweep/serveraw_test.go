package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// servedAddress serves a store until the test ends.
func servedAddress(t *testing.T) string {
	t.Helper()
	p, _ := servedPages(t)
	in, out := io.Pipe()
	p.app.stdout = out
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.app.serve(ctx, "127.0.0.1:0", "127.0.0.1") }()
	t.Cleanup(func() {
		interrupt()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "http://"), "/")
}

// say sends bytes as they are and reads the whole answer.
func say(t *testing.T, address, request string) (*http.Response, string) {
	t.Helper()
	c, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil, err.Error()
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	return answer, string(body)
}

// What a client can send that no browser does.
func TestServeRawRequests(t *testing.T) {
	address := servedAddress(t)
	host := "Host: " + address + "\r\nConnection: close\r\n"
	for name, tt := range map[string]struct {
		request string
		status  int // 0 for a closed connection
	}{
		"right":                 {"GET / HTTP/1.1\r\n" + host + "\r\n", 200},
		"HTTP/1.0 without host": {"GET / HTTP/1.0\r\n\r\n", 403},
		"no host":               {"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400},
		"two hosts":             {"GET / HTTP/1.1\r\n" + host + "Host: evil.example\r\n\r\n", 400},
		"another host":          {"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", 403},
		"host in the path":      {"GET http://evil.example/ HTTP/1.1\r\n" + host + "\r\n", 403},
		"host with user":        {"GET / HTTP/1.1\r\nHost: 127.0.0.1@evil.example\r\nConnection: close\r\n\r\n", 400},
		"host in digits":        {"GET / HTTP/1.1\r\nHost: 2130706433\r\nConnection: close\r\n\r\n", 403},
		"write":                 {"POST / HTTP/1.1\r\n" + host + "Content-Length: 0\r\n\r\n", 405},
		"made-up method":        {"FOO / HTTP/1.1\r\n" + host + "\r\n", 405},
		"connect":               {"CONNECT 192.0.2.1:80 HTTP/1.1\r\n" + host + "\r\n", 403},
		"overridden method":     {"GET /nothing HTTP/1.1\r\n" + host + "X-HTTP-Method-Override: DELETE\r\n\r\n", 404},
		"climbs":                {"GET /../../../../etc/passwd HTTP/1.1\r\n" + host + "\r\n", 404},
		"climbs in code":        {"GET /..%2f..%2f..%2fetc%2fpasswd HTTP/1.1\r\n" + host + "\r\n", 404},
		"climbs in backslashes": {`GET /..\..\etc\passwd HTTP/1.1` + "\r\n" + host + "\r\n", 404},
		"NUL":                   {"GET /proxy/%00 HTTP/1.1\r\n" + host + "\r\n", 404},
		"elsewhere":             {"GET //evil.example/proxy HTTP/1.1\r\n" + host + "\r\n", 404},
		"long path":             {"GET /" + strings.Repeat("x", 8<<10) + " HTTP/1.1\r\n" + host + "\r\n", 404},
		"long header":           {"GET / HTTP/1.1\r\n" + host + "X: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431},
		"many ranges":           {"GET / HTTP/1.1\r\n" + host + "Range: bytes=" + strings.Repeat("0-,", 2000) + "0-\r\n\r\n", 200},
		"no HTTP":               {"\x16\x03\x01\x00\xa5\x01\x00\x00\r\n\r\n", 400},
		"from another site":     {"GET / HTTP/1.1\r\n" + host + "Origin: http://evil.example\r\n\r\n", 200},
		"asks for CORS":         {"OPTIONS / HTTP/1.1\r\n" + host + "Origin: http://evil.example\r\nAccess-Control-Request-Method: GET\r\n\r\n", 405},
	} {
		t.Run(name, func(t *testing.T) {
			answer, body := say(t, address, tt.request)
			if answer == nil || answer.StatusCode != tt.status {
				t.Fatalf("%v %.80s, want status %d", answer, body, tt.status)
			}
			for header := range answer.Header {
				if strings.HasPrefix(header, "Access-Control-") {
					t.Errorf("it has %s", header)
				}
			}
			if strings.Contains(body, "root:") || strings.Contains(body, "evil.example") {
				t.Errorf("the answer holds %.80q", body)
			}
			if answer.StatusCode == 400 || answer.StatusCode == 431 {
				return // net/http's own
			}
			for header, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
			} {
				if answer.Header.Get(header) != want {
					t.Errorf("%s: %q", header, answer.Header.Get(header))
				}
			}
			policy := answer.Header.Get("Content-Security-Policy")
			for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
				if !strings.Contains(policy, part) {
					t.Errorf("the policy lacks %s: %s", part, policy)
				}
			}
			if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
				t.Errorf("the policy lets too much in: %s", policy)
			}
		})
	}
}

// Clients that send next to nothing for ever are not waited for, and keep no one
// else out for longer than that.
func TestServeEndsSlowClients(t *testing.T) {
	t.Parallel()
	address := servedAddress(t)
	for range maxConnections + 20 {
		c, err := net.DialTimeout("tcp", address, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nX"); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	answer, body := say(t, address, fmt.Sprintf("GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", address))
	if answer == nil || answer.StatusCode != 200 {
		t.Fatalf("%v %s", answer, body)
	}
	if waited := time.Since(began); waited < headerTimeout/2 || waited > headerTimeout+10*time.Second {
		t.Errorf("answered after %v: slow clients are ended after %v", waited, headerTimeout)
	}
	// A body that never comes.
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(headerTimeout + 10*time.Second))
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: "+address+"\r\nContent-Length: 1000000\r\n\r\nx"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it waits for a body: %v", err)
	}
}

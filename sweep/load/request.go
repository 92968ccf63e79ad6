package load

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// encode writes the bytes of one request. last asks the server to close the
// connection after its answer.
func (r Request) encode(address string, http10, last bool) []byte {
	method, path, host, version := r.Method, r.Path, r.Host, "HTTP/1.1"
	if method == "" {
		method = "GET"
	}
	if path == "" {
		path = "/"
	}
	if host == "" {
		host = address
	}
	if http10 {
		version = "HTTP/1.0"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\n", method, path, version, host)
	names := make([]string, 0, len(r.Header))
	for name := range r.Header {
		names = append(names, name)
	}
	slices.Sort(names) // the same bytes in every run
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\r\n", name, strings.TrimSpace(r.Header[name]))
	}
	if len(r.Body) > 0 || method == "POST" || method == "PUT" || method == "PATCH" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.Body))
	}
	// HTTP/1.0 closes without being asked, and some old servers do not know
	// the field.
	if last && !http10 {
		b.WriteString("Connection: close\r\n")
	}
	b.WriteString("\r\n")
	b.Write(r.Body)
	return b.Bytes()
}

// wanted is what the answers to j's request are held against.
func (j Job) wanted() *wanted {
	w := &wanted{status: j.Expect.Status, anyBody: j.Expect.Body == nil, headOnly: j.Request.Method == "HEAD"}
	if w.status == 0 {
		w.status = 200
	}
	if j.Expect.Body != nil {
		w.body = []byte(*j.Expect.Body)
	}
	return w
}

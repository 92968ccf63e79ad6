package load

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// peer is one connection as the misbehaving server sees it.
type peer struct {
	net.Conn
	in *bufio.Reader
}

// request reads one request, body included, and reports whether there was one.
func (p *peer) request() (head string, ok bool) {
	length := 0
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			return "", false
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			break
		}
		if name, value, found := strings.Cut(line, ":"); found && strings.EqualFold(name, "content-length") {
			length, _ = strconv.Atoi(strings.TrimSpace(value))
		}
		head += line + "\n"
	}
	if _, err := io.CopyN(io.Discard, p.in, int64(length)); err != nil {
		return "", false
	}
	return head, true
}

func (p *peer) send(s string) bool {
	_, err := io.WriteString(p, s)
	return err == nil
}

// trickle sends s in pieces of n bytes.
func (p *peer) trickle(s string, n int, pause time.Duration) bool {
	for len(s) > 0 {
		k := min(n, len(s))
		if !p.send(s[:k]) {
			return false
		}
		s = s[k:]
		time.Sleep(pause)
	}
	return true
}

// reset closes the connection with RST.
func (p *peer) reset() {
	p.Conn.(*net.TCPConn).SetLinger(0)
	p.Close()
}

// waitClosed blocks until the client closes the connection.
func (p *peer) waitClosed() { io.Copy(io.Discard, p.in) }

// conduct is how the server behaves on one connection; n counts connections
// from 0. The connection is closed when it returns.
type conduct func(p *peer, n int)

// serve runs a server of the given conduct until the test ends, and returns
// its address.
func serve(tb testing.TB, c conduct) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var (
		mu   sync.Mutex
		open = map[net.Conn]bool{}
		all  sync.WaitGroup
	)
	all.Go(func() {
		for n := 0; ; n++ {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[conn] = true
			mu.Unlock()
			all.Go(func() {
				c(&peer{conn, bufio.NewReader(conn)}, n)
				conn.Close()
				mu.Lock()
				delete(open, conn)
				mu.Unlock()
			})
		}
	})
	tb.Cleanup(func() {
		l.Close()
		mu.Lock()
		for conn := range open {
			conn.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return l.Addr().String()
}

const helloBody = "hello world\n"

// hello is a right answer; extra are further header lines.
func hello(extra ...string) string { return answerWith("200 OK", helloBody, extra...) }

func answerWith(status, body string, extra ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %s\r\nContent-Length: %d\r\n", status, len(body))
	for _, line := range extra {
		b.WriteString(line + "\r\n")
	}
	return b.String() + "\r\n" + body
}

// always gives the same answer to each request.
func always(answer string) conduct {
	return func(p *peer, _ int) {
		for _, ok := p.request(); ok && p.send(answer); _, ok = p.request() {
		}
	}
}

// slowly answers after a pause.
func slowly(pause time.Duration) conduct {
	return func(p *peer, _ int) {
		for _, ok := p.request(); ok; _, ok = p.request() {
			time.Sleep(pause)
			if !p.send(hello()) {
				return
			}
		}
	}
}

// frozen answers after 1 ms but for the stretch between from and to, counted
// from the first request, in which nobody is answered.
func frozen(from, to time.Duration) conduct {
	var once sync.Once
	var start time.Time
	return func(p *peer, _ int) {
		for _, ok := p.request(); ok; _, ok = p.request() {
			once.Do(func() { start = time.Now() })
			if now := time.Since(start); now >= from && now < to {
				time.Sleep(to - now)
			} else {
				time.Sleep(time.Millisecond)
			}
			if !p.send(hello()) {
				return
			}
		}
	}
}

// breaksAfter answers 200 for a while, 503 from then on.
func breaksAfter(d time.Duration) conduct {
	start := time.Now()
	return func(p *peer, _ int) {
		for _, ok := p.request(); ok; _, ok = p.request() {
			a := hello()
			if time.Since(start) > d {
				a = answerWith("503 Service Unavailable", "")
			}
			if !p.send(a) {
				return
			}
		}
	}
}

// leavesAfter answers k requests on each connection, then leaves by the given
// way once the next request has come.
func leavesAfter(k int, leave func(*peer)) conduct {
	return func(p *peer, _ int) {
		for i := 0; ; i++ {
			if _, ok := p.request(); !ok {
				return
			}
			if i == k {
				leave(p)
				return
			}
			if !p.send(hello()) {
				return
			}
		}
	}
}

// acceptOnly never answers.
func acceptOnly(p *peer, _ int) { p.waitClosed() }

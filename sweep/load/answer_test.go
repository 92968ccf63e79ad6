package load

import (
	"strings"
	"testing"
)

var plainWant = &wanted{status: 200, body: []byte(helloBody)}

// read feeds the pieces one by one and then, if it matters, the end of the
// stream. What comes behind the answer is fed, too, as an engine would.
func read(w *wanted, pieces ...[]byte) *answer {
	a := &answer{want: w}
	for _, p := range pieces {
		if a.feed(p) && a.outcome == outcomeProtocol {
			return a
		}
	}
	a.finish()
	return a
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	chunks := func(s string) string { return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + s }
	head := func(lines ...string) string {
		return "HTTP/1.1 200 OK\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n"
	}
	long := strings.Repeat("x", headLimit)
	for name, c := range map[string]struct {
		in     string
		want   outcome
		reason string // of a protocol error, in part
		reuse  bool
	}{
		"length":               {in: hello(), want: outcomeOK, reuse: true},
		"length, close":        {in: hello("Connection: close"), want: outcomeOK},
		"close among others":   {in: hello("Connection: x, Close"), want: outcomeOK},
		"1.0":                  {in: "HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\n" + helloBody, want: outcomeOK},
		"1.0 keep-alive":       {in: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 12\r\n\r\n" + helloBody, want: outcomeOK, reuse: true},
		"1.0 chunked":          {in: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n" + helloBody + "\r\n0\r\n\r\n", want: outcomeOK},
		"until close":          {in: head("A: b") + helloBody, want: outcomeOK},
		"until close, other":   {in: head("A: b") + helloBody + "!", want: outcomeBody},
		"bare line feeds":      {in: "HTTP/1.1 200 OK\nContent-Length: 12\n\n" + helloBody, want: outcomeOK, reuse: true},
		"no reason":            {in: "HTTP/1.1 200\r\nContent-Length: 12\r\n\r\n" + helloBody, want: outcomeOK, reuse: true},
		"length folded":        {in: head("Content-Length:", " 12") + helloBody, want: outcomeOK, reuse: true},
		"length twice":         {in: head("Content-Length: 12", "content-length: 12") + helloBody, want: outcomeOK, reuse: true},
		"length list":          {in: head("Content-Length: 12, 12") + helloBody, want: outcomeOK, reuse: true},
		"lengths differ":       {in: head("Content-Length: 12", "Content-Length: 13") + helloBody, want: outcomeProtocol, reason: "differing"},
		"length list differs":  {in: head("Content-Length: 12, 13") + helloBody, want: outcomeProtocol, reason: "differing"},
		"length folded into 2": {in: head("Content-Length: 1", " 2") + helloBody, want: outcomeProtocol, reason: "malformed Content-Length"},
		"length negative":      {in: head("Content-Length: -1"), want: outcomeProtocol, reason: "malformed Content-Length"},
		"length signed":        {in: head("Content-Length: +12") + helloBody, want: outcomeProtocol, reason: "malformed Content-Length"},
		"length hexadecimal":   {in: head("Content-Length: 0xc") + helloBody, want: outcomeProtocol, reason: "malformed Content-Length"},
		"length empty":         {in: head("Content-Length:") + helloBody, want: outcomeProtocol, reason: "malformed Content-Length"},
		"length too large":     {in: head("Content-Length: 9999999999999999999") + helloBody, want: outcomeProtocol, reason: "malformed Content-Length"},
		"length 0":             {in: head("Content-Length: 0"), want: outcomeBody, reuse: true},
		"length and coding":    {in: head("Content-Length: 12", "Transfer-Encoding: chunked") + "c\r\n" + helloBody + "\r\n0\r\n\r\n", want: outcomeProtocol, reason: "both"},
		"short":                {in: head("Content-Length: 13") + helloBody, want: outcomeClosed},
		"leftover":             {in: hello() + "x", want: outcomeProtocol, reason: "after the end"},
		"two answers":          {in: hello() + hello(), want: outcomeProtocol, reason: "after the end"},
		"nothing":              {in: "", want: outcomeClosed},
		"garbage":              {in: "SSH-2.0-OpenSSH_9.6\r\n", want: outcomeProtocol, reason: "start with HTTP/1"},
		"garbage, no line end": {in: "\x15\x03\x01", want: outcomeProtocol, reason: "start with HTTP/1"},
		"HTTP/2":               {in: "HTTP/2.0 200 OK\r\n\r\n", want: outcomeProtocol, reason: "start with HTTP/1"},
		"status of 2 digits":   {in: "HTTP/1.1 20 OK\r\n\r\n", want: outcomeProtocol, reason: "malformed status line"},
		"status of 4 digits":   {in: "HTTP/1.1 2000 OK\r\n\r\n", want: outcomeProtocol, reason: "malformed status line"},
		"blank before colon":   {in: head("Content-Length : 12") + helloBody, want: outcomeProtocol, reason: "malformed header"},
		"no colon":             {in: head("Content-Length 12") + helloBody, want: outcomeProtocol, reason: "malformed header"},
		"no name":              {in: head(": x"), want: outcomeProtocol, reason: "malformed header"},
		"fold before a field":  {in: head(" x: y"), want: outcomeProtocol, reason: "folded"},
		"NUL in a field":       {in: head("X: \x00"), want: outcomeProtocol, reason: "NUL"},
		"bare CR in a field":   {in: head("X: a\rb: c"), want: outcomeProtocol, reason: "bare CR"},
		"long head":            {in: head("X: "+long) + helloBody, want: outcomeProtocol, reason: "32 KiB"},
		"long head, no end":    {in: "HTTP/1.1 200 OK\r\nX: " + long, want: outcomeProtocol, reason: "32 KiB"},
		"head below the limit": {in: hello("X: " + long[:headLimit-100]), want: outcomeOK, reuse: true},
		"chunks":               {in: chunks("5\r\nhello\r\n7\r\n world\n\r\n0\r\n\r\n"), want: outcomeOK, reuse: true},
		"chunk extension":      {in: chunks("C ; a=\"b;c\"\r\n" + helloBody + "\r\n000;x\r\n\r\n"), want: outcomeOK, reuse: true},
		"trailers":             {in: chunks("c\r\n" + helloBody + "\r\n0\r\nA: b\r\n c\r\n\r\n"), want: outcomeOK, reuse: true},
		"long trailers":        {in: chunks("c\r\n" + helloBody + "\r\n0\r\nA: " + long), want: outcomeProtocol, reason: "32 KiB"},
		"long extension":       {in: chunks("c;" + long), want: outcomeProtocol, reason: "32 KiB"},
		"no last chunk":        {in: chunks("c\r\n" + helloBody + "\r\n"), want: outcomeClosed},
		"chunk overrun":        {in: chunks("5\r\nhello!\r\n0\r\n\r\n"), want: outcomeProtocol, reason: "longer than its size"},
		"chunk size missing":   {in: chunks("\r\nhello\r\n"), want: outcomeProtocol, reason: "malformed chunk size"},
		"chunk size negative":  {in: chunks("-5\r\nhello\r\n"), want: outcomeProtocol, reason: "malformed chunk size"},
		"chunk size too large": {in: chunks("fffffffffffffffff\r\n"), want: outcomeProtocol, reason: "too large"},
		"gzip, chunked":        {in: head("Transfer-Encoding: gzip", "Transfer-Encoding: chunked") + "1\r\nx\r\n0\r\n\r\n", want: outcomeBody, reuse: true},
		"chunked, gzip":        {in: head("Transfer-Encoding: chunked, gzip"), want: outcomeProtocol, reason: "after chunked"},
		"identity":             {in: head("Transfer-Encoding: identity") + helloBody, want: outcomeOK},
		"interim":              {in: "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n" + hello(), want: outcomeOK, reuse: true},
		"switching":            {in: "HTTP/1.1 101 Switching Protocols\r\n\r\n", want: outcomeProtocol, reason: "101"},
		"204":                  {in: "HTTP/1.1 204 No Content\r\nContent-Length: 12\r\n\r\n", want: outcomeStatus, reuse: true},
		"304":                  {in: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", want: outcomeStatus, reuse: true},
		"404 with other body":  {in: answerWith("404 Not Found", "gone"), want: outcomeStatus, reuse: true},
		"other body":           {in: answerWith("200 OK", "hello w0rld\n"), want: outcomeBody, reuse: true},
		"body too long":        {in: answerWith("200 OK", helloBody+helloBody), want: outcomeBody, reuse: true},
	} {
		whole := read(plainWant, []byte(c.in))
		if whole.outcome != c.want || !strings.Contains(whole.reason, c.reason) || whole.reusable() != c.reuse {
			t.Errorf("%s: outcome %d (%s), reusable %v; want %d (%s), %v",
				name, whole.outcome, whole.reason, whole.reusable(), c.want, c.reason, c.reuse)
		}
		var bytes [][]byte
		for i := range len(c.in) {
			bytes = append(bytes, []byte(c.in[i:i+1]))
		}
		if split := read(plainWant, bytes...); split.outcome != c.want || split.reusable() != c.reuse {
			t.Errorf("%s, byte by byte: outcome %d (%s), reusable %v", name, split.outcome, split.reason, split.reusable())
		}
	}
}

func TestAnswerToHead(t *testing.T) {
	t.Parallel()
	w := &wanted{status: 200, body: []byte(helloBody), headOnly: true}
	for _, in := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\n",
	} {
		if a := read(w, []byte(in)); a.outcome != outcomeOK || !a.reusable() {
			t.Errorf("%q: outcome %d (%s), reusable %v", in, a.outcome, a.reason, a.reusable())
		}
	}
}

func TestAnswerAllocatesNothing(t *testing.T) {
	a := &answer{want: plainWant}
	whole := []byte(hello("Server: x", "Connection: keep-alive"))
	first, second := whole[:40], whole[40:]
	a.feed(whole[:30]) // gives the buffers their size
	a.reset()
	a.feed(first)
	a.feed(second)
	if n := testing.AllocsPerRun(100, func() {
		a.reset()
		a.feed(whole)
		a.reset()
		a.feed(first)
		a.feed(second)
	}); n != 0 || a.outcome != outcomeOK {
		t.Errorf("%v allocations, outcome %d", n, a.outcome)
	}
}

func FuzzParser(f *testing.F) {
	for _, s := range []string{
		hello(), hello() + "x", "HTTP/1.0 200 OK\r\n\r\nbody",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\nconnection:\r\n close\r\n\r\n",
	} {
		f.Add([]byte(s), uint16(3), uint16(17), false)
	}
	f.Fuzz(func(t *testing.T, in []byte, one, two uint16, head bool) {
		w := &wanted{status: 200, body: []byte(helloBody), headOnly: head}
		whole := read(w, in)
		if whole.state != atEnd || whole.outcome == outcomeNone {
			t.Fatalf("not ended: state %d, outcome %d", whole.state, whole.outcome)
		}
		if (whole.outcome == outcomeProtocol) != (whole.reason != "") {
			t.Fatalf("outcome %d with reason %q", whole.outcome, whole.reason)
		}
		i := int(one) % (len(in) + 1)
		j := i + int(two)%(len(in)-i+1)
		split := read(w, in[:i], in[i:j], in[j:])
		var single [][]byte
		for k := range in {
			single = append(single, in[k:k+1])
		}
		for _, a := range []*answer{split, read(w, single...)} {
			if a.outcome != whole.outcome || a.reusable() != whole.reusable() || a.status != whole.status && a.outcome != outcomeProtocol {
				t.Fatalf("whole: outcome %d (%s), status %d, reusable %v; cut: %d (%s), %d, %v", whole.outcome, whole.reason,
					whole.status, whole.reusable(), a.outcome, a.reason, a.status, a.reusable())
			}
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	whole := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 30 Nov 2026 15:30:40 GMT\r\n" +
		"Content-Type: text/plain\r\nContent-Length: 12\r\nConnection: keep-alive\r\n\r\n" + helloBody)
	a := &answer{want: plainWant}
	b.SetBytes(int64(len(whole)))
	b.ReportAllocs()
	for b.Loop() {
		a.reset()
		if !a.feed(whole) || a.outcome != outcomeOK {
			b.Fatal(a.outcome, a.reason)
		}
	}
}

package load

import "bytes"

// outcome is what became of one request.
type outcome uint8

const (
	outcomeNone outcome = iota // not ended yet
	outcomeOK
	outcomeStatus
	outcomeTimeout
	outcomeReset
	outcomeRefused
	outcomeClosed
	outcomeBody
	outcomeProtocol
	outcomeClient
)

// headLimit bounds the bytes of one answer's head, of its trailer section, and
// of one chunk's size line. Servers and proxies use 8 to 32 KiB.
const headLimit = 32 << 10

// answer is the push parser for one HTTP/1.x answer: bytes are fed as they
// come, cut anywhere, and none are kept but an unfinished head line. The body
// is compared with the expected one as it passes by. Its result is a function
// of the bytes alone, never of how they were cut.
type answer struct {
	want *wanted

	state     answerState
	http10    bool
	close     bool // the server said "close"
	keep      bool // the server said "keep-alive"
	hasLength bool
	hasCoding bool
	chunked   bool // the last transfer coding is chunked
	fields    bool // a header field was seen, so a folded line may follow
	wrongBody bool
	digits    bool // the chunk size has a digit
	pending   field
	status    int
	left      int64 // body or chunk bytes still to come
	head      int   // bytes of this head, trailer or chunk line so far
	body      int   // body bytes compared so far

	line  []byte // start of a line whose end has not come
	value []byte // value of the pending field, unfolded

	outcome outcome
	reason  string // why outcome is outcomeProtocol
}

// wanted is what an answer is held against; shared by all connections.
type wanted struct {
	status   int
	body     []byte
	anyBody  bool
	headOnly bool // the method is HEAD: no body follows, whatever the head says
}

type answerState uint8

const (
	atStatusLine answerState = iota
	atField
	atBody      // left bytes of it
	atOpenBody  // until the connection closes
	atChunkSize // hexadecimal digits
	atChunkExt  // the rest of the size line
	atChunkData // left bytes of it
	atChunkEnd  // the line end after the data
	atTrailer
	atEnd
)

// field says which header field a value belongs to. Only those that decide
// about framing are kept.
type field uint8

const (
	fieldOther field = iota
	fieldLength
	fieldCoding
	fieldConnection
)

// reset makes a ready for the next answer, keeping its buffers.
func (a *answer) reset() {
	*a = answer{want: a.want, line: a.line[:0], value: a.value[:0]}
}

// fresh reports whether no byte of the current answer has come yet.
func (a *answer) fresh() bool { return a.state == atStatusLine && a.head == 0 && len(a.line) == 0 }

// feed takes the next bytes and reports whether the answer has ended, well or
// not; then a.outcome holds. Bytes behind the end are a protocol error, since
// requests are never pipelined.
func (a *answer) feed(b []byte) bool {
	for len(b) > 0 {
		if a.outcome == outcomeProtocol {
			break // said already
		}
		if a.state == atEnd {
			a.fail("bytes after the end of the answer")
			break
		}
		b = a.step(b)
	}
	return a.state == atEnd
}

// finish tells that the server closed the connection, and returns the outcome:
// the end of a body that runs until then, a broken answer otherwise.
func (a *answer) finish() outcome {
	switch a.state {
	case atEnd:
	case atOpenBody:
		a.complete()
	default:
		a.state, a.outcome = atEnd, outcomeClosed
	}
	return a.outcome
}

// reusable reports whether the connection may carry another request after
// this answer (RFC 9112, section 9.3).
func (a *answer) reusable() bool {
	if a.outcome == outcomeProtocol || a.outcome == outcomeClosed || a.close {
		return false
	}
	if a.http10 && (!a.keep || a.hasCoding) {
		return false
	}
	return a.framed()
}

// framed reports whether the end of the body is known without the connection
// closing.
func (a *answer) framed() bool {
	return a.bodiless() || a.chunked || (a.hasLength && !a.hasCoding)
}

// bodiless follows RFC 9112, section 6.3, items 1 and 2.
func (a *answer) bodiless() bool {
	return a.want.headOnly || a.status == 204 || a.status == 304
}

func (a *answer) fail(reason string) {
	a.state, a.outcome, a.reason = atEnd, outcomeProtocol, reason
}

// complete ends a well-formed answer and judges it.
func (a *answer) complete() {
	a.state = atEnd
	switch {
	case a.status != a.want.status:
		a.outcome = outcomeStatus
	case a.want.anyBody || a.want.headOnly:
		a.outcome = outcomeOK
	case a.wrongBody || a.body != len(a.want.body):
		a.outcome = outcomeBody
	default:
		a.outcome = outcomeOK
	}
}

// step consumes some of b, at least one byte, and returns the rest.
func (a *answer) step(b []byte) []byte {
	switch a.state {
	case atStatusLine, atField, atTrailer:
		return a.headLine(b)
	case atBody, atChunkData:
		n := len(b)
		if int64(n) > a.left {
			n = int(a.left)
		}
		a.compare(b[:n])
		a.left -= int64(n)
		if a.left == 0 {
			if a.state == atBody {
				a.complete()
			} else {
				a.state, a.head = atChunkEnd, 0
			}
		}
		return b[n:]
	case atOpenBody:
		a.compare(b)
		return nil
	default:
		return a.chunkLine(b)
	}
}

func (a *answer) compare(b []byte) {
	if a.want.anyBody || a.wrongBody {
		return
	}
	if len(b) > len(a.want.body)-a.body || !bytes.Equal(b, a.want.body[a.body:a.body+len(b)]) {
		a.wrongBody = true
		return
	}
	a.body += len(b)
}

// headLine takes bytes up to the end of the line and acts on whole lines.
func (a *answer) headLine(b []byte) []byte {
	end := bytes.IndexByte(b, '\n')
	n := end + 1
	if end < 0 {
		n = len(b)
	}
	if a.head+n > headLimit {
		a.fail("head or trailer larger than 32 KiB")
		return nil
	}
	a.head += n
	if end < 0 {
		a.line = append(a.line, b...)
		if a.state == atStatusLine && !startsLikeHTTP(a.line) {
			a.fail("answer does not start with HTTP/1")
		}
		return nil
	}
	line := b[:end]
	if len(a.line) > 0 {
		a.line = append(a.line, line...)
		line = a.line
	}
	if len(line) > 0 && line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	switch a.state {
	case atStatusLine:
		a.statusLine(line)
	case atField:
		a.fieldLine(line)
	default:
		if len(line) == 0 {
			a.complete()
		}
	}
	a.line = a.line[:0]
	return b[n:]
}

func startsLikeHTTP(b []byte) bool {
	const start = "HTTP/1."
	n := min(len(b), len(start))
	return string(b[:n]) == start[:n]
}

// statusLine reads "HTTP/1.1 200 reason" (RFC 9112, section 4). A missing
// reason, with or without the blank before it, is let pass.
func (a *answer) statusLine(l []byte) {
	if !startsLikeHTTP(l) || len(l) < len("HTTP/1.1 200") {
		a.fail("answer does not start with HTTP/1")
		return
	}
	minor, code := l[7], l[9:12]
	wellFormed := minor >= '0' && minor <= '9' && l[8] == ' ' && (len(l) == 12 || l[12] == ' ')
	for _, c := range code {
		wellFormed = wellFormed && c >= '0' && c <= '9'
	}
	if !wellFormed || code[0] == '0' || bytes.IndexByte(l, '\r') >= 0 || bytes.IndexByte(l, 0) >= 0 {
		a.fail("malformed status line")
		return
	}
	a.http10 = minor == '0'
	a.status = int(code[0]-'0')*100 + int(code[1]-'0')*10 + int(code[2]-'0')
	a.state = atField
}

// headDone decides on the framing of the body (RFC 9112, section 6.3).
func (a *answer) headDone() {
	a.flushField()
	if a.state == atEnd {
		return
	}
	a.head = 0
	switch {
	case a.status == 101:
		a.fail("101 Switching Protocols without having been asked")
	case a.status < 200:
		a.reset() // an interim answer: the final one follows
	case a.hasCoding && a.hasLength:
		// Section 6.3 calls this a sign of response splitting that ought to be
		// handled as an error.
		a.fail("both Transfer-Encoding and Content-Length")
	case a.bodiless():
		a.complete()
	case a.chunked:
		a.state = atChunkSize
	case a.hasLength && a.left == 0:
		a.complete()
	case a.hasLength:
		a.state = atBody
	default:
		a.state = atOpenBody
	}
}

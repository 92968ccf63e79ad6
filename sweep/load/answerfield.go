package load

import "bytes"

// fieldLine takes one line of the header section without its line end.
func (a *answer) fieldLine(l []byte) {
	if len(l) == 0 {
		a.headDone()
		return
	}
	if bytes.IndexByte(l, '\r') >= 0 || bytes.IndexByte(l, 0) >= 0 {
		a.fail("bare CR or NUL in a header field")
		return
	}
	if l[0] == ' ' || l[0] == '\t' {
		// Folding is obsolete, yet a user agent has to read it as a blank
		// (RFC 9112, section 5.2).
		if !a.fields {
			a.fail("folded line before the first header field")
		} else if a.pending != fieldOther {
			a.value = append(append(a.value, ' '), trimBlanks(l)...)
		}
		return
	}
	a.flushField()
	if a.state == atEnd {
		return
	}
	a.fields = true
	colon := bytes.IndexByte(l, ':')
	if colon <= 0 || !isToken(l[:colon]) {
		a.fail("malformed header field")
		return
	}
	a.pending = framingField(l[:colon])
	if a.pending != fieldOther {
		a.value = append(a.value[:0], trimBlanks(l[colon+1:])...)
	}
}

// flushField acts on the pending field, whose value is whole once the next
// line turns out not to continue it.
func (a *answer) flushField() {
	pending := a.pending
	a.pending = fieldOther
	switch pending {
	case fieldLength:
		a.lengthField()
	case fieldCoding:
		a.codingField()
	case fieldConnection:
		for v := a.value; len(v) > 0; {
			var item []byte
			item, v = nextItem(v)
			switch {
			case equalFold(item, "close"):
				a.close = true
			case equalFold(item, "keep-alive"):
				a.keep = true
			}
		}
	}
}

// lengthField takes a Content-Length. The same number several times, in one
// field or more, is let pass; differing ones are not (RFC 9112, section 6.3,
// item 5).
func (a *answer) lengthField() {
	v := a.value
	for more := true; more; more = len(v) > 0 {
		var item []byte
		item, v = nextItem(v)
		n, ok := parseLength(item)
		switch {
		case !ok:
			a.fail("malformed Content-Length")
			return
		case a.hasLength && n != a.left:
			a.fail("differing Content-Lengths")
			return
		}
		a.hasLength, a.left = true, n
	}
}

func (a *answer) codingField() {
	a.hasCoding = true
	for v := a.value; len(v) > 0; {
		var item []byte
		item, v = nextItem(v)
		if len(item) == 0 {
			continue
		}
		if a.chunked {
			a.fail("transfer coding after chunked")
			return
		}
		a.chunked = equalFold(item, "chunked")
	}
}

// chunkLine takes bytes of a chunk's size line, or of the line end behind its
// data (RFC 9112, section 7.1). Extensions are skipped.
func (a *answer) chunkLine(b []byte) []byte {
	for i, c := range b {
		if a.head++; a.head > headLimit {
			a.fail("chunk size line larger than 32 KiB")
			return nil
		}
		switch {
		case a.state == atChunkEnd:
			if c == '\r' && a.head == 1 {
				continue
			}
			if c != '\n' {
				a.fail("chunk data longer than its size")
				return nil
			}
			a.state, a.head, a.left, a.digits = atChunkSize, 0, 0, false
		case c == '\n':
			a.chunkSized()
			return b[i+1:]
		case a.state == atChunkExt:
		case hexDigit(c) >= 0:
			if a.left >= 1<<58 {
				a.fail("chunk size too large")
				return nil
			}
			a.left, a.digits = a.left<<4|int64(hexDigit(c)), true
		case c == ';' || c == ' ' || c == '\t' || c == '\r':
			a.state = atChunkExt
		default:
			a.fail("malformed chunk size")
			return nil
		}
	}
	return nil
}

func (a *answer) chunkSized() {
	a.head = 0
	switch {
	case !a.digits:
		a.fail("malformed chunk size")
	case a.left == 0:
		a.state = atTrailer
	default:
		a.state = atChunkData
	}
}

// framingField knows the names that matter, in any case.
func framingField(name []byte) field {
	switch len(name) {
	case len("connection"):
		if equalFold(name, "connection") {
			return fieldConnection
		}
	case len("content-length"):
		if equalFold(name, "content-length") {
			return fieldLength
		}
	case len("transfer-encoding"):
		if equalFold(name, "transfer-encoding") {
			return fieldCoding
		}
	}
	return fieldOther
}

// nextItem splits the first item off a comma-separated list.
func nextItem(v []byte) (item, rest []byte) {
	item, rest, _ = bytes.Cut(v, []byte{','})
	return trimBlanks(item), rest
}

// parseLength reads digits only: no sign, no blanks, at most 18 of them.
func parseLength(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// equalFold compares b with a lower-case ASCII word.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// isToken follows RFC 9110, section 5.6.2.
func isToken(b []byte) bool {
	for _, c := range b {
		if !tokenBytes[c] {
			return false
		}
	}
	return true
}

var tokenBytes = func() (t [256]bool) {
	for c := '0'; c <= '9'; c++ {
		t[c] = true
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = true, true
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		t[c] = true
	}
	return t
}()

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

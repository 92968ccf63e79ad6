package imports

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"
)

// document is a report as lines, without what only a terminal needs.
type document struct {
	format string
	text   string
	lines  []line
}

// line is one line of a report.
type line struct {
	number int // from 1
	text   string
	open   bool // without a line end: a number in it may lack digits
}

// escapes are what tools colour their output with (ECMA-48 control sequences).
var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// plainText takes off byte order marks, UTF-16 (which shells on Windows write)
// and colours. Of a progress bar's line only what stood there last is left.
func plainText(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		b = fromUTF16(b[2:], binary.LittleEndian)
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		b = fromUTF16(b[2:], binary.BigEndian)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	text := escapes.ReplaceAllString(strings.ToValidUTF8(string(b), "\ufffd"), "")
	if !strings.Contains(text, "\r") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		lines[i] = l[strings.LastIndex(l, "\r")+1:]
	}
	return strings.Join(lines, "\n")
}

func fromUTF16(b []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

func newDocument(format, text string) document {
	d := document{format: format, text: text}
	for i, t := range strings.Split(text, "\n") {
		d.lines = append(d.lines, line{number: i + 1, text: t})
	}
	if last := len(d.lines) - 1; d.lines[last].text == "" {
		d.lines = d.lines[:last]
	} else {
		d.lines[last].open = true
	}
	return d
}

// from is the document without its first n lines.
func (d document) from(n int) document {
	var b strings.Builder
	for _, l := range d.lines[n:] {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return document{format: d.format, text: b.String(), lines: d.lines[n:]}
}

// ended is the lines that have their end, which are all but perhaps the last.
func (d document) ended() []line {
	if n := len(d.lines); n > 0 && d.lines[n-1].open {
		return d.lines[:n-1]
	}
	return d.lines
}

// openAfter is what stands without a line end behind a run that is the last;
// empty when there is nothing.
func (d document) openAfter(block []line) string {
	if n := len(d.lines); n > 0 && d.lines[n-1].open && d.lines[n-1].number == block[len(block)-1].number+1 {
		return strings.TrimSpace(d.lines[n-1].text)
	}
	return ""
}

// fail is an error about a line; 0 is the whole file.
func (d document) fail(number int, format string, args ...any) error {
	return &ReportError{Format: d.format, Line: number, Reason: fmt.Sprintf(format, args...)}
}

// cut is the error of a run that ends before what it needs.
func (d document) cut(block []line, missing string) error {
	last := block[0].number
	for _, l := range block {
		if strings.TrimSpace(l.text) != "" {
			last = l.number
		}
	}
	if d.openAfter(block) != "" {
		return d.fail(block[0].number, "no %s: the output is cut in line %d, which has no line end", missing, d.lines[len(d.lines)-1].number)
	}
	return d.fail(block[0].number, "no %s: the output is cut after line %d", missing, last)
}

// blocks splits the report into runs, each beginning with a line for which
// starts is true. What comes before the first is dropped, and so is a line
// without an end.
func (d document) blocks(starts func(string) bool) [][]line {
	var out [][]line
	lines, begin := d.ended(), -1
	for i, l := range lines {
		if starts(l.text) {
			if begin >= 0 {
				out = append(out, lines[begin:i])
			}
			begin = i
		}
	}
	if begin >= 0 {
		out = append(out, lines[begin:])
	}
	return out
}

// object is a JSON value in a report.
type object struct {
	line int // where it begins
	raw  json.RawMessage
}

// objects finds the JSON values that begin a line, several a file, with other
// text between them.
func (d document) objects() ([]object, error) {
	var out []object
	offset, number := 0, 1
	for offset < len(d.text) && len(out) <= maxBlocks {
		rest := d.text[offset:]
		end := strings.IndexByte(rest, '\n')
		if end < 0 {
			end = len(rest) - 1
		}
		trimmed := strings.TrimLeft(rest[:end+1], " \t")
		if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
			offset += end + 1
			number++
			continue
		}
		dec := json.NewDecoder(strings.NewReader(rest))
		var raw json.RawMessage
		switch err := dec.Decode(&raw); {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, d.fail(number, "the JSON that begins here is cut after line %d", len(strings.Split(strings.TrimRight(d.text, "\n"), "\n")))
		case trimmed[0] == '[' && failsWithin(err, 64): // "[error] socket: …"
			offset += end + 1
			number++
			continue
		case err != nil:
			return nil, d.fail(number, "the JSON that begins here cannot be read: %v", err)
		}
		out = append(out, object{number, raw})
		used := rest[:dec.InputOffset()]
		offset += len(used)
		number += strings.Count(used, "\n")
	}
	return out, nil
}

// failsWithin tells an error in the first n bytes of a JSON value: what begins
// there is no JSON.
func failsWithin(err error, n int64) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && syntax.Offset <= n
}

// isJSON tells a report in JSON from one in text.
func (d document) isJSON() bool {
	for _, l := range d.lines {
		if t := strings.TrimLeft(l.text, " \t"); strings.HasPrefix(t, "{") {
			return true
		}
	}
	return false
}

// has tells whether some line holds the words.
func (d document) has(words string) bool { return strings.Contains(d.text, words) }

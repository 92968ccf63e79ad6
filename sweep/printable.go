package sweep

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable makes foreign text safe for one line of a terminal: control
// characters, line breaks, marks that change the direction of writing,
// invisible characters and broken UTF-8 are written as Go escapes ("\x1b",
// "\u202e"). So are the beginnings of what CI services take for orders when they
// read a log: "::error::" at the beginning of a word, "##[" and "##vso[" anywhere.
// Everything else is left as it is.
func Printable(s string) string {
	if strings.Contains(s, "::") {
		s = wordCommand.ReplaceAllString(s, `${1}\x3a:`)
	}
	if strings.Contains(s, "##") {
		s = hashCommand.ReplaceAllString(s, `${1}\x5b`)
	}
	if strings.IndexFunc(s, unprintable) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && strings.HasPrefix(s[i:], "\uFFFD"):
			b.WriteRune(r)
		case r == utf8.RuneError:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i]), 16))
		case unprintable(r):
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Orders in a log: GitHub's begin a line, which may be broken before any word,
// after blanks; its old ones, Azure's and TeamCity's stand anywhere.
var (
	wordCommand = regexp.MustCompile(`(^|\s)::`)
	hashCommand = regexp.MustCompile(`(##\w*)\[`)
)

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// WriteJSON writes a document of JSON, indented by two blanks. Text in it is
// whole, but what Printable would escape is in JSON's own escapes, so that it is
// safe on a terminal too: encoding/json by itself leaves the control characters
// above ASCII and the marks of direction as they are.
func WriteJSON(w io.Writer, document any) error {
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetIndent("", "  ")
	if err := enc.Encode(document); err != nil {
		return err
	}
	var safe bytes.Buffer
	for _, r := range hashCommand.ReplaceAllString(plain.String(), `${1}\u005b`) {
		switch {
		case r == '\n' || !unprintable(r):
			safe.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			escapeJSON(&safe, high)
			escapeJSON(&safe, low)
		default:
			escapeJSON(&safe, r)
		}
	}
	_, err := w.Write(safe.Bytes())
	return err
}

func escapeJSON(b *bytes.Buffer, unit rune) {
	b.WriteString(`\u`)
	b.WriteString(strconv.FormatInt(int64(unit)+0x10000, 16)[1:])
}

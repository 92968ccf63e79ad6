package charts

import (
	"strings"
	"unicode"

	"versweep/sweep"
)

// Printable makes foreign text safe for one line of a terminal: what is not
// printable is written as Go escapes.
func Printable(s string) string { return sweep.Printable(s) }

// textWidth is how many terminal columns a printable text takes.
func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

// runeColumns follows Unicode's East Asian Width (UAX #11) in coarse blocks:
// combining marks take no column, wide characters and emoji two.
func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f,
		r >= 0x2e80 && r <= 0xa4cf,
		r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f,
		r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1faff,
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	default:
		return 1
	}
}

const ellipsis = "…"

// shorten cuts s at its end so that fits accepts it, and says so with an
// ellipsis.
func shorten(s string, fits func(string) bool) string {
	return cut(s, fits, func(runes []rune, keep int) string {
		return strings.TrimRight(string(runes[:keep]), " ") + ellipsis
	})
}

// shortenMiddle keeps both ends, which is where versions of one line differ.
func shortenMiddle(s string, fits func(string) bool) string {
	return cut(s, fits, func(runes []rune, keep int) string {
		tail := keep * 2 / 5
		return string(runes[:keep-tail]) + ellipsis + string(runes[len(runes)-tail:])
	})
}

// cut returns s when it fits, otherwise the longest piece that does, down to
// the ellipsis alone.
func cut(s string, fits func(string) bool, piece func(runes []rune, keep int) string) string {
	if fits(s) {
		return s
	}
	runes := []rune(s)
	low, high := 0, len(runes)-1 // piece(low) fits or is the last resort
	for low < high {
		middle := (low + high + 1) / 2
		if fits(piece(runes, middle)) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return piece(runes, low)
}

// withinColumns is a condition for shorten.
func withinColumns(n int) func(string) bool {
	return func(s string) bool { return textWidth(s) <= n }
}

// padLeft aligns s right in n terminal columns.
func padLeft(s string, n int) string {
	return strings.Repeat(" ", max(0, n-textWidth(s))) + s
}

// padRight aligns s left in n terminal columns.
func padRight(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-textWidth(s)))
}

// wrap breaks s between words into lines of at most n columns, the second
// and later ones indented. A word longer than that keeps its line.
func wrap(s string, n, indent int) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i == 0:
		case at+1+textWidth(word) > n:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += textWidth(word)
	}
	return b.String()
}

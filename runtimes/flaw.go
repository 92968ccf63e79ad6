package runtimes

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefinitionError says what is wrong in a target's definition, and where. Its
// text is one line that is complete by itself.
type DefinitionError struct {
	File    string // as a person would open it
	Line    int    // from 1; 0 when the file as a whole is meant
	Column  int    // from 1, in characters
	Problem string
	Hint    string   // what to do about it; may be empty
	Excerpt []string // the lines around the place, with the place marked; printable
}

func (e *DefinitionError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Problem)
}

// flaw is what is wrong in a definition before it is known where in the file
// that is.
type flaw struct {
	path    string // "sources[0].npm"; empty for the file as a whole
	spot    spot   // zero when path says it all
	problem string
	hint    string
}

func (f *flaw) Error() string {
	if f.path == "" {
		return f.problem
	}
	return f.path + ": " + f.problem
}

// flawAt is the value at path, where something is wrong with it.
func flawAt(path, format string, args ...any) *flaw {
	return &flaw{path: path, problem: fmt.Sprintf(format, args...)}
}

// within says that what err is about lies in the part of the definition at
// path.
func within(path string, err error) error {
	switch f, ok := err.(*flaw); {
	case err == nil:
		return nil
	case !ok:
		return flawAt(path, "%v", err)
	default:
		f.path = below(path, f.path)
		return f
	}
}

// below joins two paths, of which either may be empty.
func below(path, inner string) string {
	if path == "" || inner == "" {
		return path + inner
	}
	return path + "." + inner
}

// spot is a place in the text.
type spot struct {
	line, column int // from 1, in characters
	length       int // characters to mark
}

// Lines of an excerpt before and after the one at fault, and the characters
// that one may have.
const (
	excerptAround = 2
	excerptWidth  = 100
)

// excerpt shows the lines around a place, the place marked below its line.
// What a terminal would obey is shown as "·".
func excerpt(text string, at spot) []string {
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	first, last := max(1, at.line-excerptAround), min(len(lines), at.line+excerptAround)
	digits := len(fmt.Sprint(last))
	var shown []string
	for n := first; n <= last; n++ {
		line := []rune(strings.Map(printable, strings.TrimRight(lines[n-1], "\r \t")))
		mark, from := " ", 0
		if n == at.line {
			mark = ">"
			// A long line is cut so that the place is seen.
			from = max(0, min(at.column-excerptWidth/2, len(line)-excerptWidth))
		}
		seen := string(line[from:min(len(line), from+excerptWidth)])
		shown = append(shown, strings.TrimRight(fmt.Sprintf("%s %*d | %s", mark, digits, n, seen), " "))
		if n == at.line {
			length := max(1, min(at.length, excerptWidth/2, len(line)-at.column+1))
			shown = append(shown, fmt.Sprintf("  %*s | %s%s", digits, "", strings.Repeat(" ", max(0, at.column-1-from)), strings.Repeat("^", length)))
		}
	}
	return shown
}

func printable(r rune) rune {
	switch {
	case r == '\t':
		return ' ' // one column, as the mark counts
	case !unicode.IsPrint(r) || r == utf8.RuneError:
		return '·'
	}
	return r
}

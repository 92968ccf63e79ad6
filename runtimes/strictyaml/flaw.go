package strictyaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error says what is wrong in a file, and where. Its text is one line that is
// complete by itself.
type Error struct {
	File    string // as a person would open it
	Line    int    // from 1; 0 when the file as a whole is meant
	Column  int    // from 1, in characters
	Problem string
	Hint    string   // what to do about it; may be empty
	Excerpt []string // the lines around the place, with the place marked; printable
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Problem)
}

// Flaw is what is wrong with a value before it is known where in the file that
// is.
type Flaw struct {
	Path    string // "sources[0].npm"; empty for the file as a whole
	Problem string
	Hint    string // what to do about it; may be empty
	spot    spot   // zero when Path says it all
}

func (f *Flaw) Error() string {
	if f.Path == "" {
		return f.Problem
	}
	return f.Path + ": " + f.Problem
}

// FlawAt is the value at path, where something is wrong with it.
func FlawAt(path, format string, args ...any) *Flaw {
	return &Flaw{Path: path, Problem: fmt.Sprintf(format, args...)}
}

// Within says that what err is about lies in the part of the file at path.
func Within(path string, err error) error {
	switch f, ok := err.(*Flaw); {
	case err == nil:
		return nil
	case !ok:
		return FlawAt(path, "%v", err)
	default:
		f.Path = Below(path, f.Path)
		return f
	}
}

// Below joins two paths, of which either may be empty.
func Below(path, inner string) string {
	if path == "" || inner == "" {
		return path + inner
	}
	return path + "." + inner
}

// PathOf is the path of a key inside of path.
func PathOf(path, key string) string {
	if strings.ContainsFunc(key, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) {
		return path + "[" + strconv.Quote(key) + "]"
	}
	return Below(path, key)
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

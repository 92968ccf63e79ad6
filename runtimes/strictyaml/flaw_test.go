package strictyaml

import (
	"strings"
	"testing"
)

func TestExcerptMarksThePlace(t *testing.T) {
	long := "about: \"" + strings.Repeat("ä", 300) + "\x1b[31m\" oops"
	for name, tt := range map[string]struct {
		text string
		at   spot
		want []string
	}{
		"in the middle": {"a\nb\nc\nd: x\ne\nf\ng\n", spot{4, 4, 1}, []string{"  2 | b", "  3 | c", "> 4 | d: x", "    |    ^", "  5 | e", "  6 | f"}},
		"at the start":  {"title\nb\n", spot{1, 1, 5}, []string{"> 1 | title", "    | ^^^^^", "  2 | b"}},
		"at the end":    {"a\nb", spot{2, 1, 9}, []string{"  1 | a", "> 2 | b", "    | ^"}},
		"two digits":    {strings.Repeat("\n", 9) + "x: y\n", spot{10, 1, 1}, []string{"   8 |", "   9 |", "> 10 | x: y", "     | ^"}},
		"windows, tabs": {"a\r\nb:\tc\r\n", spot{2, 4, 1}, []string{"  1 | a", "> 2 | b: c", "    |    ^"}},
		"a long line":   {long, spot{1, 316, 4}, []string{"> 1 | " + strings.Repeat("ä", 89) + "·[31m\" oops", "    | " + strings.Repeat(" ", 96) + "^^^^"}},
	} {
		got := excerpt(tt.text, tt.at)
		if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}

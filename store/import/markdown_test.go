package imports

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	text, err := os.ReadFile("testdata/table.md")
	if err != nil {
		t.Fatal(err)
	}
	if format, err := Detect(text); err != nil || format != Markdown {
		t.Errorf("detected as %q, %v", format, err)
	}
	tables, err := Tables(strings.NewReader(string(text)))
	if err != nil || len(tables) != 1 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	want := [][]string{
		{"version", "qps", "p99_ms", "Memory | MB"},
		{"1.9.0", "1,402.10", "12,5", "40"},
		{"1.10.0", "1355.90", "-", "41"},
		{"1.11.0", "failed", "", ""},
	}
	if got := tables[0].Records(); !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if tables[0].Line != 7 || tables[0].Rows[2].Line != 11 {
		t.Errorf("lines %d and %d", tables[0].Line, tables[0].Rows[2].Line)
	}
}

func TestTablesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"hello", "markdown: no table in this file"},
		{"| a | b |\n|---|---|\n| 1 | 2 |\n", "markdown: no table with a column for versions; there are | a | b |"},
		{"| version | qps |\n|---|---|\n| 1.0 | 2 | 3 |\n", "markdown: line 3: 3 cells under a header of 2"},
	} {
		if _, err := Tables(strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v\nwant %s", c.text, err, c.want)
		}
	}
}

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
	got := [][]string{tables[0].Columns}
	for _, row := range tables[0].Rows {
		got = append(got, row.Cells)
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
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

func TestMarkdownSweeps(t *testing.T) {
	text := "# x\n\n| Version | req/s | Memory MB |\n|---|---|---|\n| 1.9.0 | 1,402.1 | 40 |\n| `1.10.0` | 1,355.9 | - |\n\ntext\n\n" +
		"| Release | p99 (ms) |\n|---|---|\n| #7 | 1.5 |\n| #8 | 2.5 |\n"
	sweeps, err := MarkdownSweeps(strings.NewReader(text), CSVOptions{Target: "x"})
	if err != nil || len(sweeps) != 2 {
		t.Fatalf("%d sweeps, %v", len(sweeps), err)
	}
	p := sweeps[0].Plan
	if p.Versions[1].Name != "1.10.0" || p.Foreign.Format != Markdown || p.Foreign.Profile != "table 1" || p.Foreign.Metrics[0].Unit != "MB" {
		t.Errorf("plan %+v, %+v", p, *p.Foreign)
	}
	if got := sweeps[0].Samples[0].Values["qps"]; got != 1402.1 {
		t.Errorf("qps %v", got)
	}
	if last := sweeps[1].Samples[1]; last.Version != "#8" || last.Values["p99_ms"] != 2.5 {
		t.Errorf("last sample %+v", last)
	}
	_, err = MarkdownSweeps(strings.NewReader(text+"| #9 | fast |\n"), CSVOptions{Target: "x"})
	if want := `line 14: p99_ms: "fast" is not a number`; err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

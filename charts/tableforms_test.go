package charts

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
)

// tableForms are the forms of a table beside text.
var tableForms = map[string]func(io.Writer, sweep.Table, TableOptions) error{
	"md": WriteTableMarkdown, "csv": WriteTableCSV, "html": WriteTableHTML,
}

func formed(t *testing.T, form string, table sweep.Table, o TableOptions) string {
	t.Helper()
	var b strings.Builder
	if err := tableForms[form](&b, table, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTableFormsGolden(t *testing.T) {
	judged, j := judgedTable()
	judged.Rows = judged.Rows[12:24]
	for form := range tableForms {
		golden(t, "table."+form, []byte(formed(t, form, nodeTable(), TableOptions{})), sameText)
		golden(t, "table-judged."+form, []byte(formed(t, form, judged, TableOptions{Judgement: &j})), sameText)
	}
}

// Foreign text stays text in every form.
func TestTableFormsOfForeignText(t *testing.T) {
	table := nodeTable()
	table.Title = "<b>a|b</b>\n# c"
	table.Rows[0].Version.Name = "1|2_*x*<script>alert(1)</script>\x1b"
	fail(&table, "0.10.48", "=cmd|' /C calc'!A0\r\n\"quoted\", `code`")
	for form := range tableForms {
		text := formed(t, form, table, TableOptions{})
		if form != "csv" && strings.Contains(text, "<script") || strings.ContainsAny(text, "\x1b\r") {
			t.Errorf("%s: foreign markup:\n%s", form, text)
		}
	}
	md := strings.Split(formed(t, "md", table, TableOptions{}), "\n")
	columns := -1
	for _, line := range md {
		if strings.HasPrefix(line, "|") {
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if columns >= 0 && n != columns {
				t.Errorf("%d cells, not %d: %s", n, columns, line)
			}
			columns = n
		}
	}
	rows, err := csv.NewReader(strings.NewReader(formed(t, "csv", table, TableOptions{}))).ReadAll()
	if err != nil || len(rows) != len(table.Rows)+1 || !strings.HasPrefix(rows[2][3], "'=cmd") {
		t.Errorf("%d rows, %v: %q", len(rows), err, rows[2])
	}
}

func TestTableCSVOfUnknowns(t *testing.T) {
	table := qpsTable(100, math.NaN())
	table.Rows[0].Metrics = map[string]sweep.Estimate{
		sweep.QPS: {Median: 100, Lo: math.Inf(-1), Hi: 110, Samples: 3}, sweep.ErrorShare: {Median: 0.001, Lo: 0, Hi: 0.002, Samples: 3},
	}
	j := sweep.Judgement{Neighbours: []sweep.Comparison{{To: "1.1.0", Verdict: sweep.NotMeasured, Change: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}}}
	want := "version,line,status,reason,qps,qps_lo,qps_hi,qps_samples,error_share,error_share_lo,error_share_hi,error_share_samples,change,change_lo,change_hi,verdict\n" +
		"1.0.0,1.x,ok,,100,,110,3,0.001,0,0.002,3,,,,\n" +
		"1.1.0,1.x,failed,exit status 1,,,,,,,,,,,,not measured\n"
	if got := formed(t, "csv", table, TableOptions{Judgement: &j}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestTableHTMLIsWhole(t *testing.T) {
	table, j := judgedTable()
	d := xml.NewDecoder(strings.NewReader(formed(t, "html", table, TableOptions{Judgement: &j})))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	rows := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			if e.Name.Local == "tr" {
				rows++
			}
			if slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == "src" || a.Name.Local == "href" }) {
				t.Errorf("%+v asks for something", e)
			}
		}
	}
	if rows != len(table.Rows)+1 {
		t.Errorf("%d rows", rows)
	}
}

func TestTableFormsOfNothing(t *testing.T) {
	full := errors.New("disk full")
	for form, write := range tableForms {
		if text := formed(t, form, sweep.Table{Target: "node"}, TableOptions{}); form != "csv" && !strings.Contains(text, "no versions were selected") {
			t.Errorf("%s: %s", form, text)
		}
		if err := write(writerFunc(func([]byte) (int, error) { return 0, full }), nodeTable(), TableOptions{}); !errors.Is(err, full) {
			t.Errorf("%s: error %v", form, err)
		}
	}
}

func BenchmarkTables1000(b *testing.B) {
	table, j := manyJudged(1000, 29)
	o := TableOptions{Judgement: &j}
	for b.Loop() {
		for _, write := range []func(io.Writer, sweep.Table, TableOptions) error{WriteTable, WriteTableMarkdown, WriteTableCSV, WriteTableHTML} {
			if err := write(io.Discard, table, o); err != nil {
				b.Fatal(err)
			}
		}
	}
}

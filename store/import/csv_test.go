package imports

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
)

// imported reads a file and writes what became of it: a line a sweep, then one
// a version that was not measured, then one a sample.
func imported(t testing.TB, file string, o CSVOptions) (string, error) {
	t.Helper()
	sweeps, err := CSV(strings.NewReader(file), o)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, sw := range sweeps {
		p := sw.Plan
		var names []string
		for _, v := range p.Versions {
			names = append(names, v.Name)
		}
		fmt.Fprintf(&b, "%s|%s|%s: %s", p.Target, p.Foreign.Profile, sw.Environment.Name, strings.Join(names, " "))
		if p.Foreign.Unpaired {
			b.WriteString(" unpaired")
		}
		if p.Foreign.Listed {
			b.WriteString(" listed")
		}
		for _, m := range p.Foreign.Metrics {
			fmt.Fprintf(&b, " %s[%s %s]", m.Key, m.Unit, m.Better)
		}
		b.WriteString("\n")
		for _, o := range sw.Outcomes {
			fmt.Fprintf(&b, "%s: %s\n", o.Version, o.Reason)
		}
		for _, m := range sw.Samples {
			fmt.Fprintf(&b, "%d.%d %s", m.Round, m.Position, m.Version)
			for _, key := range slices.Sorted(maps.Keys(m.Values)) {
				fmt.Fprintf(&b, " %s=%v", key, m.Values[key])
			}
			if m.Status != sweep.OK {
				fmt.Fprintf(&b, " %s: %s", m.Status, m.Reason)
			}
			b.WriteString("\n")
		}
	}
	return b.String(), nil
}

func TestCSV(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want string
	}{
		"wide, a value a version": {
			"version,qps,p99_ms\n1.9.0,1355.9,12.5\n1.10.0,1402.1,11.9\n",
			"x||: 1.9.0 1.10.0\n1.0 1.9.0 p99_ms=12.5 qps=1355.9\n1.1 1.10.0 p99_ms=11.9 qps=1402.1\n",
		},
		"1.10 stays text, and its order is that of versions": {
			"version,qps\n1.10,5\n1.9,6\nv1.1,7\n",
			"x||: 1.1 1.9 1.10\n1.0 1.10 qps=5\n1.1 1.9 qps=6\n1.2 1.1 qps=7\n",
		},
		"rounds": {
			"round,version,qps\n2,1.0,5\n1,1.0,6\n1,1.1,7\n",
			"x||: 1.0 1.1\n1.0 1.0 qps=6\n1.1 1.1 qps=7\n2.0 1.0 qps=5\n",
		},
		"rounds from 0": {
			"version,round,qps\n1.0,0,5\n1.0,1,6\n",
			"x||: 1.0\n1.0 1.0 qps=5\n2.0 1.0 qps=6\n",
		},
		"rows without rounds are not paired": {
			"version,qps\n1.0,5\n1.0,6\n1.1,7\n",
			"x||: 1.0 1.1 unpaired\n1.0 1.0 qps=5\n1.1 1.1 qps=7\n2.0 1.0 qps=6\n",
		},
		"long, any order of columns": {
			"unit,value,metric,version\nms,12.5,p99_ms,1.0\n,1000,QPS,1.0\n",
			"x||: 1.0\n1.0 1.0 p99_ms=12.5 qps=1000\n",
		},
		"several series": {
			"target,profile,environment,version,metric,value\na,p,m,1.0,qps,1\nb,p,m,1.0,qps,2\na,q,m,1.0,qps,3\na,p,n,1.0,qps,4\na,p,m,1.1,qps,5\n",
			"a|p|m: 1.0 1.1\n1.0 1.0 qps=1\n1.1 1.1 qps=5\nb|p|m: 1.0\n1.0 1.0 qps=2\na|q|m: 1.0\n1.0 1.0 qps=3\na|p|n: 1.0\n1.0 1.0 qps=4\n",
		},
		"an empty cell of the target is the flag's": {
			"target,version,qps\n,1.0,1\nx,1.1,2\n",
			"x||: 1.0 1.1\n1.0 1.0 qps=1\n1.1 1.1 qps=2\n",
		},
		"units are converted": {
			"version,metric,value,unit\n1,p99_ms,1500,µs\n2,p99_ms,2,s\n3,p50_ms,300,ns\n1,cpu_us_per_request,0.5,ms\n1,peak_rss_bytes,1.5,MiB\n2,peak_rss_bytes,2,MB\n1,error_share,50,%\n2,qps,60,requests/min\n",
			"x||: 1 2 3\n1.0 1 cpu_us_per_request=500 error_share=0.5 p99_ms=1.5 peak_rss_bytes=1.572864e+06 degraded: 50 % of the requests failed\n1.1 2 p99_ms=2000 peak_rss_bytes=2e+06 qps=1\n1.2 3 p50_ms=0.0003\n",
		},
		"metrics of its own": {
			"version,tps,gc_ms,rss MB,hits,p99\n1.0,5,6,7,8,9\n",
			"x||: 1.0 tps[ higher] gc_ms[ms lower] rss MB[MB lower] hits[ lower] p99[ lower]\n1.0 1.0 gc_ms=6 hits=8 p99=9 rss MB=7 tps=5\n",
		},
		"metrics of its own with units": {
			"version,metric,value,unit\n1.0,scan,5,MB/s\n1.0,gc,1,s\n1.1,gc,1500,ms\n1.0,ops_ms,3,ms\n",
			"x||: 1.0 1.1 scan[MB/s higher] gc[s lower] ops_ms[ms lower]\n1.0 1.0 gc=1 ops_ms=3 scan=5\n1.1 1.1 gc=1.5\n",
		},
		"unknown values": {
			"version,round,qps,p99_ms\n1.0,1,100,\n1.0,2,-,n/a\n1.1,1,–,NULL\n1.2,1,0,5\n1.3,,NA,\n",
			"x||: 1.0 1.1 1.2 1.3\n1.1: no figure in the file\n1.3: no figure in the file\n" +
				"1.0 1.0 qps=100\n1.1 1.2 p99_ms=5 qps=0 failed: throughput 0\n2.0 1.0 failed: no figure in the file\n",
		},
		"all failed, some failed": {
			"version,qps,error_share\n1.0,9,1\n1.1,9,\"12,5%\"\n1.2,9,0\n",
			"x||: 1.0 1.1 1.2\n1.0 1.0 error_share=1 qps=9 failed: all requests failed\n1.1 1.1 error_share=0.125 qps=9 degraded: 12 % of the requests failed\n1.2 1.2 error_share=0 qps=9\n",
		},
		"names keep the order of the file": {
			"version,qps\nnightly-9,1\nnightly-10,2\n\"built, 'today'\",3\n",
			"x||: nightly-9 nightly-10 built, 'today' listed\n1.0 nightly-9 qps=1\n1.1 nightly-10 qps=2\n1.2 built, 'today' qps=3\n",
		},
		"commits keep the order of the file": {
			"version,qps\nf1b2c3d,1\n0a1b2c3,2\n",
			"x||: f1b2c3d 0a1b2c3 listed\n1.0 f1b2c3d qps=1\n1.1 0a1b2c3 qps=2\n",
		},
		"dates": {
			"version,qps\n2024-01-10,1\n2024-01-09,2\n",
			"x||: 2024-01-09 2024-01-10\n1.0 2024-01-10 qps=1\n1.1 2024-01-09 qps=2\n",
		},
		// Case I9 (a).
		"a spreadsheet in German": {
			"\ufeffversion;qps;p99_ms\r\n1.9.0;1.355,90;12,5\r\n1.10.0;1\u00a0402,10;11,9\r\n;;\r\n",
			"x||: 1.9.0 1.10.0\n1.0 1.9.0 p99_ms=12.5 qps=1355.9\n1.1 1.10.0 p99_ms=11.9 qps=1402.1\n",
		},
		"spaces, apostrophes and commas group thousands": {
			"version\tqps\n1\t1 402.5\n2\t1'402\n3\t1,402,000\n4\t1.5e3\n5\t\n6\t7\n",
			"x||: 1 2 3 4 5 6\n5: no figure in the file\n1.0 1 qps=1402.5\n1.1 2 qps=1402\n1.2 3 qps=1.402e+06\n1.3 4 qps=1500\n1.4 6 qps=7\n",
		},
		"one number tells how another is to be read": {
			"version;qps;p99_ms\n1;1.234;0,5\n2;1.000;1,125\n",
			"x||: 1 2\n1.0 1 p99_ms=0.5 qps=1234\n1.1 2 p99_ms=1.125 qps=1000\n",
		},
		"a point is a point where commas part cells": {
			"version,qps\n1,1.234\n2,\"1,234\"\n",
			"x||: 1 2\n1.0 1 qps=1.234\n1.1 2 qps=1234\n",
		},
		"comments, blank lines, quotes, blanks, empty columns": {
			"# made by hand\n\n version , \"qps\",,\n\n1.0, \"5\",,\n  \n# not this\n,,,\n1.1,6,,,,\n",
			"x||: 1.0 1.1\n1.0 1.0 qps=5\n1.1 1.1 qps=6\n",
		},
		"Excel's first line":  {"sep=;\r\nversion;qps\r\n1.0;5\r\n", "x||: 1.0\n1.0 1.0 qps=5\n"},
		"lines of an old Mac": {"version,qps\r1.0,5\r1.1,6\r", "x||: 1.0 1.1\n1.0 1.0 qps=5\n1.1 1.1 qps=6\n"},
		"text marked as such": {"version,qps\n'=cmd(),5\n''t was,6\n'plain,7\n", "x||: =cmd() 't was 'plain listed\n1.0 =cmd() qps=5\n1.1 't was qps=6\n1.2 'plain qps=7\n"},
	} {
		t.Run(name, func(t *testing.T) {
			o := CSVOptions{Target: "x"}
			if strings.HasPrefix(c.want, "a|") {
				o.Target = "" // the file names its own
			}
			got, err := imported(t, c.file, o)
			if err != nil || got != c.want {
				t.Errorf("%v; got\n%swant\n%s", err, got, c.want)
			}
		})
	}
}

func TestCSVOptions(t *testing.T) {
	const file = "version;qps\n1;1.234\n"
	for d, want := range map[Decimal]string{DecimalPoint: "qps=1.234", DecimalComma: "qps=1234"} {
		got, err := imported(t, file, CSVOptions{Target: "x", Profile: "c100", Environment: "lab", Decimal: d})
		if err != nil || !strings.Contains(got, want) || !strings.HasPrefix(got, "x|c100|lab: 1\n") {
			t.Errorf("%s: %v\n%s", d, err, got)
		}
	}
	sweeps, err := CSV(strings.NewReader("version,hits\n1.20.1,5\n1.21.0,6\n"), CSVOptions{
		File: "nightly.csv", Target: "x", Line: sweep.LineByMinor, Better: map[string]sweep.Better{"hits": sweep.Higher},
	})
	if err != nil {
		t.Fatal(err)
	}
	p := sweeps[0].Plan
	if p.Versions[0].Line != "1.20.x" || p.Foreign.Metrics[0].Better != sweep.Higher || p.Foreign.File != "nightly.csv" ||
		p.Foreign.Digest != "sha256:fb2e13599cfd1bf3c9c405d6cdfd75bcec92319490803ea38fc0f1f9d8697d78" || p.Source != "csv" {
		t.Errorf("got %+v of %+v", p, p.Foreign)
	}
	got, err := imported(t, "version,qps\n1.0,1\nnightly,2\n0.9,3\n", CSVOptions{Target: "x", Order: OrderFile})
	if err != nil || !strings.HasPrefix(got, "x||: 1.0 nightly 0.9 listed\n") {
		t.Errorf("in the order of the file: %v\n%s", err, got)
	}
}

func TestCSVErrors(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		o    CSVOptions
		want string
	}{
		"empty":                  {"", CSVOptions{}, "there is nothing in the file"},
		"comments only":          {"# nothing\n\n", CSVOptions{}, "there is nothing in the file"},
		"header only":            {"version,qps\n", CSVOptions{}, "there is no row below the header"},
		"no header":              {"1.0,5\n", CSVOptions{}, `line 1: there is no column "version", only "1.0,5"`},
		"no figures":             {"version,round\n1.0,5\n", CSVOptions{}, "line 1: there is no column with figures"},
		"no figure":              {"version,qps\n1.0,\n", CSVOptions{}, "there is no figure in the file"},
		"half a long form":       {"version,metric\n1.0,qps\n", CSVOptions{}, "line 1: of the columns metric and value one is missing"},
		"unit without value":     {"version,qps,unit\n1.0,5,ms\n", CSVOptions{}, "line 1: there is a column unit, but none called metric and value"},
		"unknown columns":        {"version,metric,value,foo,bar\n1.0,qps,5,,\n", CSVOptions{}, `line 1: unknown columns "foo", "bar"`},
		"a column twice":         {"version,qps,QPS\n1.0,5,6\n", CSVOptions{}, `line 1: the column "QPS" is there twice`},
		"decimal commas (I9 b)":  {"version,qps,p99_ms,p50_ms\n# more\nv1,10,191,38,991\n", CSVOptions{}, "line 3: 5 cells, where the header has 4"},
		"a short row":            {"version,qps\n1.0\n", CSVOptions{}, "line 2: 1 cells, where the header has 2"},
		"ambiguous (I9 c)":       {"version,qps\n1.0,\"1,234\"\n", CSVOptions{}, `line 2: "1,234" may be 1234 or 1.234`},
		"ambiguous with a point": {"version;qps\n1.0;1.234\n", CSVOptions{}, `line 2: "1.234" may be 1234 or 1.234`},
		"two decimal signs":      {"version;qps\n1.0;1.5\n1.1;1,5\n", CSVOptions{}, `line 3: "1,5" has another decimal sign than "1.5" in line 2`},
		"not the decimal sign":   {"version;qps\n1.0;1,5\n", CSVOptions{Decimal: DecimalPoint}, `line 2: qps: "1,5" is not a number`},
		"wrong groups":           {"version;qps\n1.0;12.34,5\n", CSVOptions{}, `line 2: qps: "12.34,5" is not a number`},
		"words":                  {"version,qps\n1.0,fast\n", CSVOptions{}, `line 2: qps: "fast" is not a number`},
		"per cent of nothing":    {"version,error_share\n1.0,%\n", CSVOptions{}, `line 2: error_share: "%" is not a number`},
		"NaN":                    {"version,qps\n1.0,NaN\n", CSVOptions{}, `line 2: qps: "NaN" is not a number`},
		"infinity":               {"version,qps\n1.0,+Inf\n", CSVOptions{}, `line 2: qps: "+Inf" is not a number`},
		"too large":              {"version,qps\n1.0,1e999\n", CSVOptions{}, `line 2: qps: "1e999" is not a number`},
		"too large in our unit":  {"version,metric,value,unit\n1.0,p99_ms,1e308,s\n", CSVOptions{}, `line 2: p99_ms: "1e308" is too large`},
		"hexadecimal":            {"version,qps\n1.0,0x10\n", CSVOptions{}, `line 2: qps: "0x10" is not a number`},
		"negative":               {"version,qps\n1.0,5\n1.1,-5\n", CSVOptions{}, `line 3: qps: "-5" is negative`},
		"more than all":          {"version,error_share\n1.0,12\n", CSVOptions{}, `line 2: error_share: "12" is more than 1`},
		"another unit":           {"version,metric,value,unit\n1.0,qps,5,ms\n", CSVOptions{}, `line 2: the unit of qps is "requests/s", and "ms" cannot be converted into it`},
		"per cent of a rate":     {"version,qps\n1.0,5%\n", CSVOptions{}, `line 2: the unit of qps is "requests/s", and "%" cannot be converted into it`},
		"two units":              {"version,metric,value,unit\n1.0,gc,5,ms\n1.1,gc,5,pages\n", CSVOptions{}, `line 3: the unit of gc is "ms", and "pages" cannot be converted into it`},
		"per cent of ms":         {"version,metric,value,unit\n1.0,gc,5%,ms\n", CSVOptions{}, `line 2: "5%" is in per cent, its unit "ms" is not`},
		"twice":                  {"version,round,metric,value\n1.0,1,qps,5\n1.0,2,qps,5\nv1.0,1,qps,6\n", CSVOptions{}, `line 4: qps of "1.0" in round 1 stands in line 2 already`},
		"twice, once unknown":    {"version,round,qps\n1.0,1,5\n1.0,1,\n", CSVOptions{}, `line 3: qps of "1.0" in round 1 stands in line 2 already`},
		"a round is missing":     {"version,round,qps\n1.0,1,5\n1.1,,6\n", CSVOptions{}, "line 3: there is no round, as other rows have it"},
		"half a round":           {"version,round,qps\n1.0,1.5,5\n", CSVOptions{}, `line 2: round "1.5" is not a number from 1 to 1000000`},
		"some are versions":      {"version,qps\n1.0,5\nnightly,6\n", CSVOptions{}, `line 3: "nightly" is not a version, and "1.0" in line 2 is one`},
		"none is a version":      {"version,qps\nnightly,6\n", CSVOptions{Order: OrderVersion}, `line 2: "nightly" is not a version`},
		"no version":             {"version,qps\n,5\n", CSVOptions{}, "line 2: no version is named"},
		"no metric":              {"version,metric,value\n1.0,,5\n", CSVOptions{}, "line 2: no metric is named"},
		"another target":         {"target,version,qps\ny,1.0,5\n", CSVOptions{}, `line 2: the target is "y", and --target says "x"`},
		"control characters":     {"version,qps\n\"a\x1b[31m\",5\n", CSVOptions{}, `line 2: version "a\x1b[31m" holds a character that cannot be seen`},
		"right to left":          {"version,qps\n\u202e1.0,5\n", CSVOptions{}, `line 2: version "\u202e1.0" holds a character that cannot be seen`},
		"of no width":            {"version,qps\n1\u200b.0,5\n", CSVOptions{}, `line 2: version "1\u200b.0" holds a character that cannot be seen`},
		"a cell of two lines":    {"version,qps\n\"a\nb\",5\n", CSVOptions{}, `line 2: version "a\nb" holds a character that cannot be seen`},
		"a stray quote":          {"version,qps\n1.0,\"5\n", CSVOptions{}, "line 2: extraneous or missing \" in quoted-field"},
		"Latin-1":                {"version,qps\n1.0,5\n# \xb5s\n", CSVOptions{}, "line 3: the text is not UTF-8"},
		"UTF-16":                 {"\xff\xfev\x00", CSVOptions{}, "line 1: the text is UTF-16"},
		"a long line":            {"version,qps\n1.0,5\n" + strings.Repeat("x", csvLineBytes+1), CSVOptions{}, "line 3: the line is longer than 64 KB"},
		"a long name":            {"version,qps\n" + strings.Repeat("ä", 65) + ",5\n", CSVOptions{}, `line 2: version "ääääääääääääääääääää…" is longer than 128 bytes`},
		"Excel's first line":     {"sep=;\nversion;qps\n1.0;x\n", CSVOptions{}, `line 3: qps: "x" is not a number`},
		"a known direction":      {"version,qps\n1.0,5\n", CSVOptions{Better: map[string]sweep.Better{"qps": sweep.Lower}}, "line 2: --better: of qps higher is better, always"},
		"direction of nothing":   {"version,qps\n1.0,5\n", CSVOptions{Better: map[string]sweep.Better{"hits": sweep.Lower}}, `--better: there is no metric "hits" in the file`},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Target = "x"
			got, err := imported(t, c.file, c.o)
			e, ok := errors.AsType[*CSVError](err)
			if !ok || err.Error() != c.want || strings.Contains(e.Hint, "\n") {
				t.Errorf("got %v\n%swant %s", err, got, c.want)
			}
		})
	}
	if _, err := imported(t, "version,qps\n1.0,5\n", CSVOptions{}); err == nil || err.Error() != "line 2: no target is named" {
		t.Errorf("without a target: %v", err)
	}
}

func TestCSVBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("version,qps\n")
	for i := range csvVersions + 1 {
		fmt.Fprintf(&b, "%d.0,5\n", i)
	}
	if _, err := imported(t, b.String(), CSVOptions{Target: "x"}); err == nil || err.Error() != `line 10002: more than 10000 versions of "x"` {
		t.Errorf("versions: %v", err)
	}
	rows := "version,qps\n" + strings.Repeat("1,5\n", csvRows+1)
	if _, err := imported(t, rows, CSVOptions{Target: "x"}); err == nil || err.Error() != "line 1000002: more than 1,000,000 rows" {
		t.Errorf("rows: %v", err)
	}
	metrics := "version,metric,value\n"
	for i := range csvMetrics + 1 {
		metrics += fmt.Sprintf("1.0,m%d,5\n", i)
	}
	if _, err := imported(t, metrics, CSVOptions{Target: "x"}); err == nil || err.Error() != "line 1002: more than 1000 metrics" {
		t.Errorf("metrics: %v", err)
	}
}

// Whatever a file holds, it is read or refused with a line, and what is read
// can be stored.
func FuzzCSV(f *testing.F) {
	f.Add("version,qps\n1.0,5\n", "")
	f.Add("\ufeffversion;qps;p99_ms\r\n1.9.0;1.355,90;12,5\r\n", "x")
	f.Add("target,version,round,metric,value,unit\na,1.0,1,p99_ms,5,µs\na,1.0,1,gc,99%,\n", "")
	f.Fuzz(func(t *testing.T, file, target string) {
		sweeps, err := CSV(strings.NewReader(file), CSVOptions{Target: target})
		if err != nil {
			if _, ok := errors.AsType[*CSVError](err); !ok || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v", err)
			}
			return
		}
		for _, sw := range sweeps {
			names := map[string]bool{}
			for _, v := range sw.Plan.Versions {
				if names[v.Name] {
					t.Fatalf("%q twice", v.Name)
				}
				names[v.Name] = true
			}
			for _, m := range sw.Samples {
				if !names[m.Version] || m.Round < 1 || m.Round > sw.Plan.Rounds {
					t.Fatalf("sample %+v of %v", m, names)
				}
				for key, v := range m.Values {
					if _, ok := sw.Plan.MetricByKey(key); !ok || !(v >= 0) || v > 1.7976931348623157e308 {
						t.Fatalf("%s is %v", key, v)
					}
				}
			}
		}
	})
}

func TestDecimals(t *testing.T) {
	for _, c := range []struct {
		text         string
		point, comma float64 // -1 when it is no number
	}{
		{"5", 5, 5}, {"5.", 5, -1}, {".5", 0.5, -1}, {",5", -1, 0.5}, {"", -1, -1}, {".", -1, -1}, {"+5", 5, 5},
		{"1,234", 1234, 1.234}, {"1.234", 1.234, 1234}, {"12,34", -1, 12.34}, {"0,123", -1, 0.123}, {"0123", 123, 123},
		{"1,234.5", 1234.5, -1}, {"1.234,5", -1, 1234.5}, {"1,234,567", 1234567, -1}, {"1,23,456", -1, -1}, {"1234,567", -1, 1234.567},
		{"1 234", 1234, 1234}, {"1\u202f234,5", -1, 1234.5}, {"1'234'567.25", 1234567.25, -1}, {"1’234", 1234, 1234},
		{"1 234'567", -1, -1}, {"1.5e3", 1500, -1}, {"1,5E-3", -1, 0.0015}, {"1e", -1, -1}, {"1_000", -1, -1}, {"٣", -1, -1},
		{"1.2.3", -1, -1}, {" 7 ", 7, 7}, {"--7", -1, -1}, {"1234.567", 1234.567, -1},
	} {
		for d, want := range map[Decimal]float64{DecimalPoint: c.point, DecimalComma: c.comma} {
			got, err := parseDecimal(c.text, d)
			if err != nil {
				got = -1
			}
			if got != want {
				t.Errorf("%q with a decimal %s: %v, want %v", c.text, d, got, want)
			}
		}
	}
}

func BenchmarkCSV10000Versions(b *testing.B) {
	var file strings.Builder
	file.WriteString("version,qps,p99_ms\n")
	for i := range csvVersions {
		fmt.Fprintf(&file, "%d.%d.0,%d.5,1.25\n", i/100, i%100, i+1)
	}
	for b.Loop() {
		if _, err := CSV(strings.NewReader(file.String()), CSVOptions{Target: "x"}); err != nil {
			b.Fatal(err)
		}
	}
}

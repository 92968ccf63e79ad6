package charts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
)

// metric finds one of the metrics that a sweep measures.
func metric(t testing.TB, key string) sweep.Metric {
	t.Helper()
	m, ok := sweep.MetricByKey(key)
	if !ok {
		t.Fatalf("no metric %q", key)
	}
	return m
}

// drawn is the picture's file.
func drawn(t testing.TB, table sweep.Table, m sweep.Metric, o Options) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := Trend(&file, table, m, o); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// laidOut is the picture before it is drawn.
func laidOut(t *testing.T, table sweep.Table, o Options) (*trend, *frame) {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	m := metric(t, sweep.QPS)
	p, err := newTrendPicture(table, m, o)
	if err != nil {
		t.Fatal(err)
	}
	f := p.frame(o)
	if err := f.layout(o.size()); err != nil {
		t.Fatal(err)
	}
	return p.panels[0].trends[0], f
}

// qpsTable has one version a value; NaN is one that failed.
func qpsTable(values ...float64) sweep.Table {
	names := make([]string, len(values))
	for i := range values {
		names[i] = strings.Repeat("1", 1+i/9) + "." + string(rune('0'+i%9)) + ".0"
	}
	t := tableOf(names, values)
	for i, v := range values {
		t.Rows[i].Metrics[sweep.QPS] = sweep.Estimate{Median: v, Lo: v, Hi: v, Samples: 5}
		if math.IsNaN(v) {
			fail(&t, names[i], "exit status 1")
		}
	}
	t.Twin = nil
	return t
}

func TestTrendGolden(t *testing.T) {
	small := Options{Width: 540, Height: 380, Scale: 1}
	logarithmic := small
	logarithmic.LogY = true
	judged, j := judgedTable()
	marked := Options{Width: 640, Height: 400, Scale: 1, Judgement: &j}
	darkAndZoomed := marked
	darkAndZoomed.Theme, darkAndZoomed.Zoom = Dark, true
	panels := Options{Width: 640, Height: 480, Scale: 1, Judgement: &j, Metrics: []sweep.Metric{metric(t, sweep.PeakRSS)}}
	older := tableOf([]string{"0.8.1", "0.10.48", "18.0.0"}, []float64{7000, 8000, 20000})
	older.Title, older.Plan.Profile.Connections = "Node.js, years ago", 10
	with := Options{Width: 640, Height: 400, Scale: 1, Theme: Dark, With: []Overlay{{Table: older}}}
	for _, c := range []struct {
		file  string
		table sweep.Table
		key   string
		o     Options
	}{
		{"newest-of-each-line.png", nodeTable(), sweep.QPS, small},
		{"several-a-line.png", manyTable(90), sweep.QPS, small},
		{"log-with-zeros.png", nodeTable(), sweep.ErrorShare, logarithmic},
		{"judged.png", judged, sweep.QPS, marked},
		{"judged-dark-zoomed.png", judged, sweep.QPS, darkAndZoomed},
		{"panels.png", judged, sweep.QPS, panels},
		{"with-dark.png", nodeTable(), sweep.QPS, with},
	} {
		c.table.Environment.CPU = "AMD EPYC 7B13"
		golden(t, c.file, drawn(t, c.table, metric(t, c.key), c.o), samePicture)
	}
}

func TestTrendIsDeterministic(t *testing.T) {
	for _, format := range []Format{PNG, SVG} {
		o := Options{Format: format, Scale: 1}
		a := drawn(t, manyTable(120), metric(t, sweep.QPS), o)
		if b := drawn(t, manyTable(120), metric(t, sweep.QPS), o); !bytes.Equal(a, b) {
			t.Errorf("%s: the same table gave different files", format)
		}
	}
}

func TestTrendSize(t *testing.T) {
	for _, n := range []int{1, 837} {
		file := drawn(t, manyTable(n), metric(t, sweep.QPS), Options{})
		if size := decode(t, file).Bounds().Size(); size.X != 1600 || size.Y != 900 {
			t.Errorf("%d versions: %v pixels, want 1600 × 900", n, size)
		}
		if len(file) > 2<<20 {
			t.Errorf("%d versions: %d bytes", n, len(file))
		}
	}
}

// Case G1: a logarithmic axis with one point, with zeros, with equal values.
func TestTrendOnLogAxis(t *testing.T) {
	for name, values := range map[string][]float64{
		"one point": {1}, "a zero": {0, 5, 10}, "all equal": {7, 7, 7}, "wide": {1e-9, 1, 1e12}, "negative": {-1, 5},
	} {
		table := qpsTable(values...)
		drawn(t, table, metric(t, sweep.QPS), Options{LogY: true, Scale: 1})
		tr, f := laidOut(t, table, Options{LogY: true})
		if y := f.panels[0].y; !(y.min > 0 && y.max > y.min) {
			t.Errorf("%s: axis from %v to %v", name, y.min, y.max)
		}
		for i, v := range values {
			if want := v > 0; tr.marks[i].hasFigure() != want {
				t.Errorf("%s: value %v drawn: %v", name, v, !want)
			}
		}
	}
	if _, f := laidOut(t, qpsTable(0, 5, 10), Options{LogY: true}); !slices.Contains(legendTexts(f), "zero, not on a log scale") {
		t.Errorf("legend %q does not explain the zero", legendTexts(f))
	}
	err := Trend(io.Discard, qpsTable(0), metric(t, sweep.QPS), Options{LogY: true})
	if !errors.Is(err, ErrNothingToDraw) {
		t.Errorf("only a zero: error %v", err)
	}
}

// A range that reaches down to zero is cut at a logarithmic axis, not dropped.
func TestTrendRangeDownToZeroOnLogAxis(t *testing.T) {
	table := qpsTable(100, 120)
	table.Rows[0].Metrics[sweep.QPS] = sweep.Estimate{Median: 100, Lo: 0, Hi: 110, Samples: 5}
	tr, f := laidOut(t, table, Options{LogY: true})
	if y := f.panels[0].y; !tr.marks[0].hasFigure() || y.min > 100 || y.min < 10 {
		t.Errorf("mark %+v on an axis from %v", tr.marks[0], y.min)
	}
	drawn(t, table, metric(t, sweep.QPS), Options{LogY: true, Scale: 1})
}

// Case G2: gaps break the line, whatever they come from.
func TestTrendBreaksAtGaps(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		values []float64
		want   []interval
	}{
		{[]float64{100, 102, nan, nan, 98, inf, 97}, []interval{{0, 2}, {4, 5}, {6, 7}}},
		{[]float64{nan, 100, 101}, []interval{{1, 3}}},
		{[]float64{100, 101, inf}, []interval{{0, 2}}},
		{[]float64{nan, 100, nan}, []interval{{1, 2}}},
		{[]float64{1e300, 100}, []interval{{1, 2}}},
	} {
		table := qpsTable(c.values...)
		tr, f := laidOut(t, table, Options{})
		if !reflect.DeepEqual(tr.runs, c.want) {
			t.Errorf("%v: runs %v, want %v", c.values, tr.runs, c.want)
		}
		for i, v := range c.values {
			if math.IsNaN(v) && tr.marks[i].kind != markFailed {
				t.Errorf("%v: version %d is no failed mark", c.values, i)
			}
		}
		if slices.ContainsFunc(c.values, math.IsNaN) && !slices.Contains(legendTexts(f), "failed") {
			t.Errorf("%v: legend %q does not explain the cross", c.values, legendTexts(f))
		}
		if len(f.panels[0].labels) != len(c.values) {
			t.Errorf("%v: %d labels", c.values, len(f.panels[0].labels))
		}
		if size := len(drawn(t, table, metric(t, sweep.QPS), Options{Scale: 1})); size > 2<<20 {
			t.Errorf("%v: %d bytes", c.values, size)
		}
	}
}

func TestTrendBreaksBetweenLinesThatHaveSeveralVersions(t *testing.T) {
	names := []string{"0.12.17", "0.12.18", "4.9.0", "4.9.1"}
	tr, _ := laidOut(t, tableOf(names, []float64{10, 11, 20, 21}), Options{})
	if want := []interval{{0, 2}, {2, 4}}; !tr.banded || !reflect.DeepEqual(tr.runs, want) {
		t.Errorf("banded %v, runs %v, want %v", tr.banded, tr.runs, want)
	}
	names = []string{"0.12.18", "4.9.1"}
	tr, _ = laidOut(t, tableOf(names, []float64{10, 20}), Options{})
	if want := []interval{{0, 2}}; tr.banded || !reflect.DeepEqual(tr.runs, want) {
		t.Errorf("one version a line: banded %v, runs %v, want %v", tr.banded, tr.runs, want)
	}
}

func TestTrendMarks(t *testing.T) {
	table := nodeTable()
	delete(table.Rows[3].Metrics, sweep.QPS)
	tr, f := laidOut(t, table, Options{})
	for name, want := range map[string]markKind{
		"0.8.28": markMeasured, "0.11.15": markFailed, "0.12.18": markUnknown, "9.11.2": markDegraded,
	} {
		if i := slices.Index(tr.names, name); tr.marks[i].kind != want {
			t.Errorf("%s: kind %v, want %v", name, tr.marks[i].kind, want)
		}
	}
	if got := tr.names[tr.reference]; got != "26.12.1" {
		t.Errorf("reference %s", got)
	}
	if tr.twin.samples != 5 || tr.twin.median == tr.marks[tr.reference].median {
		t.Errorf("twin %+v", tr.twin)
	}
	want := []string{"median, lowest to highest of 5 samples", degradedText, "failed", "no figure",
		"reference 26.12.1", twinLabel}
	if got := legendTexts(f); !slices.Equal(got, want) {
		t.Errorf("legend %q, want %q", got, want)
	}
}

// A version of which nothing was published did not fail.
func TestVersionsWithoutFigure(t *testing.T) {
	table := qpsTable(100, math.NaN(), 102)
	table.Rows[1].Reason = sweep.NoFigure + " in the post"
	tr, f := laidOut(t, table, Options{})
	if texts := legendTexts(f); tr.marks[1].kind != markUnknown || slices.Contains(texts, "failed") || !slices.Contains(texts, "no figure") {
		t.Errorf("kind %v, legend %q", tr.marks[1].kind, texts)
	}
	text := tableText(t, table)
	if !strings.Contains(text, ", 1 without a figure\n") || strings.Contains(text, "failed") || !strings.Contains(text, "no figure in the post\n") {
		t.Errorf("%s", text)
	}
}

func legendTexts(f *frame) []string {
	var texts []string
	for _, e := range f.legend {
		texts = append(texts, e.text)
	}
	return texts
}

func TestTrendSaysWhatItShows(t *testing.T) {
	file := string(drawn(t, nodeTable(), metric(t, sweep.PeakRSS), Options{Format: SVG}))
	for _, want := range []string{
		"Node.js: peak memory by version", "Peak memory (MiB)", "Node.js version",
		"64 connections, 3 s window after 1 s of warm-up, 5 rounds",
		"Intel Xeon Platinum 8481C CPU @ 2.70GHz, 2 cores, linux/amd64 6.8.0-1021-aws, process launcher",
		">80<", ">0.11.15<", ">reference 26.12.1<",
	} {
		if !strings.Contains(file, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if file := string(drawn(t, nodeTable(), metric(t, sweep.QPS), Options{Format: SVG})); !strings.Contains(file, ">50,000<") {
		t.Error("the axis lacks 50,000")
	}
}

func TestTrendOfHostileNames(t *testing.T) {
	table := nodeTable()
	for i, name := range []string{"1\x1b[31m\x00", "\u202e1.2.3", "<script>\"&", "\xff\xfe", "版本é", ""} {
		table.Rows[i].Version.Name = name
		table.Rows[i].Version.Line = name
	}
	table.Plan.Reference = table.Rows[0].Version.Name
	table.Title, table.Environment.CPU = "a\nb\x07", strings.Repeat("long ", 100)
	drawn(t, table, metric(t, sweep.QPS), Options{Scale: 1})
	file := drawn(t, table, metric(t, sweep.QPS), Options{Format: SVG})
	decoder := xml.NewDecoder(bytes.NewReader(file))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "script" {
			t.Error("a version's name became an element")
		}
	}
}

func TestTrendOfNothing(t *testing.T) {
	allFailed := qpsTable(math.NaN(), math.NaN())
	for name, table := range map[string]sweep.Table{"no version": {Target: "node"}, "all failed": allFailed} {
		err := Trend(io.Discard, table, metric(t, sweep.QPS), Options{})
		if !errors.Is(err, ErrNothingToDraw) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	const want = "nothing to draw: none of the 2 selected versions of Node.js has a figure for throughput"
	if err := Trend(io.Discard, allFailed, metric(t, sweep.QPS), Options{}); err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestTrendRefusesOptions(t *testing.T) {
	for _, o := range []Options{
		{Format: "gif"}, {Width: 10}, {Height: -1}, {Width: 1 << 20, Height: 1 << 20}, {Scale: 100},
	} {
		var file bytes.Buffer
		if err := Trend(&file, nodeTable(), metric(t, sweep.QPS), o); err == nil || file.Len() > 0 {
			t.Errorf("%+v: error %v after %d bytes", o, err, file.Len())
		}
	}
}

func TestTrendPassesOnWriteErrors(t *testing.T) {
	full := errors.New("disk full")
	if err := Trend(writerFunc(func([]byte) (int, error) { return 0, full }), nodeTable(), metric(t, sweep.QPS), Options{Scale: 1}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestFormatOf(t *testing.T) {
	for file, want := range map[string]Format{"a.png": PNG, "b.SVG": SVG, "dir.png/c.svg": SVG, "a.gif": "", "png": "", "": ""} {
		got, err := FormatOf(file)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", file, got, err)
		}
	}
}

// TestTrendPictures writes pictures in full size, to be looked at in the folder
// that -pictures names.
func TestTrendPictures(t *testing.T) {
	folder := *pictures
	if folder == "" {
		folder = t.TempDir()
	}
	draw := func(name string, table sweep.Table, key string, o Options) {
		o.Format, _ = FormatOf(name)
		if err := os.WriteFile(filepath.Join(folder, name), drawn(t, table, metric(t, key), o), 0o644); err != nil {
			t.Error(err)
		}
	}
	for _, n := range []int{1, 2, 28, 40, 120, 837} {
		draw(fmt.Sprintf("versions-%d.png", n), manyTable(n), sweep.QPS, Options{})
	}
	draw("lines.png", nodeTable(), sweep.QPS, Options{})
	draw("lines-800.png", nodeTable(), sweep.QPS, Options{Scale: 1})
	draw("versions-837-800.png", manyTable(837), sweep.QPS, Options{Scale: 1})
	draw("lines.svg", nodeTable(), sweep.QPS, Options{})
	draw("log.png", nodeTable(), sweep.P99, Options{LogY: true})
	draw("log-zeros.png", nodeTable(), sweep.ErrorShare, Options{LogY: true})
	draw("memory.png", nodeTable(), sweep.PeakRSS, Options{})
	draw("gaps.png", qpsTable(math.NaN(), 100, 102, math.NaN(), math.NaN(), 98, math.Inf(1), 97, math.NaN()), sweep.QPS, Options{})
	long := nodeTable()
	long.Rows[0].Version.Name = strings.Repeat("0123456789", 6)
	long.Rows[4].Version.Name = "версия-4.9é"
	draw("long-names.png", long, sweep.QPS, Options{})

	judged, j := judgedTable()
	many, manyJ := manyJudged(837, 29)
	other := tableOf(nodeReleases())
	other.Title = "Express on Node.js"
	for i := range other.Rows {
		e := other.Rows[i].Metrics[sweep.QPS]
		e.Median, e.Lo, e.Hi = e.Median*0.6, e.Lo*0.6, e.Hi*0.6
		other.Rows[i].Metrics[sweep.QPS] = e
	}
	rss, p99 := metric(t, sweep.PeakRSS), metric(t, sweep.P99)
	for _, theme := range Themes() {
		o := Options{Theme: theme, Scale: 1}
		name := func(s string) string { return s + "-" + string(theme) + ".png" }
		draw(name("themed"), nodeTable(), sweep.QPS, o)
		o.Judgement = &j
		draw(name("judged"), judged, sweep.QPS, o)
		o.Zoom = true
		draw(name("zoomed"), judged, sweep.QPS, o)
		o.Zoom, o.Metrics = false, []sweep.Metric{rss, p99}
		draw(name("panels"), judged, sweep.QPS, o)
		o.Metrics, o.Judgement = nil, &manyJ
		draw(name("many-judged"), many, sweep.QPS, o)
		o.Judgement, o.With = nil, []Overlay{{Table: other}, {Title: "the same, 2013", Table: tableOf([]string{"0.8.1", "0.10.48", "18.0.0"}, []float64{7000, 8000, 20000})}}
		draw(name("with"), nodeTable(), sweep.QPS, o)
	}
}

func BenchmarkTrend1000(b *testing.B) {
	table, m := manyTable(1000), metric(b, sweep.QPS)
	for b.Loop() {
		if err := Trend(io.Discard, table, m, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

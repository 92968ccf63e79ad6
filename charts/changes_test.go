package charts

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"versweep/sweep"
)

// judgedChanges are the changes of judgedTable as they are placed.
func judgedChanges(t *testing.T, m sweep.Metric) (changes, *trend) {
	t.Helper()
	table, j := judgedTable()
	tr := newTrend(newVersionAxis(table, nil), table, m, false)
	return newChanges(tr, j, m), tr
}

func TestChangesStandBetweenVersions(t *testing.T) {
	c, tr := judgedChanges(t, metric(t, sweep.QPS))
	var got []string
	for _, s := range c.steps {
		got = append(got, fmt.Sprintf("%s %s %v", tr.names[s.to], s.label(false), s.at))
	}
	want := []string{
		"20.0.0 +19.7 % (+18.4 to +21.1) 8.5",
		"20.5.1 -8.1 % (-9.7 to -6.6), recovered 13.5",
		"22.0.0 +8.1 % (+7.0 to +9.3), expected 29.5",
		"22.10.0 +4.3 % (+3.1 to +5.6) 39.5",
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
	if last := c.steps[3]; last.earliest != 38.5 || last.latest != 41.5 {
		t.Errorf("the last may lie from %v to %v", last.earliest, last.latest)
	}
	if len(c.seams) != 1 || c.seams[0].at != 24.5 || c.noise != 0.024 {
		t.Errorf("seams %+v, noise %v", c.seams, c.noise)
	}
	var levels []string
	for _, l := range c.levels {
		levels = append(levels, fmt.Sprintf("%d-%d %.0f00", l.from, l.to, l.value/100))
	}
	if want := []string{"0-9 31900", "9-14 38100", "14-17 35300", "17-30 38200", "30-40 41300", "40-49 43000"}; !slices.Equal(levels, want) {
		t.Errorf("levels %q, want %q", levels, want)
	}
}

func TestChangesOfOtherMetrics(t *testing.T) {
	c, _ := judgedChanges(t, metric(t, sweep.P99))
	if len(c.steps) != 0 || len(c.levels) != 0 || len(c.seams) != 1 {
		t.Errorf("%+v", c)
	}
	c, tr := judgedChanges(t, metric(t, sweep.PeakRSS))
	if len(c.steps) != 1 || tr.names[c.steps[0].from] != "20.0.0" || len(c.levels) != 0 {
		t.Errorf("creep: %+v", c)
	}
}

// A version that is not shown has its change at the place where it would
// stand; a change outside of what is shown is not drawn.
func TestChangesAtVersionsNotShown(t *testing.T) {
	table := qpsTable(100, 101, 90, 91)
	m := metric(t, sweep.QPS)
	tr := newTrend(newVersionAxis(table, nil), table, m, false)
	find := func(to string) sweep.Finding {
		return sweep.Finding{Kind: sweep.KindStep, Metric: m, To: to, Verdict: sweep.Regression, Change: math.NaN()}
	}
	c := newChanges(tr, sweep.Judgement{Findings: []sweep.Finding{find("0.9"), find("1.0.0"), find("1.1.5"), find("1.9")}}, m)
	if len(c.steps) != 1 || c.steps[0].at != 1.5 || c.steps[0].label(false) != "from zero" {
		t.Errorf("%+v", c.steps)
	}
}

func TestChangedVersionsAreLabelled(t *testing.T) {
	table, j := judgedTable()
	_, f := laidOut(t, table, Options{Judgement: &j})
	p := f.panels[0]
	for _, name := range []string{"18.12.1", "20.0.0", "20.5.1", "22.0.0", "22.10.0", "22.18.0"} {
		if !slices.ContainsFunc(p.labels, func(l versionLabel) bool { return l.text == name }) {
			t.Errorf("%s has no label", name)
		}
	}
}

// Callouts lie inside, apart from each other and from what must be kept clear.
func TestCalloutsDoNotOverlap(t *testing.T) {
	area := vg.Rectangle{Max: vg.Point{X: 500, Y: 200}}
	n := callouts{area: area}
	face := newTypeface(labelSize, 0, gray(0))
	for i := range 60 {
		at := vg.Point{X: vg.Length(i*37%500) + 1, Y: 60 + vg.Length(i*13%80)}
		n.keepClear(around(at, changeRadius))
		n.avoid(around(at, 3))
	}
	for i := range 60 {
		at := vg.Point{X: vg.Length(i*37%500) + 1, Y: 60 + vg.Length(i*13%80)}
		n.add(fmt.Sprintf("+%d.0 %%", i), at, changeRadius, face)
	}
	if len(n.placed) < 10 || len(n.placed) > maxCallouts {
		t.Errorf("%d placed", len(n.placed))
	}
	for i, a := range n.placed {
		if a.box.Min.X < area.Min.X || a.box.Max.X > area.Max.X || a.box.Min.Y < area.Min.Y || a.box.Max.Y > area.Max.Y {
			t.Errorf("%q lies outside: %v", a.text, a.box)
		}
		for _, r := range n.clear {
			if overlapping(a.box, r) {
				t.Errorf("%q covers a mark that must be kept clear", a.text)
			}
		}
		for _, b := range n.placed[:i] {
			if overlapping(a.box, b.box) {
				t.Errorf("%q and %q overlap", a.text, b.text)
			}
		}
	}
}

func TestJudgedTrendSaysWhatItMarks(t *testing.T) {
	table, j := judgedTable()
	file := string(drawn(t, table, metric(t, sweep.QPS), Options{Format: SVG, Judgement: &j, Zoom: true}))
	for _, want := range []string{
		">+19.7 % (+18.4 to +21.1)<", ">-8.1 % (-9.7 to -6.6), recovered<", ">+8.1 % (+7.0 to +9.3), expected<",
		">environment changed<", ">±2.4 %: not seen between neighbours alone<", ">Throughput (requests/s), not from zero<",
		">better (95 % interval)<", ">known or expected<", ">recovered<", ">level<",
	} {
		if !strings.Contains(file, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if err := xml.NewDecoder(strings.NewReader(file)).Decode(new(struct{})); err != nil {
		t.Error(err)
	}
}

// With more changes than can be read, all are marked, and the picture says
// that not every size is written.
func TestTrendOfVeryManyChanges(t *testing.T) {
	table, j := manyJudged(1000, 7)
	p, err := newTrendPicture(table, metric(t, sweep.QPS), Options{Judgement: &j})
	if err != nil {
		t.Fatal(err)
	}
	n := len(p.panels[0].changes.steps)
	want := fmt.Sprintf("Throughput: %d changes, the size of the largest is written", n)
	if captions := p.frame(Options{}).captions; n < 100 || !slices.Contains(captions, want) {
		t.Errorf("%d changes, captions %q", n, captions)
	}
	drawn(t, table, metric(t, sweep.QPS), Options{Judgement: &j, Scale: 1})
}

func TestZoomedAxis(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		cut    bool
	}{{40000, 44000, true}, {100, 100, true}, {0, 5, false}, {-3, 5, false}, {-8, -7, true}, {0, 0, false}} {
		a := zoomedAxis(c.lo, c.hi, yTicks)
		if a.cut() != c.cut || a.min > c.lo || a.max < c.hi || len(a.ticks) < 2 || len(a.ticks) > 2*yTicks {
			t.Errorf("%v to %v: axis from %v to %v, cut %v, %d ticks", c.lo, c.hi, a.min, a.max, a.cut(), len(a.ticks))
		}
	}
}

// A series on the axis of another one joins its own neighbours, and the axis
// has every version once.
func TestTrendWithOverlay(t *testing.T) {
	table := qpsTable(100, 101, 102)
	other := tableOf([]string{"1.0.0", "1.0.5", "1.2.0", "9.0.0"}, []float64{50, 51, 52, 53})
	p, err := newTrendPicture(table, metric(t, sweep.QPS), Options{With: []Overlay{{Title: "other", Table: other}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"1.0.0", "1.0.5", "1.1.0", "1.2.0", "9.0.0"}; !slices.Equal(p.axis.names, want) {
		t.Errorf("axis %q, want %q", p.axis.names, want)
	}
	trends := p.panels[0].trends
	if len(trends) != 2 || len(trends[0].runs) != 1 || trends[0].runs[0] != (interval{0, 4}) || trends[1].marks[2].kind != markAbsent {
		t.Errorf("runs %v, marks %+v", trends[0].runs, trends[1].marks)
	}
}

// Changes are marked of the first series alone, and the legend says whose they are.
func TestChangesBesideAnOverlay(t *testing.T) {
	table, j := judgedTable()
	o := Options{Judgement: &j, With: []Overlay{{Title: "other", Table: table}}}
	p, err := newTrendPicture(table, metric(t, sweep.QPS), o)
	if err != nil {
		t.Fatal(err)
	}
	texts := legendTexts(p.frame(o))
	for _, want := range []string{"level of Node.js", "Node.js: better (95 % interval)"} {
		if !slices.Contains(texts, want) {
			t.Errorf("legend %q lacks %q", texts, want)
		}
	}
}

// However many series there are, each stands nearer to its own version than to
// the next.
func TestSeriesKeepToTheirVersion(t *testing.T) {
	for of := 1; of <= maxSeries; of++ {
		for series := range of {
			if aside := (trendMarks{series: series, of: of}).aside(1); aside < -0.3-1e-9 || aside > 0.3+1e-9 {
				t.Errorf("series %d of %d stands %v of a slot aside", series, of, aside)
			}
		}
	}
}

func TestTrendRefusesTooMuch(t *testing.T) {
	table := nodeTable()
	for _, o := range []Options{
		{With: make([]Overlay, maxSeries)}, {Metrics: make([]sweep.Metric, maxPanels)}, {Theme: "sepia"},
	} {
		var file bytes.Buffer
		if err := Trend(&file, table, metric(t, sweep.QPS), o); err == nil || file.Len() > 0 {
			t.Errorf("%+v: error %v after %d bytes", o, err, file.Len())
		}
	}
	if err := Trend(io.Discard, table, metric(t, sweep.QPS), Options{Metrics: []sweep.Metric{metric(t, sweep.BuildSize)}}); err == nil {
		t.Error("a panel without a figure was drawn")
	}
}

func BenchmarkTrend1000Judged(b *testing.B) {
	table, j := manyJudged(1000, 29)
	m := metric(b, sweep.QPS)
	for b.Loop() {
		if err := Trend(io.Discard, table, m, Options{Judgement: &j}); err != nil {
			b.Fatal(err)
		}
	}
}

package charts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/sweep"
	"versweep/sweep/load"
)

// picture is a file of any kind of picture.
func picture(t testing.TB, draw func(io.Writer) error) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := draw(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// save writes a picture for looking at.
func save(t *testing.T, name string, file []byte) {
	t.Helper()
	folder := *pictures
	if folder == "" {
		folder = t.TempDir()
	}
	if err := os.WriteFile(filepath.Join(folder, name), file, 0o644); err != nil {
		t.Error(err)
	}
}

// themed checks a kind's picture against its golden files, light and dark, and
// saves it as it is seen 800 pixels wide.
func themed(t *testing.T, name string, draw func(io.Writer, Options) error) {
	t.Helper()
	for _, theme := range Themes() {
		o := Options{Theme: theme, Scale: 1}
		file := picture(t, func(w io.Writer) error { return draw(w, o) })
		save(t, fmt.Sprintf("%s-%s.png", name, theme), file)
		o.Width = 560
		golden(t, fmt.Sprintf("%s-%s.png", name, theme), picture(t, func(w io.Writer) error { return draw(w, o) }), samePicture)
	}
}

var bench = Heading{Title: "Five servers: hello world under rising load", Captions: []string{"httperf, 10 calls a connection, timeout 5 s", "Intel Xeon, 4 cores, linux/amd64"}}

// rampOf is systems that keep up to a limit, then fail.
func rampOf(names ...string) []RampSeries {
	noise := rand.New(rand.NewPCG(5, 6))
	var all []RampSeries
	for i, name := range names {
		s := RampSeries{Title: name, By: load.StepByRate, Latency: "mean"}
		limit := 4000 + 3500*float64(i)
		for at := 500.0; at <= 20000; at += 1500 {
			step := RampStep{At: at, QPS: at, LatencyMS: 0.4 / max(0.02, 1-at/limit) * (1 + 0.1*noise.Float64())}
			if at > limit {
				step.QPS = limit * (0.9 + 0.1*noise.Float64())
				step.Errors = (at - limit) * 0.3
				step.LatencyMS = 150 + 900*noise.Float64()
			}
			step.Total = step.QPS * 10
			s.Steps = append(s.Steps, step)
		}
		all = append(all, s)
	}
	return all
}

func TestRampGolden(t *testing.T) {
	systems := rampOf("Misultin", "Mochiweb", "Cowboy", "NodeJS", "Tornado (a rather long name of a server)")
	themed(t, "ramp", func(w io.Writer, o Options) error { return Ramp(w, bench, systems, o) })
}

func TestRampOfOddValues(t *testing.T) {
	for name, steps := range map[string][]RampStep{
		"one point":  {{At: 100, QPS: 100, LatencyMS: 1, Total: 1000}},
		"zeros":      {{At: 0}, {At: 100, QPS: 0, LatencyMS: 0}},
		"unknown":    {{At: 100, QPS: math.NaN(), LatencyMS: math.Inf(1), Errors: math.NaN(), Total: 5}, {At: math.NaN(), QPS: 4}},
		"very large": {{At: 1e15, QPS: 1e15, LatencyMS: 1e15, Total: 1e18}},
	} {
		for _, o := range []Options{{Scale: 1}, {Scale: 1, LogY: true}, {Format: SVG}} {
			file := picture(t, func(w io.Writer) error {
				return Ramp(w, bench, []RampSeries{{Title: "版本é\x1b", By: load.StepByConnections, Steps: steps}}, o)
			})
			if len(file) == 0 || len(file) > 2<<20 {
				t.Errorf("%s: %d bytes", name, len(file))
			}
		}
	}
	for name, systems := range map[string][]RampSeries{"no system": nil, "no step": {{Title: "a"}}, "nothing known": {{Steps: []RampStep{{At: math.NaN(), QPS: 1}}}}} {
		if err := Ramp(io.Discard, bench, systems, Options{}); !errors.Is(err, ErrNothingToDraw) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := Ramp(io.Discard, bench, make([]RampSeries, maxSeries+1), Options{}); err == nil || errors.Is(err, ErrNothingToDraw) {
		t.Errorf("too many: error %v", err)
	}
}

// A zero cannot stand on the logarithmic axis, and the legend says so.
func TestRampSaysWhatIsMissing(t *testing.T) {
	file := string(picture(t, func(w io.Writer) error {
		return Ramp(w, bench, []RampSeries{{Title: "a", Latency: "mean", Steps: []RampStep{{At: 1, QPS: 1, LatencyMS: 0}, {At: 2, QPS: 2, LatencyMS: 3}, {At: 3, QPS: math.NaN(), LatencyMS: 1}}}}, Options{Format: SVG})
	}))
	for _, want := range []string{">zero, not on a log scale<", ">no figure<", ">Response time, mean (ms), log scale<", ">offered requests/s<", ">all that was offered<", ">Errors<"} {
		if !strings.Contains(file, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
}

func TestNewRampSeries(t *testing.T) {
	h := hdrhistogram.New(1, 1e10, 3)
	h.RecordValues(2e6, 100)
	s := NewRampSeries("a", []load.StepResult{
		{Step: load.Step{By: load.StepByConnections, Value: 8}, Result: load.Result{OK: 100, Elapsed: 2e9, Latency: h, Errors: load.Errors{Reset: 3}}},
		{Step: load.Step{By: load.StepByConnections, Value: 16}},
	})
	if got := s.Steps[0]; s.By != load.StepByConnections || got.At != 8 || got.QPS != 50 || got.Errors != 3 || math.Abs(got.LatencyMS-2) > 0.01 || got.Total != 100 {
		t.Errorf("%+v", s)
	}
	if !math.IsNaN(s.Steps[1].LatencyMS) {
		t.Errorf("a step without answers has a latency: %+v", s.Steps[1])
	}
}

// tail is a histogram with most values near centre (ms) and a tail.
func tail(n int, centre float64) *hdrhistogram.Histogram {
	noise := rand.New(rand.NewPCG(7, uint64(centre*1000)))
	h := hdrhistogram.New(1, 1e11, 3)
	for range n {
		v := centre * math.Exp(0.2*noise.NormFloat64())
		if noise.Float64() < 0.003 {
			v *= 1 + 8*noise.ExpFloat64()
		}
		h.RecordValue(int64(v * 1e6))
	}
	return h
}

func TestPercentilesGolden(t *testing.T) {
	versions := []Percentiles{{"18.20.8", tail(200000, 1.95)}, {"20.20.2", tail(200000, 1.6)}, {"22.18.0", tail(1500, 1.45)}, {"23.0.0", nil}}
	h := Heading{Title: "Node.js: latency by percentile", Captions: bench.Captions}
	themed(t, "percentiles", func(w io.Writer, o Options) error { return LatencyPercentiles(w, h, versions, o) })
}

func TestPercentilesOfOddHistograms(t *testing.T) {
	one := hdrhistogram.New(1, 1e10, 3)
	one.RecordValue(5e6)
	zeros := hdrhistogram.New(1, 1e10, 3)
	zeros.RecordValues(0, 1000)
	equal := hdrhistogram.New(1, 1e10, 3)
	equal.RecordValues(3e6, 1000)
	for name, h := range map[string]*hdrhistogram.Histogram{"one": one, "zeros": zeros, "equal": equal} {
		for _, o := range []Options{{Scale: 1}, {Scale: 1, LogY: true}} {
			err := LatencyPercentiles(io.Discard, bench, []Percentiles{{strings.Repeat("long ", 50), h}}, o)
			if want := name == "zeros" && o.LogY; (err != nil) != want || want && !errors.Is(err, ErrNothingToDraw) {
				t.Errorf("%s, log %v: error %v", name, o.LogY, err)
			}
		}
	}
	for name, versions := range map[string][]Percentiles{"none": nil, "nil": {{"a", nil}}, "empty": {{"a", hdrhistogram.New(1, 10, 1)}}} {
		if err := LatencyPercentiles(io.Discard, bench, versions, Options{}); !errors.Is(err, ErrNothingToDraw) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// The line gives the histogram's own values, and ends where one request is left.
func TestTailIsTheHistogram(t *testing.T) {
	h := tail(1000, 2)
	list := tailOf(h, false)
	if last := list[len(list)-1]; math.Abs(last.x-3) > 1e-9 || math.Abs(last.y-float64(h.ValueAtQuantile(99.9))/1e6) > 1e-9 {
		t.Errorf("last point %+v", last)
	}
	for _, q := range list {
		want := float64(h.ValueAtQuantile(100*(1-math.Pow(10, -q.x)))) / 1e6
		if q.x > 0 && math.Abs(q.y-want) > 0.01*want {
			t.Errorf("at %v nines %v ms, want %v", q.x, q.y, want)
		}
	}
}

// compared is every metric of two releases, each with another verdict.
func compared() []sweep.Comparison {
	var cs []sweep.Comparison
	verdicts := []sweep.Verdict{sweep.Improvement, sweep.Regression, sweep.NoChange, sweep.Undecided, sweep.NotMeasured}
	for i, m := range sweep.Metrics {
		c := sweep.Comparison{Metric: m, From: "20.20.2", To: "22.18.0", Verdict: verdicts[i%len(verdicts)], Change: 0.31 - 0.04*float64(i), P: math.NaN()}
		c.Lo, c.Hi = c.Change-0.05, c.Change+0.04
		if c.Verdict == sweep.NotMeasured {
			c.Change, c.Lo, c.Hi = math.NaN(), math.NaN(), math.NaN()
		}
		cs = append(cs, c)
	}
	return cs
}

func TestCompareGolden(t *testing.T) {
	h := Heading{Title: "Node.js 22.18.0 against 20.20.2", Captions: bench.Captions}
	themed(t, "compare", func(w io.Writer, o Options) error { return Compare(w, h, compared(), o) })
	themed(t, "compare-zoomed", func(w io.Writer, o Options) error {
		o.Zoom = true
		return Compare(w, h, compared(), o)
	})
}

// One interval out of all proportion leaves the others their room.
func TestCompareWithOneFarInterval(t *testing.T) {
	cs := compared()
	h := Heading{Title: "Node.js 22.18.0 against 20.20.2", Captions: bench.Captions}
	near, err := compareFrame(h, cs, Options{Width: 800})
	if err != nil {
		t.Fatal(err)
	}
	cs[1].Hi = 41
	save(t, "compare-far.png", picture(t, func(w io.Writer) error { return Compare(w, h, cs, Options{Scale: 1}) }))
	far, err := compareFrame(h, cs, Options{Width: 800})
	if err != nil {
		t.Fatal(err)
	}
	const note = "goes on beyond the axis"
	if texts := legendTexts(near); slices.Contains(texts, note) {
		t.Errorf("legend without a far interval: %q", texts)
	}
	if texts := legendTexts(far); !slices.Contains(texts, note) {
		t.Errorf("legend %q", texts)
	}
	if end := far.panels[0].plot.X.Max; end > 300 {
		t.Errorf("the axis ends at %v %%", end)
	}
}

func TestSystemsGolden(t *testing.T) {
	var systems []System
	for i, name := range []string{"Cowboy", "Misultin", "Node.js", "Tornado, the one with the very long name of a server", "サーバー"} {
		v := 12000 - 1500*float64(i)
		systems = append(systems, System{Title: name, Metrics: map[string]sweep.Estimate{
			sweep.QPS: {Median: v, Lo: v * 0.96, Hi: v * 1.03, Samples: 5}, sweep.PeakRSS: {Median: 4e7 + 1e7*float64(i), Lo: 3.9e7 + 1e7*float64(i), Hi: 4.2e7 + 1e7*float64(i), Samples: 5},
			sweep.ErrorShare: {Samples: 5},
		}})
	}
	delete(systems[2].Metrics, sweep.PeakRSS)
	metrics := []sweep.Metric{metric(t, sweep.QPS), metric(t, sweep.PeakRSS), metric(t, sweep.ErrorShare)}
	themed(t, "systems", func(w io.Writer, o Options) error {
		return Systems(w, Heading{Title: "Five servers", Captions: bench.Captions}, systems, metrics, o)
	})
}

func TestCompareOfOddValues(t *testing.T) {
	nan := math.NaN()
	m := metric(t, sweep.ErrorShare)
	for name, cs := range map[string][]sweep.Comparison{
		"one":        {{Metric: m, Verdict: sweep.Regression, Change: 3, Lo: nan, Hi: nan}},
		"far":        {{Metric: m, Change: 1e12, Lo: -1, Hi: 1e13}, {Metric: m, Change: -1}},
		"same":       {{Metric: m, Verdict: sweep.NoChange, Change: 0, Lo: 0, Hi: 0}},
		"no ratio":   {{Metric: m, Verdict: sweep.Regression, Change: nan, Old: sweep.Estimate{Samples: 3}, New: sweep.Estimate{Median: 0.2, Samples: 3}}, {Metric: m, Change: 0.1}},
		"long names": {{Metric: sweep.Metric{Title: strings.Repeat("long ", 60)}, From: strings.Repeat("é", 200), To: "\x1b[31m"}},
	} {
		for _, o := range []Options{{Scale: 1}, {Scale: 1, Zoom: true}, {Scale: 1, LogY: true}, {Format: SVG}} {
			if err := Compare(io.Discard, bench, cs, o); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for name, cs := range map[string][]sweep.Comparison{"none": nil, "no ratio": {{Metric: m, Change: nan}, {Metric: m, Change: math.Inf(1)}}} {
		if err := Compare(io.Discard, bench, cs, Options{}); !errors.Is(err, ErrNothingToDraw) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := Compare(io.Discard, bench, make([]sweep.Comparison, maxBars+1), Options{}); err == nil || errors.Is(err, ErrNothingToDraw) {
		t.Errorf("too many: error %v", err)
	}
	for name, metrics := range map[string][]sweep.Metric{"no metric": nil, "no figure": {m}} {
		if err := Systems(io.Discard, bench, []System{{Title: "a"}}, metrics, Options{}); !errors.Is(err, ErrNothingToDraw) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestComparisonText(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		c    sweep.Comparison
		want string
	}{
		{sweep.Comparison{Verdict: sweep.Regression, Change: -0.03, Lo: -0.042, Hi: -0.019}, "-3.0 % (-4.2 to -1.9), worse"},
		{sweep.Comparison{Verdict: sweep.NoChange, Change: 0.001}, "~ no change beyond noise"},
		{sweep.Comparison{Verdict: sweep.Regression, Change: nan, Metric: metric(t, sweep.ErrorShare), Old: sweep.Estimate{Samples: 1}, New: sweep.Estimate{Median: 0.02, Samples: 1}}, "0 % to 2.00 %, worse"},
		{sweep.Comparison{Verdict: sweep.NotMeasured, Change: nan}, "not measured"},
	} {
		if got := comparisonText(c.c); got != c.want {
			t.Errorf("%+v: %q, want %q", c.c, got, c.want)
		}
	}
}

// everyKind draws each kind of picture with foreign text wherever there is
// some.
func everyKind(t *testing.T) map[string]func(io.Writer, Options) error {
	t.Helper()
	bad := "\x1b[31m<script>&版本\u202e" + strings.Repeat("long ", 40)
	m := sweep.Metric{Key: sweep.QPS, Title: bad, Unit: bad, Better: sweep.Higher}
	h := Heading{Title: bad, Captions: []string{bad, bad, bad, bad, bad, bad}}
	table, j := judgedTable()
	table.Title, table.Environment.CPU = bad, bad
	table.Rows[14].Version.Name, j.Findings[1].To = bad, bad
	for i := range j.Findings {
		if j.Findings[i].Kind == sweep.KindStep {
			j.Findings[i].Metric = m
		}
	}
	sw := sweepOf([]string{bad, "2.0"}, 3, time.Unix(0, 0))
	return map[string]func(io.Writer, Options) error{
		"trend": func(w io.Writer, o Options) error {
			o.Judgement, o.With, o.Metrics = &j, []Overlay{{Title: bad, Table: nodeTable()}}, []sweep.Metric{m}
			return Trend(w, table, m, o)
		},
		"ramp": func(w io.Writer, o Options) error { return Ramp(w, h, rampOf(bad, bad, "c"), o) },
		"percentiles": func(w io.Writer, o Options) error {
			return LatencyPercentiles(w, h, []Percentiles{{bad, tail(1000, 2)}, {bad, nil}}, o)
		},
		"scatter": func(w io.Writer, o Options) error { return Scatter(w, sw, m, o) },
		"compare": func(w io.Writer, o Options) error {
			return Compare(w, h, append(compared(), sweep.Comparison{Metric: m, From: bad, To: bad, Verdict: sweep.Verdict(bad), Change: math.NaN(), Old: sweep.Estimate{Samples: 1}, New: sweep.Estimate{Samples: 1}}), o)
		},
		"systems": func(w io.Writer, o Options) error {
			return Systems(w, h, []System{{bad, map[string]sweep.Estimate{sweep.QPS: {Median: 3, Lo: 1, Hi: 4, Samples: 3}}}, {bad, nil}}, []sweep.Metric{m, m, m}, o)
		},
		"history": func(w io.Writer, o Options) error { return History(w, []sweep.Sweep{sw}, bad, m, o) },
	}
}

// Every kind takes the narrowest and the widest picture, and foreign text
// neither breaks the file nor becomes an element of it.
func TestEveryKindOfForeignText(t *testing.T) {
	for name, draw := range everyKind(t) {
		for _, o := range []Options{
			{Scale: 1, Width: minWidth, Height: 480}, {Scale: 1, Width: 2000, Height: 800, Theme: Dark}, {Scale: 1, Height: 700, LogY: true},
		} {
			var file bytes.Buffer
			if err := draw(&file, o); err != nil {
				t.Errorf("%s, %+v: %v", name, o, err)
			}
			save(t, fmt.Sprintf("foreign-%s-%d.png", name, o.Width), file.Bytes())
		}
		d := xml.NewDecoder(bytes.NewReader(picture(t, func(w io.Writer) error { return draw(w, Options{Format: SVG}) })))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				if token.Name.Local == "script" {
					t.Errorf("%s: foreign text became an element", name)
				}
			case xml.CharData:
				if strings.ContainsAny(string(token), "\x1b\u202e") {
					t.Errorf("%s: %q in the file", name, token)
				}
			}
		}
	}
}

func TestEveryKindRefusesOptionsAndPassesOnErrors(t *testing.T) {
	full := errors.New("disk full")
	for name, draw := range everyKind(t) {
		for _, o := range []Options{{Format: "gif"}, {Theme: "sepia"}, {Width: 10}} {
			var file bytes.Buffer
			if err := draw(&file, o); err == nil || file.Len() > 0 {
				t.Errorf("%s, %+v: error %v after %d bytes", name, o, err, file.Len())
			}
		}
		if err := draw(writerFunc(func([]byte) (int, error) { return 0, full }), Options{Scale: 1}); !errors.Is(err, full) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := Ramp(io.Discard, bench, rampOf("a"), Options{Height: 300}); err == nil || !strings.Contains(err.Error(), "2 panels below each other need at least 350") {
		t.Errorf("too low: %v", err)
	}
}

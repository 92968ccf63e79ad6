package charts

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"

	"versweep/sweep"
)

func metricOf(key string) sweep.Metric {
	m, ok := sweep.MetricByKey(key)
	if !ok {
		panic("no metric " + key)
	}
	return m
}

// nodeJudgement has a finding of every kind and state.
func nodeJudgement() sweep.Judgement {
	table := nodeTable()
	nan := math.NaN()
	finding := func(key, from, to string, verdict sweep.Verdict, change, lo, hi float64) sweep.Finding {
		return sweep.Finding{
			ID: "node-" + strings.TrimSuffix(key, "_ms") + "-" + to, Kind: sweep.KindStep, Metric: metricOf(key), From: from, To: to,
			Verdict: verdict, State: sweep.Open, Change: change, Lo: lo, Hi: hi, Confidence: 0.998, PlaceLo: to, PlaceHi: to,
		}
	}
	slower := finding(sweep.QPS, "17.9.1", "18.20.8", sweep.Regression, -0.0301, -0.042, -0.0192)
	slower.PlaceLo, slower.PlaceHi = "16.20.2", "19.8.1"
	slower.Notes = []string{"17.9.1 was not measured", "server CPU per request rose by 3.1 % as well"}
	memory := finding(sweep.PeakRSS, "17.9.1", "18.20.8", sweep.Regression, 2.04, 1.9, 2.2)
	memory.Confidence = 0.99999
	small := finding(sweep.Startup, "20.20.2", "21.7.3", sweep.Regression, 0.011, 0.004, 0.018)
	small.Confidence = nan
	errorsNew := finding(sweep.ErrorShare, "8.17.0", "9.11.2", sweep.Regression, nan, nan, nan)
	errorsNew.Kind = sweep.KindOnset
	errorsGone := finding(sweep.ErrorShare, "9.11.2", "10.24.1", sweep.Improvement, -1, nan, nan)
	errorsGone.Kind = sweep.KindOnset
	creep := finding(sweep.P50, "10.24.1", "14.21.3", sweep.Regression, 0.0823, 0.061, 0.104)
	creep.Kind = sweep.KindCreep
	known := finding(sweep.P99, "11.15.0", "12.22.12", sweep.Regression, 1.3, 1.1, 1.5)
	known.State = sweep.Acknowledged
	recovered := finding(sweep.QPS, "14.21.3", "15.14.0", sweep.Regression, -0.08, -0.1, -0.06)
	recovered.State, recovered.RecoveredIn = sweep.Recovered, "16.20.2"
	faster := finding(sweep.QPS, "7.10.1", "8.17.0", sweep.Improvement, 0.384, 0.36, 0.41)
	seam := finding(sweep.QPS, "23.11.1", "24.22.3", sweep.EnvironmentChange, 0.1, 0.08, 0.12)
	seam.Kind = sweep.KindSeam

	j := sweep.Judgement{
		Target: "node", Title: "Node.js", Reference: table.Plan.Reference, Effect: 0.03, Versions: table.Plan.Versions,
		Findings: []sweep.Finding{faster, errorsNew, errorsGone, creep, known, recovered, slower, memory, small, seam},
		Joint: map[string]string{
			"18.20.8": "3 % slower, three times the memory",
			"8.17.0":  "38 % faster", // the only change there: said already
		},
		Newest: map[string]sweep.Comparison{
			sweep.P99: {Metric: metricOf(sweep.P99), From: "22.23.5", To: "26.12.1", Verdict: sweep.Undecided, RoundsNeeded: 1},
		},
		Twin: map[string]sweep.Comparison{
			sweep.QPS: {Metric: metricOf(sweep.QPS), Change: 0.004, Lo: -0.008, Hi: 0.0161},
			sweep.P99: {Metric: metricOf(sweep.P99), Change: 0.15, Lo: -0.02, Hi: 0.33},
		},
		Noise:          map[string]float64{sweep.QPS: 0.039, sweep.P99: 0.14, sweep.PeakRSS: nan},
		SmallestEffect: map[string]float64{sweep.QPS: 0.021, sweep.P99: 0.084},
		Warnings:       []string{"in 3 of 135 samples the machine was busy"},
	}
	for i := range 12 {
		j.Neighbours = append(j.Neighbours, sweep.Comparison{
			Metric: metricOf(sweep.QPS), From: fmt.Sprintf("1.%d", i), To: fmt.Sprintf("1.%d", i+1), Verdict: sweep.Undecided, RoundsNeeded: 2 * i,
		})
	}
	for _, row := range table.Rows {
		if row.Status == sweep.Failed {
			j.NotMeasured = append(j.NotMeasured, sweep.Outcome{Version: row.Version.Name, Reason: row.Reason})
		}
	}
	return j
}

func findingsText(t *testing.T, j sweep.Judgement, o FindingsOptions) string {
	t.Helper()
	var b strings.Builder
	if err := WriteFindings(&b, j, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFindingsGolden(t *testing.T) {
	text := findingsText(t, nodeJudgement(), FindingsOptions{MinChange: 0.02})
	golden(t, "findings.txt", []byte(text), sameText)
	for _, line := range strings.Split(text, "\n") {
		if textWidth(line) > defaultTableWidth {
			t.Errorf("%d columns: %s", textWidth(line), line)
		}
	}
}

func TestFindingsWithoutAny(t *testing.T) {
	j := sweep.Judgement{Target: "node", Versions: nodeTable().Plan.Versions[:1]}
	if got, want := findingsText(t, j, FindingsOptions{}), "node: no regression in 1 version\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	j = nodeJudgement()
	for i := range j.Findings {
		if j.Findings[i].Verdict == sweep.Regression {
			j.Findings[i].State = sweep.Expected
		}
	}
	if text := findingsText(t, j, FindingsOptions{}); !strings.HasPrefix(text, "Node.js: no regression that counts, 2 improvements in 27 versions\n") {
		t.Errorf("%s", text)
	}
}

// A change is told in the direction of its metric, and as the change that it
// is: from 100 to 230 is +130 %, never "230 % slower" (S8).
func TestChangeWords(t *testing.T) {
	own := sweep.Metric{Key: "cost", Title: "Cost", Unit: "gold", Better: sweep.Lower}
	gain := sweep.Metric{Key: "gain", Better: sweep.Higher}
	for _, c := range []struct {
		m        sweep.Metric
		old, new float64
		want     string
	}{
		{metricOf(sweep.QPS), 100, 80, "20 % slower"},
		{metricOf(sweep.QPS), 100, 103, "3.0 % faster"},
		{metricOf(sweep.QPS), 100, 250, "+150 %, 2.5 times as much"},
		{metricOf(sweep.P99), 10, 8, "20 % faster"},
		{metricOf(sweep.P99), 100, 230, "+130 %, 2.3 times the latency"},
		{metricOf(sweep.PacedP50), 100, 109.94, "9.9 % slower"},
		{metricOf(sweep.PacedP50), 100, 109.96, "10 % slower"},
		{metricOf(sweep.PeakRSS), 100, 130, "30 % more"},
		{metricOf(sweep.PeakRSS), 100, 95, "5.0 % less"},
		{metricOf(sweep.BuildSize), 100, 150, "50 % larger"},
		{metricOf(sweep.ErrorShare), 0.1, 0.15, "50 % more"},
		{metricOf(sweep.CPUPerRequest), 10, 9, "10 % less"},
		{metricOf(sweep.Startup), 10, 12, "20 % slower"},
		{own, 100, 120, "20 % higher (worse)"},
		{own, 100, 80, "20 % lower (better)"},
		{gain, 100, 80, "20 % lower (worse)"},
	} {
		if got := wordingOf(c.m).change(c.new/c.old - 1); got != c.want {
			t.Errorf("%s from %v to %v: %q, want %q", c.m.Key, c.old, c.new, got, c.want)
		}
	}
}

// A metric's name and what is said of it do not say the same word twice; where
// the name is not beside it, a change says what it is of.
func TestNoMetricIsNamedTwice(t *testing.T) {
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	}
	for _, m := range sweep.Metrics {
		for _, change := range []float64{0.66, -0.3, 1.5} {
			text := FindingText(sweep.Finding{Metric: m, From: "1", To: "2", Change: change, Lo: math.NaN(), Hi: math.NaN()})
			said := map[string]bool{}
			for _, word := range words(text) {
				if said[word] {
					t.Errorf("%q says %q twice", text, word)
				}
				said[word] = true
			}
		}
	}
	for want, m := range map[string]string{
		"66 % more memory": sweep.PeakRSS, "66 % more CPU per request": sweep.CPUPerRequest, "66 % slower to start": sweep.Startup,
		"66 % larger build": sweep.BuildSize, "66 % more errors": sweep.ErrorShare, "66 % slower": sweep.P99, "66 % faster": sweep.QPS,
	} {
		if got := ChangeWords(metricOf(m), 0.66, math.NaN(), math.NaN()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := ChangeWords(metricOf(sweep.PeakRSS), 1.5, math.NaN(), math.NaN()); got != "+150 %, 2.5 times the memory" {
		t.Errorf("%q", got)
	}
}

// A step found over many samples may be smaller than what two neighbours alone
// could have shown: the figure says what it is of.
func TestFooterSaysWhatItsSmallestChangeIsOf(t *testing.T) {
	j := sweep.Judgement{SmallestEffect: map[string]float64{sweep.QPS: 0.08, sweep.PeakRSS: 0.02}, Lasting: map[string]bool{sweep.PeakRSS: true}}
	lines := strings.Join(judgementFooter(j), "\n")
	for _, want := range []string{
		"smallest change between two neighbouring versions that would have been seen (with 80 % power; a step that more versions bear out can be smaller): throughput 8.0 %\n",
		"smallest lasting change that would have been seen (with 80 % power, in the middle): peak memory 2.0 %",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, lines)
		}
	}
}

func TestIntervalWords(t *testing.T) {
	for _, c := range []struct {
		change, lo, hi float64
		want           string
	}{
		{-0.03, -0.042, -0.019, "1.9 to 4.2 %"},
		{0.3, 0.21, 0.4, "21 to 40 %"},
		{-0.01, -0.042, 0.019, "-4.2 to +1.9 %"},
		{1.3, 1.1, 1.5, "+110 to +150 %"},
		{0, 0, 0, "0.0 to 0.0 %"},
	} {
		if got := intervalWords(c.change, c.lo, c.hi); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// What was 0 has no percentage (S6), and nothing is called surer than it is.
func TestFindingWords(t *testing.T) {
	words := map[string]string{}
	for _, f := range nodeJudgement().Findings {
		words[f.ID] = findingWords(f)
	}
	for id, want := range map[string]string{
		"node-qps-18.20.8":            "3.0 % slower since 18.20.8 (95 % interval 1.9 to 4.2 %), confidence 99.8 %",
		"node-peak_rss_bytes-18.20.8": "+204 %, 3.0 times as much, since 18.20.8 (95 % interval +190 to +220 %), confidence over 99.9 %",
		"node-error_share-9.11.2":     "new since 9.11.2, 0 before, confidence 99.8 %",
		"node-error_share-10.24.1":    "0 since 10.24.1, confidence 99.8 %",
		"node-p50-14.21.3":            "8.2 % slower from 10.24.1 to 14.21.3 in small steps (95 % interval 6.1 to 10.4 %), confidence 99.8 %",
		"node-startup-21.7.3":         "1.1 % slower since 21.7.3 (95 % interval 0.4 to 1.8 %)",
	} {
		if words[id] != want {
			t.Errorf("%s: %q, want %q", id, words[id], want)
		}
	}
	if got := confidenceWords(sweep.Finding{Confidence: 0.9499}); got != ", confidence 94.9 %" {
		t.Errorf("%q", got)
	}
}

func TestFindingsOfForeignText(t *testing.T) {
	evil := "\x1b[31m\u202ered\nsecond line"
	j := nodeJudgement()
	j.Title, j.Reference, j.Warnings = evil, evil, []string{evil}
	j.Joint = map[string]string{evil: evil}
	j.Versions[0].Name = evil
	for i := range j.Findings {
		f := &j.Findings[i]
		f.ID, f.From, f.To, f.PlaceLo, f.RecoveredIn, f.Notes = evil, evil, evil, evil, evil, []string{evil}
		f.Metric.Key, f.Metric.Title = evil, evil
	}
	j.NotMeasured = []sweep.Outcome{{Version: evil, Reason: evil}}
	j.Neighbours[0].From = evil
	for _, r := range findingsText(t, j, FindingsOptions{}) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U reaches the terminal", r)
		}
	}
}

func TestFindingsPassOnWriteErrors(t *testing.T) {
	full := errors.New("disk full")
	w := writerFunc(func([]byte) (int, error) { return 0, full })
	if err := WriteFindings(w, nodeJudgement(), FindingsOptions{}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
}

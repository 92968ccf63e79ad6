package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"versweep/sweep/load"
)

// figures is a sweep of another tool: for each metric the values of each version
// by round. NaN is no sample, an empty row a version that could not be measured.
func figures(id int64, metrics map[string][][]float64) Sweep {
	sw := Sweep{ID: id, Plan: Plan{
		Target: "x", Title: "X", Source: "csv", Rounds: 1, Profile: load.Profile{Shape: load.ShapeForeign},
		Foreign: &Foreign{Format: "csv", File: "x.csv"},
	}}
	places := 0
	for key, rows := range metrics {
		places = max(places, len(rows))
		if _, known := MetricByKey(key); !known {
			sw.Plan.Foreign.Metrics = append(sw.Plan.Foreign.Metrics, Metric{Key: key, Title: key, Better: Lower})
		}
	}
	slices.SortFunc(sw.Plan.Foreign.Metrics, CompareMetrics)
	for i := range places {
		v, err := ParseVersion(fmt.Sprintf("1.%d.0", i), LineByMajor)
		if err != nil {
			panic(err)
		}
		sw.Plan.Versions = append(sw.Plan.Versions, v)
		samples := map[int]*Sample{}
		for key, rows := range metrics {
			if i >= len(rows) {
				continue
			}
			for round, value := range rows[i] {
				if math.IsNaN(value) {
					continue
				}
				if samples[round] == nil {
					samples[round] = &Sample{Round: round + 1, Version: v.Name, Status: OK, Values: map[string]float64{}}
				}
				samples[round].Values[key] = value
			}
		}
		o := Outcome{Version: v.Name}
		if len(samples) == 0 {
			o.Reason = "no value in the file"
		}
		sw.Outcomes = append(sw.Outcomes, o)
		for _, round := range slices.Sorted(keys(samples)) {
			sw.Plan.Rounds = max(sw.Plan.Rounds, round+1)
			sw.Samples = append(sw.Samples, *samples[round])
		}
	}
	return sw
}

// column has a value a version, one sample each.
func column(values ...float64) [][]float64 {
	var rows [][]float64
	for _, v := range values {
		if math.IsNaN(v) {
			rows = append(rows, nil)
			continue
		}
		rows = append(rows, []float64{v})
	}
	return rows
}

// noisyRows are n versions over rounds around level, with drift of 5 % a round and
// noise of sd a sample; shift says by how much a version differs, as a logarithm.
func noisyRows(seed uint64, n, rounds int, level, sd float64, shift func(version int) float64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 2))
	rows := make([][]float64, n)
	for range rounds {
		drift := 0.05 * rng.NormFloat64()
		for v := range rows {
			rows[v] = append(rows[v], level*math.Exp(drift+sd*rng.NormFloat64()+shift(v)))
		}
	}
	return rows
}

func level(int) float64 { return 0 }

// after shifts all versions from at on.
func after(at int, by float64) func(int) float64 {
	return func(v int) float64 {
		if v >= at {
			return by
		}
		return 0
	}
}

// said lists findings as "metric to verdict kind".
func said(j Judgement) []string {
	var out []string
	for _, f := range j.Findings {
		out = append(out, fmt.Sprintf("%s %s %s %s", f.Metric.Key, f.To, f.Kind, f.Verdict))
	}
	return out
}

func TestJudge(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		metrics map[string][][]float64
		effect  float64
		want    []string
	}{
		{"S1: two versions without overlap", map[string][][]float64{QPS: {{115, 114, 115, 115, 115}, {78.8, 78.8, 78.8, 78.8, 78.8}}}, 0,
			[]string{"qps 1.1.0 step regression"}},
		{"S1: a step without noise", map[string][][]float64{QPS: column(append(slices.Repeat([]float64{50}, 15), slices.Repeat([]float64{100}, 15)...)...)}, 0,
			[]string{"qps 1.15.0 step improvement"}},
		{"S1: all equal", map[string][][]float64{QPS: column(slices.Repeat([]float64{50}, 30)...)}, 0, nil},
		{"S1: below the smallest effect", map[string][][]float64{QPS: column(append(slices.Repeat([]float64{50}, 15), slices.Repeat([]float64{50.000000001}, 15)...)...)}, 0, nil},
		{"S2: a spike", map[string][][]float64{QPS: column(100, 101, 99, 100, 100, 60, 101, 99, 100, 100, 101, 99)}, 0, nil},
		{"S4: slow creep", map[string][][]float64{P99: column(1.00, 1.04, 1.08, 1.12, 1.17, 1.21)}, 0.05,
			[]string{"p99_ms 1.5.0 creep regression"}},
		{"S6: errors that come", map[string][][]float64{"failures": column(0, 0, 12, 12)}, 0, []string{"failures 1.2.0 onset regression"}},
		{"S6: errors that go", map[string][][]float64{"failures": column(12, 0, 0)}, 0, []string{"failures 1.1.0 onset improvement"}},
		{"S6: no errors", map[string][][]float64{"failures": column(0, 0, 0)}, 0, nil},
		{"S8: lower is better", map[string][][]float64{P99: noisyRows(1, 2, 10, 10, 0.02, after(1, math.Log(0.8)))}, 0,
			[]string{"p99_ms 1.1.0 step improvement"}},
		{"S13: a step across holes", map[string][][]float64{QPS: column(100, 101, nan, nan, 80, 81, 79, 80, 80)}, 0,
			[]string{"qps 1.4.0 step regression"}},
		{"a change of exactly the smallest effect", map[string][][]float64{QPS: noisyRows(3, 20, 12, 1e4, 0.02, after(10, math.Log(0.97)))}, 0,
			[]string{"qps 1.10.0 step regression"}},
		{"a change far below it", map[string][][]float64{QPS: noisyRows(3, 20, 12, 1e4, 0.002, after(10, math.Log(0.99)))}, 0, nil},
		{"nothing at all", map[string][][]float64{QPS: {nil, nil}}, 0, nil},
		{"all failed but one", map[string][][]float64{QPS: {nil, {1, 2, 3, 4, 5}, nil}}, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := Judge([]Sweep{figures(1, c.metrics)}, JudgeOptions{Effect: c.effect})
			if got := said(j); !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func TestChangeIsNewOverOld(t *testing.T) {
	j := Judge([]Sweep{figures(1, map[string][][]float64{P50: noisyRows(1, 2, 10, 100, 0.01, after(1, math.Log(2.3)))})}, JudgeOptions{})
	if len(j.Findings) != 1 || math.Abs(j.Findings[0].Change-1.3) > 0.05 || !(j.Findings[0].Lo < 1.3 && j.Findings[0].Hi > 1.3) {
		t.Errorf("%+v, want a change of +130 %%", j.Findings)
	}
}

func TestSpikeAtTheEndIsUnconfirmed(t *testing.T) {
	j := Judge([]Sweep{figures(1, map[string][][]float64{QPS: column(100, 101, 99, 100, 100, 101, 101, 99, 100, 100, 101, 60)})}, JudgeOptions{})
	if len(j.Findings) > 0 {
		t.Fatalf("found %q", said(j))
	}
	undecided := j.Undecided()
	if len(undecided) != 1 || undecided[0].To != "1.11.0" || undecided[0].RoundsNeeded < 1 || !strings.Contains(strings.Join(j.Warnings, "\n"), "unconfirmed") {
		t.Errorf("undecided %+v, warnings %q", undecided, j.Warnings)
	}
}

func TestHolesAreNamed(t *testing.T) {
	nan := math.NaN()
	j := Judge([]Sweep{figures(1, map[string][][]float64{QPS: column(100, 101, nan, nan, 80, 81, 79, 80, 80)})}, JudgeOptions{})
	if len(j.Findings) != 1 || j.Findings[0].From != "1.1.0" || !strings.Contains(strings.Join(j.Findings[0].Notes, "\n"), "1.2.0, 1.3.0 not measured") {
		t.Errorf("%+v", j.Findings)
	}
	if len(j.NotMeasured) != 2 {
		t.Errorf("not measured: %+v", j.NotMeasured)
	}
}

func TestOtherMachinesAreNotCompared(t *testing.T) {
	a := figures(1, map[string][][]float64{QPS: noisyRows(1, 10, 1, 100, 0.01, level)})
	b := figures(2, map[string][][]float64{QPS: append(make([][]float64, 10), noisyRows(2, 10, 1, 85, 0.01, level)...)})
	b.Plan.Versions, b.Outcomes = b.Plan.Versions[10:], b.Outcomes[10:]
	a.Environment.Name, b.Environment.Name = "host A", "host B"
	j := Judge([]Sweep{a, b}, JudgeOptions{})
	if len(j.Findings) > 0 || len(j.Warnings) != 1 {
		t.Errorf("found %q, warnings %q: want one warning", said(j), j.Warnings)
	}
}

// The unit of replication is the run: what varies within runs says nothing.
func TestRunsThatDifferAreNoise(t *testing.T) {
	alarms := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		rows := make([][]float64, 20)
		for v := range rows {
			for range 3 {
				rows[v] = append(rows[v], 100*(1+0.12*rng.NormFloat64()))
			}
		}
		n := len(Judge([]Sweep{figures(1, map[string][][]float64{QPS: rows})}, JudgeOptions{}).Findings)
		if n > 1 {
			t.Errorf("seed %d: %d findings", seed, n)
		}
		alarms += min(n, 1)
	}
	if alarms > 3 {
		t.Errorf("%d of 20 sweeps raise an alarm", alarms)
	}
}

func TestManyMetricsShareTheErrorRate(t *testing.T) {
	alarms := 0
	const sweeps = 50
	for seed := range uint64(sweeps) {
		metrics := map[string][][]float64{}
		for m := range 40 {
			metrics[fmt.Sprintf("metric%02d", m)] = noisyRows(1000*seed+uint64(m), 12, 5, 100, 0.05, level)
		}
		alarms += min(1, len(Judge([]Sweep{figures(1, metrics)}, JudgeOptions{}).Findings))
	}
	if alarms > sweeps/10 {
		t.Errorf("%d of %d sweeps of 40 metrics without a change raise an alarm", alarms, sweeps)
	}
}

func TestHostDriftIsSuspected(t *testing.T) {
	metrics := map[string][][]float64{}
	for m := range 8 {
		metrics[fmt.Sprintf("metric%d", m)] = noisyRows(uint64(m), 30, 1, 100, 0.01, after(15, 0.2))
	}
	j := Judge([]Sweep{figures(1, metrics)}, JudgeOptions{})
	if len(j.Findings) != 8 || !strings.Contains(strings.Join(j.Warnings, "\n"), "host drift?") {
		t.Errorf("found %q, warnings %q", said(j), j.Warnings)
	}
}

func TestRecoveredRegressionsStayInTheHistory(t *testing.T) {
	dip := func(v int) float64 { return after(8, -0.1)(v) + after(14, 0.1)(v) }
	j := Judge([]Sweep{figures(1, map[string][][]float64{QPS: noisyRows(5, 20, 8, 1e4, 0.02, dip)})}, JudgeOptions{})
	if want := []string{"qps 1.8.0 step regression", "qps 1.14.0 step improvement"}; !slices.Equal(said(j), want) {
		t.Fatalf("found %q, want %q", said(j), want)
	}
	if f := j.Findings[0]; f.State != Recovered || f.RecoveredIn != "1.14.0" || f.Counts(0) {
		t.Errorf("%+v, want one that recovered in 1.14.0", f)
	}
}

func TestSmallStepsAddUp(t *testing.T) {
	slow := func(v int) float64 { return -0.012 * float64(v/3) } // each within 3 %
	j := Judge([]Sweep{figures(1, map[string][][]float64{QPS: noisyRows(5, 18, 20, 1e4, 0.003, slow)})}, JudgeOptions{})
	if want := []string{"qps 1.17.0 creep regression"}; !slices.Equal(said(j), want) {
		t.Fatalf("found %q, want %q", said(j), want)
	}
	if f := j.Findings[0]; math.Abs(f.Change-math.Expm1(-0.06)) > 0.01 {
		t.Errorf("%+v, want -5.8 %%", f)
	}
}

func TestJointVerdictNamesAllMetrics(t *testing.T) {
	j := Judge([]Sweep{figures(1, map[string][][]float64{
		QPS:           noisyRows(1, 12, 8, 1e4, 0.01, level),
		PeakRSS:       noisyRows(2, 12, 8, 5e7, 0.01, after(6, math.Log(3))),
		CPUPerRequest: noisyRows(3, 12, 8, 20, 0.01, level),
	})}, JudgeOptions{})
	if got, want := j.Joint["1.6.0"], "no faster, three times the memory"; got != want {
		t.Errorf("joint verdict %q, want %q (findings %q)", got, want, said(j))
	}
}

func TestWitnessThatDisagreesIsNamed(t *testing.T) {
	j := Judge([]Sweep{figures(1, map[string][][]float64{
		QPS:           noisyRows(1, 12, 8, 1e4, 0.01, after(6, -0.1)),
		CPUPerRequest: noisyRows(3, 12, 8, 20, 0.01, level),
	})}, JudgeOptions{})
	if len(j.Findings) != 1 || !strings.Contains(strings.Join(j.Findings[0].Notes, "\n"), "witnesses disagree") {
		t.Errorf("%+v", j.Findings)
	}
	j = Judge([]Sweep{figures(1, map[string][][]float64{
		QPS:           noisyRows(1, 12, 8, 1e4, 0.01, after(6, -0.1)),
		CPUPerRequest: noisyRows(3, 12, 8, 20, 0.01, after(6, 0.1)),
	})}, JudgeOptions{})
	if len(j.Findings) != 2 || len(j.Findings[0].Notes) > 0 {
		t.Errorf("witnesses that agree: %+v", j.Findings)
	}
	// One release that is slow, by both, beside its end: each step has its own witness.
	spike := func(size float64) func(int) float64 {
		return func(v int) float64 {
			if v == 6 {
				return size
			}
			return 0
		}
	}
	j = Judge([]Sweep{figures(1, map[string][][]float64{
		QPS:           noisyRows(1, 12, 8, 1e4, 0.01, spike(-1.6)),
		CPUPerRequest: noisyRows(3, 12, 8, 20, 0.01, spike(0.5)),
	})}, JudgeOptions{})
	for _, f := range j.Findings {
		if strings.Contains(strings.Join(f.Notes, "\n"), "witnesses disagree") {
			t.Errorf("witnesses that agree about a spike: %s %s: %q", f.Metric.Key, f.To, f.Notes)
		}
	}
	if len(j.Findings) < 2 {
		t.Errorf("a spike: %q", said(j))
	}
}

// measuredSweep is a sweep of versions as versweep takes them, with reference
// and twin, on a machine.
func measuredSweep(id int64, seed uint64, machine string, base float64, names []string, shift func(name string) float64, rounds int) Sweep {
	rng := rand.New(rand.NewPCG(seed, 4))
	const reference = "2.0.0"
	sw := Sweep{ID: id, Plan: Plan{Target: "x", Title: "X", Source: "npm", Reference: reference, Rounds: rounds, Profile: load.Profile{Shape: load.ShapeClosed}}}
	sw.Environment.CPU = machine
	for _, name := range names {
		v, err := ParseVersion(name, LineByMajor)
		if err != nil {
			panic(err)
		}
		sw.Plan.Versions = append(sw.Plan.Versions, v)
		sw.Outcomes = append(sw.Outcomes, Outcome{Version: name})
	}
	for round := 1; round <= rounds; round++ {
		drift := 0.03 * rng.NormFloat64()
		for _, name := range append(slices.Clone(names), reference) {
			twin := name == reference && len(sw.Samples) > 0 && slices.ContainsFunc(sw.Samples, func(s Sample) bool { return s.Round == round && s.Version == name })
			qps := base * math.Exp(drift+0.015*rng.NormFloat64()+shift(name))
			sw.Samples = append(sw.Samples, Sample{Round: round, Version: name, Twin: twin, Status: OK, Values: map[string]float64{QPS: qps}})
		}
	}
	return sw
}

func TestMachinesAreJoinedByTheReferenceOnly(t *testing.T) {
	old := []string{"1.0.0", "1.1.0", "2.0.0"}
	new := []string{"2.0.0", "2.1.0", "2.2.0"}
	slower := func(name string) float64 {
		if name >= "2.1.0" {
			return -0.1
		}
		return 0
	}
	a := measuredSweep(1, 1, "quick", 1e5, old, slower, 8)
	b := measuredSweep(2, 2, "slow", 5e4, new, slower, 8)
	j := Judge([]Sweep{a, b}, JudgeOptions{})
	if want := []string{"qps 2.1.0 step regression"}; !slices.Equal(said(j), want) {
		t.Errorf("found %q, want %q: half the speed is the machine's, a tenth the version's", said(j), want)
	}
	// Without a version that both machines measured, the step would be a seam.
	jumped := func(name string) float64 { return map[bool]float64{true: -0.1}[name == "1.0.0" || name == "1.1.0"] }
	a = measuredSweep(1, 11, "quick", 1e5, []string{"1.0.0", "1.1.0", "2.0.0"}, jumped, 8)
	b = measuredSweep(2, 2, "slow", 5e4, []string{"1.2.0", "1.3.0", "2.0.0"}, level2, 8)
	j = Judge([]Sweep{a, b}, JudgeOptions{})
	if want := []string{"qps 1.2.0 seam environment change"}; !slices.Equal(said(j), want) {
		t.Errorf("found %q, want %q: %+v", said(j), want, j.Findings)
	}
}

func level2(string) float64 { return 0 }

func TestReferenceThatMovesIsAnEnvironmentChange(t *testing.T) {
	names := []string{"1.0.0", "1.1.0", "2.0.0"}
	a := measuredSweep(1, 1, "same", 1e5, names, level2, 10)
	b := measuredSweep(2, 2, "same", 8e4, names, level2, 10)
	j := Judge([]Sweep{a, b}, JudgeOptions{})
	if want := []string{"qps 2.0.0 seam environment change"}; !slices.Equal(said(j), want) {
		t.Fatalf("found %q, want %q", said(j), want)
	}
	if j.Findings[0].Counts(0) {
		t.Error("an environment change counts as a regression")
	}
}

func TestJudgingIsDeterministic(t *testing.T) {
	sw := measuredSweep(1, 1, "same", 1e5, []string{"1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"}, func(n string) float64 {
		return map[bool]float64{true: 0.1}[n == "2.0.0"]
	}, 10)
	want := fmt.Sprintf("%#v", Judge([]Sweep{sw}, JudgeOptions{}))
	for range 3 {
		if got := fmt.Sprintf("%#v", Judge([]Sweep{sw}, JudgeOptions{})); got != want {
			t.Fatal("the same samples are judged differently")
		}
	}
}

func TestAcknowledgementsFollowAFindingThatMoves(t *testing.T) {
	j := Judge([]Sweep{figures(1, map[string][][]float64{QPS: noisyRows(5, 20, 8, 1e4, 0.02, after(10, -0.1))})}, JudgeOptions{})
	if len(j.Findings) != 1 {
		t.Fatalf("found %q", said(j))
	}
	f := j.Findings[0]
	ack := Acknowledgement{ID: f.ID, Target: "x", Metric: QPS, From: f.From, To: f.To, Verdict: Regression, State: Expected, Note: "TLS on"}
	other := ack
	other.Metric, other.ID = P99, "x-p99_ms-1.10.0"
	ApplyAcknowledgements(&j, []Acknowledgement{other})
	if j.Findings[0].State != Open {
		t.Error("another metric's acknowledgement counts")
	}
	ApplyAcknowledgements(&j, []Acknowledgement{ack})
	if got := j.Findings[0]; got.State != Expected || got.Counts(0) || !slices.Contains(got.Notes, "expected: TLS on") {
		t.Errorf("%+v", got)
	}
}

func TestCompareReleases(t *testing.T) {
	sw := figures(1, map[string][][]float64{
		QPS:     noisyRows(1, 6, 10, 1e4, 0.01, after(3, -0.1)),
		PeakRSS: noisyRows(2, 6, 10, 5e7, 0.01, after(4, math.Log(1.5))),
		P50:     noisyRows(7, 6, 10, 2, 0.01, level),
	})
	sw.Outcomes[1].Build.Bundled = map[string]string{"v8": "11.3", "openssl": "3.0"}
	sw.Outcomes[5].Build.Bundled = map[string]string{"v8": "12.4", "openssl": "3.0"}
	r, err := CompareReleases([]Sweep{sw}, "1.1.0", "1.5.0", JudgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []Verdict
	for _, c := range r.Comparisons {
		verdicts = append(verdicts, c.Verdict)
	}
	if want := []Verdict{Regression, NoChange, Regression}; !slices.Equal(verdicts, want) {
		t.Errorf("verdicts %q, want %q", verdicts, want)
	}
	if !strings.HasPrefix(r.Verdict, "9.") || !strings.HasSuffix(r.Verdict, "% more memory") {
		t.Errorf("verdict %q", r.Verdict)
	}
	if want := []ComponentChange{{"v8", "11.3", "12.4"}}; !reflect.DeepEqual(r.Bundled, want) {
		t.Errorf("bundled %v, want %v", r.Bundled, want)
	}
	if len(r.Between) != 3 || len(r.Findings) != 2 || r.Samples != 20 {
		t.Errorf("between %v, findings %v, %d samples", r.Between, r.Findings, r.Samples)
	}
	if _, err := CompareReleases([]Sweep{sw}, "1.1.0", "1.9.0", JudgeOptions{}); err == nil || !strings.Contains(err.Error(), `"1.9.0"`) {
		t.Errorf("an unknown version: %v", err)
	}
}

func BenchmarkJudge1000By30(b *testing.B) {
	sw := figures(1, map[string][][]float64{QPS: noisyRows(1, 1000, 30, 1e4, 0.04, after(500, -0.05))})
	for b.Loop() {
		Judge([]Sweep{sw}, JudgeOptions{})
	}
}

func BenchmarkJudge10000Single(b *testing.B) {
	sw := figures(1, map[string][][]float64{QPS: noisyRows(1, 10000, 1, 1e4, 0.04, after(5000, -0.05))})
	for b.Loop() {
		Judge([]Sweep{sw}, JudgeOptions{})
	}
}

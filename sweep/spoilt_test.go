package sweep

import (
	"slices"
	"strings"
	"testing"
)

// builds is a sweep of some versions over rounds with throughput and build sizes, in
// which the machine spoilt every sample of some versions, and the figures with it.
func builds(sizes []float64, rounds int, spoilt ...int) Sweep {
	var qps, bytes [][]float64
	for v, size := range sizes {
		row := make([]float64, rounds)
		for r := range row {
			row[r] = 1000 + float64((7*r+3*v)%11)
			if slices.Contains(spoilt, v) {
				row[r] /= 10
			}
		}
		qps, bytes = append(qps, row), append(bytes, slices.Repeat([]float64{size}, rounds))
	}
	sw := figures(1, map[string][][]float64{QPS: qps, BuildSize: bytes})
	for i, s := range sw.Samples {
		for _, v := range spoilt {
			if s.Version == sw.Plan.Versions[v].Name {
				sw.Samples[i].Marks = []Mark{{OtherWork, "other processes took 60 % of the server's CPU", true}}
			}
		}
	}
	return sw
}

// A busy machine spoils what is measured of the running server, and not the size of
// its build: that stays in verdicts, and so in the place where it changed.
func TestBuildSizeOutlivesASpoiltSample(t *testing.T) {
	j := Judge([]Sweep{builds([]float64{1e6, 1e6, 2e6, 2e6}, 6, 2)}, JudgeOptions{})
	if got := said(j); !slices.Equal(got, []string{"build_bytes 1.2.0 step regression"}) {
		t.Errorf("found %v", got)
	}
	if len(j.NotMeasured) != 1 || j.NotMeasured[0].Version != "1.2.0" {
		t.Errorf("not measured %v", j.NotMeasured)
	}
	j = Judge([]Sweep{builds([]float64{1e6, 1e6, 2e6, 2e6}, 6, 2)}, JudgeOptions{Metrics: []string{BuildSize}})
	if len(said(j)) != 1 || len(j.NotMeasured) != 0 {
		t.Errorf("asked for the build size alone: found %v, not measured %v", said(j), j.NotMeasured)
	}
}

// Fresh rounds that the machine spoils confirm the size of a build all the same, and
// nothing else.
func TestSpoiltRoundsCompareBuilds(t *testing.T) {
	sw := builds([]float64{1e6, 2e6}, 6, 0, 1)
	c, ok := CompareInSweep(sw, "1.0.0", "1.1.0", BuildSize, JudgeOptions{})
	if !ok || c.Verdict != Regression || c.Pairs != 6 {
		t.Errorf("%v, %s over %d rounds", ok, c.Verdict, c.Pairs)
	}
	if c, ok := CompareInSweep(sw, "1.0.0", "1.1.0", QPS, JudgeOptions{}); ok {
		t.Errorf("throughput is compared: %+v", c)
	}
}

// Where every sample is spoilt there is nothing to spend rounds on, and no throughput.
func TestSpoiltSweepIsNotSettledByItsBuilds(t *testing.T) {
	sw := builds([]float64{1e6, 1e6, 2e6}, 6, 0, 1, 2)
	if got := levelComparisons(sw); len(got) != 0 {
		t.Errorf("settled by %v", got)
	}
	j := Judge([]Sweep{sw}, JudgeOptions{})
	if len(j.NotMeasured) != 3 || len(j.Metrics) != 1 {
		t.Errorf("not measured %v, metrics %v", j.NotMeasured, j.Metrics)
	}
}

func TestTableKeepsBuildSizesOfSpoiltSamples(t *testing.T) {
	sw := builds([]float64{1e6, 2e6}, 4, 1)
	for i, s := range sw.Samples {
		if s.Version == "1.1.0" && s.Round == 1 {
			sw.Samples[i].Marks = nil
		}
	}
	row := NewTable(sw).Rows[1]
	if row.Metrics[QPS].Samples != 1 || row.Metrics[BuildSize].Samples != 4 || row.LeftOut != 3 {
		t.Errorf("%d figures of throughput, %d of the build size, %d left out", row.Metrics[QPS].Samples, row.Metrics[BuildSize].Samples, row.LeftOut)
	}
	row = NewTable(builds([]float64{1e6, 2e6}, 4, 1)).Rows[1]
	if row.Status != Degraded || !strings.Contains(row.Reason, "only the build size can carry a verdict") {
		t.Errorf("%s: %s", row.Status, row.Reason)
	}
}

// What Judgement.SmallestEffect is of: two neighbours by themselves, or a change that
// lasts where a version has one sample.
func TestSmallestEffectSaysWhatItIsOf(t *testing.T) {
	rounds := Judge([]Sweep{figures(1, map[string][][]float64{QPS: noisyRows(3, 6, 6, 1000, 0.02, level)})}, JudgeOptions{})
	single := Judge([]Sweep{figures(1, map[string][][]float64{QPS: noisyRows(3, 12, 1, 1000, 0.02, level)})}, JudgeOptions{})
	if rounds.SmallestEffect[QPS] == 0 || rounds.Lasting[QPS] || single.SmallestEffect[QPS] == 0 || !single.Lasting[QPS] {
		t.Errorf("rounds: %v lasting %v; single values: %v lasting %v", rounds.SmallestEffect, rounds.Lasting, single.SmallestEffect, single.Lasting)
	}
}

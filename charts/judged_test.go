package charts

import (
	"math"
	"math/rand/v2"
	"strings"

	"versweep/sweep"
)

// judgedTable has four lines of Node with changes in some places, and what a
// judgement says of them.
func judgedTable() (sweep.Table, sweep.Judgement) {
	names := strings.Fields(`18.12.1 18.13.0 18.14.2 18.15.0 18.16.1 18.17.1 18.18.2 18.19.1 18.20.8
		20.0.0 20.1.0 20.2.0 20.3.1 20.4.0 20.5.1 20.6.1 20.7.0 20.8.1 20.9.0 20.10.0 20.11.1 20.12.2 20.13.1 20.14.0 20.15.1
		20.16.0 20.17.0 20.18.3 20.19.4 20.20.2 22.0.0 22.1.0 22.2.0 22.3.0 22.4.1 22.5.1 22.6.0 22.7.0 22.8.0 22.9.0 22.10.0
		22.11.0 22.12.0 22.13.1 22.14.0 22.15.1 22.16.0 22.17.1 22.18.0`)
	noise := rand.New(rand.NewPCG(11, 12))
	var qps []float64
	for i := range names {
		level := 31900.0
		switch {
		case i >= 40:
			level = 43100
		case i >= 30:
			level = 41300
		case i >= 14 && i < 17:
			level = 35100
		case i >= 9:
			level = 38200
		}
		qps = append(qps, level*(1+0.006*noise.NormFloat64()))
	}
	t := tableOf(names, qps)
	fail(&t, "20.10.0", "exit status 1")
	qpsMetric, _ := sweep.MetricByKey(sweep.QPS)
	rss, _ := sweep.MetricByKey(sweep.PeakRSS)
	j := sweep.Judgement{
		Target: "node", Title: "Node.js", Reference: "22.18.0", Effect: 0.03,
		SmallestEffect: map[string]float64{sweep.QPS: 0.024, sweep.PeakRSS: 0.011},
		Findings: []sweep.Finding{
			{ID: "a", Kind: sweep.KindStep, Metric: qpsMetric, From: "18.20.8", To: "20.0.0", Verdict: sweep.Improvement, State: sweep.Open, Change: 0.197, Lo: 0.184, Hi: 0.211},
			{ID: "b", Kind: sweep.KindStep, Metric: qpsMetric, From: "20.4.0", To: "20.5.1", Verdict: sweep.Regression, State: sweep.Recovered, RecoveredIn: "20.8.1", Change: -0.081, Lo: -0.097, Hi: -0.066},
			{ID: "c", Kind: sweep.KindSeam, From: "20.15.1", To: "20.16.0", Verdict: sweep.EnvironmentChange, Change: math.NaN(), Lo: math.NaN(), Hi: math.NaN()},
			{ID: "d", Kind: sweep.KindStep, Metric: qpsMetric, From: "20.20.2", To: "22.0.0", Verdict: sweep.Improvement, State: sweep.Expected, Change: 0.081, Lo: 0.07, Hi: 0.093},
			{ID: "e", Kind: sweep.KindStep, Metric: qpsMetric, From: "22.9.0", To: "22.10.0", Verdict: sweep.Improvement, State: sweep.Open, Change: 0.0435, Lo: 0.031, Hi: 0.056, PlaceLo: "22.9.0", PlaceHi: "22.12.0"},
			{ID: "f", Kind: sweep.KindCreep, Metric: rss, From: "20.0.0", To: "22.18.0", Verdict: sweep.Regression, State: sweep.Open, Change: 0.075, Lo: 0.06, Hi: 0.09},
		},
	}
	for i := 1; i < len(t.Rows); i++ {
		a, okA := t.Rows[i-1].Metrics[sweep.QPS]
		b, okB := t.Rows[i].Metrics[sweep.QPS]
		c := sweep.Comparison{Metric: qpsMetric, From: names[i-1], To: names[i], Verdict: sweep.NotMeasured, Change: math.NaN(), Lo: math.NaN(), Hi: math.NaN(), P: math.NaN()}
		if okA && okB {
			c.Change = b.Median/a.Median - 1
			c.Lo, c.Hi, c.Pairs, c.Old, c.New = c.Change-0.012, c.Change+0.012, 5, a, b
			switch {
			case c.Lo > 0.01:
				c.Verdict = sweep.Improvement
			case c.Hi < -0.01:
				c.Verdict = sweep.Regression
			case math.Abs(c.Change) > 0.015:
				c.Verdict, c.RoundsNeeded = sweep.Undecided, 4
			default:
				c.Verdict = sweep.NoChange
			}
		}
		j.Neighbours = append(j.Neighbours, c)
	}
	return t, j
}

// manyJudged is n versions with a change at every so many.
func manyJudged(n, every int) (sweep.Table, sweep.Judgement) {
	t := manyTable(n)
	m, _ := sweep.MetricByKey(sweep.QPS)
	j := sweep.Judgement{SmallestEffect: map[string]float64{sweep.QPS: 0.02}}
	for i := every; i < len(t.Rows); i += every {
		f := sweep.Finding{Kind: sweep.KindStep, Metric: m, From: t.Rows[i-1].Version.Name, To: t.Rows[i].Version.Name,
			Verdict: sweep.Regression, State: sweep.Open, Change: -0.03, Lo: -0.042, Hi: -0.019}
		if i%2 == 0 {
			f.Verdict, f.Change, f.Lo, f.Hi = sweep.Improvement, 0.05, 0.031, 0.066
		}
		j.Findings = append(j.Findings, f)
	}
	return t, j
}

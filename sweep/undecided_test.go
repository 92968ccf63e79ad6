package sweep

import "testing"

func TestUndecidedOnceEach(t *testing.T) {
	qps, _ := MetricByKey(QPS)
	memory, _ := MetricByKey(PeakRSS)
	own := Metric{Key: "boots"}
	j := Judgement{
		Neighbours: []Comparison{
			{Metric: qps, From: "1", To: "2", Verdict: Undecided, RoundsNeeded: 7},
			{Metric: qps, From: "2", To: "3", Verdict: NoChange},
			{Metric: qps, From: "3", To: "4", Verdict: Undecided},
		},
		Newest: map[string]Comparison{
			"boots": {Metric: own, From: "1", To: "4", Verdict: Undecided},
			PeakRSS: {Metric: memory, From: "1", To: "4", Verdict: Undecided},
			QPS:     {Metric: qps, From: "3", To: "4", Verdict: Undecided}, // told as a neighbour
			P99:     {From: "1", To: "4", Verdict: Regression},
		},
		AgainstReference: map[string]map[string]Comparison{"2": {QPS: {Metric: qps, Verdict: Undecided}}},
	}
	var got string
	for _, c := range j.Undecided() {
		got += c.Metric.Key + " " + c.From + " " + c.To + "\n"
	}
	if want := "qps 1 2\nqps 3 4\npeak_rss_bytes 1 4\nboots 1 4\n"; got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

package charts

import (
	"math"
	"testing"

	"versweep/sweep"
)

// What pages draw themselves is what the picture shows.
func TestOutline(t *testing.T) {
	table, j := judgedTable()
	o := OutlineOf(table, &j)
	if len(o.Names) != len(table.Rows) || !o.Banded || len(o.Lines) != 3 || o.Lines[1] != (OutlineLine{"20.x", 9, 30}) {
		t.Errorf("%d names, lines %v", len(o.Names), o.Lines)
	}
	qps := o.Panels[0]
	if qps.Metric.Key != sweep.QPS || qps.Noise != 0.024 || qps.Reference != len(table.Rows)-1 || qps.Twin.Samples != 5 {
		t.Errorf("%s: noise %v, reference %d, twin %v", qps.Metric.Key, qps.Noise, qps.Reference, qps.Twin)
	}
	at := map[string]OutlineStep{}
	for _, s := range qps.Steps {
		at[s.Finding.ID] = s
	}
	if len(qps.Steps) != 4 || at["a"].At != 8.5 || at["e"].Earliest != 38.5 || at["e"].Latest != 41.5 || at["b"].Label != "-8.1 % (-9.7 to -6.6), recovered" {
		t.Errorf("steps %+v", qps.Steps)
	}
	if a := at["a"]; math.Abs(a.Height-(qps.Levels[0].Value+qps.Levels[1].Value)/2) > 1e-6 {
		t.Errorf("the first step is marked at %v, between %v", a.Height, qps.Levels[:2])
	}
	if len(qps.Seams) != 1 || qps.Seams[0] != 24.5 {
		t.Errorf("seams %v", qps.Seams)
	}
	for i, row := range table.Rows {
		p := qps.Points[i]
		if e := row.Metrics[sweep.QPS]; p.Samples != e.Samples || p.Median != e.Median || (p.Text == "") != (e.Samples == 0) {
			t.Errorf("%s: %+v, want %+v", row.Version.Name, p, e)
		}
	}
	for _, p := range o.Panels {
		if p.Metric.Key == sweep.PeakRSS && (p.Unit != "MiB" || len(p.Steps) != 1 || p.Steps[0].From != 9 || p.Points[0].Median > 1000) {
			t.Errorf("memory in %s: %v, steps %+v", p.Unit, p.Points[0], p.Steps)
		}
	}
	if bare := OutlineOf(table, nil); len(bare.Panels) != len(o.Panels) || len(bare.Panels[0].Steps)+len(bare.Panels[0].Levels) != 0 {
		t.Error("without a judgement there are changes")
	}
	if none := OutlineOf(sweep.Table{}, nil); len(none.Panels) != 0 {
		t.Errorf("of nothing: %+v", none)
	}
}

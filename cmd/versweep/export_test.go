package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	exports "versweep/store/export"
	imports "versweep/store/import"
	"versweep/sweep"
	"versweep/sweep/load"
)

// What is exported can be imported, and is exported the same again then: all
// rows, though those of several sweeps are one sweep's by then and stand in its
// order.
func TestExportedTablesComeBack(t *testing.T) {
	hello, err := load.ProfileByName("hello")
	if err != nil {
		t.Fatal(err)
	}
	measured := sweep.Sweep{Plan: sweep.Plan{Target: "node", Profile: hello}, Environment: sweep.Environment{CPU: "x", Cores: 2}}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"1.9.0", "1.10.0", "2.0.0-rc.1", "3.0.0"} {
		measured.Plan.Versions = append(measured.Plan.Versions, sweep.Version{Name: name})
		for round := 1; round <= 5 && name != "3.0.0"; round++ {
			for _, twin := range []bool{false, true} {
				if twin && name != "1.10.0" {
					continue
				}
				s := sweep.Sample{Version: name, Round: round, Twin: twin, Status: sweep.OK, Values: map[string]float64{}}
				for _, m := range sweep.Metrics {
					if r.IntN(4) > 0 {
						s.Values[m.Key] = r.ExpFloat64()
					}
				}
				if s.Values[sweep.ErrorShare] > 1 {
					s.Values[sweep.ErrorShare] = 0
				}
				if round == 3 {
					s.Status, s.Values = sweep.Failed, nil
				}
				measured.Samples = append(measured.Samples, s)
			}
		}
	}
	changed := measured
	changed.Plan.Profile.Duration = time.Minute
	for name, sweeps := range map[string][]sweep.Sweep{
		"one sweep":               {measured},
		"two nights":              {measured, measured},
		"two loads of one name":   {measured, changed},
		"rows without rounds":     read(t, "version,qps,gc ms\nb,5,1\na,6,\nb,,2\nb,7,3\nc,,\n"),
		"formulas and apostrophe": read(t, "target,profile,version,qps,'=x\n'=t,'#p,'-1,5,6\n'=t,'#p,''2,5,6\n"),
		"a value a version":       read(t, "version,qps,rss MB\n1.10,5,1\n1.9,6,2\n2.0,0,3\n"),
	} {
		first := exported(t, sweeps)
		again := read(t, first)
		if second := exported(t, again); second != first && (len(sweeps) == 1 || sortedLines(second) != sortedLines(first)) {
			t.Errorf("%s: exported\n%sand then\n%s", name, first, second)
		}
		if strings.HasPrefix(name, "two loads") && len(again) != 2 {
			t.Errorf("%s became %d series", name, len(again))
		}
		if f := sweeps[0].Plan.Foreign; f != nil && (f.Unpaired != again[0].Plan.Foreign.Unpaired || f.Listed != again[0].Plan.Foreign.Listed) {
			t.Errorf("%s: was %+v, is %+v", name, f, again[0].Plan.Foreign)
		}
	}
}

func sortedLines(s string) string { return strings.Join(slices.Sorted(strings.Lines(s)), "") }

func read(t *testing.T, file string) []sweep.Sweep {
	t.Helper()
	o := imports.CSVOptions{}
	if !strings.HasPrefix(file, "target") {
		o.Target = "x"
	}
	sweeps, err := imports.CSV(strings.NewReader(file), o)
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	return sweeps
}

func exported(t *testing.T, sweeps []sweep.Sweep) string {
	t.Helper()
	var b strings.Builder
	if err := exports.CSV(&b, labelled(inMemory(sweeps)), nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

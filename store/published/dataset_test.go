package published

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"versweep/sweep"
)

// Every figure of every file is in just one sample, and every version that has
// rows has its place in a plan.
func TestSweepsHaveAllFigures(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 7 {
		t.Errorf("%d datasets, not 7", len(all))
	}
	for _, d := range all {
		known, found := 0, 0
		for _, row := range d.Rows {
			if row.Known {
				known++
			}
		}
		for _, sw := range d.Sweeps() {
			for _, s := range sw.Samples {
				found += len(s.Values)
			}
			if sw.Finished.IsZero() {
				t.Errorf("%s: the sweep of %s is not finished", d.Name, sw.Plan.Target)
			}
			if !slices.IsSortedFunc(sw.Plan.Versions, sweep.Version.Compare) {
				t.Errorf("%s: versions out of order", d.Name)
			}
			for i, o := range sw.Outcomes {
				if o.Version != sw.Plan.Versions[i].Name {
					t.Errorf("%s: outcome %d is of %s", d.Name, i, o.Version)
				}
			}
			for _, row := range sweep.NewTable(sw).Rows {
				if row.Status == sweep.Failed && !slices.ContainsFunc(d.Unknown, func(u Unknown) bool { return u.Reason == row.Reason }) {
					t.Errorf("%s: %s has no figure: %s", d.Name, row.Version.Name, row.Reason)
				}
			}
		}
		if known != found {
			t.Errorf("%s: %d figures, %d of them in sweeps", d.Name, known, found)
		}
	}
}

// The row of 0.8.x figures is one short: it begins with a version's name.
func TestFoundingTableKeepsItsPlaces(t *testing.T) {
	d, err := Find("node-0.1-0.9")
	if err != nil {
		t.Fatal(err)
	}
	sweeps := d.Sweeps()
	if len(sweeps) != 1 {
		t.Fatalf("%d sweeps", len(sweeps))
	}
	table := sweep.NewTable(sweeps[0])
	want := map[string]float64{"0.8.18": 7679, "0.8.14": 7593, "0.8.0": 7702, "0.9.8": 6845, "0.1.90": 8146}
	reasons := map[string]string{"0.8.19": "no figure in the post", "0.5.4": "did not run", "0.1.0": "did not run"}
	measured := 0
	for _, row := range table.Rows {
		name := row.Version.Name
		e, ok := row.Metrics[sweep.QPS]
		if ok {
			measured++
		}
		if v, asked := want[name]; asked && e.Median != v {
			t.Errorf("%s: %v, not %v", name, e.Median, v)
		}
		if reason, asked := reasons[name]; asked && (ok || row.Reason != reason) {
			t.Errorf("%s: %v, %q, not %q", name, e, row.Reason, reason)
		}
	}
	if len(table.Rows) != 94 || measured != 88 {
		t.Errorf("%d versions, %d measured", len(table.Rows), measured)
	}
}

// What the posts do not give is not made up.
func TestUnknownReleases(t *testing.T) {
	d, err := Find("five-servers")
	if err != nil {
		t.Fatal(err)
	}
	got := d.Of("cowboy").Sweeps()[0]
	v := got.Plan.Versions[0]
	if v.Name != "420f5ba" || v.Commit != "420f5ba" || v.Line != "" || got.Outcomes[0].Build.Bundled["erlang"] != "R14B02" {
		t.Errorf("cowboy: %+v, %+v", v, got.Outcomes[0])
	}
	if d, err = Find("techempower-9"); err != nil {
		t.Fatal(err)
	}
	query := d.Of("node", "query").Sweeps()
	if len(query) != 1 || query[0].Plan.Versions[0].Name != "unknown" || query[0].Samples[0].Values[sweep.QPS] != 88597 {
		t.Errorf("one query: %+v", query)
	}
}

// Two sweeps have the same digest only when all their figures are the same.
func TestDigests(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, d := range all {
		for _, sw := range d.Sweeps() {
			digest := sw.Plan.Foreign.Digest
			if other := seen[digest]; other != "" {
				t.Errorf("%s and %s have digest %s", d.Name, other, digest)
			}
			seen[digest] = d.Name
		}
		if again := d.Sweeps()[0].Plan.Foreign.Digest; seen[again] != d.Name {
			t.Errorf("%s: another digest the second time", d.Name)
		}
	}
}

func TestUnknownNameSuggestsTheNearest(t *testing.T) {
	for name, want := range map[string]string{
		"node": "node-0.1-0.9", "node-0.1": "node-0.1-0.9", "nodejava": "node-java", "Hunchentoot": "node-hunchentoot",
		"techempower": "techempower-9", "tomcat": "iis-tomcat-node", "bun": "", "": "", "--": "",
	} {
		_, err := Find(name)
		unknown, ok := errors.AsType[*UnknownError](err)
		if !ok || unknown.Nearest != want || len(unknown.Names) != 7 {
			t.Errorf("Find(%q): %v, nearest not %q", name, err, want)
		}
	}
}

const (
	goodAbout = `{"title": "T", "source": "S", "systems": {"node": {"title": "N"}}, "profiles": {"p": "P"}, "environments": {"e": {"name": "E"}},
		"metrics": [{"key": "mean_ms", "title": "Mean", "unit": "ms", "better": "lower"}],
		"unknown": [{"system": "node", "versions": ["1.1.0"], "reason": "R"}]}`
	goodFigures = header + `
node,p,e,1.0.0,1,mean_ms,2.5,ms
node,p,e,1.0.0,2,mean_ms,,ms
node,p,e,1.1.0,1,qps,,requests/s
`
)

func TestReadHoldsFilesAgainstEachOther(t *testing.T) {
	files := func(about, figures string) fs.FS {
		return fstest.MapFS{"x.json": {Data: []byte(about)}, "x.csv": {Data: []byte(figures)}}
	}
	d, err := read(files(goodAbout, goodFigures), "x")
	if err != nil {
		t.Fatal(err)
	}
	if samples := d.Sweeps()[0].Samples; len(samples) != 1 || samples[0].Values["mean_ms"] != 2.5 {
		t.Errorf("samples %+v", samples)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"title": "T"`, `"title": ""`, "needs a title"},
		{`"title": "T"`, `"titel": "T"`, "unknown field"},
		{`"source": "S"`, `"source": "S", "date": "May 2014"`, "date"},
		{`{"p": "P"}`, `{"p": "P", "q": "Q"}`, `no row has "q"`},
		{`"better": "lower"`, `"better": "low"`, "direction"},
		{`"mean_ms", "title"`, `"p50_ms", "title"`, `"mean_ms" is not described`},
		{`"R"}`, `"R"}, {"system": "node", "versions": ["1.0.0"], "reason": "R"}`, "1.0.0 has figures"},
		{`["1.1.0"]`, `["1.1.0", "1.2.0"]`, "1.2.0"},
		{`["1.1.0"]`, `[]`, "no reason"},
		{"value,unit", "unit,value", "columns"},
		{"node,p,e,1.0.0,2", "node,p,e,1.0.0,1", "same place"},
		{"2.5,ms", "2.5,s", `in "s"`},
		{"2.5,ms", "NaN,ms", "not a number"},
		{"2.5,ms", "2,5,ms", "wrong number of fields"},
		{"1.0.0,1", "1.0.0,0", "round"},
		{"node,p,e,1.0.0,1", "node,p,e,latest,1", "not a version"},
		{"node,p,e,1.0.0,1", "bun,p,e,1.0.0,1", `system "bun"`},
		{"node,p,e,1.0.0,1", "node,q,e,1.0.0,1", `profile "q"`},
		{"node,p,e,1.0.0,1", "node,p,f,1.0.0,1", `environment "f"`},
	} {
		about, figures := strings.Replace(goodAbout, c.old, c.new, 1), strings.Replace(goodFigures, c.old, c.new, 1)
		if about == goodAbout && figures == goodFigures {
			t.Errorf("%q is in neither file", c.old)
		}
		if _, err := read(files(about, figures), "x"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, without %q", c.new, c.old, err, c.want)
		}
	}
}

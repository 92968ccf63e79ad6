package imports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
)

// reports reads files of testdata, "VERSION=FILE".
func reports(t *testing.T, format string, args ...string) []Report {
	t.Helper()
	var out []Report
	for _, arg := range args {
		version, file, _ := strings.Cut(arg, "=")
		content, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		report, err := ReadReport(format, file, content)
		if err != nil {
			t.Fatal(err)
		}
		report.Version = version
		out = append(out, report)
	}
	return out
}

// told writes what sweeps hold, a line each.
func told(sweeps []sweep.Sweep) []string {
	var out []string
	for _, sw := range sweeps {
		line := fmt.Sprintf("%s %q on %q from %s:", sw.Plan.Source, sw.Plan.Profile.Label, sw.Environment.Name, sw.Plan.Foreign.File)
		for _, s := range sw.Samples {
			line += fmt.Sprintf(" %d/%s/%s", s.Round, s.Version, s.Status)
		}
		if sw.Plan.Foreign.Unpaired {
			line += " unpaired"
		}
		if sw.Plan.Foreign.Listed {
			line += " listed"
		}
		out = append(out, line)
	}
	return out
}

func TestSweeps(t *testing.T) {
	for _, c := range []struct {
		reports []Report
		options SweepOptions
		want    []string
	}{
		{ // other loads are other series; a run without a right answer has failed
			reports(t, "wrk", "1.10=wrk410_ok.txt", "1.9=wrk410_units.txt", "1.9=wrk410_404.txt", "1.9=wrk410_mixed.txt"), SweepOptions{},
			[]string{
				`wrk "c=8" on "" from wrk410_ok.txt and 1 more: 1/1.10/ok 1/1.9/failed`,
				`wrk "c=64" on "" from wrk410_units.txt: 1/1.9/ok`,
				`wrk "c=128" on "" from wrk410_units.txt: 1/1.9/ok`,
				`wrk "c=4" on "" from wrk410_404.txt and 1 more: 1/1.9/failed 2/1.9/degraded unpaired`,
			},
		},
		{ // a name for the load keeps loads apart that are not the same
			reports(t, "wrk", "1.9=wrk410_ok.txt", "1.9=wrk410_404.txt"), SweepOptions{Profile: "hello", Environment: "lab"},
			[]string{`wrk "hello c=8" on "lab" from wrk410_ok.txt: 1/1.9/ok`, `wrk "hello c=4" on "lab" from wrk410_404.txt: 1/1.9/failed`},
		},
		{ // runs of one load are samples
			reports(t, "ab", "1.0=ab13d_posts.txt"), SweepOptions{Profile: "posts"},
			[]string{`ab "posts" on "" from ab13d_posts.txt: 1/1.0/ok 2/1.0/ok unpaired`},
		},
		{ // names of benchmarks have the version
			reports(t, "go-bench", "=go126_bench.txt"), SweepOptions{},
			[]string{`go-bench "Upper-2" on "Intel(R) Xeon(R) Processor" from go126_bench.txt:` +
				" 1/1.2.0/ok 1/1.10.0/ok 2/1.2.0/ok 2/1.10.0/ok 3/1.2.0/ok 3/1.10.0/ok unpaired"},
		},
		{ // commits stay in the order of the file
			reports(t, "github-action-benchmark", "=action_data.js"), SweepOptions{},
			[]string{`github-action-benchmark "hello score" on "" from action_data.js: 1/0123abc/ok 1/4567def/ok listed`},
		},
	} {
		c.options.Target = "x"
		sweeps, err := Sweeps(c.reports, c.options)
		if got := told(sweeps); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// The same files are known again in any order; with another version they are
// something else.
func TestSweepsDigest(t *testing.T) {
	digest := func(args ...string) string {
		sweeps, err := Sweeps(reports(t, "wrk", args...), SweepOptions{Target: "x", Profile: "p"})
		if err != nil {
			t.Fatal(err)
		}
		return sweeps[0].Plan.Foreign.Digest
	}
	first := digest("1=wrk410_404.txt", "2=wrk410_mixed.txt")
	if again := digest("2=wrk410_mixed.txt", "1=wrk410_404.txt"); again != first {
		t.Error("another order is another content")
	}
	if other := digest("1=wrk410_404.txt", "3=wrk410_mixed.txt"); other == first {
		t.Error("another version is the same content")
	}
}

func TestSweepsMisuse(t *testing.T) {
	_, err := Sweeps(reports(t, "ab", "=ab23_ok.txt"), SweepOptions{Target: "x"})
	if e, ok := errors.AsType[*VersionError](err); !ok || e.File != "ab23_ok.txt" {
		t.Errorf("no version: %v", err)
	}
	better := map[string]sweep.Better{"sec_per_op": sweep.Higher}
	sweeps, err := Sweeps(reports(t, "go-bench", "=go126_bench.txt"), SweepOptions{Target: "x", Better: better})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := sweeps[0].Plan.MetricByKey("sec_per_op"); !ok || m.Better != sweep.Higher {
		t.Errorf("direction of %+v", m)
	}
	_, err = Sweeps(reports(t, "wrk", "1=wrk410_ok.txt"), SweepOptions{Target: "x", Better: better})
	if e, ok := errors.AsType[*CSVError](err); !ok || !e.Options {
		t.Errorf("a metric that is not there: %v", err)
	}
}

// Long names of loads stay apart.
func TestNameOf(t *testing.T) {
	a, b := nameOf(strings.Repeat("é", 200)+"a"), nameOf(strings.Repeat("é", 200)+"b")
	if a == b || len(a) > csvNameBytes || nameOf(" a\tb\x00 ") != "a b" {
		t.Errorf("%q, %q, %q", a, b, nameOf(" a\tb\x00 "))
	}
}

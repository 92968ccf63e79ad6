package charts

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"versweep/sweep"
)

var releasePages = flag.String("release-pages", "", "folder to write release reports to, for looking at")

// nodeRelease compares two releases that differ in some metrics.
func nodeRelease() sweep.Release {
	table := nodeTable()
	row := func(name string) sweep.Row {
		for _, r := range table.Rows {
			if r.Version.Name == name {
				return r
			}
		}
		panic("no version " + name)
	}
	from, to := row("16.20.2"), row("22.23.5")
	j := nodeJudgement()
	r := sweep.Release{
		Target: "node", Title: "Node.js", From: from.Version, To: to.Version, Verdict: "8 % slower, three times the memory",
		NotMeasured: j.NotMeasured[1:], Environment: table.Environment, Plan: table.Plan, Sweeps: []int64{3, 4}, Samples: 140,
		Bundled: []sweep.ComponentChange{{Name: "openssl", Old: "1.1.1v", New: "3.0.13"}, {Name: "simdutf", New: "5.2.8"}, {Name: "v8", Old: "9.4.146", New: "12.4.254"}},
		Effect:  0.03, Warnings: []string{"in 3 of 140 samples the machine was busy"},
	}
	for _, f := range j.Findings {
		if f.To == "18.20.8" {
			r.Findings = append(r.Findings, f)
		}
	}
	for _, name := range []string{"18.20.8", "19.8.1", "20.20.2", "21.7.3"} {
		r.Between = append(r.Between, row(name).Version)
	}
	nan := math.NaN()
	for _, c := range []struct {
		key                   string
		verdict               sweep.Verdict
		change, lo, hi, least float64
		rounds                int
	}{
		{sweep.QPS, sweep.Regression, -0.081, -0.09, -0.072, 0.021, 0},
		{sweep.P50, sweep.NoChange, 0.004, -0.011, 0.019, 0.03, 0},
		{sweep.P99, sweep.Undecided, 0.05, -0.04, 0.15, 0.12, 12},
		{sweep.ErrorShare, sweep.NoChange, nan, nan, nan, nan, 0},
		{sweep.CPUPerRequest, sweep.Improvement, -0.12, -0.14, -0.1, 0.02, 0},
		{sweep.PeakRSS, sweep.Regression, 2.04, 1.9, 2.2, 0.01, 0},
		{sweep.Startup, sweep.NotMeasured, nan, nan, nan, nan, 0},
	} {
		m := sweep.Comparison{
			Metric: metricOf(c.key), From: from.Version.Name, To: to.Version.Name, Verdict: c.verdict, Old: from.Metrics[c.key],
			Change: c.change, Lo: c.lo, Hi: c.hi, P: nan, Pairs: 5, RoundsNeeded: c.rounds, SmallestEffect: c.least,
		}
		if m.New = m.Old; !math.IsNaN(c.change) {
			m.New.Median, m.New.Lo, m.New.Hi = m.Old.Median*(1+c.change), m.Old.Lo*(1+c.change), m.Old.Hi*(1+c.change)
		}
		switch c.key {
		case sweep.QPS:
			m.Notes = []string{"server CPU per request says otherwise"}
		case sweep.Startup:
			m.Old, m.New = sweep.Estimate{}, sweep.Estimate{}
		}
		r.Comparisons = append(r.Comparisons, m)
	}
	return r
}

var repeatNode = ReleaseOptions{Repeat: []string{
	"versweep run node --source npm --versions 16.20.2,22.23.5 --rounds 5 --seed 7",
	"versweep compare node 16.20.2 22.23.5",
}}

func releaseText(t *testing.T, write func(io.Writer, sweep.Release, ReleaseOptions) error, r sweep.Release, o ReleaseOptions) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReleaseGolden(t *testing.T) {
	text := releaseText(t, WriteComparison, nodeRelease(), repeatNode)
	golden(t, "release.txt", []byte(text), sameText)
	for _, line := range strings.Split(text, "\n") {
		if textWidth(line) > defaultTableWidth {
			t.Errorf("%d columns: %s", textWidth(line), line)
		}
	}
	golden(t, "release.md", []byte(releaseText(t, WriteReleaseMarkdown, nodeRelease(), repeatNode)), sameText)
	golden(t, "release.html", []byte(releaseText(t, WriteReleaseHTML, nodeRelease(), repeatNode)), sameText)
	if *releasePages != "" {
		for name, r := range map[string]sweep.Release{"release.html": nodeRelease(), "foreign.html": foreignRelease()} {
			if err := os.WriteFile(filepath.Join(*releasePages, name), []byte(releaseText(t, WriteReleaseHTML, r, repeatNode)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// foreignRelease has text from outside in every place that takes some.
func foreignRelease() sweep.Release {
	const evil = "<script>alert(1)</script>|`*_[x](y)~~&amp;\\\x1b[31m\u202e\n# head"
	r := nodeRelease()
	r.Title, r.Verdict, r.From.Name, r.To.Name, r.Warnings = evil, evil, evil, evil, []string{evil}
	r.Environment.CPU, r.Environment.Engine, r.Plan.Source = evil, evil, evil
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		c.Metric.Key, c.Metric.Title, c.Metric.Unit, c.Notes = evil, evil, evil, []string{evil}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.ID, f.From, f.To, f.PlaceLo, f.Notes, f.Metric.Key, f.Metric.Title = evil, evil, evil, evil, []string{evil}, evil, evil
	}
	r.Bundled = []sweep.ComponentChange{{Name: evil, Old: evil, New: evil}}
	r.Between = []sweep.Version{{Name: evil}}
	r.NotMeasured = []sweep.Outcome{{Version: evil, Reason: evil}}
	return r
}

func TestReleaseOfForeignText(t *testing.T) {
	o := ReleaseOptions{Repeat: []string{"versweep compare \x1b '`</pre><script>'"}}
	for name, write := range map[string]func(io.Writer, sweep.Release, ReleaseOptions) error{
		"text": WriteComparison, "markdown": WriteReleaseMarkdown, "html": WriteReleaseHTML,
	} {
		page := releaseText(t, write, foreignRelease(), o)
		for _, r := range page {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s: %U is in the page", name, r)
			}
		}
		if name == "text" {
			continue
		}
		for line := range strings.Lines(page) {
			if name == "markdown" && strings.HasPrefix(line, "    ") {
				continue // code, which is shown as it is
			}
			if strings.Contains(line, "<script") || strings.Contains(line, "</pre><s") {
				t.Errorf("%s: markup reaches the page: %s", name, line)
			}
		}
		if name == "html" {
			continue
		}
		columns := 0
		for line := range strings.Lines(page) {
			if bare := strings.ReplaceAll(line, `\|`, ""); strings.HasPrefix(line, "|") {
				columns = max(columns, strings.Count(bare, "|"))
			}
		}
		if columns != 8 {
			t.Errorf("%d bars in a row of the table, want 8", columns)
		}
	}
}

// The policy lets the page's own style be used and nothing else.
func TestReleasePageStandsAlone(t *testing.T) {
	page := releaseText(t, WriteReleaseHTML, nodeRelease(), repeatNode)
	_, style, _ := strings.Cut(page, "<style>")
	style, _, found := strings.Cut(style, "</style>")
	digest := sha256.Sum256([]byte(style))
	policy := `content="default-src &#39;none&#39;; style-src &#39;sha256-` + strings.ReplaceAll(base64.StdEncoding.EncodeToString(digest[:]), "+", "&#43;")
	if !found || !strings.Contains(page, policy) {
		t.Errorf("the policy does not name the style of the page, which is:\n%s", style)
	}
	for _, forbidden := range []string{"<script", "style=", "http://", "https://", "url(", "@import", "ZgotmplZ"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("%s is in the page", forbidden)
		}
	}
	for _, wanted := range []string{`<html lang="en">`, "<title>Node.js 22.23.5 against 16.20.2</title>", "<caption>", `<th scope="col"`, `<th scope="row"`, `content="light dark"`} {
		if !strings.Contains(page, wanted) {
			t.Errorf("%s is not in the page", wanted)
		}
	}
}

func TestReleaseFigures(t *testing.T) {
	failed := metricOf(sweep.ErrorShare)
	nan := math.NaN()
	for _, c := range []struct {
		name string
		in   sweep.Comparison
		want releaseMetric
	}{
		{"from nothing", sweep.Comparison{Metric: failed, Verdict: sweep.Regression, Old: sweep.Estimate{Samples: 3}, New: sweep.Estimate{Median: 0.12, Lo: 0.12, Hi: 0.12, Samples: 3}, Change: nan, Lo: nan, Hi: nan},
			releaseMetric{Old: "0 ±0% n=3", New: "12.0 ±0% n=3", Change: "new, 0 before", Verdict: "regression"}},
		{"to nothing", sweep.Comparison{Metric: failed, Verdict: sweep.Improvement, Old: sweep.Estimate{Median: 0.12, Lo: 0.12, Hi: 0.12, Samples: 3}, New: sweep.Estimate{Samples: 3}, Change: -1, Lo: nan, Hi: nan},
			releaseMetric{Old: "12.0 ±0% n=3", New: "0 ±0% n=3", Change: "-100 %", Verdict: "improvement"}},
		{"nothing at all", sweep.Comparison{Metric: failed, Verdict: sweep.NoChange, Old: sweep.Estimate{Samples: 3}, New: sweep.Estimate{Samples: 3}, Change: nan, Lo: nan, Hi: nan},
			releaseMetric{Old: "0 ±0% n=3", New: "0 ±0% n=3", Change: "-", Verdict: "~ no change"}},
		{"unknown", sweep.Comparison{Metric: failed, Verdict: sweep.NotMeasured, Change: nan, Lo: nan, Hi: nan},
			releaseMetric{Old: "-", New: "-", Change: "-", Verdict: "not measured"}},
		{"one more", sweep.Comparison{Metric: failed, Verdict: sweep.Undecided, Change: 0.5, Lo: -0.1, Hi: 1.2, RoundsNeeded: 1},
			releaseMetric{Old: "-", New: "-", Change: "+50 %", Interval: "-10 to +120 %", Verdict: "undecided, about 1 more round"}},
	} {
		got := newReleaseMetric(c.in)
		if got.Old != c.want.Old || got.New != c.want.New || got.Change != c.want.Change || got.Interval != c.want.Interval || got.Verdict != c.want.Verdict {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestReleaseOfImports(t *testing.T) {
	r := nodeRelease()
	r.Environment = sweep.Environment{Name: "lab 3"}
	r.Plan.Foreign = &sweep.Foreign{Format: "csv", File: "old.csv", Digest: "sha256:00", Profile: "64 users", Unpaired: true}
	text := releaseText(t, WriteComparison, r, ReleaseOptions{})
	for _, want := range []string{"machine: lab 3\n", "load: 64 users\n", "imported: csv file old.csv, sha256:00\n", "which no round pairs"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

func TestReleaseOfNothing(t *testing.T) {
	text := releaseText(t, WriteComparison, sweep.Release{Target: "node"}, ReleaseOptions{})
	if !strings.Contains(text, "no metric is known of either") {
		t.Errorf("%s", text)
	}
	releaseText(t, WriteReleaseMarkdown, sweep.Release{}, ReleaseOptions{})
	releaseText(t, WriteReleaseHTML, sweep.Release{}, ReleaseOptions{})
}

func TestReleasePassesOnWriteErrors(t *testing.T) {
	full := errors.New("disk full")
	w := writerFunc(func([]byte) (int, error) { return 0, full })
	for _, write := range []func(io.Writer, sweep.Release, ReleaseOptions) error{WriteComparison, WriteReleaseMarkdown, WriteReleaseHTML} {
		if err := write(w, nodeRelease(), ReleaseOptions{}); !errors.Is(err, full) {
			t.Errorf("error %v", err)
		}
	}
}

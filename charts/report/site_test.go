package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"versweep/sweep"
)

// evil is what may come from outside in every place that takes a name.
const evil = "</script><script>alert(1)</script><!--'\"`&amp;{{.}}\\\x1b[31m\u202e\u2028../../x\x00\n"

// evilSite has text from outside wherever there is some.
func evilSite() Site {
	names := []string{evil + "1", evil + "2", evil + "3", evil + "4", evil + "5", strings.Repeat("9.", 5000), "../../../etc/passwd", "CON", "a/b", "A.0", "a.0", "a.0"}
	sw := madeUp(shape{target: evil, title: evil, names: names, rounds: 4, metrics: 6, level: func(i int) float64 { return 30000 + 2000*float64(i%3) }})
	sw.Plan.Source, sw.Plan.Launcher = evil, evil
	sw.Environment.CPU, sw.Environment.Kernel, sw.Environment.Governor, sw.Environment.Name = evil, evil, evil, evil
	own := sweep.Metric{Key: evil, Title: evil, Unit: evil, Better: sweep.Higher}
	sw.Plan.Foreign = &sweep.Foreign{Format: evil, File: evil, Digest: evil, Profile: evil, Metrics: []sweep.Metric{own}, Listed: true}
	for i := range sw.Outcomes {
		o := &sw.Outcomes[i]
		o.Log = []string{evil}
		if i == 3 {
			o.Reason = evil
			continue
		}
		o.Build.Digest, o.Build.Bundled = evil, map[string]string{evil: fmt.Sprint(evil, i)}
	}
	for i := range sw.Samples {
		s := &sw.Samples[i]
		s.Values[evil] = float64(i)
		s.Reason, s.Status, s.Log, s.Marks = evil, sweep.Degraded, []string{evil}, []sweep.Mark{{Kind: evil, Detail: evil}}
	}
	target := judged(sw)
	for i := range target.Judgement.Findings {
		f := &target.Judgement.Findings[i]
		f.ID, f.Notes = evil, []string{evil}
	}
	target.Judgement.Findings = append(target.Judgement.Findings, sweep.Finding{
		ID: evil, Kind: sweep.KindStep, Metric: own, From: names[0], To: names[1], Verdict: evil, State: evil, Change: 0.1, Lo: 0.05, Hi: 0.2, Notes: []string{evil},
	})
	target.Judgement.Joint = map[string]string{names[1]: evil}
	target.Judgement.Warnings, target.Repeat = []string{evil}, []string{evil}
	target = compared(target, names[0], names[1])
	target.Comparisons[0].Repeat = []string{evil}
	second := judged(madeUp(shape{target: "../" + evil, title: evil, names: []string{"1", "2"}, rounds: 1, metrics: 1, level: func(int) float64 { return 5 }}))
	return Site{Targets: []Target{target, second}, Program: evil}
}

// texts renders every page, by its path.
func texts(t testing.TB, s Site) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, f := range filesOf(t, s) {
		if _, twice := pages[f.Path]; twice {
			t.Errorf("%s is there twice", f.Path)
		}
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		pages[f.Path] = b.String()
	}
	return pages
}

func isPage(name string) bool { return strings.HasSuffix(name, ".html") }

var (
	styles  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	scripts = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	blocks  = regexp.MustCompile(`(?s)<script[ >].*?</script>`)
	data    = regexp.MustCompile(`(?s)<script type="application/json" id="trend-data">(.*?)</script>`)
	policy  = regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`)
	links   = regexp.MustCompile(`\b(?:href|src|srcset)="([^"]*)"`)
	ids     = regexp.MustCompile(`\bid="([^"]*)"`)
	levels  = regexp.MustCompile(`<h([1-6])[ >]`)
)

// What the policy allows is what is in the page, and no more.
func TestPolicyNamesWhatIsInThePages(t *testing.T) {
	for name, page := range texts(t, testSite()) {
		if !isPage(name) {
			continue
		}
		found := policy.FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("%s has no policy", name)
		}
		allowed := html.UnescapeString(found[1])
		if allowed != Policy() {
			t.Errorf("%s: policy %s, and by headers %s", name, allowed, Policy())
		}
		if strings.Contains(allowed, "unsafe") || !strings.HasPrefix(allowed, "default-src 'none';") {
			t.Errorf("%s: policy %s", name, allowed)
		}
		inline := append(styles.FindAllStringSubmatch(page, -1), scripts.FindAllStringSubmatch(page, -1)...)
		if len(inline) < 2 {
			t.Errorf("%s has %d styles and scripts", name, len(inline))
		}
		for _, text := range inline {
			sum := sha256.Sum256([]byte(text[1]))
			if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(allowed, hash) {
				t.Errorf("%s: the policy refuses %.60q", name, text[1])
			}
		}
		if n := len(blocks.FindAllString(page, -1)); n != len(scripts.FindAllString(page, -1))+len(data.FindAllString(page, -1)) {
			t.Errorf("%s has a script of another kind", name)
		}
		bare := styles.ReplaceAllString(blocks.ReplaceAllString(page, ""), "")
		if m := regexp.MustCompile(`<[^>]* (style|on[a-z]+)=`).FindString(bare); m != "" {
			t.Errorf("%s: the policy refuses %s", name, m)
		}
	}
}

func TestPagesAskForNothing(t *testing.T) {
	for _, site := range []Site{testSite(), evilSite()} {
		for name, page := range texts(t, site) {
			if !isPage(name) {
				continue
			}
			for _, word := range []string{"http://", "https://", `"//`, "url(", "@import", "fetch(", "XMLHttpRequest", "eval("} {
				if strings.Contains(strings.ReplaceAll(page, `"http://www.w3.org/2000/svg"`, ""), word) {
					t.Errorf("%s has %s", name, word)
				}
			}
		}
	}
}

// Every link leads to a file of the report, and to a place that is in it.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, site := range []Site{testSite(), evilSite(), {}} {
		pages := texts(t, site)
		reached := map[string]bool{"index.html": true}
		for name, page := range pages {
			if !isPage(name) {
				continue
			}
			targets := links.FindAllStringSubmatch(blocks.ReplaceAllString(page, ""), -1)
			for _, block := range data.FindAllStringSubmatch(page, -1) {
				var d trendJSON
				if err := json.Unmarshal([]byte(block[1]), &d); err != nil {
					t.Errorf("%s: its data: %v", name, err)
				}
				for _, link := range d.Links {
					targets = append(targets, []string{"", link})
				}
			}
			for _, link := range targets {
				if strings.HasPrefix(link[1], "data:") {
					continue
				}
				file, place, _ := strings.Cut(html.UnescapeString(link[1]), "#")
				to := name
				if file != "" {
					to = path.Join(path.Dir(name), file)
				}
				text, ok := pages[to]
				if !ok {
					t.Errorf("%s links to %q, which is not there", name, link[1])
				}
				if place != "" && !strings.Contains(text, `id="`+place+`"`) {
					t.Errorf("%s links to %q, and that has no such place", name, link[1])
				}
				reached[to] = true
			}
		}
		for name := range pages {
			if !reached[name] {
				t.Errorf("no page links to %s", name)
			}
		}
	}
}

func TestPagesOfForeignText(t *testing.T) {
	for name, page := range texts(t, evilSite()) {
		if name != path.Clean(name) || strings.HasPrefix(name, "../") || path.IsAbs(name) || strings.Count(name, "/") > 1 || len(name) > 200 {
			t.Errorf("file name %q", name)
		}
		for _, r := range name {
			if r != '/' && r != '~' && !safeRune(r) {
				t.Errorf("file name %q has %q", name, r)
			}
		}
		if !isPage(name) {
			continue
		}
		for _, r := range page {
			if r != '\n' && !unicode.IsPrint(r) {
				at := strings.IndexRune(page, r)
				t.Errorf("%s has %U in %q", name, r, page[max(0, at-60):at+10])
				break
			}
		}
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "ZgotmplZ") {
			t.Errorf("%s: markup from outside", name)
		}
		for _, block := range data.FindAllStringSubmatch(page, -1) {
			if strings.ContainsAny(block[1], "<>&\u2028") {
				t.Errorf("%s: the data could end its element", name)
			}
		}
	}
}

// What readers who do not look at the page need of it.
func TestPagesAreAccessible(t *testing.T) {
	for name, page := range texts(t, testSite()) {
		if !isPage(name) {
			continue
		}
		bare := blocks.ReplaceAllString(page, "")
		for _, wanted := range []string{`<html lang="en">`, "<title>", `<a class="skip" href="#main">`, `<main id="main"`, "<header>", "<footer>", "<nav aria-label="} {
			if strings.Count(bare, wanted) == 0 {
				t.Errorf("%s has no %s", name, wanted)
			}
		}
		if n := strings.Count(bare, "<table>"); n != strings.Count(bare, "<caption>") || n != strings.Count(bare, `<div class="wide" role="region" tabindex="0" aria-label=`) {
			t.Errorf("%s: %d tables, not each with a caption and a region to scroll", name, n)
		}
		if strings.Contains(bare, "<th>") {
			t.Errorf("%s has a heading cell without scope", name)
		}
		last := 0
		for _, h := range levels.FindAllStringSubmatch(bare, -1) {
			level := int(h[1][0] - '0')
			if level > last+1 || level == 1 && last > 0 {
				t.Errorf("%s: a heading of level %d after one of level %d", name, level, last)
			}
			last = level
		}
		seen := map[string]bool{}
		for _, id := range ids.FindAllStringSubmatch(bare, -1) {
			if seen[id[1]] {
				t.Errorf("%s has id %s twice", name, id[1])
			}
			seen[id[1]] = true
		}
		for _, named := range regexp.MustCompile(`aria-labelledby="([^"]*)"`).FindAllStringSubmatch(bare, -1) {
			if !seen[named[1]] {
				t.Errorf("%s: nothing has id %s", name, named[1])
			}
		}
	}
}

func TestPagesTell(t *testing.T) {
	pages := texts(t, testSite())
	for name, words := range map[string][]string{
		"index.html":                    {"Node.js", "22.7.0", "2026-11-30", "peak memory", "Made 2026-11-30 09:00 UTC by versweep v1.0.0 go1.26."},
		"node/index.html":               {"20.6.0", "finding node-qps-20.6.0", "v8: 11.4 → 11.5", "recovered in 20.1.0", "failed: no build for linux/amd64", "trend.png", "data.csv", "against itself"},
		"node/version-14.3.0.html":      {"failed: no build for linux/amd64", "npm error code E404"},
		"node/version-14.5.0.html":      {"degraded: 0.3 % of the answers failed", "sha512-00000005", "95 MiB", "worse than the reference", "CPU 0"},
		"node/version-22.7.0.html":      {"twin (A/A)"},
		"node/newest-and-before.html":   {"Node.js 22.7.0 against 22.6.0", "versweep compare"},
		"method.html":                   {"versweep run node", "--seed 7", "docs/method.md", "100 connections"},
		"bun/index.html":                {"Bun"},
		"bun/trend.svg":                 {"<svg"},
		"bun/trend.png":                 {"PNG"},
		"node/version-" + "20.6.0.html": {"14 % faster"},
	} {
		for _, word := range words {
			if !strings.Contains(html.UnescapeString(pages[name]), word) {
				t.Errorf("%s does not tell %q", name, word)
			}
		}
	}
}

// What the night that writes the pages does not tell is neither their headline nor
// counted as what it tells, and is marked wherever it stands.
func TestPagesOfANightMarkWhatItDidNotTell(t *testing.T) {
	site := testSite()
	before := texts(t, site)["index.html"]
	if !strings.Contains(before, "peak memory") {
		t.Fatal("the headline is another: choose another finding to leave out")
	}
	site.Targets = slices.Clone(site.Targets)
	site.Targets[0].Standing = func(f sweep.Finding) string {
		if f.Metric.Key == sweep.QPS {
			return ""
		}
		return "not watched by the night"
	}
	pages := texts(t, site)
	if strings.Contains(pages["index.html"], "peak memory") || !strings.Contains(pages["index.html"], "throughput") {
		t.Errorf("the headline is not what was told: %s", pages["index.html"])
	}
	page := html.UnescapeString(pages["node/index.html"])
	if !strings.Contains(page, "that the night does not tell, in ") || !regexp.MustCompile(`<li class="finding quiet"><p><span class="mark">.</span> peak memory [^<]*<span class="state">open, not watched by the night</span>`).MatchString(page) {
		t.Error(page[strings.Index(page, `<p class="lead">`):][:200])
	}
}

func TestSiteOfNothing(t *testing.T) {
	if page := texts(t, Site{})["index.html"]; !strings.Contains(page, "There is no sweep yet") {
		t.Errorf("%s", page)
	}
	nothing := madeUp(shape{target: "x", names: []string{"1", "2", "3", "4"}, rounds: 1, metrics: 1, level: func(int) float64 { return 0 }})
	nothing.Samples, nothing.Finished = nil, time.Time{}
	pages := texts(t, Site{Targets: []Target{judged(nothing)}})
	if _, drawn := pages["x/trend.png"]; drawn || !strings.Contains(pages["x/index.html"], "not finished") {
		t.Errorf("%s", pages["x/index.html"])
	}
}

// Figures that no picture can show leave the pages whole.
func TestSiteOfFarFigures(t *testing.T) {
	far := madeUp(shape{target: "x", names: []string{"1", "2", "3"}, rounds: 3, metrics: 1, level: func(int) float64 { return 1e300 }})
	pages := texts(t, Site{Targets: []Target{judged(far)}})
	if _, drawn := pages["x/trend.png"]; drawn || pages["x/version-3.html"] == "" {
		t.Errorf("pages of far figures: picture %v", drawn)
	}
}

func TestFileNames(t *testing.T) {
	for name, kept := range map[string]bool{
		"node": true, "18.20.8": true, "1.0.0-rc.1": true, "a_b": true, "A": false, "": false, ".": false, "..": false, ".git": false, "a.": false,
		"a/b": false, `a\b`: false, "a b": false, "nul": false, "con.x": false, "index.html": false, "a~b": false, "ä": false, "a%2e": false,
		strings.Repeat("a", 65): false,
	} {
		if got := fileName(name); (got == name) != kept {
			t.Errorf("%q becomes %q", name, got)
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"a", "A", "a ", " a", "ä", "a\u0308", "a\x00", fileName("A"), fileName("ä"), strings.Repeat("x", 100), strings.Repeat("x", 101)} {
		got := strings.ToLower(fileName(name))
		if before, ok := seen[got]; ok {
			t.Errorf("%q and %q are both %q", before, name, got)
		}
		seen[got] = name
	}
}

// A sweep of the newest versions alone keeps those that were swept before in the
// report, unless they were measured on another machine or under another load.
func TestTargetJoinsItsSeries(t *testing.T) {
	level := func(int) float64 { return 30000 }
	old := madeUp(shape{target: "x", names: []string{"1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"}, rounds: 4, metrics: 1, level: level})
	elsewhere := madeUp(shape{target: "x", names: []string{"0.9.0", "1.4.0"}, rounds: 4, metrics: 1, level: level})
	elsewhere.ID, elsewhere.Environment.CPU = 4, "other"
	newest := madeUp(shape{target: "x", names: []string{"1.3.0", "1.4.0", "1.5.0"}, rounds: 4, metrics: 1, level: level})
	newest.ID, newest.Plan.Reference = 5, "1.4.0"
	newest.Outcomes[1] = sweep.Outcome{Version: "1.4.0", Reason: "gone"}
	newest.Samples = slices.DeleteFunc(newest.Samples, func(s sweep.Sample) bool { return s.Version == "1.4.0" })
	s := newSubject(judged(old, elsewhere, newest))
	var got []string
	for i, row := range s.table.Rows {
		got = append(got, fmt.Sprint(row.Version.Name, "@", s.from[i].ID))
	}
	if want := "1.0.0@3 1.1.0@3 1.2.0@3 1.3.0@5 1.4.0@3 1.5.0@5"; strings.Join(got, " ") != want {
		t.Errorf("rows %v, want %s", got, want)
	}
	if notes := s.table.Rows[4].Notes; len(notes) != 1 || notes[0] != "failed in sweep 5: gone" {
		t.Errorf("notes %q", notes)
	}
	if len(s.elsewhere) != 1 || s.elsewhere[0] != "0.9.0" {
		t.Errorf("elsewhere %v", s.elsewhere)
	}
	page := texts(t, Site{Targets: []Target{s.Target}})["x/index.html"]
	if !strings.Contains(page, "in no figure here: 0.9.0") || !strings.Contains(page, "of sweeps 3, 5") {
		t.Error("the page does not tell what it rests on")
	}
}

// The outline that the script draws has the marks of the picture.
func TestTrendData(t *testing.T) {
	s := newSubject(testSite().Targets[0])
	text, err := trendData(s)
	if err != nil {
		t.Fatal(err)
	}
	var d trendJSON
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	qps := d.Metrics[0]
	if len(d.Metrics) != 6 || len(d.Names) != 40 || !d.Banded || len(d.Lines) != 5 || d.Lines[4] != (lineJSON{"22.x", 32, 40}) {
		t.Errorf("%d metrics, %d names, lines %v", len(d.Metrics), len(d.Names), d.Lines)
	}
	if qps.Points[3] != nil || d.Failures[3] != "failed: no build for linux/amd64" || !d.Degraded[5] || qps.Ref != 39 || qps.Twin == nil || qps.Noise <= 0 {
		t.Errorf("points %v, %q", qps.Points[3], d.Failures[3])
	}
	if len(qps.Steps) != 3 || qps.Steps[0].To != 20 || qps.Steps[0].State != "recovered" || qps.Steps[2].To != 30 || len(qps.Levels) != 4 {
		t.Errorf("steps %+v, levels %v", qps.Steps, qps.Levels)
	}
	if v := qps.Versus[30]; !strings.HasPrefix(v, "against before: +") || !strings.HasSuffix(v, "improvement") {
		t.Errorf("versus %q", v)
	}
	if rss := d.Metrics[4]; rss.Unit != "MiB" || rss.Points[0].Median < 50 || rss.Points[0].Median > 65 || !strings.HasPrefix(rss.Versus[0], "against the reference: ") {
		t.Errorf("memory %v %s %q", rss.Points[0], rss.Unit, rss.Versus[0])
	}
}

func benchmarkReport(b *testing.B, versions int, mostBytes int64) {
	target := judged(madeUp(nodeShape(versions, 6)))
	for b.Loop() {
		dir := b.TempDir() + "/report"
		var size int64
		files := filesOf(b, Site{Targets: []Target{target}})
		for i, f := range files {
			files[i].Write = counting(f.Write, &size)
		}
		if err := Write(dir, files); err != nil {
			b.Fatal(err)
		}
		if size > mostBytes {
			b.Fatalf("%d bytes, more than %d", size, mostBytes)
		}
		b.ReportMetric(float64(size), "report_bytes")
	}
}

func BenchmarkReport40(b *testing.B)   { benchmarkReport(b, 40, 5_000_000) }
func BenchmarkReport1000(b *testing.B) { benchmarkReport(b, 1000, 60_000_000) }

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/bisect"
	"versweep/sweep/load"
)

// hostileNames are what a release, a registry, a file or a person may call a
// version, a target, a metric or a machine.
var hostileNames = []string{
	"; rm -rf ~", "../../etc/passwd", "/etc/passwd", "$(id)", "`id`", "a && b | c > d", "-rf", "--upload-pack=id",
	strings.Repeat("x", 10<<10), "a\x00b", "a\nb", "a\r\nb", "\x1b[2J\x1b[31mred", "\x1b]52;c;aWQ=\a", "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
	"\u009b31mC1", "\u009d52;c;aWQ=\u009c", "\u202etxt.exe", "\u2066iso\u2069late", "zero\u200bwidth\ufeff", "line\u2028sep\u2029", "\u00a0\u3000",
	"\xff\xfe broken", "<script>alert(1)</script>", `" onload="alert(1)`, "' onerror='alert(1)", "javascript:alert(1)", "</script><img src=x onerror=alert(1)>",
	"<!--", "]]>", "{{.}}", "a|b`c`*d*_e_[f](javascript:alert(1))", "=cmd|'/C calc'!A0", "+1+cmd", "@SUM(1)", "\t=1", "::error::file=x", "  ::stop-commands::x",
	"##[add-mask]x", "%s%n%d", "%0A::error::", "p\u0430ypal", "\U000e0041\U000e0042tags", "e\u0301\u0301\u0301\u0301", "#comment", "CON", "..", ".", "",
}

// hostileStore holds every name in every place that a store has for text: a file
// that somebody else has made, which no door has looked at.
func hostileStore(t *testing.T) (db string, targets []string) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "versweep.db")
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	const each = 9 // versions
	var sweeps []sweep.Sweep
	for first := 0; first < len(hostileNames); first += each {
		name := func(n int) string { return hostileNames[(first+n)%len(hostileNames)] }
		target := strings.Trim(strings.ToValidUTF8(name(0), "?"), "\x00")
		if target == "" {
			target = "empty"
		}
		own := sweep.Metric{Key: name(1) + "k", Title: name(2), Unit: name(3), Better: sweep.Lower}
		s := sweep.Sweep{
			Plan: sweep.Plan{
				Target: target, Title: name(4), Source: name(5), Rounds: 4, Profile: load.Profile{Shape: load.ShapeForeign, Label: name(6)},
				Reference: "", Foreign: &sweep.Foreign{Format: name(7), File: name(8), Digest: fmt.Sprint("sha256:", first), Profile: name(9), Metrics: []sweep.Metric{own}, Listed: true},
			},
			Environment: sweep.Environment{Name: name(1), CPU: name(2), OS: name(3), Kernel: name(4), Engine: name(5), Governor: name(6), Launcher: name(7)},
		}
		for v := range each {
			version := name(v)
			s.Plan.Versions = append(s.Plan.Versions, sweep.Version{Name: version, Raw: version, Line: name(v + 1), Source: name(v + 2), Commit: name(v + 3), Digest: name(v + 4)})
			s.Outcomes = append(s.Outcomes, sweep.Outcome{Version: version, Build: sweep.Build{Version: version, Digest: name(v + 5), Bundled: map[string]string{name(v + 6): name(v), "b": name(v + 1)}}})
			if v == each-1 {
				s.Outcomes[v].Reason, s.Outcomes[v].Log = name(v+3), []string{name(v + 1), name(v + 2), name(v + 3)}
				continue
			}
			for round := 1; round <= 4; round++ {
				level := 1000 * float64(1+v/3*v) // steps, so that there are findings
				sample := sweep.Sample{
					Version: version, Round: round, Position: v, Status: sweep.OK, Values: map[string]float64{sweep.QPS: level + float64(round), own.Key: level - float64(round)},
					Marks: []sweep.Mark{{Kind: sweep.MarkKind(name(v + 2)), Detail: name(v + 3)}},
				}
				if v == each-2 {
					sample.Status, sample.Reason, sample.Log = sweep.Degraded, name(v+4), []string{name(v + 5)}
				}
				s.Samples = append(s.Samples, sample)
			}
		}
		sweeps = append(sweeps, s)
		targets = append(targets, target)
	}
	if _, err := st.ImportSweeps(t.Context(), sweeps, true, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		sw, err := st.LatestSweep(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		j := sweep.Judge([]sweep.Sweep{sw}, sweep.JudgeOptions{})
		if len(j.Findings) == 0 {
			t.Errorf("%.40q has no finding to tell", target)
		}
		for i, f := range j.Findings {
			err := st.SetState(t.Context(), sweep.Acknowledgement{
				ID: f.ID, Target: target, Metric: f.Metric.Key, From: f.From, To: f.To, Verdict: f.Verdict, State: sweep.Acknowledged,
				Note: hostileNames[i%len(hostileNames)], At: time.Now(),
			}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return db, targets
}

// hostileBisection adds a bisection over the hostile names, none of which can be
// built; the reasons are hostile too.
func hostileBisection(t *testing.T, db string) {
	t.Helper()
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	candidate := func(name string) bisectCandidate {
		return bisectCandidate{Version: sweep.Version{Name: name, Raw: name}}
	}
	o := bisectOptions{MinRounds: 5, MaxRounds: 5, Candidates: []bisectCandidate{candidate("good")}}
	for _, name := range hostileNames[10:20] {
		o.Candidates = append(o.Candidates, candidate(name))
	}
	o.Candidates = append(o.Candidates, candidate("bad"))
	o.Replay = "#= ends good bad differ=true change=-0.3,-0.4,-0.2 rounds=5\n"
	options, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := st.CreateBisection(t.Context(), store.Bisection{
		Target: hostileNames[12], Source: hostileNames[13], Good: "good", Bad: "bad", Metric: sweep.QPS, Effect: 0.03, Options: options,
	}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStretch(b)
	if err != nil {
		t.Fatal(err)
	}
	told, err := s.told()
	if err != nil {
		t.Fatal(err)
	}
	_, err = bisect.Search(t.Context(), len(o.Candidates), func(ctx context.Context, trial bisect.Trial, _ int) (bisect.Reading, error) {
		if trial.Purpose != bisect.Probe {
			return bisect.Reading{}, bisect.ErrBudget
		}
		plan := sweep.Plan{Target: b.Target, Source: b.Source, Launcher: launcherProcess, Profile: load.Profile{Shape: load.ShapeForeign}, Rounds: 5, Reference: "good"}
		skipped := map[int]string{}
		for _, place := range trial.Places() {
			plan.Versions = append(plan.Versions, s.candidate(place).Version)
		}
		sw, err := st.CreateTrial(ctx, b.ID, trial.Number, plan, sweep.Environment{}, time.Now())
		for i, place := range trial.Places() {
			outcome := sweep.Outcome{Version: plan.Versions[i].Name, Build: sweep.Build{Version: plan.Versions[i].Name}}
			if place != trial.Good && place != trial.Bad {
				outcome.Reason = hostileNames[(place+12)%len(hostileNames)]
				skipped[place] = outcome.Reason
			}
			err = errors.Join(err, st.SaveOutcome(ctx, sw.ID, outcome))
		}
		return bisect.Reading{Skipped: skipped}, err
	}, bisect.Options{Effect: 0.03, MinRounds: 5, MaxRounds: 5, Told: told})
	if err != nil {
		t.Fatal(err)
	}
}

// hostileRun carries out a command in the same process.
func hostileRun(t *testing.T, db string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, complaints bytes.Buffer
	status := run(append(args, "--db", db), strings.NewReader(""), &out, &complaints)
	if status != exitDone && status != exitRegression {
		t.Errorf("%.60q: status %d: %.300s", args, status, complaints.String())
	}
	checkTerminal(t, args, complaints.String())
	return out.String(), complaints.String()
}

// checkTerminal makes sure that a text is safe on a terminal, and that no line
// of it is an order to a CI service.
func checkTerminal(t *testing.T, args []string, text string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%.60q: an unprintable character reaches the terminal: %.120q", args, line[max(0, i-20):])
			return
		}
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("%.60q: a line is an order to GitHub Actions: %.80q", args, line)
		}
	}
}

// What a store holds reaches no terminal, page, picture or file as anything but
// text.
func TestHostileNamesAtEveryExit(t *testing.T) {
	db, targets := hostileStore(t)
	for _, target := range targets {
		// A name that begins with a dash is an option unless it follows --.
		on := func(command ...string) []string {
			return append(slices.Concat(command, []string{"--db", db, "--"}), target)
		}
		do := func(command ...string) string {
			var out, complaints bytes.Buffer
			args := on(command...)
			if status := run(args, strings.NewReader(""), &out, &complaints); status != exitDone && status != exitRegression {
				t.Errorf("%.60q: status %d: %.300s", args, status, complaints.String())
			}
			checkTerminal(t, args, complaints.String())
			return out.String()
		}
		for _, command := range [][]string{
			{"table"}, {"table", "--layout", "series"}, {"table", "--layout", "metrics"}, {"check"},
		} {
			checkTerminal(t, command, do(command...))
		}
		for _, command := range [][]string{{"table", "--json"}, {"check", "--json"}, {"export", "json"}, {"export", "bencher"}, {"export", "github-action"}} {
			text := do(command...)
			checkTerminal(t, command, text)
			if !json.Valid([]byte(text)) {
				t.Errorf("%q of %.40q is no JSON", command, target)
			}
		}
		for _, format := range []string{"text", "markdown", "html"} {
			text := compareFirst(t, db, target, format)
			switch format {
			case "html":
				checkPage(t, "compare.html", text)
			default:
				checkTerminal(t, []string{"compare", format}, text)
			}
		}
		checkMarkdown(t, do("table", "--format", "markdown"))
		checkCSV(t, do("table", "--format", "csv"))
		checkCSV(t, do("export", "csv"))
		checkXML(t, do("export", "junit"), false)
		checkOpenMetrics(t, do("export", "openmetrics"))
		checkPage(t, "table.html", do("table", "--format", "html"))
		picture := filepath.Join(t.TempDir(), "x.svg")
		do("chart", "-o", picture)
		svg, err := os.ReadFile(picture)
		if err != nil {
			t.Fatal(err)
		}
		checkXML(t, string(svg), true)
	}
	out, _ := hostileRun(t, db, "export", "csv")
	checkCSV(t, out)
	hostileBisection(t, db)
	for _, command := range [][]string{{"bisect", "log"}, {"bisect", "log", "--json"}} {
		out, _ := hostileRun(t, db, command...)
		checkTerminal(t, command, out)
		if command[len(command)-1] == "log" && (!strings.Contains(out, "# skip: ") || !strings.Contains(out, `\x1b`)) {
			t.Errorf("no hostile step was told: %.300s", out)
		}
	}

	dir := filepath.Join(t.TempDir(), "parent", "report")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	hostileRun(t, db, "report", "-o", dir)
	safe := regexp.MustCompile(`^[a-z0-9._~-]+$`)
	pages := 0
	err := filepath.WalkDir(filepath.Dir(dir), func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !safe.MatchString(entry.Name()) || len(entry.Name()) > 100 {
			t.Errorf("a file is called %q", entry.Name())
		}
		if !entry.IsDir() && !strings.HasPrefix(file, dir+"/") {
			t.Errorf("%s was written outside the report", file)
		}
		switch filepath.Ext(file) {
		case ".html":
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			pages++
			checkPage(t, file, string(text))
		case ".json":
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if !json.Valid(text) {
				t.Errorf("%s is no JSON", file)
			}
		}
		return nil
	})
	if err != nil || pages < len(targets) {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// compareFirst compares the first two versions of a target.
func compareFirst(t *testing.T, db, target, format string) string {
	t.Helper()
	st, err := store.OpenReadOnly(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	sw, err := st.LatestSweep(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	var out, complaints bytes.Buffer
	args := []string{"compare", "--db", db, "--format", format, "--", target, sw.Plan.Versions[0].Name, sw.Plan.Versions[1].Name}
	if status := run(args, strings.NewReader(""), &out, &complaints); status != exitDone && status != exitRegression {
		t.Errorf("%.60q: status %d: %.300s", args, status, complaints.String())
	}
	checkTerminal(t, args, complaints.String())
	return out.String()
}

// checkPage takes a page apart as a browser would and makes sure that nothing in
// it is markup of a name.
func checkPage(t *testing.T, name, text string) {
	t.Helper()
	allowed := strings.Fields("html head meta title link style script body a header nav button main h1 h2 h3 p section ul li b i small code pre dl dt dd table caption thead tbody tr th td div span details summary figure figcaption noscript picture source img svg polyline circle path form label select input fieldset legend footer line rect text g tspan defs br col colgroup")
	scripts := 0
	for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			if !errors.Is(tokens.Err(), io.EOF) {
				t.Errorf("%s: %v", name, tokens.Err())
			}
			break
		}
		token := tokens.Token()
		switch kind {
		case html.CommentToken:
			t.Errorf("%s has a comment: %.60q", name, token.Data)
		case html.TextToken:
			if i := strings.IndexFunc(token.Data, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }); i >= 0 && scripts == 0 {
				t.Errorf("%s has an unprintable character: %.60q", name, token.Data[max(0, i-20):])
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if !slices.Contains(allowed, token.Data) {
				t.Errorf("%s has an element %s", name, token.Data)
			}
			if token.Data == "script" {
				scripts++
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") || strings.ContainsFunc(a.Val, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%s: <%s %s=%.60q>", name, token.Data, a.Key, a.Val)
				}
				if link := strings.ToLower(a.Val); slices.Contains([]string{"href", "src", "srcset", "action"}, a.Key) && strings.Contains(link, ":") &&
					!strings.HasPrefix(link, "data:image/") && link != "data:," {
					t.Errorf("%s: <%s %s=%.60q>", name, token.Data, a.Key, a.Val)
				}
			}
		case html.EndTagToken:
			if token.Data == "script" {
				scripts--
			}
		}
	}
}

// checkXML takes a document apart; of a picture it makes sure that it only draws.
func checkXML(t *testing.T, text string, picture bool) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("not XML: %v", err)
			return
		}
		e, ok := token.(xml.StartElement)
		if !ok || !picture {
			continue
		}
		if slices.Contains([]string{"script", "foreignObject", "a", "image", "use", "animate", "set"}, e.Name.Local) {
			t.Errorf("the picture has an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
				t.Errorf("the picture has <%s %s=%.60q>", e.Name.Local, a.Name.Local, a.Value)
			}
		}
	}
}

// checkCSV makes sure that no cell is a formula and every row has its columns.
func checkCSV(t *testing.T, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Errorf("%d rows, %v", len(rows), err)
		return
	}
	for n, row := range rows {
		for _, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err == nil {
				continue
			}
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("row %d: a spreadsheet takes %.40q for a formula", n, cell)
			}
			if strings.ContainsFunc(cell, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("row %d holds a control character: %.60q", n, cell)
			}
		}
	}
}

// checkMarkdown makes sure that every row of a table has the same number of
// cells, and that nothing is markup of a name.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	checkTerminal(t, []string{"markdown"}, text)
	cells := regexp.MustCompile(`(^|[^\\])(\\\\)*\|`)
	columns := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			n := len(cells.FindAllString(line, -1))
			if columns == 0 {
				columns = n
			}
			if n != columns {
				t.Errorf("%d cells in place of %d: %.120q", n, columns, line)
			}
		}
		if strings.Contains(line, "<") || regexp.MustCompile(`(^|[^\\])\[.*[^\\]\]\(`).MatchString(line) {
			t.Errorf("markup: %.120q", line)
		}
	}
}

// openMetricsLine is a line of the format: a name, labels in quotes with their
// escapes, a number.
var openMetricsLine = regexp.MustCompile(`^(# (TYPE|UNIT|HELP|EOF).*|[a-zA-Z_][a-zA-Z0-9_]*\{([a-z]+="([^"\\\n]|\\[\\"n])*",?)*\} [0-9.e+-]+)$`)

func checkOpenMetrics(t *testing.T, text string) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if !openMetricsLine.MatchString(line) {
			t.Errorf("not OpenMetrics: %.160q", line)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
	"versweep/sweep/nightly"
)

func TestGitHubGetsAnnotationsAndASummary(t *testing.T) {
	var out bytes.Buffer
	g := &githubChannel{output: &out, summary: filepath.Join(t.TempDir(), "summary")}
	if err := os.WriteFile(g.summary, []byte("said before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := night
	told.Notices = append(slices.Clone(night.Notices),
		nightly.Notice{Key: "a", Title: "A:%,", State: nightly.Recovered, Finding: &sweep.Finding{Metric: sweep.Metrics[0], From: "1", To: "2", RecoveredIn: "3", Change: -0.05, Lo: math.NaN(), Verdict: sweep.Regression}},
		nightly.Notice{Key: "b", Target: "b", State: nightly.New, Finding: &sweep.Finding{Metric: sweep.Metrics[0], From: "1", To: "2", Change: 0.05, Lo: math.NaN(), Verdict: sweep.Improvement}},
	)
	if err := g.deliver(context.Background(), told); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines for 4 notices:\n%s", len(lines), out.String())
	}
	for i, want := range []string{
		"::error title=Node.js%2C new regression::throughput 8.1 %25 slower since 20.5.0 (95 %25 interval 7.2 to 9.0 %25), confidence 99.8 %25; measured again: 7.9 %25 slower; to acknowledge: versweep ack node-qps-20.5.0",
		`::warning title=Node.js%2C missing::no result of 1.0<!channel>&\n\x3a:error::\u202e` + "`|**x**<img src=x onerror=alert(1)>" + `\x1b[31m: no such release`,
		"::notice title=A%3A%25%2C%2C recovered in 3::throughput 5.0 %25 slower since 2",
		"::notice title=b%2C new improvement::throughput 5.0 %25 faster since 2",
	} {
		if lines[i] != want {
			t.Errorf("got  %s\nwant %s", lines[i], want)
		}
	}
	page, err := os.ReadFile(g.summary)
	if err != nil {
		t.Fatal(err)
	}
	const want = "said before\n" + `## versweep: Night of 2026-11-30: 2 new, 1 missing, 1 recovered

- **Node.js, new regression**: throughput 8.1 % slower since 20.5.0 (95 % interval 7.2 to 9.0 %), confidence 99.8 %; measured again: 7.9 % slower; to acknowledge: ` + "`versweep ack node-qps-20.5.0`" + `
- **Node.js, missing**: no result of 1.0&lt;!channel&gt;&amp;\\n\\x3a:error::\\u202e` + "\\`" + `\|\*\*x\*\*&lt;img src=x onerror=alert(1)&gt;\\x1b\[31m: no such release
- **A:%,, recovered in 3**: throughput 5.0 % slower since 2
- **b, new improvement**: throughput 5.0 % faster since 2

| target | tonight |
|---|---|
| Node.js | 2 versions measured, 3 wait for the next night |
| Bun | failed: no engine |
`
	if string(page) != want {
		t.Errorf("got\n%s\nwant\n%s", page, want)
	}
}

// GitHub shows ten annotations of each level, and drops a summary of more than a
// mebibyte as a whole.
func TestGitHubGetsNoMoreThanItTakes(t *testing.T) {
	many := night
	for range 3000 {
		n := night.Notices[1]
		n.Reason = strings.Repeat("x", 1000)
		many.Notices = append(slices.Clip(many.Notices), n)
	}
	many.Open = many.Notices
	var out bytes.Buffer
	g := &githubChannel{output: &out, summary: filepath.Join(t.TempDir(), "summary")}
	if err := g.deliver(context.Background(), many); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 11 {
		t.Errorf("%d annotations", n)
	}
	page, err := os.ReadFile(g.summary)
	if err != nil || len(page) > summaryBytes || len(page) < summaryBytes*9/10 || !strings.Contains(string(page), "\n- and ") || !strings.HasSuffix(string(page), "| Bun | failed: no engine |\n") {
		t.Errorf("%d bytes, %v: …%s", len(page), err, page[max(0, len(page)-300):])
	}
	// What was said before takes of the room.
	if err := os.Truncate(g.summary, summaryBytes-50); err != nil {
		t.Fatal(err)
	}
	if err := g.deliver(context.Background(), night); err == nil || !strings.Contains(err.Error(), "there is no room") {
		t.Error(err)
	}
	if info, err := os.Stat(g.summary); err != nil || info.Size() != summaryBytes-50 {
		t.Error(info, err)
	}
	g.summary = filepath.Join(g.summary, "x")
	if err := g.deliver(context.Background(), night); err == nil || !strings.HasPrefix(err.Error(), "writing the step's summary: ") {
		t.Error(err)
	}
}

func TestGitHubIsToldInActionsOnly(t *testing.T) {
	const node = "targets: [{name: node}]\n"
	for _, tt := range []struct {
		text, actions string
		want          int
	}{
		{node, "true", 1}, {node, "", 0}, {node + "notify: [{github: true}]\n", "true", 1},
		{node + "notify: [{github: true}]\n", "", 0}, {node + "notify: [{github: false}]\n", "true", 0},
	} {
		t.Setenv("GITHUB_ACTIONS", tt.actions)
		s, told, _ := readSettings(t, tt.text)
		if s == nil || len(s.channels) != tt.want {
			t.Errorf("%+v: %+v %s", tt, s, told)
		}
	}
}

package charts

import (
	"math"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/nightly"
)

func TestNoticesAreToldInOneLine(t *testing.T) {
	day := time.Date(2026, 11, 28, 3, 0, 0, 0, time.UTC)
	step := &sweep.Finding{Kind: sweep.KindStep, Metric: sweep.Metrics[0], From: "20.4.0", To: "20.5.0", Verdict: sweep.Regression, Change: -0.081, Lo: -0.09, Hi: -0.072}
	recovered := *step
	recovered.RecoveredIn = "20.6.0"
	better := *step
	better.Verdict, better.Change, better.Lo, better.Hi = sweep.Improvement, 0.081, 0.072, 0.09
	for want, n := range map[string]nightly.Notice{
		"Node.js, new regression: throughput 8.1 % slower since 20.5.0 (95 % interval 7.2 to 9.0 %)":                                        {Title: "Node.js", State: nightly.New, Finding: step, Since: day},
		"node, new improvement: throughput 8.1 % faster since 20.5.0 (95 % interval 7.2 to 9.0 %)":                                          {Target: "node", State: nightly.New, Finding: &better},
		"n, still there: throughput 8.1 % slower since 20.5.0 (95 % interval 7.2 to 9.0 %); 20.6.0 is no faster (first seen on 2026-11-28)": {Title: "n", State: nightly.StillThere, Finding: step, Reason: "20.6.0 is no faster", Since: day},
		"n, recovered in 20.6.0: throughput 8.1 % slower since 20.5.0 (95 % interval 7.2 to 9.0 %) (first seen on 2026-11-28)":              {Title: "n", State: nightly.Recovered, Finding: &recovered, Since: day},
		"n, acknowledged: throughput 8.1 % slower since 20.5.0 (95 % interval 7.2 to 9.0 %)":                                                {Title: "n", State: nightly.Acknowledged, Finding: step},
		"n, new regression: throughput 8.1 % slower since 20.5.0 (95 % interval 7.2 to 9.0 %); measured again: 7.9 % slower (7.0 to 8.8 %)": {Title: "n", State: nightly.New, Finding: step, Confirmed: &sweep.Comparison{Metric: sweep.Metrics[0], Change: -0.079, Lo: -0.088, Hi: -0.07}},
		"n, new regression: throughput 8.1 % slower since 20.5.0 (95 % interval 7.2 to 9.0 %); measured again: undecided":                   {Title: "n", State: nightly.New, Finding: step, Confirmed: &sweep.Comparison{Metric: sweep.Metrics[0], Verdict: sweep.Undecided, Change: math.NaN()}},
		`n\n, missing: no result of 1.0\x1b: no such\nrelease`:                                                                              {Target: "n", Title: "n\n", State: nightly.Missing, Version: "1.0\x1b", Reason: "no such\nrelease"},
		"n, missing: no result: the registry did not answer":                                                                                {Target: "n", Title: "n", State: nightly.Missing, Reason: "the registry did not answer"},
		"n, back: there is a result again of 1.0, which was missing since 2026-11-28":                                                       {Title: "n", State: nightly.Back, Version: "1.0", Since: day},
		"Nightly sweeps, missing: no night since 2026-11-20":                                                                                {Title: "Nightly sweeps", State: nightly.Missing, Reason: "no night since 2026-11-20"},
		"n, back: there is a result again": {Title: "n", State: nightly.Back},
	} {
		if got := NoticeText(n); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What can be acknowledged says what to type, in each form; what cannot does not.
func TestNoticesSayHowToAcknowledge(t *testing.T) {
	finding := &sweep.Finding{ID: "node-qps-20.5.0", Kind: sweep.KindStep, Metric: sweep.Metrics[0], To: "20.5.0", Verdict: sweep.Regression, Change: -0.08, Lo: math.NaN()}
	for state, want := range map[nightly.State]bool{
		nightly.New: true, nightly.StillThere: true, nightly.Reopened: true,
		nightly.Acknowledged: false, nightly.Expected: false, nightly.Recovered: false,
	} {
		n := nightly.Night{Notices: []nightly.Notice{{Key: "k", Title: "Node.js", State: state, Finding: finding}}}
		_, sections := NightSlack(n)
		const typed = "to acknowledge: versweep ack node-qps-20.5.0"
		for form, text := range map[string]string{
			"line": NoticeText(n.Notices[0]), "text": NightText(n), "Slack": strings.Join(sections, "\n"), "Markdown": strings.ReplaceAll(NightMarkdown(n, 1<<20), "`", ""),
		} {
			if strings.Count(text, typed) != 1 && want || strings.Contains(text, "versweep ack") && !want {
				t.Errorf("%s as %s: %s", state, form, text)
			}
		}
	}
	if got := AckCommand(nightly.Notice{State: nightly.New}); got != "" {
		t.Errorf("a missing result: %q", got)
	}
}

func TestNightsAreSummedUp(t *testing.T) {
	began := time.Date(2026, 11, 30, 1, 0, 0, 0, time.UTC)
	n := nightly.Night{Began: began, Notices: []nightly.Notice{{Key: "a", Title: "A", State: nightly.New, Finding: &sweep.Finding{Metric: sweep.Metrics[0], To: "2", Change: -0.1, Lo: math.NaN(), Verdict: sweep.Regression}}}}
	n.Open = []nightly.Notice{{Key: "a"}, {Key: "b"}, {Key: "c"}}
	n.Targets = []nightly.TargetNight{{Target: "a", Title: "A", Measured: []string{"1"}, Left: 1}, {Target: "b", Measured: []string{"1", "2"}, Stopped: "no\nroom"}, {Target: "c", Failed: "no\nengine"}, {Target: "d"}}
	const want = `Night of 2026-11-30: 1 new
- A, new regression: throughput 10 % slower since 2
2 more stand as told before.
A: 1 version measured, 1 waits for the next night
b: 2 versions measured, then stopped: no\nroom
c: failed: no\nengine
d: nothing had to be measured
`
	if got := NightText(n); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := NightText(nightly.Night{Began: began}); got != "Night of 2026-11-30: nothing to tell\n" {
		t.Error(got)
	}
	page := NightMarkdown(n, 1<<20)
	if strings.Count(page, "\n") != 15 || !strings.Contains(page, "\nStanding as told before:\n\n- **") {
		t.Error(page)
	}
	for limit := range 600 {
		if page := NightMarkdown(n, limit+250); len(page) > limit+250 {
			t.Errorf("%d bytes of %d:\n%s", len(page), limit+250, page)
		}
	}
}

package nightly

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
)

// axis are measured versions 1.0.0 to 1.n.0.
func axis(n int) []sweep.Version {
	var list []sweep.Version
	for i := range n + 1 {
		list = append(list, release(fmt.Sprintf("1.%d.0", i), ""))
	}
	return list
}

// slower is a regression of throughput at 1.n.0.
func slower(n int, change float64) sweep.Finding {
	m, _ := sweep.MetricByKey(sweep.QPS)
	to := fmt.Sprintf("1.%d.0", n)
	return sweep.Finding{
		ID: "x-qps-" + to, Kind: sweep.KindStep, Metric: m, From: fmt.Sprintf("1.%d.0", n-1), To: to, Verdict: sweep.Regression, State: sweep.Open,
		Change: change, Lo: change - 0.02, Hi: change + 0.02, PlaceLo: to, PlaceHi: to,
	}
}

func with(f sweep.Finding, state sweep.State) sweep.Finding {
	if f.State = state; state == sweep.Recovered {
		f.RecoveredIn = "1.9.0"
	}
	return f
}

func judged(newest int, findings ...sweep.Finding) *sweep.Judgement {
	return &sweep.Judgement{Target: "x", Metrics: sweep.Metrics, Versions: axis(newest), Findings: findings}
}

func confirmed(f sweep.Finding) Suspicion {
	return Suspicion{Target: "x", Finding: f, Standing: Confirmed, Since: tonight}
}

func noticesText(list []Notice) string {
	var words []string
	for _, n := range list {
		text := fmt.Sprintf("%s %s", n.Key, n.State)
		if n.Was != "" {
			text += " was " + string(n.Was)
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

// Each night of a story sees something; only changes are told, each once.
func TestNoticesTellChangesOnce(t *testing.T) {
	f, big := slower(3, -0.1), slower(5, -0.4)
	better := slower(4, 0.2)
	better.Verdict, better.ID = sweep.Improvement, "x-qps-1.4.0"
	moved := slower(4, -0.12)
	moved.PlaceLo, moved.PlaceHi = "1.3.0", "1.5.0"
	type nightOf struct {
		sight Sight
		told  string // notices
		open  string
	}
	sees := func(j *sweep.Judgement, s ...Suspicion) Sight {
		return Sight{Judged: j, Suspicions: s, LacksLooked: true}
	}
	lacks := func(kept string, l ...Lack) Sight {
		return Sight{Judged: judged(3), Lacks: l, Kept: strings.Fields(kept), LacksLooked: true}
	}
	for _, story := range []struct {
		name   string
		nights []nightOf
	}{
		{"only what is confirmed", []nightOf{
			{sees(judged(3, f)), "", ""},
			{sees(judged(3, f), Suspicion{Finding: f, Standing: Rejected}), "", ""},
			{sees(judged(3, f), Suspicion{Finding: f, Standing: Suspected}), "", ""},
			{sees(judged(3, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
		}},
		{"once, and again with each newer version", []nightOf{
			{sees(judged(3, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
			{sees(judged(3, f), confirmed(f)), "", "x-qps-1.3.0 new was new"},
			{sees(judged(4, f), confirmed(f)), "x-qps-1.3.0 still there was new", "x-qps-1.3.0 still there was new"},
			{sees(judged(4, f), confirmed(f)), "", "x-qps-1.3.0 still there was still there"},
			{sees(judged(6, f), confirmed(f)), "x-qps-1.3.0 still there was still there", "x-qps-1.3.0 still there was still there"},
		}},
		{"recovers, and is forgotten", []nightOf{
			{sees(judged(3, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
			{sees(judged(9, with(f, sweep.Recovered)), confirmed(f)), "x-qps-1.3.0 recovered was new", ""},
			{sees(judged(9, with(f, sweep.Recovered))), "", ""},
			{sees(judged(9)), "", ""},
			{sees(judged(9, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
		}},
		{"recovered, and comes back once it is confirmed anew", []nightOf{
			{sees(judged(3, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
			{sees(judged(9, with(f, sweep.Recovered))), "x-qps-1.3.0 recovered was new", ""},
			{sees(judged(9, f)), "", ""},
			{sees(judged(9, f), confirmed(f)), "x-qps-1.3.0 new was recovered", "x-qps-1.3.0 new was recovered"},
		}},
		{"is not borne out", []nightOf{
			{sees(judged(3, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
			{sees(judged(4)), "x-qps-1.3.0 recovered was new", ""},
			{sees(judged(4)), "", ""},
		}},
		{"what people say", []nightOf{
			{sees(judged(3, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
			{sees(judged(4, with(f, sweep.Acknowledged)), confirmed(f)), "x-qps-1.3.0 acknowledged was new", ""},
			{sees(judged(5, with(f, sweep.Acknowledged)), confirmed(f)), "", ""},
			{sees(judged(5, with(f, sweep.Expected)), confirmed(f)), "x-qps-1.3.0 expected was acknowledged", ""},
			{sees(judged(5, f), confirmed(f)), "x-qps-1.3.0 reopened was expected", "x-qps-1.3.0 reopened was expected"},
			{sees(judged(5, f), confirmed(f)), "", "x-qps-1.3.0 reopened was reopened"},
			{sees(judged(6, with(f, sweep.Recovered)), confirmed(f)), "x-qps-1.3.0 recovered was reopened", ""},
		}},
		{"acknowledged before it was told", []nightOf{
			{sees(judged(3, with(f, sweep.Acknowledged)), confirmed(f)), "", ""},
		}},
		{"moves a little and stays the same", []nightOf{
			{sees(judged(5, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
			{sees(judged(5, moved), confirmed(f)), "", "x-qps-1.3.0 new was new"},
			{sees(judged(5, with(moved, sweep.Recovered)), confirmed(f)), "x-qps-1.3.0 recovered was new", ""},
		}},
		{"moves, and another one comes where it was", []nightOf{
			{sees(judged(6, slower(5, -0.1)), confirmed(slower(5, -0.1))), "x-qps-1.5.0 new", "x-qps-1.5.0 new"},
			{sees(judged(6, slower(6, -0.2)), confirmed(slower(5, -0.1))), "", "x-qps-1.5.0 new was new"},
			{sees(judged(6, slower(5, -0.1), slower(6, -0.2)), confirmed(slower(5, -0.1))), "x-qps-1.5.0-again new", "x-qps-1.5.0 new was new; x-qps-1.5.0-again new"},
			{sees(judged(6, slower(5, -0.1), slower(6, -0.2)), confirmed(slower(5, -0.1))), "", "x-qps-1.5.0 new was new; x-qps-1.5.0-again new was new"},
			{sees(judged(6, slower(6, -0.2))), "x-qps-1.5.0-again recovered was new", "x-qps-1.5.0 new was new"},
		}},
		{"two, the larger first", []nightOf{
			{sees(judged(5, f, big), confirmed(f), confirmed(big)), "x-qps-1.5.0 new; x-qps-1.3.0 new", "x-qps-1.5.0 new; x-qps-1.3.0 new"},
			{sees(judged(5, big), confirmed(big)), "x-qps-1.3.0 recovered was new", "x-qps-1.5.0 new was new"},
		}},
		{"improvements are left alone unless asked for", []nightOf{
			{sees(judged(5, better), confirmed(better)), "", ""},
			{Sight{Judged: judged(5, better), Suspicions: []Suspicion{confirmed(better)}, Watching: Watching{Improvements: true}}, "x-qps-1.4.0 new", ""},
		}},
		{"too small", []nightOf{
			{Sight{Judged: judged(5, f), Suspicions: []Suspicion{confirmed(f)}, Watching: Watching{MinChange: 0.2}}, "", ""},
		}},
		{"nothing could be judged", []nightOf{
			{sees(judged(5, f), confirmed(f)), "x-qps-1.3.0 new", "x-qps-1.3.0 new"},
			{Sight{Failed: "no network"}, "missing-x missing", "x-qps-1.3.0 new was new; missing-x missing"},
			{Sight{Failed: "no network still"}, "", "x-qps-1.3.0 new was new; missing-x missing was missing"},
			{sees(judged(5, f), confirmed(f)), "missing-x back was missing", "x-qps-1.3.0 new was new"},
		}},
		{"missing, and back", []nightOf{
			{lacks("1.0.0 1.1.0 1.2.0"), "", ""},
			{lacks("1.0.0 1.1.0 1.2.0", Lack{Version: "1.2.0", Reason: "gone"}), "missing-x-1.2.0 missing", "missing-x-1.2.0 missing"},
			{lacks("1.0.0 1.1.0 1.2.0", Lack{Version: "1.2.0", Reason: "gone"}, Lack{Version: "1.1.0", Reason: "old"}), "missing-x-1.1.0 missing", "missing-x-1.2.0 missing was missing; missing-x-1.1.0 missing"},
			{lacks("1.0.0 1.1.0 1.2.0", Lack{Version: "1.1.0", Reason: "old"}), "missing-x-1.2.0 back was missing", "missing-x-1.1.0 missing was missing"},
			{lacks("1.0.0 1.2.0"), "", ""}, // 1.1.0 is not expected any more
			{lacks("1.0.0 1.1.0 1.2.0"), "", ""},
		}},
		{"what never came is no news on the first night", []nightOf{
			{Sight{First: true, Judged: judged(3), LacksLooked: true, Lacks: []Lack{{Version: "1.2.0", Reason: "too old"}}, Kept: []string{"1.2.0"}}, "", "missing-x-1.2.0 missing was missing"},
			{lacks("1.2.0", Lack{Version: "1.2.0", Reason: "too old"}), "", "missing-x-1.2.0 missing was missing"},
			{lacks("1.2.0"), "missing-x-1.2.0 back was missing", ""},
		}},
		{"a whole target is missing on the first night", []nightOf{
			{Sight{First: true, LacksLooked: true, Lacks: []Lack{{Version: "", Reason: "none could be measured"}}}, "missing-x missing", "missing-x missing"},
		}},
	} {
		var told []Told
		for i, night := range story.nights {
			s := night.sight
			s.Target, s.Title, s.Now = "x", "X", tonight.Add(time.Duration(i)*day)
			a := NewAccount(s, told)
			if got := noticesText(a.Notices); got != night.told {
				t.Errorf("%s, night %d: told %q, want %q", story.name, i+1, got, night.told)
			}
			if got := noticesText(a.Open); got != night.open {
				t.Errorf("%s, night %d: open %q, want %q", story.name, i+1, got, night.open)
			}
			// What was not delivered is told again a night later, and nothing else;
			// receivers know it by its time.
			s.Now = s.Now.Add(day)
			again := NewAccount(s, told)
			if noticesText(again.Notices) != night.told {
				t.Errorf("%s, night %d: another time it tells %q", story.name, i+1, noticesText(again.Notices))
			}
			for k, n := range a.Notices {
				if n.Finding != nil && (n.Since.IsZero() || !again.Notices[k].Since.Equal(n.Since)) {
					t.Errorf("%s, night %d: %s since %v, another time since %v", story.name, i+1, n.Key, n.Since, again.Notices[k].Since)
				}
			}
			if len(a.Notices) > 0 && story.nights[0].told != "" && a.Notices[0].State == StillThere && !a.Notices[0].Since.Equal(tonight) {
				t.Errorf("%s, night %d: since %v", story.name, i+1, a.Notices[0].Since)
			}
			told = a.Told
			keys := map[string]bool{}
			for _, one := range told {
				if keys[one.Key] {
					t.Errorf("%s, night %d: %s is kept twice", story.name, i+1, one.Key)
				}
				keys[one.Key] = true
			}
		}
	}
}

func TestSuspect(t *testing.T) {
	f, next := slower(3, -0.1), slower(4, -0.09)
	standings := func(list []Suspicion) string {
		var words []string
		for _, s := range list {
			words = append(words, s.Finding.ID+" "+string(s.Standing))
		}
		return strings.Join(words, ", ")
	}
	old := Suspicion{Target: "x", Finding: f, Standing: Suspected, Since: tonight.Add(-day), Tries: 1}
	rejected := Suspicion{Target: "x", Finding: f, Standing: Rejected, Since: tonight.Add(-day), Sweep: 4}
	told := []Told{{Key: f.ID, State: New, Finding: &f}}
	over := []Told{{Key: f.ID, State: Recovered, Finding: &f}}
	for _, c := range []struct {
		name    string
		known   []Suspicion
		told    []Told
		judged  *sweep.Judgement
		keep    string
		confirm string
	}{
		{"nothing", nil, nil, judged(3), "", ""},
		{"a new finding", nil, nil, judged(3, f), "x-qps-1.3.0 suspected", "x-qps-1.3.0 suspected"},
		{"one that was told", nil, told, judged(3, f), "", ""},
		{"one that recovered when it was told", nil, over, judged(3, f), "x-qps-1.3.0 suspected", "x-qps-1.3.0 suspected"},
		{"an acknowledged one", nil, nil, judged(3, with(f, sweep.Acknowledged)), "", ""},
		{"suspected before: first in line", []Suspicion{old}, nil, judged(4, f, next), "x-qps-1.3.0 suspected, x-qps-1.4.0 suspected", "x-qps-1.3.0 suspected, x-qps-1.4.0 suspected"},
		{"the newest first otherwise", nil, nil, judged(4, f, next), "x-qps-1.3.0 suspected, x-qps-1.4.0 suspected", "x-qps-1.4.0 suspected, x-qps-1.3.0 suspected"},
		{"suspected, and gone", []Suspicion{old}, nil, judged(4), "", ""},
		{"suspected, and acknowledged", []Suspicion{old}, nil, judged(4, with(f, sweep.Expected)), "", ""},
		{"rejected: not again", []Suspicion{rejected}, nil, judged(4, f), "x-qps-1.3.0 rejected", ""},
		{"rejected, and gone", []Suspicion{rejected}, nil, judged(4), "x-qps-1.3.0 rejected", ""},
		{"rejected, and smaller", []Suspicion{rejected}, nil, judged(4, slower(3, -0.05)), "x-qps-1.3.0 rejected", ""},
		{"rejected, and worse", []Suspicion{rejected}, nil, judged(4, slower(3, -0.15)), "x-qps-1.3.0 suspected", "x-qps-1.3.0 suspected"},
		{"rejected hides nothing beside it", []Suspicion{rejected}, nil, judged(4, next), "x-qps-1.3.0 rejected, x-qps-1.4.0 suspected", "x-qps-1.4.0 suspected"},
		{"confirmed stays", []Suspicion{confirmed(f)}, nil, judged(4, f), "x-qps-1.3.0 confirmed", ""},
		{"confirmed until it recovers", []Suspicion{confirmed(f)}, told, judged(4, with(f, sweep.Recovered)), "", ""},
	} {
		keep, confirm := Suspect("x", c.known, c.told, *c.judged, Watching{}, tonight)
		if k, q := standings(keep), standings(confirm); k != c.keep || q != c.confirm {
			t.Errorf("%s: keeps %q, confirms %q", c.name, k, q)
		}
	}
}

func TestQuestions(t *testing.T) {
	f, p99 := slower(3, -0.1), slower(3, 0.3)
	p99.Metric, _ = sweep.MetricByKey(sweep.P99)
	p99.ID = "x-p99_ms-1.3.0"
	suspected := []Suspicion{{Finding: f}, {Finding: slower(6, -0.1)}, {Finding: p99}}
	j := *judged(7)
	j.NotMeasured = []sweep.Outcome{{Version: "1.4.0", Reason: "the build failed"}}
	text := func(q Question) string {
		var names []string
		for _, v := range q.Versions {
			names = append(names, v.Name)
		}
		return fmt.Sprintf("%s to %s over %s about %d%s", q.From, q.To, strings.Join(names, " "), len(q.Suspicions), q.Unanswerable)
	}
	without := func(gone ...string) []sweep.Version {
		var list []sweep.Version
		for _, v := range axis(7) {
			if !strings.Contains(strings.Join(gone, " "), v.Name) {
				list = append(list, v)
			}
		}
		return list
	}
	for _, c := range []struct {
		name      string
		available []sweep.Version
		first     string
	}{
		{"all are there", axis(7), "1.2.0 to 1.3.0 over 1.1.0 1.2.0 1.3.0 1.5.0 about 2"},
		{"both ends are gone", without("1.2.0", "1.3.0"), "1.1.0 to 1.5.0 over 1.0.0 1.1.0 1.5.0 1.6.0 about 2"},
		{"at the end of what is there", axis(3), "1.2.0 to 1.3.0 over 1.1.0 1.2.0 1.3.0 about 2"},
		{"nothing older", without("1.0.0", "1.1.0", "1.2.0"), "1.2.0 to 1.3.0 over  about 2neither 1.2.0 nor an older version can be had any more"},
		{"nothing newer", axis(2), "1.2.0 to 1.3.0 over  about 2neither 1.3.0 nor a newer version can be had any more"},
	} {
		q := Questions(suspected, j, c.available)
		if len(q) != 2 || text(q[0]) != c.first {
			t.Errorf("%s: %d questions, first %q", c.name, len(q), text(q[0]))
		}
	}
}

func TestMissedNights(t *testing.T) {
	for _, c := range []struct {
		before time.Time
		told   bool
	}{{time.Time{}, false}, {tonight.Add(-day), false}, {tonight.Add(-36 * time.Hour), false}, {tonight.Add(-37 * time.Hour), true}, {tonight.Add(day), false}} {
		n := MissedNights(c.before, tonight, day)
		if (n != nil) != c.told {
			t.Errorf("%v: %+v", c.before, n)
		}
		if n != nil && (n.Key != "missing-nights" || n.State != Missing || !strings.HasPrefix(n.Reason, "no night has come to its end since 2026-05-30 13:00 UTC")) {
			t.Errorf("%+v", n)
		}
	}
}

// What is not judged any more is neither told to have recovered nor stands.
func TestMetricThatIsNotWatchedAnyMore(t *testing.T) {
	f := sweep.Finding{ID: "x-qps-1.3.0", Metric: sweep.Metrics[0], From: "1.2.0", To: "1.3.0", Verdict: sweep.Regression, State: sweep.Open}
	told := []Told{{Target: "x", Key: f.ID, State: New, Finding: &f}}
	j := sweep.Judgement{Target: "x", Metrics: sweep.Metrics[1:2]}
	if a := NewAccount(Sight{Target: "x", Judged: &j, LacksLooked: true}, told); len(a.Notices)+len(a.Open)+len(a.Told) != 0 {
		t.Errorf("%+v", a)
	}
}

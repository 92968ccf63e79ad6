package nightly

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

const day = 24 * time.Hour

var tonight = time.Date(2026, 6, 1, 2, 0, 0, 0, time.UTC)

// release is a version of "x" with its identity; empty when unknown.
func release(name, commit string) sweep.Version {
	v, err := sweep.ParseVersion(name, sweep.LineByMajor)
	if err != nil {
		panic(err)
	}
	v.Source, v.Commit = "git", commit
	return v
}

// took is what a sweep has of one version.
type took struct {
	version string
	commit  string
	samples int
	reason  string // it failed; with samples, all of them did
	spoilt  bool
}

// swept is a sweep of "x" so long ago.
func swept(id int64, ago time.Duration, versions ...took) sweep.Sweep {
	sw := sweep.Sweep{ID: id, Created: tonight.Add(-ago), Plan: sweep.Plan{Target: "x", Source: "git", Reference: "1.0.0", Rounds: 15, MinRounds: 5, Profile: load.Profile{Connections: 5}}}
	for _, t := range versions {
		sw.Plan.Versions = append(sw.Plan.Versions, release(t.version, t.commit))
		o := sweep.Outcome{Version: t.version}
		if t.samples == 0 {
			o.Reason = t.reason
		}
		sw.Outcomes = append(sw.Outcomes, o)
		for round := 1; round <= t.samples; round++ {
			s := sweep.Sample{Round: round, Version: t.version, Status: sweep.OK, Started: sw.Created, Values: map[string]float64{sweep.QPS: 100}}
			if t.reason != "" {
				s.Status, s.Reason, s.Values = sweep.Failed, t.reason, nil
			}
			if t.spoilt {
				s.Marks = []sweep.Mark{{Kind: sweep.OtherWork, Spoils: true}}
			}
			sw.Samples = append(sw.Samples, s)
		}
	}
	return sw
}

func kept(names ...string) []sweep.Version {
	var list []sweep.Version
	for _, name := range names {
		name, commit, _ := strings.Cut(name, "@")
		list = append(list, release(name, commit))
	}
	return list
}

func itemsText(items []Item) string {
	var list []string
	for _, i := range items {
		list = append(list, fmt.Sprintf("%s %s", i.Version.Name, i.Why))
	}
	return strings.Join(list, ", ")
}

func TestAgenda(t *testing.T) {
	all := []took{{version: "1.0.0", samples: 5}, {version: "1.1.0", samples: 5}, {version: "1.2.0", samples: 5}}
	for _, c := range []struct {
		name                  string
		kept                  []sweep.Version
		past                  []sweep.Sweep
		wanted, waiting, olds string
	}{
		{"the first night", kept("1.0.0", "1.1.0"), nil, "1.1.0 new, 1.0.0 new", "", ""},
		{"nothing new", kept("1.0.0", "1.1.0", "1.2.0"), []sweep.Sweep{swept(1, day, all...)}, "", "", ""},
		{"new ones in between and on top", kept("1.0.0", "1.0.1", "1.1.0", "1.2.0", "1.3.0"), []sweep.Sweep{swept(1, day, all...)}, "1.3.0 new, 1.0.1 new", "", ""},
		{"a moved tag", kept("1.0.0@a", "1.1.0@b"), []sweep.Sweep{swept(1, day, took{"1.0.0", "a", 5, "", false}, took{"1.1.0", "a", 5, "", false})}, "1.1.0 moved", "", ""},
		{"an identity that was not known then", kept("1.0.0@a"), []sweep.Sweep{swept(1, day, took{"1.0.0", "", 5, "", false})}, "", "", ""},
		{"an identity that is not known now", kept("1.0.0"), []sweep.Sweep{swept(1, day, took{"1.0.0", "a", 5, "", false})}, "", "", ""},
		{"a moved tag that a sweep in between did not know", kept("1.0.0@b"), []sweep.Sweep{swept(1, 2*day, took{"1.0.0", "a", 5, "", false}), swept(2, day, took{"1.0.0", "", 5, "", false})}, "1.0.0 moved", "", ""},
		{"moved and measured since", kept("1.0.0@b"), []sweep.Sweep{swept(1, 2*day, took{"1.0.0", "a", 5, "", false}), swept(2, day, took{"1.0.0", "b", 5, "", false})}, "", "", ""},
		{"failed last night", kept("1.0.0", "1.1.0"), []sweep.Sweep{swept(1, day, took{"1.0.0", "", 5, "", false}, took{"1.1.0", "", 0, "no network", false})}, "1.1.0 retry", "", ""},
		{"failed twice", kept("1.1.0"), []sweep.Sweep{swept(1, 2*day, took{"1.1.0", "", 0, "a", false}), swept(2, day, took{"1.1.0", "", 2, "b", false})}, "", "1.1.0 retry", ""},
		{"failed twice, two nights ago", kept("1.1.0"), []sweep.Sweep{swept(1, 3*day, took{"1.1.0", "", 0, "a", false}), swept(2, 2*day, took{"1.1.0", "", 2, "b", false})}, "1.1.0 retry", "", ""},
		{"failed, then the clock was set back", kept("1.1.0"), []sweep.Sweep{swept(1, 0, took{"1.1.0", "", 0, "a", false}), swept(2, -day, took{"1.1.0", "", 2, "b", false})}, "1.1.0 retry", "", ""},
		{"failed, and is another build by now", kept("1.1.0@b"), []sweep.Sweep{swept(1, time.Hour, took{"1.1.0", "a", 0, "a", false})}, "1.1.0 new", "", ""},
		{"spoilt by the machine", kept("1.0.0"), []sweep.Sweep{swept(1, day, took{"1.0.0", "", 5, "", true})}, "1.0.0 new", "", ""},
		{"spoilt by the machine night after night", kept("1.0.0"), []sweep.Sweep{swept(1, day, took{"1.0.0", "", 5, "", true}), swept(2, time.Hour, took{"1.0.0", "", 5, "", true})}, "1.0.0 new", "", ""},
		{"spoilt tonight, and good before", kept("1.0.0"), []sweep.Sweep{swept(1, 2*day, took{"1.0.0", "", 5, "", false}), swept(2, day, took{"1.0.0", "", 5, "", true})}, "", "", ""},
		{"not come to for want of time", kept("1.0.0", "1.1.0"), []sweep.Sweep{swept(1, day, took{"1.0.0", "", 5, "", false}, took{"1.1.0", "", 0, "", false})}, "1.1.0 new", "", ""},
		{"too few samples", kept("1.0.0", "1.1.0"), []sweep.Sweep{swept(1, day, took{"1.0.0", "", 5, "", false}, took{"1.1.0", "", 2, "", false})}, "1.1.0 too few samples", "", ""},
		{"few and few are enough", kept("1.1.0"), []sweep.Sweep{swept(1, 2*day, took{"1.1.0", "", 2, "", false}), swept(2, day, took{"1.1.0", "", 3, "", false})}, "", "", ""},
		{"stale ones, the oldest first; the reference is not", kept("1.0.0", "1.1.0", "1.2.0", "1.3.0"), []sweep.Sweep{
			swept(1, 90*day, took{"1.0.0", "", 5, "", false}, took{"1.2.0", "", 5, "", false}), swept(2, 60*day, took{"1.1.0", "", 5, "", false}), swept(3, day, took{"1.3.0", "", 5, "", false}),
		}, "", "", "1.2.0 stale, 1.1.0 stale"},
	} {
		a := NewAgenda(Inquiry{Kept: c.kept, Past: c.past, Reference: "1.0.0", Fresh: 30 * day, Every: day, Rounds: 15, Now: tonight})
		if w, q, s := itemsText(a.Wanted), itemsText(a.Waiting), itemsText(a.Stale); w != c.wanted || q != c.waiting || s != c.olds {
			t.Errorf("%s: wanted %q, waiting %q, stale %q", c.name, w, q, s)
		}
	}
}

// Tries of a version that fails for ever become rare, and never end.
func TestRetriesBackOff(t *testing.T) {
	var past []sweep.Sweep
	var tried []int
	for night := range 300 {
		now := tonight.Add(time.Duration(night) * day)
		a := NewAgenda(Inquiry{Kept: kept("1.0.0"), Past: past, Fresh: 30 * day, Every: day, Rounds: 15, Now: now})
		if len(a.Wanted) == 1 {
			tried = append(tried, night)
			sw := swept(int64(night+1), 0, took{"1.0.0", "", 2, "it ends at once", false})
			for i := range sw.Samples {
				sw.Samples[i].Started = now
			}
			past = append(past, sw)
		}
	}
	if want := []int{0, 1, 3, 7, 15, 31, 63, 127, 191, 255}; !slices.Equal(tried, want) {
		t.Errorf("tried on nights %v, want %v", tried, want)
	}
}

func TestFit(t *testing.T) {
	past := []sweep.Sweep{swept(1, day, took{"1.0.0", "", 5, "", false}, took{"1.2.0", "", 5, "", false}, took{"1.4.0", "", 5, "", false}, took{"1.6.0", "", 5, "", false})}
	a := NewAgenda(Inquiry{Kept: kept("1.0.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0", "1.6.0", "1.7.0", "1.8.0"), Past: past, Reference: "1.0.0", Fresh: 30 * day, Every: day, Rounds: 15, Now: tonight})
	if got := itemsText(a.Wanted); got != "1.8.0 new, 1.7.0 new, 1.5.0 new, 1.3.0 new" {
		t.Fatal(got)
	}
	for _, c := range []struct {
		budget   time.Duration // a sample takes a second, and there are 5 rounds at least
		versions string
		left     int
	}{
		{Unlimited, "1.0.0 1.2.0 1.3.0 1.4.0 1.5.0 1.6.0 1.7.0 1.8.0", 0},
		{45 * time.Second, "1.0.0 1.2.0 1.3.0 1.4.0 1.5.0 1.6.0 1.7.0 1.8.0", 0},
		{44 * time.Second, "1.0.0 1.4.0 1.5.0 1.6.0 1.7.0 1.8.0", 1}, // 1.3.0 would bring 1.2.0
		{25 * time.Second, "1.0.0 1.6.0 1.7.0 1.8.0", 2},
		{20 * time.Second, "1.0.0 1.6.0 1.8.0", 3},
		{19 * time.Second, "", 4},
		{-time.Second, "", 4},
	} {
		versions, left := a.Fit(a.Wanted, 5, time.Second, c.budget)
		var names []string
		for _, v := range versions {
			names = append(names, v.Name)
		}
		if got := strings.Join(names, " "); got != c.versions || len(left) != c.left {
			t.Errorf("%v: %q, %d left", c.budget, got, len(left))
		}
	}
}

func TestLacks(t *testing.T) {
	past := []sweep.Sweep{
		swept(1, 70*day, took{"1.0.0", "", 5, "", false}, took{"1.1.0", "", 5, "", false}, took{"0.9.0", "", 5, "", false}),
		swept(2, day, took{"1.0.0", "", 5, "", false}, took{"1.2.0", "", 0, "the build failed", false}, took{"2.0.0", "", 5, "", false}),
	}
	found := kept("1.0.0", "1.1.0", "1.2.0", "1.3.0")
	vanished, err := Vanished(sweep.Selection{Range: ">=1", Per: sweep.PerPatch}, found, past)
	if err != nil {
		t.Fatal(err)
	}
	q := Inquiry{Kept: found, Past: past, Fresh: 30 * day, Every: day, Now: tonight}
	lacks := Lacks(q, vanished)
	var got []string
	for _, l := range lacks {
		got = append(got, l.Version+": "+l.Reason)
	}
	want := []string{
		"2.0.0: it was measured before, and is not to be found any more",
		"1.1.0: no fresh one: last sampled 70 days ago, and the budget does not suffice",
		"1.2.0: the build failed",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	// A night later it fails again, and is missing since the same night.
	before := lacks[2].Since
	q.Past = append(q.Past, swept(3, time.Hour, took{"1.2.0", "", 0, "the build failed again", false}))
	if later := Lacks(q, nil); before.IsZero() || !later[len(later)-1].Since.Equal(before) {
		t.Errorf("since %v, then %+v", before, later)
	}
	if stale := lacks[1]; !stale.Since.Equal(tonight.Add(-70 * day).Add(60 * day)) {
		t.Errorf("stale since %v", stale.Since)
	}
	whole := Lacks(Inquiry{Kept: found, Past: []sweep.Sweep{swept(1, day, took{"1.1.0", "", 0, "a", false}, took{"1.2.0", "", 2, "b", false})}, Fresh: 30 * day, Now: tonight}, nil)
	if len(whole) != 1 || !whole[0].Since.Equal(tonight.Add(-day)) || whole[0].Version != "" || whole[0].Reason != "no version could be measured; 1.2.0: b" {
		t.Errorf("%+v", whole)
	}
	spoilt := Lacks(Inquiry{Kept: found, Past: append(past, swept(3, time.Hour, took{"1.0.0", "", 5, "", true}, took{"1.3.0", "", 5, "", true})), Fresh: 30 * day, Now: tonight}, nil)
	if n := len(spoilt); n != 3 || spoilt[2].Version != "1.3.0" || spoilt[2].Reason != "the machine spoilt every sample" {
		t.Errorf("%+v", spoilt)
	}
	// A newer patch takes the place of the one that was kept: nothing is missing.
	line, err := Vanished(sweep.Selection{Per: sweep.PerLine}, kept("1.2.0", "1.3.0"), []sweep.Sweep{swept(1, day, took{"1.1.0", "", 5, "", false})})
	if err != nil || len(line) != 0 {
		t.Errorf("%v, %v", line, err)
	}
}

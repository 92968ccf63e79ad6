package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"versweep/sweep"
	"versweep/sweep/bisect"
)

// logStretch is a search over three candidates: versions such as 1.0, 1.1, 1.2, or
// commits whose hashes are of one letter each.
func logStretch(letters string) *stretch {
	s := &stretch{metric: sweep.Metrics[0]}
	for _, l := range letters {
		v := sweep.Version{Name: "1." + string(l)}
		if l >= 'a' {
			v.Commit, s.b.PartOf = strings.Repeat(string(l), 40), 1
		}
		s.o.Candidates = append(s.o.Candidates, bisectCandidate{Version: v})
	}
	return s
}

// addLog adds what a search found: that its ends are alike, or that the last
// candidate is the first bad one.
func (s *stretch) addLog(to *strings.Builder, differ bool) {
	unknown := bisect.Change{Change: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	change := bisect.Change{Change: -0.2, Lo: -0.3, Hi: -0.1, Rounds: 5}
	if !differ {
		change = bisect.Change{Lo: -0.01, Hi: 0.01, Rounds: 5}
	}
	log := s.newLog(to)
	log.Write(bisect.Record{Purpose: bisect.Ends, Bad: 2, Differ: differ, Change: change})
	if differ {
		log.Write(bisect.Record{Purpose: bisect.Probe, Bad: 2, Step: bisect.Step{Place: 1, Verdict: bisect.Good, FromGood: unknown, FromBad: unknown}})
		log.Write(bisect.Record{Purpose: bisect.Confirm, Bad: 2, LastGood: 1, FirstBad: 2, Differ: true, Change: change})
	}
	s.endLog(to)
}

// replayed is the answer of a search that a log tells all of.
func (s *stretch) replayed(t *testing.T, log string) bisect.State {
	t.Helper()
	s.o.Replay = log
	told, err := s.told()
	if err != nil {
		t.Fatalf("%v in\n%s", err, log)
	}
	answers, err := bisect.Search(t.Context(), 3, func(context.Context, bisect.Trial, int) (bisect.Reading, error) {
		return bisect.Reading{}, errors.New("measured")
	}, bisect.Options{Effect: 0.03, MinRounds: 5, MaxRounds: 5, Told: told})
	if err != nil {
		t.Fatalf("%v in\n%s", err, log)
	}
	return answers[0].State
}

// Commits between two versions that turn out to be alike begin with no start, and
// are not taken for versions.
func TestLogOfCommitsThatAreAlike(t *testing.T) {
	var log strings.Builder
	versions, commits := logStretch("012"), logStretch("abc")
	versions.addLog(&log, true)
	commits.addLog(&log, false)
	if v, c := versions.replayed(t, log.String()), commits.replayed(t, log.String()); v != bisect.Found || c != bisect.NoDifference {
		t.Errorf("versions %s, commits %s in\n%s", v, c, log.String())
	}
}

// Each of several pairs of versions has commits of its own, and merges branches.
func TestLogOfSeveralPairs(t *testing.T) {
	var log strings.Builder
	versions, pair, branch, other := logStretch("012"), logStretch("abc"), logStretch("adc"), logStretch("def")
	branch.o.Inside = pair.candidate(2).Version.Commit
	versions.addLog(&log, true)
	pair.addLog(&log, true)
	branch.addLog(&log, false)
	other.addLog(&log, true)
	for s, want := range map[*stretch]bisect.State{versions: bisect.Found, pair: bisect.Found, branch: bisect.NoDifference, other: bisect.Found} {
		if got := s.replayed(t, log.String()); got != want {
			t.Errorf("%s: %s in\n%s", s.section(), got, log.String())
		}
	}
	versions.o.Commits = true
	if err := versions.checkReplay(); err != nil {
		t.Error(err)
	}
	for from, to := range map[string]string{"git bisect good " + strings.Repeat("e", 40): "git bisect good 1.2.3", "#= ends " + strings.Repeat("d", 40): "#= ends"} {
		before, after, _ := strings.Cut(log.String(), from)
		versions.o.Replay = before + to + after
		want := fmt.Sprintf("--replay: line %d: ", strings.Count(before, "\n")+1)
		if err := versions.checkReplay(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s in\n%s", err, want, versions.o.Replay)
		}
	}
	// Asked about other commits, it is refused rather than passed over.
	third := logStretch("fgh")
	third.o.Commits, third.o.Direct, third.o.Replay = true, true, log.String()
	if err := third.checkReplay(); err == nil || !strings.Contains(err.Error(), "about other commits: \"commits aaa") {
		t.Error(err)
	}
}

// Logs without sections: those written before there were any, by hand, and git's.
func TestLogWithoutSections(t *testing.T) {
	var log strings.Builder
	versions, commits, branch := logStretch("012"), logStretch("abc"), logStretch("adc")
	branch.o.Inside = commits.candidate(2).Version.Commit
	for _, s := range []*stretch{versions, commits, branch} {
		s.addLog(&log, true)
	}
	old := strings.Replace(log.String(), versionsLine+"\n", "", 1)
	old = strings.Replace(old, commits.section()+"\n", "", 1)
	for _, s := range []*stretch{versions, commits, branch} {
		if got := s.replayed(t, old); got != bisect.Found {
			t.Errorf("%s: %s in\n%s", s.section(), got, old)
		}
	}
	for text, want := range map[string]string{
		"good 1.1": "good 1.1",
		"versweep bisect good 1.1\ngit bisect good bbbbbbb": "versweep bisect good 1.1\n",
		"git bisect start\n# bad: [ccc] C":                  "\n",
		log.String() + "versweep bisect bad 1.1":            logSection(log.String(), versionsLine) + "versweep bisect bad 1.1", // added by hand
	} {
		if got := logSection(text, versionsLine); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := logSection("git bisect start\ngit bisect good bbbbbbb", commits.section()); got != "git bisect start\ngit bisect good bbbbbbb" {
		t.Errorf("git's own: %q", got)
	}
}

package main

import (
	"errors"
	"strings"
	"testing"

	"versweep/sweep"
	"versweep/sweep/bisect"
)

// What the branches of a merge came to says where in it the change is.
func TestWhereInAMerge(t *testing.T) {
	candidate := func(hash string) bisectCandidate {
		return bisectCandidate{Version: sweep.Version{Name: "commit-" + hash, Commit: hash}, Subject: "About " + hash}
	}
	outer := &stretch{metric: sweep.Metrics[0]}
	outer.b.PartOf, outer.o.Candidates = 1, []bisectCandidate{candidate("aaaaaaaaaaaa"), candidate("bbbbbbbbbbbb")}
	step := bisect.Change{Change: -0.2, Lo: -0.25, Hi: -0.15, Rounds: 5}
	answer := bisect.Answer{State: bisect.Found, LastGood: 0, FirstBad: 1, Step: step}
	branch := func(answers ...bisect.Answer) *stretch {
		s := &stretch{metric: sweep.Metrics[0], answers: answers}
		s.b.PartOf, s.o.Inside, s.o.Candidates = 1, "bbbbbbbbbbbb", []bisectCandidate{candidate("cccccccccccc"), candidate("dddddddddddd")}
		return s
	}
	found := bisect.Answer{State: bisect.Found, Bad: 1, FirstBad: 1, Step: step}
	small := found
	small.Step = bisect.Change{Change: -0.05, Lo: -0.07, Hi: -0.03, Rounds: 5}
	faster := found
	faster.Higher, faster.Step = true, bisect.Change{Change: 0.15, Lo: 0.1, Hi: 0.2, Rounds: 5}
	none := bisect.Answer{State: bisect.NoDifference, Bad: 1, FirstBad: 1}
	perhaps := none
	perhaps.RoundsNeeded = 9
	other, several := none, none
	other.State, several.State, several.Suspects = bisect.OtherWay, bisect.OneOf, []int{1}
	ended, empty, unrelated := branch(found), branch(), branch()
	if !ended.cannotBeSearched(&endError{errors.New("it does not build")}) || ended.cannotBeSearched(errors.New("x")) || !ended.over() {
		t.Errorf("%+v", ended)
	}
	empty.o.Empty, empty.o.Unsearched, unrelated.o.Unsearched = true, "nothing", "no common history"
	for name, tt := range map[string]struct {
		parts         []*stretch
		verdict, says string
		failed        bool
	}{
		"one":                {[]*stretch{branch(found)}, "inside", "dddddddddddd About dddddddddddd", false},
		"and a faster one":   {[]*stretch{branch(found, faster)}, "inside", "is in dddddddddddd About dddddddddddd; the branch also has", false},
		"a faster one alone": {[]*stretch{branch(faster)}, "itself", "the branch also has dddddddddddd", false},
		"octopus":            {[]*stretch{branch(none), branch(found)}, "inside", "dddddddddddd", false},
		"not all of it":      {[]*stretch{branch(small)}, "inside", "it is not all of the change", false},
		"evil":               {[]*stretch{branch(none)}, "itself", "the merge itself", false},
		"other way":          {[]*stretch{branch(other)}, "itself", "the merge itself", false},
		"nothing merged":     {[]*stretch{empty}, "itself", "the merge itself", false},
		"too few rounds":     {[]*stretch{branch(perhaps)}, "not told", "no difference", true},
		"one of":             {[]*stretch{branch(several)}, "not told", "one of 1", true},
		"does not build":     {[]*stretch{ended}, "not told", "it does not build", false},
		"unrelated":          {[]*stretch{unrelated}, "not told", "no common history", false},
		"interrupted early":  {[]*stretch{branch()}, "not told", "not searched yet", false},
		"nobody looked":      {nil, "", "", false},
	} {
		m, ok := outer.mergeOf(answer, tt.parts)
		if m.Verdict != tt.verdict || !strings.Contains(m.Text, tt.says) || ok != (tt.verdict != "") {
			t.Errorf("%s: %+v", name, m)
		}
		failed := false
		for _, p := range tt.parts {
			for _, a := range p.answers {
				failed = failed || p.failure(a) != nil
			}
		}
		if failed != tt.failed {
			t.Errorf("%s: failed %v", name, failed)
		}
	}
}

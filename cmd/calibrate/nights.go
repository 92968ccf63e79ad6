package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"versweep/sweep"
	"versweep/sweep/nightly"
	"versweep/sweep/nightly/simulated"
)

// nights prints how often nights tell what is not, and how soon what is.
func nights(out io.Writer, runs int) {
	worlds := max(1, runs/quietNights)
	quiet(out, worlds)
	planted(out, worlds)
}

const (
	quietNights  = 40
	onTheAxis    = 40 // releases before the first night
	nightBudget  = 4 * time.Minute
	nightsToTell = 5 // after a step, and after its end
	nightsAlike  = 3 // with one more release that is as slow
)

// night is one night of a world; what is made up does not fail.
func night(w *simulated.World) nightly.Account {
	a, err := w.Night(context.Background(), nightBudget)
	if err != nil {
		panic(err)
	}
	return a
}

// quiet lets nights pass in which nothing changes.
func quiet(out io.Writer, worlds int) {
	type seen struct{ suspected, told, others int }
	all := simulate(worlds, 82, func(rng *rand.Rand) (s seen) {
		w := simulated.NewWorld(rng.Uint64(), onTheAxis)
		w.Watching.Improvements = true
		for n := range quietNights {
			if n%10 == 9 {
				w.Release(0)
			}
			for _, notice := range night(w).Notices {
				if notice.State == nightly.New {
					s.told++
				} else {
					s.others++
				}
			}
		}
		s.suspected = len(w.Raised)
		return s
	})
	var sum seen
	for _, s := range all {
		sum = seen{sum.suspected + s.suspected, sum.told + s.told, sum.others + s.others}
	}
	fmt.Fprintf(out, "### Nights without a change\n\n")
	fmt.Fprintf(out, "%d worlds of %d nights over %d versions and more, a release every tenth night, regressions and improvements of all metrics watched.\n\n", worlds, quietNights, onTheAxis)
	fmt.Fprintf(out, "| nights | suspected | confirmed and told | other notices | worlds with a suspicion |\n|---|---|---|---|---|\n")
	fmt.Fprintf(out, "| %d | %d | %d | %d | %.0f %% |\n\n", worlds*quietNights, sum.suspected, sum.told, sum.others, share(all, func(s seen) bool { return s.suspected > 0 }))
}

// watched is what was told of a step, nights counted from 1; 0 is never.
type watched struct {
	told, recovered   int
	place, near, size bool // the version is right, the place interval holds it, the size interval holds the step
	confirmed         bool // the fresh rounds' interval holds the step
	change, width     float64
	witness           int // night in which CPU per request was told of
	wrong             int // notices of anything else
	unfounded         int // of recovery before there was any
}

// watch lets a release that is different by a fraction come, then one that is like
// it, then one that is as all were before.
func watch(w *simulated.World, change float64) (s watched) {
	w.Watching.Improvements = true
	night(w)
	night(w)
	at := w.Release(math.Log1p(change))
	verdict := sweep.Regression
	if change > 0 {
		verdict = sweep.Improvement
	}
	key := ""
	for n := 1; n <= nightsToTell+nightsAlike+nightsToTell; n++ {
		switch n {
		case nightsToTell + 1:
			w.Release(math.Log1p(change))
		case nightsToTell + nightsAlike + 1:
			w.Release(0)
		}
		over := n > nightsToTell+nightsAlike
		for _, notice := range night(w).Notices {
			f := notice.Finding
			switch {
			case notice.State == nightly.StillThere:
			case notice.State == nightly.Recovered && !over:
				s.unfounded++
			case notice.State == nightly.Recovered:
				if notice.Key == key && s.recovered == 0 {
					s.recovered = n - nightsToTell - nightsAlike
				}
			case over && f != nil && f.Verdict != verdict: // the way back is a change as well
			case notice.State != nightly.New || f == nil:
				s.wrong++
			case f.Metric.Key == sweep.QPS && f.Verdict == verdict && s.told == 0:
				key, s.told = notice.Key, n
				s.place, s.near = f.To == at, within(at, f.PlaceLo, f.PlaceHi)
				s.size, s.change, s.width = f.Lo <= change && change <= f.Hi, f.Change, f.Hi-f.Lo
				if c := notice.Confirmed; c != nil {
					s.confirmed = c.Lo <= change && change <= c.Hi
				}
			case f.Metric.Key == sweep.CPUPerRequest && f.Verdict == verdict && s.witness == 0:
				s.witness = n
			default:
				s.wrong++
			}
		}
	}
	return s
}

// within tells whether a version is from one to another.
func within(version, from, to string) bool {
	v := sweep.Version{Name: version}
	return v.Compare(sweep.Version{Name: from}) >= 0 && v.Compare(sweep.Version{Name: to}) <= 0
}

// planted prints how a step at the newest version is told.
func planted(out io.Writer, worlds int) {
	fmt.Fprintf(out, "### Nights with a change\n\n")
	fmt.Fprintf(out, "%d worlds each: two nights over %d versions, a release that is different for %d nights, one like it for %d, one that is as before for %d; regressions and improvements of all metrics watched. "+
		"Percent of worlds in which the change of throughput was told within so many nights; of those told: the version is right / the place interval holds it, "+
		"the interval of the size holds it / that of the fresh rounds does, the size told on average and the width of its interval; "+
		"CPU per request told within five; recovery told in the first night / within five, and before there was any; notices of anything else.\n\n", worlds, onTheAxis, nightsToTell, nightsAlike, nightsToTell)
	fmt.Fprint(out, "| change | 1 | 2 | 3 | 5 | version / place | interval / fresh | size, width | CPU | recovered | too early | others |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, change := range []float64{-0.03, -0.05, -0.07, -0.10, 0.10} {
		all := simulate(worlds, 83, func(rng *rand.Rand) watched { return watch(simulated.NewWorld(rng.Uint64(), onTheAxis), change) })
		plantedRow(out, change, all)
	}
	fmt.Fprintln(out)
}

// plantedRow prints what became of worlds with one change.
func plantedRow(out io.Writer, change float64, all []watched) {
	fmt.Fprintf(out, "| %+.0f %% |", 100*change)
	for _, n := range []int{1, 2, 3, nightsToTell} {
		fmt.Fprintf(out, " %.0f |", share(all, func(s watched) bool { return 0 < s.told && s.told <= n }))
	}
	told := keep(all, func(s watched) bool { return s.told > 0 })
	if len(told) == 0 {
		fmt.Fprint(out, " | | |")
	} else {
		size, width := 0.0, 0.0
		for _, s := range told {
			size, width = size+s.change/float64(len(told)), width+s.width/float64(len(told))
		}
		fmt.Fprintf(out, " %.0f / %.0f | %.0f / %.0f | %+.1f, %.1f |", share(told, func(s watched) bool { return s.place }), share(told, func(s watched) bool { return s.near }),
			share(told, func(s watched) bool { return s.size }), share(told, func(s watched) bool { return s.confirmed }), 100*size, 100*width)
	}
	fmt.Fprintf(out, " %.0f |", share(all, func(s watched) bool { return 0 < s.witness && s.witness <= nightsToTell }))
	if change > 0 || len(told) == 0 {
		fmt.Fprint(out, " |")
	} else {
		fmt.Fprintf(out, " %.0f / %.0f |", share(told, func(s watched) bool { return s.recovered == 1 }), share(told, func(s watched) bool { return s.recovered > 0 }))
	}
	early, others := 0, 0
	for _, s := range all {
		early, others = early+s.unfounded, others+s.wrong
	}
	fmt.Fprintf(out, " %d | %d |\n", early, others)
}

func keep[T any](list []T, holds func(T) bool) (kept []T) {
	for _, x := range list {
		if holds(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

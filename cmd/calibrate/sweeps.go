package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"versweep/sweep/stats"
)

// sweeps prints how a sweep fares that is judged after every round.
func sweeps(out io.Writer, runs int) {
	peeking(out, max(1, runs/8))
	persistent(out, max(1, runs/8))
}

// looked is FindSteps after so many rounds of a sweep that is looked at after
// each of 5 to 30.
func looked(samples []stats.Observation, rounds int) stats.Steps {
	return stats.FindSteps(until(samples, rounds), stats.StepOptions{Looks: stats.Looks{Min: looks5to30.Min, Max: looks5to30.Max, Now: rounds}})
}

func peeking(out io.Writer, runs int) {
	table, others := axisShapes()
	shapes := append(table, others[1], others[3])
	fmt.Fprintf(out, "### False alarms of a sweep that is judged after every round\n\n")
	fmt.Fprintf(out, "Percent of %d sweeps of 40 versions without a difference in which a change point is found at any look from 5 to 30 rounds, and those at the first look.\n\n", runs)
	fmt.Fprint(out, "| noise | any look | first look |\n|---|---|---|\n")
	for i, s := range append(shapes, normal(0.04)) {
		p := plan{versions: 40, rounds: looks5to30.Max, noise: s, wander: 0.05}
		if i == len(shapes) {
			p.within = 0.05
			p.noise.Name = "drift within rounds"
		}
		at := simulate(runs, 79, func(rng *rand.Rand) int {
			samples := p.draw(rng, make([]float64, p.versions))
			for rounds := looks5to30.Min; rounds <= looks5to30.Max; rounds++ {
				if len(looked(samples, rounds).Steps) > 0 {
					return rounds
				}
			}
			return math.MaxInt
		})
		fmt.Fprintf(out, "| %s | %.1f | %.1f |\n", p.noise.Name, share(at, func(r int) bool { return r <= looks5to30.Max }),
			share(at, func(r int) bool { return r == looks5to30.Min }))
	}
	fmt.Fprintln(out)
}

// persistent prints how soon one step that stays is found.
func persistent(out io.Writer, runs int) {
	fmt.Fprintf(out, "### A step of 5 %% that stays\n\n")
	fmt.Fprintf(out, "Sample noise of 5 %%, judged after every round from 5: percent of %d sweeps in which a change point is found by round 8; "+
		"of those, when it is first found, at the very version, and within one.\n\n", runs)
	fmt.Fprint(out, "| noise | versions | step at | found by 8 | at the version | within one |\n|---|---|---|---|---|---|\n")
	_, others := axisShapes()
	for _, s := range []Shape{normal(0.05), heavy(0.05 / 1.378), others[1]} {
		for _, c := range []struct{ versions, at int }{{10, 5}, {10, 2}, {10, 7}, {20, 10}, {20, 5}, {20, 16}, {40, 20}, {40, 5}, {40, 36}} {
			p := plan{versions: c.versions, rounds: 8, noise: s, wander: 0.05}
			off := simulate(runs, 80, func(rng *rand.Rand) int {
				samples := p.draw(rng, stairs(rng, p.versions, []int{c.at}, 0.05))
				for rounds := looks5to30.Min; rounds <= p.rounds; rounds++ {
					if got := looked(samples, rounds).Steps; len(got) > 0 {
						best := math.MaxInt
						for _, g := range got {
							best = min(best, max(g.At-c.at, c.at-g.At))
						}
						return best
					}
				}
				return math.MaxInt
			})
			found := share(off, func(d int) bool { return d < math.MaxInt })
			fmt.Fprintf(out, "| %s | %d | %d | %.1f | %.1f | %.1f |\n", s.Name, c.versions, c.at, found,
				100*share(off, func(d int) bool { return d == 0 })/found, 100*share(off, func(d int) bool { return d <= 1 })/found)
		}
	}
	fmt.Fprintln(out)
}

// intervals prints how often the intervals of a step that was found hold it.
func intervals(out io.Writer, runs int) {
	runs = max(1, runs/4)
	table, _ := axisShapes()
	fmt.Fprintf(out, "### Intervals of a step that was found\n\n")
	fmt.Fprintf(out, "One step in the middle; percent of those found, of %d sweeps: its place lies within the place interval / its size within the size interval.\n\n", runs)
	header(out, "sweep", table)
	for _, c := range []cell{{versions: 10, rounds: 5, size: 0.10}, {versions: 20, rounds: 8, size: 0.05}, {versions: 20, rounds: 8, size: 0.10}, {versions: 40, rounds: 20, size: 0.03}, {versions: 100, rounds: 1, size: 0.10}} {
		fmt.Fprintf(out, "| %s |", c)
		for _, s := range table {
			type held struct{ found, place, size bool }
			p := plan{versions: c.versions, rounds: c.rounds, noise: s, wander: 0.05}
			all := simulate(runs, 81, func(rng *rand.Rand) (h held) {
				at := c.versions / 2
				levels := stairs(rng, c.versions, []int{at}, c.size)
				got := stats.FindSteps(p.draw(rng, levels), stats.StepOptions{}).Steps
				if len(got) != 1 {
					return held{}
				}
				return held{true, got[0].AtLo <= at && at <= got[0].AtHi, got[0].Lo <= levels[at] && levels[at] <= got[0].Hi}
			})
			found := share(all, func(h held) bool { return h.found })
			fmt.Fprintf(out, " %.1f / %.1f |", 100*share(all, func(h held) bool { return h.place })/found, 100*share(all, func(h held) bool { return h.size })/found)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}

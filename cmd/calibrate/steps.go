package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"versweep/sweep/stats"
)

// detector finds the first places of new levels.
type detector struct {
	name string
	find func(samples []stats.Observation) []int
}

func findSteps(samples []stats.Observation) []int {
	var at []int
	for _, s := range stats.FindSteps(samples, stats.StepOptions{}).Steps {
		at = append(at, s.At)
	}
	return at
}

// axisShapes are the shapes of issue 5's table, and others like them that
// nothing was tuned to.
func axisShapes() (table, others []Shape) {
	called := func(name string, s Shape) Shape { s.Name = name; return s }
	return []Shape{normal(0.04), heavy(0.04), twoLevel(0.016)}, []Shape{
		called("heavy, 4 % in all", heavy(0.04/1.378)), called("two-level, 1 % within", twoLevel(0.01)),
		called("two-level, 4 % within", twoLevel(0.04)), outliers(0.04),
	}
}

// cell is one kind of sweep with steps.
type cell struct {
	versions, rounds int
	size             float64 // of a step, a fraction
	most             int     // steps
	newest           bool    // one step, at the newest version
}

func (c cell) String() string {
	if c.newest {
		return fmt.Sprintf("newest of %d × %d, %.0f %%", c.versions, c.rounds, 100*c.size)
	}
	return fmt.Sprintf("%d × %d, %.0f %%", c.versions, c.rounds, 100*c.size)
}

var cells = []cell{
	{versions: 20, rounds: 8, size: 0.05, most: 5},
	{versions: 40, rounds: 10, size: 0.03, most: 6},
	{versions: 300, rounds: 1, size: 0.10, most: 6},
	{versions: 40, rounds: 8, size: 0.10, newest: true},
}

// hits counts what was found.
type hits struct{ right, wrong, lost int }

// f1 is the harmonic mean of precision and recall, in percent, over all sweeps.
func f1(all []hits) (f, precision, recall float64) {
	var sum hits
	for _, h := range all {
		sum.right += h.right
		sum.wrong += h.wrong
		sum.lost += h.lost
	}
	right := 100 * float64(sum.right)
	return 2 * right / float64(2*sum.right+sum.wrong+sum.lost), right / float64(sum.right+sum.wrong), right / float64(sum.right+sum.lost)
}

// matched pairs what was found with the truth: a hit is within one version, and
// each true step is found once.
func matched(found, truth []int) hits {
	used := map[int]bool{}
	var h hits
	for _, at := range found {
		best := -1
		for k, c := range truth {
			if d := max(c-at, at-c); d <= 1 && !used[k] && (best < 0 || d < max(truth[best]-at, at-truth[best])) {
				best = k
			}
		}
		if best < 0 {
			h.wrong++
			continue
		}
		used[best] = true
		h.right++
	}
	h.lost = len(truth) - h.right
	return h
}

func (c cell) try(d detector, noise Shape, runs int) []hits {
	p := plan{versions: c.versions, rounds: c.rounds, noise: noise, wander: 0.05}
	return simulate(runs, 77, func(rng *rand.Rand) hits {
		at := []int{c.versions - 1}
		if !c.newest {
			at = randomSteps(rng, c.versions, c.most)
		}
		return matched(d.find(p.draw(rng, stairs(rng, c.versions, at, c.size))), at)
	})
}

// alarmed is the percentage of sweeps without a difference in which a detector
// finds any step.
func alarmed(d detector, p plan, runs int) float64 {
	flat := make([]float64, p.versions)
	return share(simulate(runs, 78, func(rng *rand.Rand) int { return len(d.find(p.draw(rng, flat))) }), func(n int) bool { return n > 0 })
}

// steps prints how well change points are found, and how often there are none.
func steps(out io.Writer, runs int) {
	runs = max(1, runs/4)
	table, others := axisShapes()
	ours := detector{"FindSteps", findSteps}
	fmt.Fprintf(out, "### Change points\n\n")
	fmt.Fprintf(out, "F1 in percent over %d sweeps (precision / recall); newest: recall.\n\n", runs)
	header(out, "cell", append(table, others...))
	for _, c := range cells {
		fmt.Fprintf(out, "| %s |", c)
		for _, s := range append(table, others...) {
			f, precision, recall := f1(c.try(ours, s, runs))
			if c.newest {
				fmt.Fprintf(out, " %.1f |", recall)
			} else {
				fmt.Fprintf(out, " %.1f (%.0f / %.0f) |", f, precision, recall)
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
	beside(out, append([]detector{ours}, baselines...), table, runs)
	fmt.Fprintf(out, "### False alarms of a single look\n\n")
	fmt.Fprintf(out, "Percent of %d sweeps without a difference in which any step is found.\n\n", runs)
	header(out, "versions × rounds", append(table, others...))
	for _, p := range []plan{
		{versions: 3, rounds: 1}, {versions: 5, rounds: 1}, {versions: 10, rounds: 1}, {versions: 20, rounds: 1}, {versions: 40, rounds: 1},
		{versions: 100, rounds: 1}, {versions: 300, rounds: 1}, {versions: 1000, rounds: 1},
		{versions: 3, rounds: 8}, {versions: 5, rounds: 5}, {versions: 5, rounds: 30}, {versions: 10, rounds: 3}, {versions: 10, rounds: 8},
		{versions: 20, rounds: 8}, {versions: 40, rounds: 3}, {versions: 40, rounds: 8}, {versions: 40, rounds: 30}, {versions: 100, rounds: 5},
		{versions: 40, rounds: 8, missing: 0.3}, {versions: 40, rounds: 8, noisy: 21}, {versions: 40, rounds: 8, noisy: 40},
		{versions: 10, rounds: 8, noisy: 6}, {versions: 5, rounds: 8, noisy: 5},
	} {
		fmt.Fprintf(out, "| %d × %d", p.versions, p.rounds)
		if p.missing > 0 {
			fmt.Fprintf(out, ", %.0f %% of samples missing", 100*p.missing)
		}
		if p.noisy > 0 {
			fmt.Fprintf(out, ", version %d with 20 %% more noise", p.noisy)
		}
		fmt.Fprint(out, " |")
		for _, s := range append(table, others...) {
			p.noise, p.wander = s, 0.05
			fmt.Fprintf(out, " %.1f |", alarmed(ours, p, runs))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}

// beside prints simple detectors beside ours, with their false alarms.
func beside(out io.Writer, detectors []detector, shapes []Shape, runs int) {
	fmt.Fprintf(out, "### Beside simple detectors\n\n")
	fmt.Fprintf(out, "F1 in percent over %d sweeps for %s, %s and %s noise, and the percentage of sweeps without a difference in which any step is found.\n\n",
		runs, shapes[0].Name, shapes[1].Name, shapes[2].Name)
	fmt.Fprint(out, "| cell |")
	for _, d := range detectors {
		fmt.Fprintf(out, " %s | false alarms |", d.name)
	}
	fmt.Fprint(out, "\n|---|")
	for range detectors {
		fmt.Fprint(out, "---|---|")
	}
	fmt.Fprintln(out)
	for _, c := range cells {
		if c.newest {
			continue
		}
		fmt.Fprintf(out, "| %s |", c)
		for _, d := range detectors {
			var score, raised []string
			for _, s := range shapes {
				f, _, _ := f1(c.try(d, s, runs))
				score = append(score, fmt.Sprintf("%.0f", f))
				raised = append(raised, fmt.Sprintf("%.0f", alarmed(d, plan{versions: c.versions, rounds: c.rounds, noise: s, wander: 0.05}, runs)))
			}
			fmt.Fprintf(out, " %s | %s |", strings.Join(score, "/"), strings.Join(raised, "/"))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}

func header(out io.Writer, first string, shapes []Shape) {
	fmt.Fprintf(out, "| %s |", first)
	for _, s := range shapes {
		fmt.Fprintf(out, " %s |", s.Name)
	}
	fmt.Fprint(out, "\n|---|")
	for range shapes {
		fmt.Fprint(out, "---|")
	}
	fmt.Fprintln(out)
}

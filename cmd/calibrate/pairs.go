package main

import (
	"fmt"
	"io"
	"math"

	"versweep/sweep/stats"
)

// pairs prints how often comparing two versions goes wrong, and what it costs.
func pairs(out io.Writer, runs int) {
	falseAlarms(out, runs)
	roundsUntilSettled(out, runs)
	smallChanges(out, runs)
}

var looks5to30 = stats.Looks{Min: 5, Max: 30}

func falseAlarms(out io.Writer, runs int) {
	fmt.Fprintf(out, "### False alarms of a pair that is looked at after every round\n\n")
	fmt.Fprintf(out, "Percent of %d comparisons without a difference that were called changed at any look, where 5 are allowed. "+
		"The last column takes a plain 95 %% interval at every look.\n\n", runs)
	fmt.Fprint(out, "| noise | pair alone, 5 to 30 | 20 pairs, 5 to 30 | pair alone, 5 to 100 | 20 pairs, 5 to 100 | plain, 5 to 30 |\n|---|---|---|---|---|---|\n")
	short, long := looks5to30, stats.Looks{Min: 5, Max: 100}
	for i, shape := range pairedShapes() {
		fmt.Fprintf(out, "| %s |", shape.name)
		for _, t := range []trial{
			{looks: short, together: 1}, {looks: short, together: 20}, {looks: long, together: 1}, {looks: long, together: 20},
			{looks: short, together: 1, careless: true},
		} {
			t.shape = shape
			fmt.Fprintf(out, " %.1f |", t.run(runs, uint64(i)).changedBy(t.looks.Max))
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out)
}

func roundsUntilSettled(out io.Writer, runs int) {
	fmt.Fprintf(out, "### Rounds until a pair is settled\n\n")
	fmt.Fprintf(out, "Percent of %d comparisons, looked at after each of 5 to 30 rounds; the smallest effect of interest is 3 %%. "+
		"A fixed design under normal noise of known size has 90 %% power for 5 %% with 21 rounds.\n\n", runs)
	settledHeader(out)
	for _, shape := range pairedShapes() {
		for _, change := range []float64{0, 0.05, math.Log(0.8), math.Log(1.2)} {
			for _, together := range []int{1, 20} {
				settledRow(out, trial{shape: shape, change: change, looks: looks5to30, effect: 0.03, together: together}, runs)
			}
		}
	}
	fmt.Fprintln(out)
}

func smallChanges(out io.Writer, runs int) {
	fmt.Fprintf(out, "### Changes about the smallest effect of interest\n\n")
	fmt.Fprintf(out, "As above with up to 100 rounds: a change of exactly 3 %% is told, and next to none is the same.\n\n")
	settledHeader(out)
	for _, change := range []float64{0, 0.01, 0.02, 0.03, 0.04} {
		settledRow(out, trial{shape: pairedShapes()[0], change: math.Log1p(change), looks: stats.Looks{Min: 5, Max: 100}, effect: 0.03, together: 20}, runs)
	}
	fmt.Fprintln(out)
}

func settledHeader(out io.Writer) {
	fmt.Fprint(out, "| noise | true log ratio | pairs | changed | same | undecided | changed by 6 | changed by 28 | mean rounds | 90 % settled by |\n"+
		"|---|---|---|---|---|---|---|---|---|---|\n")
}

func settledRow(out io.Writer, t trial, runs int) {
	got := t.run(runs, 7)
	mean, ninth := got.rounds(t.looks.Max)
	by := fmt.Sprint(ninth)
	if got.percent(got.undecided) > 10 {
		by = fmt.Sprintf("after %d", t.looks.Max)
	}
	fmt.Fprintf(out, "| %s | %.3f | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %s |\n", t.shape.name, t.change, t.together,
		got.percent(len(got.changed)), got.percent(len(got.same)), got.percent(got.undecided), got.changedBy(6), got.changedBy(28), mean, by)
}

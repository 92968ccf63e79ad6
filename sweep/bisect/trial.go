package bisect

import (
	"context"
	"errors"
	"math"
)

// Purpose says what a trial is for.
type Purpose string

const (
	Ends    Purpose = "ends"    // do good and bad differ at all
	Probe   Purpose = "step"    // which of them a candidate is like
	Confirm Purpose = "confirm" // fresh rounds of the two candidates that the search ended at
)

// Trial is a set of candidates to be sampled in the same rounds. Candidates are
// named by their place in the list that is searched, from 0.
type Trial struct {
	Number    int // from 1, in the order in which they are asked for
	Purpose   Purpose
	Good, Bad int   // ends of the stretch that is searched; Good is sampled twice a round
	Others    []int // besides them, ascending
	MaxRounds int   // that will ever be asked for
}

// Places are all places of a trial, ascending.
func (t Trial) Places() []int {
	places := append([]int{t.Good}, t.Others...)
	return append(places, t.Bad)
}

// Reading is what a trial has given so far.
type Reading struct {
	// Logs are natural logarithms of the metric by place, one for each round,
	// NaN where a round has no figure that counts.
	Logs map[int][]float64
	Twin []float64 // of Good under its second label, likewise
	// Skipped says why places have no figures: they do not build or run. Good
	// and Bad are never among them.
	Skipped map[int]string
}

// Measure carries a trial on until it has so many rounds, and returns all of
// them. Asked again with the same number it returns the same. What it returns
// besides ErrBudget ends the search.
type Measure func(ctx context.Context, t Trial, rounds int) (Reading, error)

// ErrBudget is returned by a Measure that has no time left for more rounds.
var ErrBudget = errors.New("the time budget is used up")

// logs are the logarithms of a place by round; of the good end the mean of both
// samples.
func (r Reading) logs(t Trial, place int) []float64 {
	own := r.Logs[place]
	if place != t.Good {
		return own
	}
	means := make([]float64, len(own))
	for i, y := range own {
		switch twin := at(r.Twin, i); {
		case math.IsNaN(twin):
			means[i] = y
		case math.IsNaN(y):
			means[i] = twin
		default:
			means[i] = (y + twin) / 2
		}
	}
	return means
}

// differences are the log ratios of one place to another, round by round, where
// both have a figure.
func (r Reading) differences(t Trial, from, to int) []float64 {
	return subtract(r.logs(t, to), r.logs(t, from))
}

func subtract(a, b []float64) []float64 {
	var d []float64
	for i, y := range a {
		if x := y - at(b, i); !math.IsNaN(x) {
			d = append(d, x)
		}
	}
	return d
}

func at(ys []float64, i int) float64 {
	if i >= len(ys) {
		return math.NaN()
	}
	return ys[i]
}

// samples counts the figures of a reading.
func (r Reading) samples() int {
	n := 0
	count := func(ys []float64) {
		for _, y := range ys {
			if !math.IsNaN(y) {
				n++
			}
		}
	}
	for _, ys := range r.Logs {
		count(ys)
	}
	count(r.Twin)
	return n
}

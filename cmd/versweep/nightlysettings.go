package main

import (
	"time"

	"versweep/sweep"
)

// nightlySettings is what a versweep.yaml asks for, checked as far as it can be
// without asking a registry or measuring. Names of files and folders are as the
// program can open them.
type nightlySettings struct {
	file string // versweep.yaml, as a person would open it

	every  time.Duration // how often nights are meant to run; more than 0
	budget time.Duration // of the whole night's measuring; 0 for no limit

	targets []nightlyTarget // at least one, no two of one name
	outputs nightlyOutputs
	// channels are those of notify, and GitHub's unless it is switched off.
	channels []channel
}

// nightlyTarget is one target and how it is swept. Its order is what versweep
// run would have made of the same flags: budget is that of this target alone, yes
// is true, and seed, picture, layout and latencyPass are empty.
type nightlyTarget struct {
	*order
	fresh        time.Duration      // age from which on samples are stale; more than 0
	judging      sweep.JudgeOptions // metrics and source asked for, and the effect that is swept for
	minChange    float64            // smaller regressions are not told and do not count; a fraction
	improvements bool               // improvements are told too
	// placed tells at its place in the file what is found wrong with a key later:
	// what only the source knows.
	placed func(error) error
}

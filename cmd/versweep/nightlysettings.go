package main

import (
	"context"
	"time"

	"versweep/sweep"
	"versweep/sweep/nightly"
)

// nightlySettings is what a versweep.yaml asks for, checked as far as it can be
// without asking a registry or writing anything. Names of files and folders are
// as the program can open them.
type nightlySettings struct {
	file      string // versweep.yaml, as a person would open it
	store     string
	targetDir string // as --target-dir; may be empty

	every  time.Duration // how often nights are meant to run; more than 0
	budget time.Duration // of the whole night's measuring; 0 for no limit

	targets []nightlyTarget // at least one, no two of one name
	outputs nightlyOutputs
	// channels are those of notify, and GitHub's unless it is switched off.
	channels []channel
}

// nightlyTarget is one target and how it is swept. Its order is what versweep
// run would have made of the same flags; seed, picture, layout and latencyPass
// are left empty, budget is that of this target alone, and yes is true.
type nightlyTarget struct {
	*order
	fresh        time.Duration      // age from which on samples are stale; more than 0
	judging      sweep.JudgeOptions // metrics, source and effect; none for the sweeps' own
	minChange    float64            // smaller regressions are not told and do not count; a fraction
	improvements bool               // improvements are told too
}

// nightlyOutputs are the files that a night writes; empty ones are not wanted.
// targetMark stands in them for a target's name as outputName writes it.
type nightlyOutputs struct {
	report string // folder
	charts string // .png or .svg file
	export []nightlyExport
}

// nightlyExport is one file for another tool.
type nightlyExport struct {
	format string // one of nightlyExportFormats
	file   string // holds targetMark, unless there is one target or the format holds several
}

// channel is one way to tell people of a night.
type channel interface {
	// name tells channels apart in errors and in the store: "webhook
	// https://hooks.example.test", "command ./tell.sh", "github". It holds no
	// secret and is one line.
	name() string
	// deliver tells what the channel wants of night: nothing where there are no
	// notices, unless the channel is asked to tell of every night. It blocks
	// until all is told, tried in vain or ctx is done.
	deliver(ctx context.Context, night nightly.Night) error
}

// The functions that nightly calls:
//
//	func (a *app) readNightly(ctx context.Context, file string, flag func(name string) bool) (*nightlySettings, error)
//
// reads and checks a file; flag tells which of the common flags stood on the
// command line, which count more than the file. It sets a.db and a.targetDir.
//
//	func (a *app) deliverAll(ctx context.Context, channels []channel, night nightly.Night) error
//
// tries every channel, and joins what went wrong. Notices may be kept as told
// when it returns nil; else the next night tells them again to all, and receivers
// know repeats by key and state.

package main

import (
	"time"

	"github.com/spf13/cobra"

	"versweep/sweep/load"
)

// profileFlags say which load a sweep puts on every version.
type profileFlags struct {
	name        string
	connections int
	duration    time.Duration
	warmup      time.Duration
	timeout     time.Duration
	given       func(flag string) bool // whether the flag stood on the command line
}

func (f *profileFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "profile", "hello", "named load that the next flags change; versweep load --help lists them")
	flags.IntVar(&f.connections, "connections", 0, "connections kept busy at once (default the profile's)")
	flags.DurationVar(&f.duration, "duration", 0, "measuring window of a sample (default the profile's)")
	flags.DurationVar(&f.warmup, "warmup", 0, "same load before the window, thrown away (default the profile's)")
	flags.DurationVar(&f.timeout, "timeout", 0, "for connecting, and again for each answer (default the profile's)")
}

// profile lays the flags over the named profile. A ramp has a result for each
// of its steps, where a sample has one.
func (f *profileFlags) profile() (load.Profile, error) {
	p, err := load.ProfileByName(f.name)
	if err != nil {
		return p, err
	}
	if p.Shape == load.ShapeRamp {
		return p, misuse("versweep load runs it against one server", "--profile: %s is a ramp, and a sample has one step", f.name)
	}
	if f.given("connections") {
		p.Connections = f.connections
	}
	if f.given("duration") {
		if f.duration <= 0 {
			return p, misuse("give it a time such as 2s", "--duration: %v is not more than 0", f.duration)
		}
		p.Duration, p.Requests = f.duration, 0
	}
	if f.given("warmup") {
		p.Warmup = f.warmup
	}
	if f.given("timeout") {
		p.Timeout = f.timeout
	}
	return p, p.Validate()
}

// Command longuse shows how versweep does on stores that have grown for years:
//
//	make build && go run ./cmd/longuse
//
// It writes a store of 1,000 simulated nights in each form (package
// store/simulated), runs bin/versweep on it, and prints what each command took in
// wall time and memory beside what it is allowed. The figures are those of this
// machine: let it do nothing else.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"versweep/store/simulated"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.program, "program", "bin/versweep", "the build to run")
	flag.StringVar(&o.dir, "keep", "", "folder to keep the stores in, and to find them in next time (default a temporary one)")
	flag.IntVar(&o.nights, "nights", 1000, "nights to simulate")
	flag.IntVar(&o.times, "times", 3, "how often each command runs; the median counts")
	flag.BoolVar(&o.bare, "million", false, "also a store of a million samples: 1,000 nights of 40 versions and 25 rounds, without histograms")
	flag.Parse()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "longuse:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	program, dir  string
	nights, times int
	bare          bool
}

// form is a way in which stores grow.
type form struct {
	name   string
	nights simulated.Store
}

func (o options) forms() []form {
	n := simulated.Store{Target: "node", Nights: o.nights, Versions: 40, Rounds: 5, Seed: 1, Last: lastNight, Histograms: true}
	light, heavy, million := n, n, n
	light.Sampled = 8
	million.Rounds, million.Histograms = 25, false
	forms := []form{{"light", light}, {"heavy", heavy}}
	if o.bare {
		forms = append(forms, form{"million", million})
	}
	return forms
}

// lastNight is fixed, so that the stores are the same each time.
var lastNight = time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)

func (o options) run(ctx context.Context) error {
	program, err := filepath.Abs(o.program)
	if err != nil {
		return err
	}
	o.program = program
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "longuse-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.dir)
	}
	for _, f := range o.forms() {
		if err := o.measure(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

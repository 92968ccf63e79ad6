package sweep

import "context"

// Bounds of taking spoilt samples again: whatever the machine does, a sweep
// takes about a third longer at most. It never looks for a pleasing figure, since
// what spoils a sample is seen on the machine and not in its throughput.
const (
	maxAgain     = 2 // times for one place of a round
	againOneIn   = 3 // of a sweep's places so far, at most every third
	againToBegin = 2 // that a sweep may use before it has as many places
)

// takeSample samples b as e in its place of the round, saves the sample and adds
// it to sw. A sample that the machine spoilt is taken again: each attempt is
// kept, and only the last one counts.
func (r Runner) takeSample(ctx context.Context, sw *Sweep, e entry, round, position int, b Build) error {
	for attempt := 0; ; attempt++ {
		s, err := r.sampleAcross(ctx, b, sw)
		if err != nil {
			return err
		}
		s.Round, s.Position, s.Version, s.Twin, s.Attempt = round, position, e.version, e.twin, attempt
		// The sample is whole: an interrupt must not lose it now.
		if err := r.Recorder.SaveSample(context.WithoutCancel(ctx), sw.ID, &s); err != nil {
			return err
		}
		s.forgetHistograms()
		sw.Samples = append(sw.Samples, s)
		if !s.worthAgain() || attempt == maxAgain || !sw.mayTakeAgain() {
			return nil
		}
	}
}

// mayTakeAgain tells whether the bound for the whole sweep allows one more.
func (sw *Sweep) mayTakeAgain() bool {
	again := 0
	for _, s := range sw.Samples {
		if s.Attempt > 0 {
			again++
		}
	}
	return again < againToBegin+(len(sw.Samples)-again)/againOneIn
}

// LastAttempts are the samples that count, one for each version, twin and
// round, in the order in which they were taken. Some may be spoilt all the same.
func LastAttempts(samples []Sample) []Sample {
	last := map[slot]int{}
	for i, s := range samples {
		last[slot{s.Round, s.Version, s.Twin}] = i
	}
	var counted []Sample
	for i, s := range samples {
		if last[slot{s.Round, s.Version, s.Twin}] == i {
			counted = append(counted, s)
		}
	}
	return counted
}

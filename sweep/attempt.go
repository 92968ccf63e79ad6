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
// kept, and only the last one counts. attempt is the first to take: 0, unless the
// sweep was stopped between two.
func (r Runner) takeSample(ctx context.Context, sw *Sweep, e entry, round, position, attempt int, b Build) error {
	for ; ; attempt++ {
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
		if !sw.takesAgain(s) {
			return nil
		}
	}
}

// takesAgain tells whether s, the last sample of sw, is to be taken again.
func (sw *Sweep) takesAgain(s Sample) bool {
	return s.worthAgain() && s.Attempt < maxAgain && sw.mayTakeAgain()
}

// attemptAt is an attempt at a place.
type attemptAt struct {
	slot
	attempt int
}

// interruptedAttempt is the attempt that a stopped sweep was about to take; false
// when its last sample needs none. That of others was decided before the next.
func (sw *Sweep) interruptedAttempt() (attemptAt, bool) {
	if len(sw.Samples) == 0 {
		return attemptAt{}, false
	}
	last := sw.Samples[len(sw.Samples)-1]
	return attemptAt{slot{last.Round, last.Version, last.Twin}, last.Attempt + 1}, sw.takesAgain(last)
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

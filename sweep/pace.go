package sweep

import "time"

// pace knows how long samples take, to keep a budget.
type pace struct {
	begun   time.Time     // when this process began
	before  time.Duration // that samples of earlier processes took
	budget  time.Duration // 0 for none
	samples int           // taken, earlier ones included
}

// newPace begins where sw is. What earlier processes used is summed up from what
// their samples took and not from when: between two of them the sweep may have lain
// still for days, or the clock may have been set.
func newPace(sw Sweep, now time.Time) pace {
	p := pace{begun: now, budget: sw.Plan.Budget, samples: len(sw.Samples)}
	known := 0
	for _, s := range sw.Samples {
		if s.Load != nil {
			p.before += s.took(sw.Plan)
			known++
		}
	}
	if known == 0 {
		p.samples = 0 // nothing tells how long one takes
		return p
	}
	p.before = p.before / time.Duration(known) * time.Duration(p.samples)
	return p
}

// took is how long a sample with a load took to measure, without the fractions of
// a second for starting and stopping that are not known.
func (s Sample) took(p Plan) time.Duration {
	d := p.Profile.Warmup + s.Load.Elapsed
	if s.Paced != nil {
		d += p.Paced().Warmup + s.Paced.Elapsed
	}
	if ms, known := s.Values[Startup]; known {
		d += time.Duration(ms * float64(time.Millisecond))
	}
	return d
}

// fits tells whether so many samples more end within the budget. A first round
// always begins.
func (p *pace) fits(now time.Time, samples int) bool {
	if p.budget <= 0 || p.samples == 0 {
		return true
	}
	used := p.before + now.Sub(p.begun)
	return used+used/time.Duration(p.samples)*time.Duration(samples) <= p.budget
}

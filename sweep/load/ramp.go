package load

import (
	"context"
	"fmt"
	"math"
	"time"
)

// Step is one step of a ramp.
type Step struct {
	Number  int     `json:"number"` // from 1
	Of      int     `json:"of"`     // steps in all
	By      StepBy  `json:"by"`
	Value   float64 `json:"value"` // requests/s or connections
	Profile Profile `json:"-"`     // what the step runs: a closed or rate load
}

// StepResult is what one step of a ramp measured.
type StepResult struct {
	Step   Step   `json:"step"`
	Result Result `json:"result"`
}

// StepList gives the steps of a ramp as loads of their own, each with p's
// warm-up and p's duration or number of requests. Other shapes have none.
func (p Profile) StepList() []Step {
	if p.Shape != ShapeRamp {
		return nil
	}
	steps := make([]Step, len(p.Steps))
	for i, v := range p.Steps {
		one := p
		one.Steps, one.StepBy = nil, ""
		if p.StepBy == StepByRate {
			one.Shape, one.Rate = ShapeRate, v
		} else {
			one.Shape, one.Connections, one.Rate = ShapeClosed, int(v), 0
		}
		steps[i] = Step{Number: i + 1, Of: len(p.Steps), By: p.StepBy, Value: v, Profile: one}
	}
	return steps
}

// RunRamp runs the steps of a ramp one after the other, each over connections
// of its own. begin, which may be nil, is called before each. When ctx is done
// or a step cannot be carried out, the steps measured so far come with the
// error.
func RunRamp(ctx context.Context, job Job, begin func(Step)) ([]StepResult, error) {
	if job.Profile.Shape != ShapeRamp {
		return nil, misuse("shape", "%q is not a ramp", string(job.Profile.Shape))
	}
	if err := job.Profile.Validate(); err != nil {
		return nil, err
	}
	var done []StepResult
	for _, s := range job.Profile.StepList() {
		if begin != nil {
			begin(s)
		}
		one := job
		one.Profile = s.Profile
		r, err := Run(ctx, one, Hooks{})
		if err != nil {
			return done, fmt.Errorf("step %d of %d: %w", s.Number, s.Of, err)
		}
		done = append(done, StepResult{Step: s, Result: r})
	}
	return done, nil
}

// Scaled makes the run shorter or longer by a factor: its duration, number of
// requests and warm-up, at least 1 ms or one request of what p has. What comes
// out too long is for Validate to refuse. The load itself stays the same.
func (p Profile) Scaled(factor float64) Profile {
	scale := func(d time.Duration) time.Duration {
		if d <= 0 {
			return d
		}
		return max(time.Millisecond, time.Duration(min(float64(d)*factor, math.MaxInt64/2)))
	}
	p.Duration, p.Warmup = scale(p.Duration), scale(p.Warmup)
	if p.Requests > 0 {
		p.Requests = max(1, int64(min(math.Round(float64(p.Requests)*factor), math.MaxInt64/2)))
	}
	return p
}

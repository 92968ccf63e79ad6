package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/stats"
)

// adaptive is how long a sweep goes on.
type adaptive struct {
	min, max int     // rounds; min is 0 when all are taken in any case
	effect   float64 // smallest change of interest, a fraction
}

const (
	// defaultRounds: see docs/method.md, "Precision for time".
	defaultRounds = "5:15"
	// maxRounds bounds a slip of the keyboard.
	maxRounds = 100_000
)

// adaptiveFlags reads --rounds, --effect and --budget.
func (f runFlags) adaptiveFlags() (adaptive, error) {
	var a adaptive
	first, last, ranged := strings.Cut(f.rounds, ":")
	number := func(text string) (int, error) {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > maxRounds {
			return 0, misuse("5 to 30 are usual: --rounds 10, or --rounds 5:30", "--rounds: %q is not a number from 1 to %d", text, maxRounds)
		}
		return n, nil
	}
	var err error
	if a.max, err = number(first); err != nil {
		return a, err
	}
	if ranged {
		a.min = a.max
		if a.max, err = number(last); err != nil {
			return a, err
		}
		switch {
		case a.max < a.min:
			return a, misuse("the fewest come first: --rounds 5:30", "--rounds: %s ends before it begins", f.rounds)
		case a.min == a.max:
			a.min = 0
		case a.min < stats.MinPairs:
			return a, misuse(fmt.Sprintf("--rounds %d:%d", stats.MinPairs, max(a.max, stats.MinPairs)), "--rounds: nothing can be settled in fewer than %d rounds", stats.MinPairs)
		}
	}
	if a.effect, err = parseShare("--effect", f.effect); err != nil {
		return a, err
	}
	if a.effect == 0 || a.effect >= 1 {
		return a, misuse("3% is usual", "--effect: %s is not between 0 and 100 %%", f.effect)
	}
	if f.budget < 0 {
		return a, misuse("--budget 20m", "--budget: %v is negative", f.budget)
	}
	return a, nil
}

// roundsOf is "5 rounds" or "5 to 15 rounds".
func roundsOf(p sweep.Plan) string {
	if p.MinRounds > 0 {
		return fmt.Sprintf("%d to %s", p.MinRounds, counted(p.Rounds, "round"))
	}
	return counted(p.Rounds, "round")
}

// overhead is what a sample takes besides warm-up and window: starting,
// waiting for the first answer, stopping. As measured; see docs/measured.md.
var overhead = map[string]time.Duration{launcherProcess: 100 * time.Millisecond, launcherDocker: 400 * time.Millisecond}

// roundTime is what a round of a plan takes.
func roundTime(p sweep.Plan) time.Duration {
	sample := p.Profile.Warmup + p.Profile.Duration + overhead[p.Launcher]
	if p.LatencyRate > 0 {
		sample += p.Paced().Warmup + p.Paced().Duration
	}
	return time.Duration(len(p.Versions)+1) * sample
}

// knownNoise is the standard deviation of one sample's throughput in earlier
// sweeps of the same kind, a fraction; 0 when there is none.
func knownNoise(ctx context.Context, st *store.Store, p sweep.Plan) float64 {
	const enough = 3 // sweeps
	past, err := st.History(ctx, p.Target, enough)
	if err != nil {
		return 0 // only a forecast is lost
	}
	return sweep.Judge(past, sweep.JudgeOptions{Source: p.Source, Metrics: []string{sweep.QPS}}).Noise[sweep.QPS]
}

// assumedNoise is what forecasts rest on before the first sweep: about that of a
// quiet machine of two cores, as DESIGN.md has it.
const assumedNoise = 0.04

// expectations says how long a sweep will take, and what it will be able to see.
func expectations(p sweep.Plan, noise float64) []string {
	each := roundTime(p)
	long := func(rounds int) time.Duration { return (time.Duration(rounds) * each).Round(time.Second) }
	took := fmt.Sprintf("about %v of measuring once all versions are fetched", long(p.Rounds))
	if p.MinRounds > 0 {
		took = fmt.Sprintf("%v to %v of measuring once all versions are fetched", long(p.MinRounds), long(p.Rounds))
	}
	if p.Budget > 0 {
		took += fmt.Sprintf(", within a budget of %v", p.Budget)
	}
	basis := fmt.Sprintf("with the noise of earlier sweeps here, %.0f %% a sample", 100*noise)
	if !(noise > 0) {
		noise, basis = assumedNoise, fmt.Sprintf("if a sample has %.0f %% of noise, as on a quiet machine", 100*assumedNoise)
	}
	const alpha = 0.05
	need := stats.RoundsFor(noise, p.Effect, alpha)
	return []string{took, fmt.Sprintf("%s, %s tell two versions apart that differ by %.1f %%; %.3g %% would take %s, %v",
		basis, counted(p.Rounds, "round"), 100*stats.EffectOf(noise, p.Rounds, alpha), 100*p.Effect, counted(need, "round"), long(need))}
}

// sayEnd says why a sweep ended before its last round.
func (a *app) sayEnd(end sweep.End, p sweep.Plan) {
	switch end {
	case sweep.EndSettled:
		a.say("all is settled: no more rounds are needed")
	case sweep.EndBudget:
		a.say("the budget of %v is used up: another round would not have fitted", p.Budget)
	}
}

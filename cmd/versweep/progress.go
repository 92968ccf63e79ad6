package main

import (
	"context"
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"

	"versweep/runtimes"
	"versweep/sweep"
)

// bar draws a progress bar on a terminal, and nothing elsewhere.
func (a *app) bar(total int, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(bare(a.stderr)), progressbar.OptionSetVisibility(a.terminal && !a.quiet),
		progressbar.OptionSetDescription(what), progressbar.OptionShowCount(), progressbar.OptionFullWidth(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetTheme(progressbar.ThemeASCII),
	)
}

// lines tells whether progress is plain lines.
func (a *app) lines() bool { return !a.terminal && !a.quiet }

// obtain fetches versions and shows how far it has come.
func (a *app) obtain(ctx context.Context, supply *runtimes.Supply, versions []sweep.Version, finish runtimes.Finish) ([]sweep.Outcome, error) {
	bar := a.bar(len(versions), "fetching")
	fetched := 0
	outcomes, err := supply.Obtain(ctx, versions, finish, func(o runtimes.Obtained) {
		what := "fetched"
		switch {
		case o.Outcome.Reason != "":
			what = "cannot be had: " + o.Outcome.Reason
		case o.Outcome.Build.FromCache:
			what = "in the cache"
		default:
			fetched++
		}
		if a.lines() {
			a.say("[%d/%d] %s: %s", o.Done, o.Total, o.Outcome.Version, what)
		}
		bar.Describe("fetching: " + o.Outcome.Version)
		bar.Add(1)
	})
	bar.Clear()
	if err != nil {
		return nil, err
	}
	failed := 0
	for _, o := range outcomes {
		if o.Reason != "" {
			failed++
		}
	}
	a.say("%d fetched, %d from the cache, %d cannot be had", fetched, len(outcomes)-fetched-failed, failed)
	return outcomes, nil
}

// roundProgress shows how far the rounds have come.
type roundProgress struct {
	app     *app
	bar     *progressbar.ProgressBar
	rounds  int
	round   int // the last round told in lines
	started time.Time
	resumed int // samples that were there before
}

func (a *app) newRoundProgress(sw sweep.Sweep) *roundProgress {
	return &roundProgress{app: a, rounds: sw.Plan.Rounds, started: a.now(), resumed: len(sweep.LastAttempts(sw.Samples))}
}

// tell draws only between samples, so that drawing takes no time from a
// measurement.
func (p *roundProgress) tell(s sweep.Step) {
	if p.bar == nil {
		p.bar = p.app.bar(s.Total, "measuring")
	}
	name := s.Version
	if s.Twin {
		name += " (twin)"
	}
	p.bar.Describe(fmt.Sprintf("round %d of %d: %s%s", s.Round, p.rounds, name, p.left(s)))
	p.bar.Set(s.Done)
	if p.app.lines() && s.Sample == nil && s.Done >= p.resumed && s.Round != p.round {
		p.round = s.Round
		p.app.say("round %d of %d (%d of %d samples%s)", s.Round, p.rounds, s.Done, s.Total, p.left(s))
	}
}

// left says how long the rest will take at the pace so far.
func (p *roundProgress) left(s sweep.Step) string {
	done := s.Done - p.resumed
	if done <= 0 {
		return ""
	}
	each := p.app.now().Sub(p.started) / time.Duration(done)
	return fmt.Sprintf(", %v left", (each * time.Duration(s.Total-s.Done)).Round(time.Second))
}

func (p *roundProgress) end() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

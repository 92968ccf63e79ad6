package main

import (
	"context"
	"errors"
	"fmt"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
)

// conducting is what carrying out a plan needs to know besides the plan.
type conducting struct {
	reference    reference
	latencyShare float64 // of the reference's throughput, for a second pass; 0 for none
	keepImages   bool
	enough       func(sweep.Sweep) bool // ends the rounds in place of the usual rule; may be nil
}

// conduct makes the builds of a plan, settles its reference and takes its
// samples, each saved as it is taken. What it was interrupted in, resume goes on
// with.
func (a *app) conduct(ctx context.Context, st *store.Store, l *launching, plan sweep.Plan, c conducting) (sweep.Sweep, error) {
	plan.Definition = l.definition
	outcomes, err := a.obtain(ctx, l.supply, plan.Versions, l.finish)
	if err != nil {
		return sweep.Sweep{}, err
	}
	if outcomes, err = a.settleReference(ctx, st, l, &plan, outcomes, c.reference); err != nil {
		return sweep.Sweep{}, err
	}
	if c.latencyShare > 0 && plan.Reference != "" {
		if plan.LatencyRate, err = a.latencyRate(ctx, plan, outcomes, l.launcher, c.latencyShare); err != nil {
			return sweep.Sweep{}, err
		}
	}
	sw, err := st.BeginSweep(ctx, plan, l.environment, outcomes, runtimes.ThisOwner(), a.now())
	if err != nil {
		return sw, err
	}
	if err := a.carryOut(ctx, st, l, &sw, c.enough); err != nil {
		return sw, err
	}
	a.tidy(ctx, l, sw.Outcomes, c.keepImages)
	return sw, nil
}

// carryOut runs the rounds that sw lacks, adds their samples to it and finishes
// it. enough, which may be nil, is a Runner's.
func (a *app) carryOut(ctx context.Context, st *store.Store, l *launching, sw *sweep.Sweep, enough func(sweep.Sweep) bool) error {
	l.forSweep(sw.ID)
	progress := a.newRoundProgress(*sw)
	a.sweeping = sw.ID
	before, began := len(sw.Samples), a.now()
	runner := sweep.Runner{Launcher: l.launcher, Recorder: st, Now: a.now, Progress: progress.tell, Machine: a.machine, Enough: enough}
	end, err := runner.Run(ctx, sw)
	progress.end()
	if err != nil {
		return err
	}
	if len(sw.Samples) > before {
		a.say("%s", costs(sw.Plan, sw.Samples[before:], a.now().Sub(began)))
	}
	if again := takenAgain(sw.Samples[before:]); again != "" {
		a.say("%s", again)
	}
	sw.Finished = a.now()
	if err := st.FinishSweep(ctx, sw.ID, sw.Finished); err != nil {
		return err
	}
	a.sweeping = 0 // nothing is left to go on with
	a.sayEnd(end, sw.Plan)
	return nil
}

// showSweep prints the table of a sweep that has been carried out, judges the
// target and draws the picture that is asked for.
func (a *app) showSweep(ctx context.Context, st *store.Store, sw sweep.Sweep, layout, picture string) error {
	t := sweep.NewTable(sw)
	if !anyMeasured(t) {
		if err := a.printTable(t, sweep.Judgement{}, layout, sweep.QPS); err != nil {
			return err
		}
		return errNothingMeasured
	}
	j, err := a.judge(ctx, st, sw.Plan.Target, sweep.Span{}, sweep.JudgeOptions{Source: sw.Plan.Source})
	if errors.Is(err, errNothingToJudge) {
		a.warn("%v: the machine was busy all the time; versweep doctor may say why", err)
	} else if err != nil {
		return err
	}
	if err := a.printTable(t, sweep.Judge([]sweep.Sweep{sw}, sweep.JudgeOptions{}), layout, sweep.QPS); err != nil {
		return err
	}
	if !a.json && layout == "" && err == nil {
		fmt.Fprintln(a.stdout)
		if err := charts.WriteFindings(a.stdout, j, charts.FindingsOptions{Width: a.columns()}); err != nil {
			return err
		}
	}
	if picture == "" {
		return nil
	}
	if err := writePicture(picture, t, sweep.QPS, charts.Options{Judgement: &j}); err != nil {
		return err
	}
	a.say("wrote %s", picture)
	return nil
}

var errNothingMeasured = errors.New("no version could be measured; the table says why")

func anyMeasured(t sweep.Table) bool {
	for _, r := range t.Rows {
		if r.Status != sweep.Failed {
			return true
		}
	}
	return false
}

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

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
}

// conduct makes the builds of a plan, settles its reference and takes its
// samples, each saved as it is taken. What it was interrupted in, resume goes on
// with.
func (a *app) conduct(ctx context.Context, st *store.Store, l *launching, plan sweep.Plan, c conducting) (sweep.Sweep, error) {
	outcomes, err := a.obtain(ctx, l.supply, plan.Versions, l.finish)
	if err != nil {
		return sweep.Sweep{}, err
	}
	if plan.Reference, err = a.chooseReference(ctx, plan, outcomes, l.launcher, c.reference); err != nil {
		return sweep.Sweep{}, err
	}
	if c.latencyShare > 0 && plan.Reference != "" {
		if plan.LatencyRate, err = a.latencyRate(ctx, plan, outcomes, l.launcher, c.latencyShare); err != nil {
			return sweep.Sweep{}, err
		}
	}
	sw, err := begin(ctx, st, plan, l.environment, outcomes)
	if err != nil {
		return sw, err
	}
	if err := a.carryOut(ctx, st, l, &sw); err != nil {
		return sw, err
	}
	a.tidy(ctx, l, sw.Outcomes, c.keepImages)
	return sw, nil
}

// begin stores a sweep whose builds are made, claimed by this process.
func begin(ctx context.Context, st *store.Store, p sweep.Plan, env sweep.Environment, outcomes []sweep.Outcome) (sweep.Sweep, error) {
	if p.Reference != "" {
		if _, err := st.SetSeriesReference(ctx, p, env, p.Reference); err != nil {
			return sweep.Sweep{}, err
		}
	}
	sw, err := st.CreateSweep(ctx, p, env, time.Now())
	if err != nil {
		return sw, err
	}
	for _, o := range outcomes {
		if err := st.SaveOutcome(ctx, sw.ID, o); err != nil {
			return sw, err
		}
	}
	sw.Outcomes = outcomes
	return sw, claim(ctx, st, sw.ID)
}

// claim keeps other processes from carrying out the same sweep.
func claim(ctx context.Context, st *store.Store, id int64) error {
	this := runtimes.ThisOwner()
	return st.ClaimSweep(ctx, id, this, func(owner string) bool { return runtimes.OwnerIsGone(owner, this) })
}

// carryOut runs the rounds that sw lacks, adds their samples to it and finishes
// it.
func (a *app) carryOut(ctx context.Context, st *store.Store, l *launching, sw *sweep.Sweep) error {
	l.forSweep(sw.ID)
	progress := a.newRoundProgress(*sw)
	a.sweeping = sw.ID
	before, began := len(sw.Samples), time.Now()
	runner := sweep.Runner{Launcher: l.launcher, Recorder: st, Now: time.Now, Progress: progress.tell, Machine: a.machine}
	end, err := runner.Run(ctx, sw)
	progress.end()
	if err != nil {
		return err
	}
	a.say("%s", costs(sw.Plan, sw.Samples[before:], time.Since(began)))
	if again := takenAgain(sw.Samples[before:]); again != "" {
		a.say("%s", again)
	}
	sw.Finished = time.Now()
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
	j, err := a.judge(ctx, st, sw.Plan.Target, 0, sweep.JudgeOptions{Source: sw.Plan.Source})
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

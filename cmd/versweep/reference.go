package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
)

// reference is the version that a plan asks for as reference.
type reference struct {
	name     string // empty: to be chosen among what runs
	required bool   // the user named it: without it there is no sweep
}

// plannedReference finds out which reference a sweep should have, named by the
// user or kept from the first sweep of its series, and makes sure that the plan
// samples it.
func (a *app) plannedReference(ctx context.Context, st *store.Store, p *sweep.Plan, env sweep.Environment, found []sweep.Version, named string) (reference, error) {
	r := reference{name: named, required: named != ""}
	if named == "latest" {
		latest, ok := sweep.Latest(found)
		if !ok {
			return r, misuse("name a version", "--reference: %s has no stable version", p.Target)
		}
		r.name = latest.Name
	}
	if named == "" {
		kept, err := st.SeriesReference(ctx, *p, env)
		if err != nil {
			return r, err
		}
		r.name = kept
	}
	if r.name == "" {
		return r, nil
	}
	i := slices.IndexFunc(found, func(v sweep.Version) bool { return v.Name == r.name || v.Raw == r.name })
	switch {
	case i < 0 && r.required:
		return r, misuse("versweep versions "+p.Target+" lists them", "--reference: %s has no version %q", p.Target, named)
	case i < 0:
		a.warn("the series' reference %s is not to be had any more; this sweep takes another", r.name)
		return reference{}, nil
	}
	r.name = found[i].Name
	if !slices.ContainsFunc(p.Versions, func(v sweep.Version) bool { return v.Name == r.name }) {
		p.Versions = sweep.SortVersions(append(p.Versions, found[i]))
	}
	return r, nil
}

// settleReference chooses the reference of a plan whose builds are made, and keeps
// it for its series. Where another process has chosen one for the series since
// the plan was made, that one counts, and is added where the plan lacks it. It
// returns what became of the plan's versions.
func (a *app) settleReference(ctx context.Context, st *store.Store, l *launching, p *sweep.Plan, outcomes []sweep.Outcome, planned reference) ([]sweep.Outcome, error) {
	for {
		var err error
		if p.Reference, err = a.chooseReference(ctx, *p, outcomes, l.launcher, planned); err != nil || p.Reference == "" {
			return outcomes, err
		}
		kept, err := st.SetSeriesReference(ctx, *p, l.environment, p.Reference)
		// One that was known is asked for in vain, or not asked for.
		if err != nil || kept == p.Reference || planned.name != "" {
			return outcomes, err
		}
		i := slices.IndexFunc(l.found, func(v sweep.Version) bool { return v.Name == kept })
		if i < 0 {
			return outcomes, nil // plannedReference has said so
		}
		a.say("another sweep has chosen %s as the series' reference meanwhile", kept)
		planned = reference{name: kept}
		if slices.ContainsFunc(p.Versions, func(v sweep.Version) bool { return v.Name == kept }) {
			continue
		}
		added := []sweep.Version{l.found[i]}
		more, err := a.obtain(ctx, l.supply, added, l.finish)
		if err != nil {
			return outcomes, err
		}
		p.Versions = sweep.SortVersions(append(p.Versions, added...))
		outcomes = inVersionOrder(*p, append(outcomes, more...))
	}
}

// inVersionOrder puts outcomes into the order of the plan's versions.
func inVersionOrder(p sweep.Plan, outcomes []sweep.Outcome) []sweep.Outcome {
	place := map[string]int{}
	for i, v := range p.Versions {
		place[v.Name] = i
	}
	return slices.SortedFunc(slices.Values(outcomes), func(x, y sweep.Outcome) int { return cmp.Compare(place[x.Version], place[y.Version]) })
}

// chooseReference returns the reference that counts: the planned one, or the
// newest stable version that runs. It is empty when none runs.
func (a *app) chooseReference(ctx context.Context, p sweep.Plan, outcomes []sweep.Outcome, l sweep.Launcher, planned reference) (string, error) {
	builds := map[string]sweep.Build{}
	reasons := map[string]string{}
	for _, o := range outcomes {
		if o.Reason == "" {
			builds[o.Version] = o.Build
		}
		reasons[o.Version] = o.Reason
	}
	if planned.name != "" {
		if b, ok := builds[planned.name]; ok {
			runs, err := runsAtAll(ctx, l, b)
			if err != nil || runs == nil {
				return planned.name, err
			}
			reasons[planned.name] = runs.Reason
		}
		if planned.required {
			return "", fmt.Errorf("the reference %s cannot be measured: %s", planned.name, reasons[planned.name])
		}
		a.warn("the series' reference %s cannot be measured (%s); this sweep takes another", planned.name, reasons[planned.name])
	}
	for _, v := range slices.Backward(p.Versions) {
		b, ok := builds[v.Name]
		if !ok || v.Prerelease {
			continue
		}
		runs, err := runsAtAll(ctx, l, b)
		if err != nil {
			return "", err
		}
		if runs == nil {
			return v.Name, nil
		}
	}
	return "", nil
}

// latencyRate measures the reference once, as a sample would, and returns the
// rate of the second pass: a share of its throughput, in requests/s, rounded to
// three digits so that it can be said and repeated.
func (a *app) latencyRate(ctx context.Context, p sweep.Plan, outcomes []sweep.Outcome, l sweep.Launcher, share float64) (float64, error) {
	i := slices.IndexFunc(outcomes, func(o sweep.Outcome) bool { return o.Version == p.Reference })
	instance, err := l.Start(ctx, outcomes[i].Build)
	if err != nil {
		return 0, fmt.Errorf("measuring the reference %s for the second pass: %w", p.Reference, err)
	}
	r, err := instance.Load(ctx, p.Profile, load.Hooks{})
	if _, stopErr := instance.Stop(); err == nil {
		err = stopErr
	}
	if err == nil && r.OK == 0 {
		err = errNoRightAnswer
	}
	if err != nil {
		return 0, fmt.Errorf("measuring the reference %s for the second pass: %w", p.Reference, err)
	}
	rate, err := strconv.ParseFloat(strconv.FormatFloat(r.QPS()*share, 'g', 3, 64), 64)
	a.say("second pass: %.0f requests/s, %v of the reference's %.0f", rate, share, r.QPS())
	return rate, err
}

// runsAtAll starts and stops a build once. The first result says why it does
// not run.
func runsAtAll(ctx context.Context, l sweep.Launcher, b sweep.Build) (*sweep.StartError, error) {
	instance, err := l.Start(ctx, b)
	if failed, ok := errors.AsType[*sweep.StartError](err); ok {
		return failed, nil
	}
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", b.Version, err)
	}
	_, err = instance.Stop()
	return nil, err
}

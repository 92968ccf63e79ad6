package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"versweep/charts"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// plannedTarget is what a night would find to do with one target.
type plannedTarget struct {
	subject    nightly.Subject
	agenda     nightly.Agenda
	vanished   []sweep.Version
	suspicions []nightly.Suspicion
	night      nightly.TargetNight // as it is foreseen
	sweeps     []nightly.Foreseen
}

// plannedNight is what a night would find to do.
type plannedNight struct {
	targets []plannedTarget
	budget  time.Duration // of the whole night's measuring; 0 for no limit
	takes   time.Duration // at most, of measuring
	sweeps  int
}

// fits tells whether a version would be sampled tonight.
func (p plannedTarget) fits(version string) bool {
	return slices.ContainsFunc(p.sweeps, func(f nightly.Foreseen) bool {
		return slices.ContainsFunc(f.Plan.Versions, func(v sweep.Version) bool { return v.Name == version })
	})
}

// nightPlan looks at all targets as a night would. The store is only read, and
// need not be there.
func (a *app) nightPlan(ctx context.Context, s *nightlySettings) (*plannedNight, error) {
	// Choosing a reference and reading what is known need a store: a new one is
	// as good as none.
	file := a.db
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		dir, err := os.MkdirTemp("", "versweep-")
		if err != nil {
			return nil, fmt.Errorf("making an empty store to look at: %w", err)
		}
		defer os.RemoveAll(dir)
		file = dir + "/empty.db"
		st, err := openStore(ctx, file)
		if err != nil {
			return nil, err
		}
		if err := st.Close(); err != nil {
			return nil, err
		}
	}
	st, err := store.OpenReadOnly(ctx, file)
	if err != nil {
		return nil, &dbError{err}
	}
	defer st.Close()
	hands := &nightHands{app: a, store: st}
	defer hands.close()
	plan := &plannedNight{budget: s.budget}
	var subjects []nightly.Subject
	for _, t := range s.targets {
		subject, err := hands.open(ctx, t)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, subject)
		p := plannedTarget{subject: subject}
		past, err := st.Attempts(ctx, subject.Plan.Target)
		if err != nil {
			return nil, err
		}
		if p.suspicions, err = st.Suspicions(ctx, subject.Plan.Target); err != nil {
			return nil, err
		}
		if subject.Failed == "" {
			o, err := nightly.NewOutlook(subject, past)
			if err != nil {
				return nil, err
			}
			p.vanished, p.agenda = o.Vanished, o.Agenda(subject, s.every, a.now())
		}
		plan.targets = append(plan.targets, p)
	}
	course := nightly.Course{Memory: st, Now: a.now, Every: s.every, Budget: s.budget}
	forecast, err := course.Foresee(ctx, subjects, func(sw sweep.Sweep) error {
		held, err := st.HeldSweep(ctx, sw.ID, ownerIsGone)
		if err == nil && held {
			return nightly.ErrElsewhere
		}
		return cmp.Or(err, hands.targets[sw.Plan.Target].goesOn(sw))
	})
	if err != nil {
		return nil, err
	}
	for i := range plan.targets {
		p := &plan.targets[i]
		p.night = forecast.Targets[i]
		for _, f := range forecast.Sweeps {
			if f.Plan.Target == p.subject.Plan.Target {
				p.sweeps = append(p.sweeps, f)
				plan.takes += f.Takes
				plan.sweeps++
			}
		}
	}
	if leftByAll(forecast.Targets) > 0 {
		for i := range plan.targets {
			if n := &plan.targets[i].night; n.Left > 0 {
				n.Remarks = append(n.Remarks, fmt.Sprintf("the budget fits none of %s: the night would fail", counted(n.Left, "version")))
			}
		}
	}
	return plan, nil
}

func (a *app) printNightPlan(plan *plannedNight) error {
	if a.json {
		return a.printJSON(newNightPlanJSON(plan))
	}
	for _, p := range plan.targets {
		title := p.subject.Plan.Title
		if p.subject.Failed != "" {
			fmt.Fprintln(a.stdout, charts.Printable(fmt.Sprintf("%s: cannot be swept: %s", title, p.subject.Failed)))
			continue
		}
		fmt.Fprintln(a.stdout, charts.Printable(fmt.Sprintf("%s: %d to measure, %d stale, of %d kept", title, len(p.agenda.Wanted), len(p.agenda.Stale), len(p.subject.Kept))))
		line := func(format string, args ...any) {
			fmt.Fprintln(a.stdout, charts.Printable("  "+fmt.Sprintf(format, args...)))
		}
		for _, f := range p.sweeps {
			if f.GoesOn != 0 {
				line("goes on first with sweep %d, left unfinished since %s: %s there", f.GoesOn, f.Began.Local().Format(minuteOfDay), areThere(f.Samples))
			}
		}
		left := func(item nightly.Item) string {
			if p.fits(item.Version.Name) {
				return ""
			}
			return ", does not fit: left for another night"
		}
		for _, item := range p.agenda.Wanted {
			line("%s%s", itemWords(item), left(item))
		}
		for _, item := range p.agenda.Waiting {
			line("%s, waits until %s", itemWords(item), item.Due.Local().Format(minuteOfDay))
		}
		for _, item := range p.agenda.Stale {
			line("%s%s", itemWords(item), left(item))
		}
		for _, v := range p.vanished {
			line("%s: missing, it is not to be found any more", v.Name)
		}
		for _, s := range p.suspicions {
			if s.Standing == nightly.Suspected {
				line("%s: suspected since %s, to be confirmed", s.Finding.ID, s.Since.Local().Format(minuteOfDay))
			}
		}
		for i, r := range p.night.Remarks {
			if !slices.Contains(p.night.Remarks[:i], r) {
				line("%s", r)
			}
		}
	}
	also := ""
	if plan.sweeps > 0 {
		also = ", and on top of it fresh rounds of what looks changed"
	}
	budget := "no budget"
	if plan.budget > 0 {
		budget = "budget " + shortTime(plan.budget)
	}
	_, err := fmt.Fprintf(a.stdout, "Tonight: %s, at most %s of measuring%s; %s\n", counted(plan.sweeps, "sweep"), shortTime(plan.takes), also, budget)
	return err
}

// areThere is "1 sample is", "12 samples are".
func areThere(n int) string {
	if n == 1 {
		return "1 sample is"
	}
	return counted(n, "sample") + " are"
}

// shortTime is a time to the second without what is 0: "2h", "1m30s".
func shortTime(d time.Duration) string {
	text := d.Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if cut, ok := strings.CutSuffix(text, zero); ok {
			text = cut + zero[:1]
		}
	}
	return text
}

const minuteOfDay = "2006-01-02 15:04"

func itemWords(item nightly.Item) string {
	text := fmt.Sprintf("%s: %s", item.Version.Name, item.Why)
	if item.Detail != "" {
		text += ", " + item.Detail
	}
	return text
}

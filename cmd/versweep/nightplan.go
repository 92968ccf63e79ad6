package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"versweep/charts"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// plannedNight is what a night would find to do with one target.
type plannedNight struct {
	subject    nightly.Subject
	agenda     nightly.Agenda
	vanished   []sweep.Version
	suspicions []nightly.Suspicion
}

// nightPlan looks at all targets as a night would. The store is only read, and
// need not be there.
func (a *app) nightPlan(ctx context.Context, s *nightlySettings) ([]plannedNight, error) {
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
	var plan []plannedNight
	for _, t := range s.targets {
		subject, err := hands.open(ctx, t)
		if err != nil {
			return nil, err
		}
		p := plannedNight{subject: subject}
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
		plan = append(plan, p)
	}
	return plan, nil
}

func (a *app) printNightPlan(plan []plannedNight) error {
	if a.json {
		return a.printJSON(newNightPlanJSON(plan))
	}
	for _, p := range plan {
		title := p.subject.Plan.Title
		if p.subject.Failed != "" {
			fmt.Fprintln(a.stdout, charts.Printable(fmt.Sprintf("%s: cannot be swept: %s", title, p.subject.Failed)))
			continue
		}
		fmt.Fprintln(a.stdout, charts.Printable(fmt.Sprintf("%s: %d to measure, %d stale, of %d kept", title, len(p.agenda.Wanted), len(p.agenda.Stale), len(p.subject.Kept))))
		line := func(format string, args ...any) {
			fmt.Fprintln(a.stdout, charts.Printable("  "+fmt.Sprintf(format, args...)))
		}
		for _, item := range p.agenda.Wanted {
			line("%s", itemWords(item))
		}
		for _, item := range p.agenda.Waiting {
			line("%s, waits until %s", itemWords(item), item.Due.Local().Format(minuteOfDay))
		}
		for _, item := range p.agenda.Stale {
			line("%s", itemWords(item))
		}
		for _, v := range p.vanished {
			line("%s: missing, it is not to be found any more", v.Name)
		}
		for _, s := range p.suspicions {
			if s.Standing == nightly.Suspected {
				line("%s: suspected since %s, to be confirmed", s.Finding.ID, s.Since.Local().Format(minuteOfDay))
			}
		}
	}
	return nil
}

const minuteOfDay = "2006-01-02 15:04"

func itemWords(item nightly.Item) string {
	text := fmt.Sprintf("%s: %s", item.Version.Name, item.Why)
	if item.Detail != "" {
		text += ", " + item.Detail
	}
	return text
}

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"versweep/store"
	"versweep/sweep/nightly"
)

// nightlyFlags are the flags of nightly.
type nightlyFlags struct {
	config string
	dryRun bool
	budget time.Duration
	// budgetGiven says that budget stood on the command line: 0 is a value.
	budgetGiven bool
}

func (a *app) nightlyCommand() *cobra.Command {
	var f nightlyFlags
	cmd := &cobra.Command{
		Use:   "nightly",
		Short: "Sweep what is new, judge it, and tell what has changed",
		Long: `nightly carries out what versweep.yaml says, without anybody to answer questions:
it finds versions that are new or moved, sweeps them with their neighbours and the
reference, confirms what looks like a regression in fresh rounds, samples the
oldest figures again with what is left of the budget, writes the report, and tells
what has changed since it was last told.

The exit status is 1 when somebody could not be told, else 3 when a confirmed
regression stands that nobody has acknowledged, else 1 when a target could not be
swept or an output not written. What a night that was ended or killed has measured
is kept, and the next one goes on.`,
		Example: "  versweep nightly --dry-run",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.budgetGiven = cmd.Flags().Changed("budget")
			if f.budget < 0 {
				return misuse("--budget 2h", "--budget: %v is negative", f.budget)
			}
			s, err := a.readNightly(cmd.Context(), f.config, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			if f.budgetGiven {
				s.budget = f.budget
			}
			if f.dryRun {
				return a.dryNight(cmd.Context(), s)
			}
			return a.night(cmd.Context(), s)
		},
	}
	cmd.AddCommand(a.nightlyInitCommand(), a.nightlySchemaCommand())
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "versweep.yaml", "the settings")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what there is to measure, and measure and tell nothing")
	flags.DurationVar(&f.budget, "budget", 0, "of measuring tonight, in place of the settings', such as 2h; 0 for no limit (default the settings')")
	return cmd
}

// night carries out one night.
func (a *app) night(ctx context.Context, s *nightlySettings) error {
	unlock, err := store.LockNights(a.db, a.now())
	if err != nil {
		return nightLockError(err)
	}
	defer unlock()
	st, err := openStore(ctx, a.db)
	if err != nil {
		return err
	}
	defer st.Close()
	a.unattended = true // from here on the next night goes on by itself
	before, err := st.Nights(ctx, 0)
	if err != nil {
		return err
	}
	begun, err := st.BeginNight(ctx, a.now())
	if err != nil {
		return err
	}
	hands := &nightHands{app: a, store: st}
	defer hands.close()
	var subjects []nightly.Subject
	for _, t := range s.targets {
		subject, err := hands.open(ctx, t)
		if err != nil {
			return err
		}
		subjects = append(subjects, subject)
	}
	course := nightly.Course{Hands: hands, Memory: st, Now: a.now, Night: begun.ID, Every: s.every, Budget: s.budget}
	result, err := course.Run(ctx, subjects)
	if err != nil {
		return err
	}
	hands.tidy(ctx)
	n := nightly.Night{ID: begun.ID, Began: begun.Began, Ended: a.now().UTC(), Targets: result.Targets}
	missed := nightly.MissedNights(lastEnded(before), begun.Began, s.every)
	if missed != nil {
		n.Notices = append(n.Notices, *missed)
	}
	for _, account := range result.Accounts {
		n.Notices = append(n.Notices, account.Notices...)
		n.Open = append(n.Open, account.Open...)
	}
	nightly.SortNotices(n.Notices)
	nightly.SortNotices(n.Open)
	place := a.storePlace()
	for _, list := range [][]nightly.Notice{n.Notices, n.Open} {
		for i := range list {
			list[i].Place = place
		}
	}

	var failed []error
	for _, t := range n.Targets {
		if t.Failed != "" {
			failed = append(failed, fmt.Errorf("sweeping %s: %s", t.Target, t.Failed))
		} else if t.Stopped != "" {
			failed = append(failed, fmt.Errorf("sweeping %s: stopped in the middle: %s", t.Target, t.Stopped))
		} else if len(t.Measured) == 0 && t.Tried > 0 {
			failed = append(failed, fmt.Errorf("sweeping %s: %s", t.Target, doneWords(t)))
		}
	}
	if left := leftByAll(n.Targets); left > 0 {
		failed = append(failed, &hintedError{
			fmt.Errorf("nothing was measured: the budget fits none of %s", counted(left, "version")), "raise budget, or shorten duration and warmup",
		})
	}
	if err := a.writeNight(ctx, s, result); err != nil {
		failed = append(failed, err)
	}
	if err := a.printNight(n); err != nil {
		failed = append(failed, fmt.Errorf("printing the night: %w", err))
	}
	told := true
	if err := deliverAll(ctx, s.channels, n); err != nil {
		told = false
		failed = append(failed, &hintedError{err, "all changes of tonight are told again on the next night"})
	} else {
		for i, account := range result.Accounts {
			if err := st.SaveTold(ctx, result.Targets[i].Target, account.Told); err != nil {
				failed = append(failed, &hintedError{err, "what was told of " + result.Targets[i].Target + " is told again on the next night"})
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// Only that no night came is kept nowhere but in when nights ended: where
	// nobody could be told, this one has not, and the next one tells it.
	if told || missed == nil {
		if err := st.EndNight(ctx, begun.ID, a.now()); err != nil {
			failed = append(failed, err)
		}
	}
	return a.nightStatus(ctx, s, n, failed, told)
}

// leftByAll is how many versions a night has left that measured none at all; 0 when
// it did measure. Of one target among several that is no failure: its turn comes.
func leftByAll(targets []nightly.TargetNight) int {
	left := 0
	for _, t := range targets {
		if len(t.Measured) > 0 {
			return 0
		}
		left += t.Left
	}
	return left
}

// lastEnded is when the last night before ended that did; zero when none has.
// nights are the last one first.
func lastEnded(nights []store.Night) time.Time {
	for _, n := range nights {
		if !n.Ended.IsZero() {
			return n.Ended
		}
	}
	return time.Time{}
}

func nightLockError(err error) error {
	if _, ok := errors.AsType[*store.NightRunningError](err); ok {
		return &hintedError{err, "wait until it ends; it saves each sample as it is taken"}
	}
	return err
}

// nightStatus returns the error that decides the exit status, and tells the rest:
// regressions that stand before what failed, unless nobody could be told of them.
func (a *app) nightStatus(ctx context.Context, s *nightlySettings, n nightly.Night, failed []error, told bool) error {
	var regressions regressionError
	for _, t := range s.targets {
		count := 0
		for _, o := range n.Open {
			if o.Target == t.definition.Name && o.Finding != nil && o.Finding.Counts(t.minChange) {
				count++
			}
		}
		if count > 0 {
			regressions.found = append(regressions.found, fmt.Sprintf("%d of %s", count, t.definition.Name))
		}
	}
	if len(regressions.found) > 0 {
		if told {
			failed = append(failed, &regressions)
		} else {
			failed = slices.Insert(failed, 0, error(&regressions))
		}
	}
	var last error
	if len(failed) > 0 {
		failed, last = failed[:len(failed)-1], failed[len(failed)-1]
	}
	for _, err := range failed {
		a.tell(ctx, err)
	}
	return last
}

// dryNight says what a night would find to do.
func (a *app) dryNight(ctx context.Context, s *nightlySettings) error {
	plan, err := a.nightPlan(ctx, s)
	if err != nil {
		return err
	}
	if err := a.printNightPlan(plan); err != nil {
		return err
	}
	var failed []string
	for _, t := range plan.targets {
		if t.subject.Failed != "" {
			failed = append(failed, t.subject.Plan.Target+": "+t.subject.Failed)
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("looking for versions of %s", strings.Join(failed, "; "))
	}
	return nil
}

// storePlace is the flag, as it is typed behind a command in any folder, that says
// where the store is; empty where that is usual.
func (a *app) storePlace() string {
	if a.db == defaultDB() {
		return ""
	}
	file, err := filepath.Abs(a.db)
	if err != nil {
		file = a.db
	}
	return " " + shellLine("--db", file)
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
)

func (a *app) resumeCommand() *cobra.Command {
	var f launchFlags
	var picture, layout string
	cmd := &cobra.Command{
		Use:     "resume [SWEEP]",
		Short:   "Go on with an unfinished sweep, the latest or the one named by number",
		Example: "  versweep resume",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkLayout(layout); err != nil {
				return err
			}
			if picture != "" {
				if err := checkPicture(picture); err != nil {
					return err
				}
			}
			return a.resume(cmd.Context(), args, f, layout, picture)
		},
	}
	cmd.Flags().StringVar(&f.cache, "cache", "", "folder of fetched builds (default versweep in the user's cache folder)")
	f.containerFlags.add(cmd)
	cmd.Flags().StringVarP(&picture, "output", "o", "", "write the trend of throughput to this .png or .svg file (default none)")
	cmd.Flags().StringVar(&layout, "layout", "", layoutHelp)
	return cmd
}

func (a *app) resume(ctx context.Context, args []string, f launchFlags, layout, picture string) error {
	st, err := a.openExisting(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	sw, err := unfinished(ctx, st, args)
	if err != nil {
		return err
	}
	d, err := a.findTarget(sw.Plan.Target)
	if err != nil {
		return err
	}
	cache, err := f.openCache()
	if err != nil {
		return err
	}
	f.launcher = sw.Plan.Launcher
	f.serverCPUs = sweep.FormatCPUs(sw.Environment.ServerCPUs)
	f.loadCPUs = sweep.FormatCPUs(sw.Environment.LoadCPUs)
	cpus, err := f.cpuSets(a, d)
	if err != nil {
		return err
	}
	l, err := a.connect(ctx, d, cache, sw.Plan.Source, f, cpus, false)
	if err != nil {
		return err
	}
	defer l.close()
	if l.environment.Hash() != sw.Environment.Hash() {
		return anotherEnvironment(sw, l)
	}
	if err := sameDefinition(sw, l); err != nil {
		return &hintedError{err, "undo the change, or name the folder of the definition with --target-dir; versweep run begins a new sweep"}
	}
	a.say("going on with sweep %d of %s: %d samples of %d are there", sw.ID, sw.Plan.Title, len(sweep.LastAttempts(sw.Samples)), sw.Plan.Rounds*(len(sw.Plan.Versions)+1))
	if err := a.obtainAgain(ctx, l, &sw); err != nil {
		return err
	}
	if err := a.obtainMissing(ctx, st, l, &sw); err != nil {
		return err
	}
	if err := a.carryOut(ctx, st, l, &sw, nil); err != nil {
		return err
	}
	a.tidy(ctx, l, sw.Outcomes, f.keepImages)
	return a.showSweep(ctx, st, sw, layout, picture)
}

// sameDefinition refuses to go on with a sweep whose target is defined in another
// way by now.
func sameDefinition(sw sweep.Sweep, l *launching) error {
	if was := sw.Plan.Definition.Hash; was == "" || was == l.definition.Hash {
		return nil
	}
	return fmt.Errorf("going on with sweep %d: %s is defined in another way than when it was begun (its program, command, question or answer), and samples of two are never mixed", sw.ID, sw.Plan.Target)
}

// anotherEnvironment says that a sweep cannot be gone on with here.
func anotherEnvironment(sw sweep.Sweep, l *launching) error {
	what := difference(sw.Environment, l.environment)
	switch {
	case sw.Plan.Source != l.supply.Kind():
		what = fmt.Sprintf("source was %q, is %q", sw.Plan.Source, l.supply.Kind())
	case sw.Plan.Launcher != l.kind:
		what = fmt.Sprintf("launcher was %q, is %q", sw.Plan.Launcher, l.kind)
	}
	return fmt.Errorf("going on with sweep %d: it was begun in another environment (%s), and samples of two are never mixed", sw.ID, what)
}

// unfinished claims and reads the sweep to go on with. It is read once it is
// claimed: a process that was still at it may have added to it before.
func unfinished(ctx context.Context, st *store.Store, args []string) (sweep.Sweep, error) {
	id, err := claimUnfinished(ctx, st, args)
	if err != nil {
		return sweep.Sweep{}, err
	}
	sw, err := st.LoadSweep(ctx, id)
	if err == nil && !sw.Finished.IsZero() {
		err = misuse("versweep table "+sw.Plan.Target+" prints it", "sweep %d is finished", id)
	}
	return sw, err
}

func claimUnfinished(ctx context.Context, st *store.Store, args []string) (int64, error) {
	if len(args) > 0 {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return 0, misuse("sweeps are numbered; run and table --json tell the number", "%q is not the number of a sweep", args[0])
		}
		if bisection, err := st.BisectionOf(ctx, id); err != nil || bisection != 0 {
			return 0, cmp.Or(err, misuse(fmt.Sprintf("versweep bisect --resume %d", bisection), "sweep %d is a trial of bisection %d", id, bisection))
		}
		return id, claim(ctx, st, id)
	}
	id, err := st.ClaimUnfinished(ctx, runtimes.ThisOwner(), ownerIsGone)
	if errors.Is(err, store.ErrNoSweep) {
		if list, err := st.Bisections(ctx, store.BisectionFilter{Unfinished: true}); err == nil && len(list) > 0 {
			return 0, &hintedError{errors.New("there is no unfinished sweep to go on with, but a bisection"), fmt.Sprintf("versweep bisect --resume %d goes on with that of %s", list[0].ID, list[0].Target)}
		}
		return 0, &hintedError{errors.New("there is no unfinished sweep to go on with"), "versweep table TARGET prints finished ones; what a sweep had fetched when it was stopped is kept for the next"}
	}
	return id, busyElsewhere(err, "sweep", "resume")
}

// obtainMissing makes the builds that a sweep lacks: versions may be planned
// before they are obtained.
func (a *app) obtainMissing(ctx context.Context, st *store.Store, l *launching, sw *sweep.Sweep) error {
	lacking := slices.DeleteFunc(slices.Clone(sw.Plan.Versions), func(v sweep.Version) bool {
		return slices.ContainsFunc(sw.Outcomes, func(o sweep.Outcome) bool { return o.Version == v.Name })
	})
	if len(lacking) == 0 {
		return nil
	}
	outcomes, err := a.obtain(ctx, l.supply, lacking, l.finish)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if err := st.SaveOutcome(ctx, sw.ID, o); err != nil {
			return err
		}
	}
	sw.Outcomes = inVersionOrder(sw.Plan, append(sw.Outcomes, outcomes...))
	return nil
}

// obtainAgain makes sure that what the sweep measured so far is still there to
// be measured: what is gone from the cache is obtained anew, and has to be the same
// build.
func (a *app) obtainAgain(ctx context.Context, l *launching, sw *sweep.Sweep) error {
	var gone []sweep.Version
	for i, o := range sw.Outcomes {
		if o.Reason != "" {
			continue
		}
		// What is an image only has no folder: finish finds or pulls it, by
		// its digest.
		if _, err := os.Stat(o.Build.Dir); err != nil && o.Build.Dir != "" {
			gone = append(gone, sw.Plan.Versions[slices.IndexFunc(sw.Plan.Versions, func(v sweep.Version) bool { return v.Name == o.Version })])
			continue
		}
		if l.finish != nil {
			b, err := l.finish(ctx, o.Build)
			if err != nil {
				return err
			}
			sw.Outcomes[i].Build = b
		}
	}
	if len(gone) == 0 {
		return nil
	}
	again, err := a.obtain(ctx, l.supply, gone, l.finish)
	if err != nil {
		return err
	}
	for _, o := range again {
		i := slices.IndexFunc(sw.Outcomes, func(old sweep.Outcome) bool { return old.Version == o.Version })
		if o.Reason != "" {
			return fmt.Errorf("going on with sweep %d: %s cannot be had any more: %s", sw.ID, o.Version, o.Reason)
		}
		if o.Build.Digest != sw.Outcomes[i].Build.Digest {
			return fmt.Errorf("going on with sweep %d: %s is another build now (%s, was %s)", sw.ID, o.Version, o.Build.Digest, sw.Outcomes[i].Build.Digest)
		}
		sw.Outcomes[i] = o
	}
	return nil
}

// difference names the first thing that differs between two environments.
func difference(was, is sweep.Environment) string {
	for _, d := range []struct{ what, was, is string }{
		{"CPU", was.CPU, is.CPU},
		{"cores", strconv.Itoa(was.Cores), strconv.Itoa(is.Cores)},
		{"governor", was.Governor, is.Governor},
		{"microcode", was.Microcode, is.Microcode},
		{"system", was.OS, is.OS},
		{"kernel", was.Kernel, is.Kernel},
		{"turbo", was.Turbo, is.Turbo},
		{"simultaneous multithreading", was.SMT, is.SMT},
		{"hypervisor", was.Hypervisor, is.Hypervisor},
		{"transparent huge pages", was.THP, is.THP},
		{"mitigations", was.Mitigations, is.Mitigations},
		{"engine", was.Engine, is.Engine},
		{"method version", strconv.Itoa(was.Method), strconv.Itoa(is.Method)},
	} {
		if d.was != d.is {
			return fmt.Sprintf("%s was %q, is %q", d.what, d.was, d.is)
		}
	}
	return "memory or pinning differ"
}

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"versweep/runtimes"
	"versweep/store"
)

// gcFlags are the flags of gc.
type gcFlags struct {
	histograms, merged, service, logs string // ages
	builds                            string // age
	cache                             string
	dryRun, yes                       bool
}

func (a *app) gcCommand() *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Thin old raw data, and drop cached builds that nothing has used for long",
		Long: `gc makes the store and the cache smaller, and says what it keeps.

Of the store it thins histograms and logs of finished sweeps as they grow old: first
those of service time and lateness go, then each version's are merged into one, from
which percentiles are still drawn, and at last that one goes. Every figure, count,
mark and reason stays for good, so verdicts, tables and trends are what they were.
What that frees is given back to the disk.

Of the cache it removes builds, programs, git repositories and the engine's images
that no sweep has used for long. All of them can be had again. What an unfinished
sweep of the store needs stays, and while another versweep uses the cache all does.

What goes is told by name before it does. Where somebody can answer gc then asks,
unless --yes is given; without a terminal, from cron or a script, it goes on as run
does.

Ages look like 12h, 30d, 2w, 6mo (of 30 days) or 2y (of 365); never keeps all. One of
less than an hour is refused, and so is 1m, which may be a minute or a month.`,
		Example: `  versweep gc --dry-run
  versweep gc --keep-histograms 90d --builds never --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			order, err := f.check(a.now())
			if err != nil {
				return err
			}
			return a.gc(cmd.Context(), order)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd.Flags())
	return cmd
}

func (f *gcFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.service, "keep-service", "7d", "how long histograms of service time and lateness stay")
	flags.StringVar(&f.histograms, "keep-histograms", "30d", "how long each sample's own histogram of latency stays, before a version's are merged")
	flags.StringVar(&f.merged, "keep-merged", "730d", "how long merged histograms stay")
	flags.StringVar(&f.logs, "keep-logs", "30d", "how long logs of failed builds and servers stay whole; their last 10 lines stay for good")
	flags.StringVar(&f.builds, "builds", "30d", "how long cached builds stay after they were last used")
	flags.StringVar(&f.cache, "cache", "", "folder of fetched builds (default versweep in the user's cache folder)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be done, and do nothing")
	flags.BoolVar(&f.yes, "yes", false, "do not ask before anything is removed")
}

// gcOrder is what gc is to do.
type gcOrder struct {
	now         time.Time
	ages        store.Ages
	cache       string    // folder
	since       time.Time // builds used since then stay; zero for all
	dryRun, yes bool
}

// never is the age that nothing reaches.
const never = "never"

func (f gcFlags) check(now time.Time) (gcOrder, error) {
	o := gcOrder{now: now, cache: f.cache, dryRun: f.dryRun, yes: f.yes}
	for _, flag := range []struct {
		name, text string
		to         *time.Time
	}{
		{"--keep-service", f.service, &o.ages.LatencyOnly}, {"--keep-histograms", f.histograms, &o.ages.Merged},
		{"--keep-merged", f.merged, &o.ages.Bare}, {"--keep-logs", f.logs, &o.ages.Logs}, {"--builds", f.builds, &o.since},
	} {
		if flag.text == never {
			continue
		}
		age, err := parseAge(flag.name, flag.text)
		if errors.Is(err, errNotAge) {
			err = misuse(ageHint+"; never keeps all", "%s: %q is not an age", flag.name, flag.text)
		}
		if err != nil {
			return o, err
		}
		*flag.to = now.Add(-age)
	}
	if f.histograms == never {
		o.ages.Bare = time.Time{} // nothing is merged
	}
	if o.ages.Bare.After(o.ages.Merged) {
		return o, misuse("what is merged is older than what is not", "--keep-merged %s is shorter than --keep-histograms %s", f.merged, f.histograms)
	}
	if o.cache == "" {
		var err error
		if o.cache, err = runtimes.DefaultCacheDir(); err != nil {
			return o, err
		}
	}
	return o, nil
}

// gc says what it will do, asks where somebody can answer, does it, and says what
// it did.
func (a *app) gc(ctx context.Context, o gcOrder) error {
	// A store that is not there is not made.
	looked, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return &dbError{err}
	}
	plan, err := a.planGC(ctx, looked, o)
	if err := errors.Join(err, looked.Close()); err != nil {
		return err
	}
	if o.dryRun {
		return a.tellGC(plan, true)
	}
	if plan.nothing() {
		return a.tellGC(plan, false)
	}
	if !a.quiet {
		fmt.Fprintln(a.stderr, plan.words(true))
	}
	switch {
	case o.yes:
	case !a.asks || !a.terminal || a.quiet:
		// As run does. Who calls it from a timer has no other way to be told.
		a.say("nobody can be asked here, so this is done now; --dry-run does nothing, --yes goes without this line")
	default:
		agreed, err := a.ask(ctx, "Go on? [y/N] ", false)
		if err != nil {
			return err
		}
		if !agreed {
			return misuse("--yes goes on without asking", "stopped before anything was removed")
		}
	}
	done, err := a.carryOutGC(ctx, o, plan)
	if err != nil {
		return err
	}
	return a.tellGC(done, false)
}

// planGC looks at what there is, and changes nothing.
func (a *app) planGC(ctx context.Context, st *store.Store, o gcOrder) (gcState, error) {
	g := gcState{order: o, file: a.db}
	var err error
	if g.before, err = st.Room(ctx); err != nil {
		return g, err
	}
	if g.thinning, err = st.PlanThinning(ctx, o.ages); err != nil {
		return g, err
	}
	pending, err := st.Pending(ctx)
	if err != nil {
		return g, err
	}
	for _, b := range pending.Builds {
		for _, path := range []string{b.Dir, b.Runtime} {
			if path != "" {
				g.spared = append(g.spared, path)
			}
		}
		for _, image := range []string{b.Image, b.Base} {
			if image != "" {
				g.sparedImages = append(g.sparedImages, image)
			}
		}
	}
	g.cached, g.kept, err = runtimes.Unused(ctx, o.cache, o.since, g.spared)
	if errors.Is(err, runtimes.ErrNoCache) {
		a.warn("%v, and left alone: the next sweep that uses it marks it", err)
		g.noCache = true
	} else if err != nil {
		return g, err
	}
	if g.images, err = a.surplusImages(ctx, g, false); err != nil {
		a.warn("the engine's images are left alone: %v", err)
	}
	return g, nil
}

// surplusImages counts the engine's images that are too old or too many, and
// removes them when asked. Without an engine there are none.
func (a *app) surplusImages(ctx context.Context, g gcState, remove bool) (runtimes.Removed, error) {
	if g.order.since.IsZero() {
		return runtimes.Removed{}, nil
	}
	engine, err := runtimes.ConnectEngine(ctx, a.hear)
	if errors.Is(err, runtimes.ErrNoEngine) && ctx.Err() == nil {
		return runtimes.Removed{}, nil
	}
	if err != nil {
		return runtimes.Removed{}, err
	}
	defer engine.Close()
	return engine.Surplus(ctx, g.sparedImages, remove)
}

// carryOutGC does what was planned.
func (a *app) carryOutGC(ctx context.Context, o gcOrder, g gcState) (gcState, error) {
	st, err := openStore(ctx, a.db)
	if err != nil {
		return g, err
	}
	defer st.Close()
	if g.thinning, err = st.Thin(ctx, o.ages, o.now, a.tellThinning()); err != nil {
		return g, err
	}
	if err := a.compact(ctx, st, &g); err != nil {
		return g, err
	}
	if g.after, err = st.Room(ctx); err != nil {
		return g, err
	}
	g.done = true
	err = runtimes.AloneWithCache(ctx, o.cache, func(ctx context.Context) error {
		list, _, err := runtimes.Unused(ctx, o.cache, o.since, g.spared) // what was used meanwhile stays
		if err != nil && !errors.Is(err, runtimes.ErrNoCache) {
			return err
		}
		if g.cached, err = runtimes.RemoveCached(ctx, o.cache, list); err != nil {
			return err
		}
		if g.images, err = a.surplusImages(ctx, g, true); err != nil {
			a.warn("removing images of the engine: %v", err)
		}
		return nil
	})
	if errors.Is(err, runtimes.ErrCacheInUse) {
		for _, c := range g.cached {
			g.kept.Bytes += c.Bytes
		}
		g.cacheInUse, g.cached, g.images = true, nil, runtimes.Removed{}
		return g, nil
	}
	return g, err
}

// compact gives free room of the store back to the disk. That it cannot is no
// failure: what is free is used for what comes.
func (a *app) compact(ctx context.Context, st *store.Store, g *gcState) error {
	room, err := st.Room(ctx)
	if err != nil || room.Free == 0 {
		return err
	}
	sweeping, err := st.Claimed(ctx, ownerIsGone) // now: somebody may have thought long about the plan
	if err != nil {
		return err
	}
	err = st.Compact(ctx, !sweeping)
	tooSmall, full := errors.AsType[*store.NoRoomError](err)
	switch {
	case full:
		g.notShrunk = fmt.Sprintf("%s has %s free, and shrinking it needs %s", tooSmall.Folder, bytesText(tooSmall.Free), bytesText(tooSmall.Need))
	case errors.Is(err, store.ErrCompactWhole):
		g.notShrunk = "another versweep is sweeping into it; run gc again when it is done"
	case errors.Is(err, store.ErrFull), errors.Is(err, store.ErrLocked):
		g.notShrunk = err.Error()
	default:
		return err
	}
	return nil
}

// tellThinning says how far thinning is, now and then.
func (a *app) tellThinning() func(done, total int) {
	last := time.Now()
	return func(done, total int) {
		if time.Since(last) > 5*time.Second {
			last = time.Now()
			a.say("sweep %d of %d", done, total)
		}
	}
}

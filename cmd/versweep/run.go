package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
)

// runFlags are the flags of run.
type runFlags struct {
	selectionFlags
	launchFlags

	profileFlags
	latencyPass  bool
	latencyShare float64 // of the reference's throughput
	rounds       string  // MIN or MIN:MAX
	effect       string
	budget       time.Duration
	reference    string
	seed         uint64

	picture string // -o
	layout  string
	yes     bool
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run TARGET…",
		Short: "Plan and carry out a sweep",
		Long: `run finds the versions of a target, fetches them, and measures each in rounds:
every version once a round, in a shuffled order, each time as a fresh server.
Every sample is saved at once. It prints the table and writes the chart.`,
		Example: "  versweep run node --versions '18,20.11.1,latest' --per line -o node.png",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runAll(cmd.Context(), args, f, cmd.Flags().Changed("seed"))
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&f.picture, "output", "o", "", "write the trend of throughput to this .png or .svg file (default none)")
	flags.StringVar(&f.layout, "layout", "", layoutHelp)
	flags.BoolVar(&f.yes, "yes", false, "do not ask before the work starts")
	return cmd
}

// add adds the flags that say what is swept and how.
func (f *runFlags) add(cmd *cobra.Command) {
	f.selectionFlags.add(cmd, "(default line, or patch with --versions)")
	f.launchFlags.add(cmd)
	f.profileFlags.add(cmd)
	f.profileFlags.given = cmd.Flags().Changed
	flags := cmd.Flags()
	flags.BoolVar(&f.latencyPass, "latency-pass", false, "after each window a second one at a fixed rate, so that latency is compared at equal load")
	flags.Float64Var(&f.latencyShare, "latency-share", 0.5, "rate of --latency-pass, as a share of the reference's throughput")
	flags.StringVar(&f.rounds, "rounds", defaultRounds, "samples of each version: a number, or MIN:MAX to stop from MIN on where all is settled")
	flags.StringVar(&f.effect, "effect", "3%", "smallest change of interest, such as 3% or 0.03: within it versions count as the same")
	flags.DurationVar(&f.budget, "budget", 0, "begin no round that would end after so much time of measuring, that before a resume included, such as 20m (default no limit)")
	flags.StringVar(&f.reference, "reference", "", "version sampled in every round and twice (default the newest stable; kept for later sweeps)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the order in which versions are sampled (default random, and recorded)")
}

// order is the sweep of one target as the command line asks for it, checked as
// far as it can be without asking a registry.
type order struct {
	runFlags
	definition *runtimes.Definition
	selection  sweep.Selection
	profile    load.Profile
	adaptive   adaptive
	cpus       runtimes.CPUSets
	cache      *runtimes.Cache
}

// runAll sweeps one target after the other. What can be refused is refused
// before the first is begun.
func (a *app) runAll(ctx context.Context, targets []string, f runFlags, seeded bool) error {
	switch {
	case len(targets) > 1 && f.picture != "" && !strings.Contains(f.picture, targetMark):
		return misuse("-o 'trend-{target}.png' writes a file for each", "-o %s: one file cannot hold the charts of %d targets", f.picture, len(targets))
	case len(targets) > 1 && a.json:
		return misuse("run them one by one", "--json is one document, and cannot hold the sweeps of %d targets", len(targets))
	}
	if !seeded {
		f.seed = rand.Uint64() >> 11 // 53 bits: whole in every JSON reader
	}
	var orders []*order
	for _, target := range targets {
		one := f
		one.picture = strings.ReplaceAll(f.picture, targetMark, runtimes.FolderName(target))
		o, err := a.check(ctx, target, one)
		if err != nil {
			return err
		}
		orders = append(orders, o)
	}
	for _, o := range orders {
		if err := a.sweep(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// targetMark in the name of an output file stands for the target's name.
const targetMark = "{target}"

// check refuses what can be refused without asking a registry.
func (a *app) check(ctx context.Context, target string, f runFlags) (*order, error) {
	o := &order{runFlags: f}
	var err error
	if o.definition, err = a.findTarget(target); err != nil {
		return nil, err
	}
	if why := o.definition.Untested; why != "" {
		a.warn("%s is untested: %s", target, why)
	}
	per := sweep.PerLine
	if f.versions != "" {
		per = sweep.PerPatch
	}
	if o.selection, err = f.selection(o.definition, per); err != nil {
		return nil, err
	}
	if o.profile, err = f.profileFlags.profile(); err != nil {
		return nil, err
	}
	if !(f.latencyShare > 0 && f.latencyShare < 1) {
		return nil, misuse("0.5 is half of the reference's throughput", "--latency-share: %v is not a share between 0 and 1", f.latencyShare)
	}
	if o.adaptive, err = f.adaptiveFlags(); err != nil {
		return nil, err
	}
	if err := checkLayout(f.layout); err != nil {
		return nil, err
	}
	if err := f.checkLauncher(); err != nil {
		return nil, err
	}
	if o.cpus, err = f.cpuSets(a, o.definition); err != nil {
		return nil, err
	}
	if f.picture != "" {
		if err := checkPicture(f.picture); err != nil {
			return nil, err
		}
	}
	if err := checkStore(ctx, a.db); err != nil {
		return nil, err
	}
	o.cache, err = f.openCache()
	return o, err
}

// sweep plans and carries out one sweep.
func (a *app) sweep(ctx context.Context, o *order) error {
	l, err := a.connect(ctx, o.definition, o.cache, o.source, o.launchFlags, o.cpus, true)
	if err != nil {
		return err
	}
	defer l.close()
	chosen, err := choose(o.selection, o.definition, l.found)
	if err != nil {
		return err
	}
	for _, term := range chosen.Empty {
		a.warn("--versions: no version of %s is in range %q", o.definition.Name, term)
	}
	st, err := openStore(ctx, a.db)
	if err != nil {
		return err
	}
	defer st.Close()

	plan := sweep.Plan{
		Target: o.definition.Name, Title: o.definition.Title, Source: l.supply.Kind(), Launcher: l.kind, Profile: o.profile,
		Seed: o.seed, Rounds: o.adaptive.max, MinRounds: o.adaptive.min, Effect: o.adaptive.effect, Budget: o.budget, Versions: withMissing(chosen, o.definition),
	}
	reference, err := a.plannedReference(ctx, st, &plan, l.environment, l.found, o.reference)
	if err != nil {
		return err
	}
	if plan.Budget > 0 && plan.Budget < roundTime(plan) {
		return misuse("raise it, or sweep fewer versions", "--budget: %v is shorter than one round of %s, about %v", plan.Budget, counted(len(plan.Versions)+1, "sample"), roundTime(plan).Round(time.Second))
	}
	if err := a.confirm(ctx, plan, chosen, l, o.cpus, knownNoise(ctx, st, plan), o.yes); err != nil {
		return err
	}
	sw, err := a.conduct(ctx, st, l, plan, conducting{reference: reference, latencyShare: o.latencyPasses(), keepImages: o.keepImages})
	if err != nil {
		return err
	}
	return a.showSweep(ctx, st, sw, o.layout, o.picture)
}

// latencyPasses is --latency-share where --latency-pass asks for it, or 0.
func (f runFlags) latencyPasses() float64 {
	if !f.latencyPass {
		return 0
	}
	return f.latencyShare
}

// openStore opens the store for writing.
func openStore(ctx context.Context, file string) (*store.Store, error) {
	st, err := store.Open(ctx, file)
	if err != nil {
		return nil, &dbError{err}
	}
	return st, nil
}

// openExisting opens a store for writing that has to be there: unlike openStore it
// makes none.
func (a *app) openExisting(ctx context.Context) (*store.Store, error) {
	looked, err := store.OpenReadOnly(ctx, a.db)
	if err != nil {
		return nil, &dbError{err}
	}
	if err := looked.Close(); err != nil {
		return nil, err
	}
	return openStore(ctx, a.db)
}

// checkStore refuses a file that cannot be the store, before anything is made.
func checkStore(ctx context.Context, file string) error {
	st, err := store.OpenReadOnly(ctx, file)
	if errors.Is(err, store.ErrNoStore) {
		return nil
	}
	if err != nil {
		return &dbError{err}
	}
	return st.Close()
}

// withMissing adds the releases that the range names but that are not there:
// they are rows of the table, with their reason.
func withMissing(chosen sweep.Chosen, d *runtimes.Definition) []sweep.Version {
	versions := chosen.Versions
	for _, name := range chosen.Missing {
		if v, err := sweep.ParseVersion(name, d.Line); err == nil {
			versions = append(versions, v)
		}
	}
	return sweep.SortVersions(versions)
}

// confirm shows the plan, and asks where somebody can answer.
func (a *app) confirm(ctx context.Context, p sweep.Plan, chosen sweep.Chosen, l *launching, cpus runtimes.CPUSets, noise float64, yes bool) error {
	left := ""
	if text := chosen.Left(); text != "" {
		left = " (left out: " + text + ")"
	}
	first, last := p.Versions[0].Name, p.Versions[len(p.Versions)-1].Name
	span := first
	if last != first {
		span += " to " + last
	}
	a.say("%s: %s from %s, %s%s", p.Title, counted(len(p.Versions), "version"), p.Source, span, left)
	where := "not pinned"
	if len(cpus.Server) > 0 {
		where = fmt.Sprintf("server on CPU %s, load engine on CPU %s", sweep.FormatCPUs(cpus.Server), sweep.FormatCPUs(cpus.Load))
	}
	a.say("launcher: %s, %s", l.name, where)
	a.say("load: %s; %s of %d samples, seed %d", describe(p.Profile), roundsOf(p), len(p.Versions)+1, p.Seed)
	for _, line := range expectations(p, noise) {
		a.say("expected: %s", line)
	}
	if yes || a.quiet || !a.asks || !a.terminal {
		return nil
	}
	agreed, err := a.ask(ctx, "Go on? [Y/n] ", true)
	if err == nil && !agreed {
		err = misuse("--yes goes on without asking", "stopped before anything was fetched")
	}
	return err
}

// counted is "1 round" or "5 rounds".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

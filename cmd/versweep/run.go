package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
)

// runFlags are the flags of run.
type runFlags struct {
	selectionFlags
	launchFlags

	profileFlags
	latencyPass float64 // share of the reference's throughput; 0 is off
	rounds      int
	reference   string
	seed        uint64

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
		Example: "  versweep run node --versions '18,20.11.1,latest' --per minor -o node.png",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.profileFlags.given = cmd.Flags().Changed
			return a.runAll(cmd.Context(), args, f, cmd.Flags().Changed("seed"))
		},
	}
	f.selectionFlags.add(cmd, "(default line, or patch with --versions)")
	f.launchFlags.add(cmd)
	flags := cmd.Flags()
	f.profileFlags.add(cmd)
	flags.Float64Var(&f.latencyPass, "latency-pass", 0, "after each window a second one at a fixed rate, this share of the reference's throughput (default none; 0.5 without a share)")
	flags.Lookup("latency-pass").NoOptDefVal = "0.5"
	flags.IntVar(&f.rounds, "rounds", 5, "samples of each version")
	flags.StringVar(&f.reference, "reference", "", "version sampled in every round and twice (default the newest stable; kept for later sweeps)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the order in which versions are sampled (default random, and recorded)")
	flags.StringVarP(&f.picture, "output", "o", "", "write the trend of throughput to this .png or .svg file (default none)")
	flags.StringVar(&f.layout, "layout", "", layoutHelp)
	flags.BoolVar(&f.yes, "yes", false, "do not ask before the work starts")
	return cmd
}

// runAll sweeps one target after the other.
func (a *app) runAll(ctx context.Context, targets []string, f runFlags, seeded bool) error {
	if len(targets) > 1 && f.picture != "" && !strings.Contains(f.picture, targetMark) {
		return misuse("-o 'trend-{target}.png' writes a file for each", "-o %s: one file cannot hold the charts of %d targets", f.picture, len(targets))
	}
	if !seeded {
		f.seed = rand.Uint64() >> 11 // 53 bits: whole in every JSON reader
	}
	for _, target := range targets {
		one := f
		one.picture = strings.ReplaceAll(f.picture, targetMark, target)
		if err := a.runOne(ctx, target, one); err != nil {
			return err
		}
	}
	return nil
}

// targetMark in the name of an output file stands for the target's name.
const targetMark = "{target}"

// runOne plans and carries out the sweep of one target. What can be refused is
// refused before anything is fetched.
func (a *app) runOne(ctx context.Context, target string, f runFlags) error {
	d, err := a.findTarget(target)
	if err != nil {
		return err
	}
	per := sweep.PerLine
	if f.versions != "" {
		per = sweep.PerPatch
	}
	selection, err := f.selection(d, per)
	if err != nil {
		return err
	}
	profile, err := f.profileFlags.profile()
	if err != nil {
		return err
	}
	if f.latencyPass < 0 || f.latencyPass >= 1 {
		return misuse("0.5 is half of the reference's throughput", "--latency-pass: %v is not a share between 0 and 1", f.latencyPass)
	}
	if f.rounds < 1 {
		return misuse("at least 1", "--rounds: %d rounds measure nothing", f.rounds)
	}
	if err := checkLayout(f.layout); err != nil {
		return err
	}
	if err := f.checkLauncher(); err != nil {
		return err
	}
	cpus, err := f.cpuSets(a, d)
	if err != nil {
		return err
	}
	if f.picture != "" {
		if err := checkPicture(f.picture); err != nil {
			return err
		}
	}
	if err := checkStore(ctx, a.db); err != nil {
		return err
	}
	cache, err := f.openCache()
	if err != nil {
		return err
	}
	l, err := a.connect(ctx, d, cache, f.source, f.launchFlags, cpus, true)
	if err != nil {
		return err
	}
	defer l.close()
	chosen, err := choose(selection, d, l.found)
	if err != nil {
		return err
	}
	for _, term := range chosen.Empty {
		a.warn("--versions: no version of %s is in range %q", d.Name, term)
	}
	st, err := store.Open(ctx, a.db)
	if err != nil {
		return err
	}
	defer st.Close()

	plan := sweep.Plan{
		Target: d.Name, Title: d.Title, Source: l.supply.Kind(), Launcher: l.kind, Profile: profile, Seed: f.seed, Rounds: f.rounds,
		Versions: withMissing(chosen, d),
	}
	reference, err := a.plannedReference(ctx, st, &plan, l.environment, l.found, f.reference)
	if err != nil {
		return err
	}
	if err := a.confirm(ctx, plan, chosen, l, cpus, f.yes); err != nil {
		return err
	}
	outcomes, err := a.obtain(ctx, l.supply, plan.Versions, l.finish)
	if err != nil {
		return err
	}
	if plan.Reference, err = a.chooseReference(ctx, plan, outcomes, l.launcher, reference); err != nil {
		return err
	}
	if f.latencyPass > 0 && plan.Reference != "" {
		if plan.LatencyRate, err = a.latencyRate(ctx, plan, outcomes, l.launcher, f.latencyPass); err != nil {
			return err
		}
	}
	if plan.Reference != "" {
		if _, err := st.SetSeriesReference(ctx, plan, l.environment, plan.Reference); err != nil {
			return err
		}
	}
	sw, err := st.CreateSweep(ctx, plan, l.environment, time.Now())
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		if err := st.SaveOutcome(ctx, sw.ID, o); err != nil {
			return err
		}
	}
	sw.Outcomes = outcomes
	l.forSweep(sw.ID)
	if err := a.carryOut(ctx, st, l.launcher, &sw, f.layout, f.picture); err != nil {
		return err
	}
	a.tidy(ctx, l, sw.Outcomes, f.keepImages)
	return nil
}

// checkStore refuses a file that cannot be the store, before anything is made.
func checkStore(ctx context.Context, file string) error {
	st, err := store.OpenReadOnly(ctx, file)
	if errors.Is(err, store.ErrNoStore) {
		return nil
	}
	if err != nil {
		return err
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

// carryOut runs the rounds that are missing and shows the results.
func (a *app) carryOut(ctx context.Context, st *store.Store, l sweep.Launcher, sw *sweep.Sweep, layout, picture string) error {
	progress := a.newRoundProgress(*sw)
	a.sweeping = sw.ID
	before, began := len(sw.Samples), time.Now()
	runner := sweep.Runner{Launcher: l, Recorder: st, Now: time.Now, Progress: progress.tell}
	err := runner.Run(ctx, sw)
	progress.end()
	if err != nil {
		return err
	}
	a.say("%s", costs(sw.Plan, sw.Samples[before:], time.Since(began)))
	sw.Finished = time.Now()
	if err := st.FinishSweep(ctx, sw.ID, sw.Finished); err != nil {
		return err
	}
	t := sweep.NewTable(*sw)
	if err := a.printTable(t, layout, sweep.QPS); err != nil {
		return err
	}
	if !anyMeasured(t) {
		return errNothingMeasured
	}
	if picture == "" {
		return nil
	}
	if err := writePicture(picture, t, sweep.QPS, charts.Options{}); err != nil {
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

// confirm shows the plan, and asks where somebody can answer.
func (a *app) confirm(ctx context.Context, p sweep.Plan, chosen sweep.Chosen, l *launching, cpus runtimes.CPUSets, yes bool) error {
	left := ""
	if text := chosen.Left(); text != "" {
		left = " (left out: " + text + ")"
	}
	first, last := p.Versions[0].Name, p.Versions[len(p.Versions)-1].Name
	a.say("%s: %d versions from %s, %s to %s%s", p.Title, len(p.Versions), p.Source, first, last, left)
	where := "not pinned"
	if len(cpus.Server) > 0 {
		where = fmt.Sprintf("server on CPU %s, load engine on CPU %s", sweep.FormatCPUs(cpus.Server), sweep.FormatCPUs(cpus.Load))
	}
	a.say("launcher: %s, %s", l.name, where)
	a.say("load: %s; %d rounds of %d samples, seed %d", describe(p.Profile), p.Rounds, len(p.Versions)+1, p.Seed)
	a.say("expected: about %v of measuring once all versions are fetched", expectedTime(p).Round(time.Second))
	if yes || a.quiet || !a.asks || !a.terminal {
		return nil
	}
	fmt.Fprint(a.stderr, "Go on? [Y/n] ")
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(a.stdin).ReadString('\n')
		if err != nil {
			line = "no"
		}
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case line := <-answer:
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "n") {
			return misuse("--yes goes on without asking", "stopped before anything was fetched")
		}
		return nil
	}
}

// overhead is what a sample takes besides warm-up and window: starting,
// waiting for the first answer, stopping. As measured; see docs/measured.md.
var overhead = map[string]time.Duration{launcherProcess: 300 * time.Millisecond, launcherDocker: time.Second}

// expectedTime is what the rounds of a plan take.
func expectedTime(p sweep.Plan) time.Duration {
	sample := p.Profile.Warmup + p.Profile.Duration + overhead[p.Launcher]
	if p.LatencyRate > 0 {
		sample += p.Paced().Warmup + p.Paced().Duration
	}
	return time.Duration(p.Rounds*(len(p.Versions)+1)) * sample
}

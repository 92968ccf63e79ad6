package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/stats"
)

// bisectFlags are the flags of bisect.
type bisectFlags struct {
	launchFlags
	profileFlags
	selectionFlags
	metric, effect string
	rounds         string // MIN:MAX or MAX
	budget         time.Duration
	all            bool
	commits        bool
	repository     string
	firstParent    bool
	insideMerges   bool
	seed           uint64
	resume         string // bisection's number or resumeLatest; empty when it is not asked for
	abandon        int64
	log, replay    string // files
}

const (
	resumeLatest = "latest"
	// bisectRounds is wider than run's: a step that many rounds do not tell is
	// passed over, and costs the answer its sharpness.
	bisectRounds = "5:30"
)

func (a *app) bisectCommand() *cobra.Command {
	var f bisectFlags
	cmd := &cobra.Command{
		Use:   "bisect TARGET GOOD BAD",
		Short: "Find the version, then the commit, in which a metric changed",
		Long: `bisect looks for the first version between GOOD and BAD that is like BAD, and
with --commits goes on for the first such commit between that version and the one
before. Each step measures a candidate in the same rounds as both ends, for as
many rounds as it takes; at last fresh rounds of the two neighbours confirm the
answer. What does not build or run is passed over. docs/bisect.md has the method.

GOOD and BAD are versions, or with --commits also commits, branches and tags; a
line such as 18.x is its newest release. BAD may be the better one: an improvement
is found in the same way.

Every sample is saved at once. The same command again, or --resume, goes on with
what is unfinished. The exit status is 1 when no single version or commit could
be told.`,
		Example: "  versweep bisect node 18.20.8 22.12.0 --metric startup_ms\n  versweep bisect cowboy 2.9.0 2.12.0 --commits --log slow.log",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.profileFlags.given = cmd.Flags().Changed
			switch {
			case cmd.Flags().Changed("abandon") && len(args) > 0:
				return misuse("versweep bisect --abandon 3", "--abandon takes no %s", counted(len(args), "argument"))
			case cmd.Flags().Changed("abandon"):
				if err := checkResumed(cmd, "abandon"); err != nil {
					return err
				}
				return a.abandonBisection(cmd.Context(), f.abandon)
			case f.resume == "" && len(args) != 3:
				return misuse("versweep bisect node 18.20.8 22.12.0, or --resume", "bisect takes a target, a good and a bad version, not %s", counted(len(args), "argument"))
			case len(args) > 1 && f.resume != "":
				return misuse("versweep bisect --resume 3", "--resume takes the number of one bisection, not %s", counted(len(args), "argument"))
			case f.resume != "":
				if err := checkResumed(cmd, "resume", "repository", "log", "budget", "cache", "keep-images", "ca-bundle"); err != nil {
					return err
				}
				if len(args) == 1 {
					f.resume = args[0]
				}
				return a.resumeBisection(cmd.Context(), f)
			}
			if args[1] == "" || args[2] == "" {
				return misuse("name it; an unset variable of a script is empty", "bisect %s: an end is empty", args[0])
			}
			if !cmd.Flags().Changed("seed") {
				f.seed = rand.Uint64() >> 11 // as run does
			}
			return a.bisect(cmd.Context(), args[0], args[1], args[2], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.metric, "metric", sweep.QPS, "what changed: "+metricKeys())
	flags.StringVar(&f.effect, "effect", "3%", "smallest change of interest, such as 3% or 0.03: smaller ones are not looked for")
	flags.StringVar(&f.rounds, "rounds", bisectRounds, "rounds of each step: MIN:MAX, from MIN on until it is told")
	flags.DurationVar(&f.budget, "budget", 0, "stop before this is over, such as 2h; --resume goes on (default no limit)")
	flags.BoolVar(&f.all, "all", false, "follow further changes between GOOD and BAD as well")
	flags.BoolVar(&f.commits, "commits", false, "go on to the commit, in the git history between the two versions")
	flags.StringVar(&f.repository, "repository", "", "URL or path of the git repository for --commits (default the target's git source); only the address is kept, --resume takes it again with its password")
	flags.BoolVar(&f.firstParent, "first-parent", true, "commits of the main line only, merges as a whole; false takes those of merged branches too")
	flags.BoolVar(&f.insideMerges, "inside-merges", true, "where a merge is found, go on among the commits that it merged; false ends at the merge")
	flags.StringVar(&f.per, "per", "", "candidates are the newest of each line, minor or patch release (default patch)")
	flags.BoolVar(&f.prereleases, "prereleases", false, "candidates may be prereleases")
	flags.StringVar(&f.source, "source", "", "where versions come from (default the first of the target's that answers)")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the order in which versions are sampled (default random, and recorded)")
	flags.StringVar(&f.resume, "resume", "", "go on with an unfinished bisection: the latest, or that number (default begin one)")
	flags.Lookup("resume").NoOptDefVal = resumeLatest
	flags.Int64Var(&f.abandon, "abandon", 0, "end an unfinished bisection of that number without an answer (default none)")
	flags.StringVar(&f.log, "log", "", "write what each step found to this file, as git bisect log does (default none)")
	flags.StringVar(&f.replay, "replay", "", "take the verdicts of this log and measure only what it does not tell (default none)")
	f.profileFlags.add(cmd)
	f.launchFlags.add(cmd)
	cmd.AddCommand(a.bisectLogCommand())
	return cmd
}

// checkResumed refuses flags of bisect beside those that are taken: they would
// change what a bisection asks.
func checkResumed(cmd *cobra.Command, taken ...string) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && cmd.InheritedFlags().Lookup(flag.Name) == nil && !slices.Contains(taken, flag.Name) {
			err = misuse("begin another one without --"+taken[0], "--%s: a bisection goes on as it began", flag.Name)
		}
	})
	return err
}

// bisectOrder is a bisection as the command line asks for it, checked as far as
// it can be without asking a registry.
type bisectOrder struct {
	bisectFlags
	definition *runtimes.Definition
	metric     sweep.Metric
	options    bisectOptions
	effect     float64
	cpus       runtimes.CPUSets
	cache      *runtimes.Cache
}

func (a *app) checkBisect(ctx context.Context, target, good, bad string, f bisectFlags) (*bisectOrder, error) {
	o := &bisectOrder{bisectFlags: f}
	var err error
	if o.definition, err = a.findTarget(target); err != nil {
		return nil, err
	}
	if good == bad {
		return nil, misuse("give an older and a newer version", "GOOD and BAD are both %s", good)
	}
	if o.metric, err = bisectMetric(f.metric); err != nil {
		return nil, err
	}
	if _, err := f.selection(o.definition, sweep.PerPatch); err != nil {
		return nil, err
	}
	rounds, err := runFlags{rounds: f.rounds, effect: f.effect, budget: f.budget}.adaptiveFlags()
	if err != nil {
		return nil, err
	}
	if rounds.min == 0 {
		rounds.min = rounds.max
	}
	if rounds.min < stats.MinPairs {
		return nil, misuse("--rounds "+bisectRounds, "--rounds: nothing can be told in fewer than %d rounds", stats.MinPairs)
	}
	o.effect = rounds.effect
	if f.repository != "" && !f.commits {
		return nil, misuse("add --commits", "--repository: only --commits looks into a repository")
	}
	if f.commits {
		if _, err := runtimes.CommitSource(o.definition, f.repository); err != nil {
			return nil, noCommitsError(o.definition, err)
		}
	}
	if err := f.checkLauncher(); err != nil {
		return nil, err
	}
	if o.cpus, err = f.cpuSets(a, o.definition); err != nil {
		return nil, err
	}
	o.options = bisectOptions{
		MinRounds: rounds.min, MaxRounds: rounds.max, All: f.all, Commits: f.commits, Repository: keptRepository(f.repository),
		FirstParent: f.firstParent, MergesWhole: !f.insideMerges, Seed: f.seed, Prereleases: f.prereleases, Per: f.per,
	}
	if o.options.Profile, err = f.profileFlags.profile(); err != nil {
		return nil, err
	}
	if f.replay != "" {
		if o.options.Replay, err = readLogFile(f.replay); err != nil {
			return nil, err
		}
	}
	if err := checkStore(ctx, a.db); err != nil {
		return nil, err
	}
	o.cache, err = f.openCache()
	return o, err
}

// bisectMetric refuses metrics that have no ratio.
func bisectMetric(key string) (sweep.Metric, error) {
	m, known := sweep.MetricByKey(key)
	switch {
	case !known:
		return m, misuse("use one of "+metricKeys(), "--metric: there is no metric %q", key)
	case key == sweep.ErrorShare:
		return m, misuse("versweep run and check tell in which version failures began", "--metric: %s is 0 in most versions, and steps are ratios", key)
	case strings.HasPrefix(key, "paced_"):
		return m, misuse("use p50_ms, p99_ms or p99_9_ms", "--metric: bisect takes no second pass at a fixed rate, which %s is from", key)
	}
	return m, nil
}

func noCommitsError(d *runtimes.Definition, err error) error {
	switch {
	case errors.Is(err, runtimes.ErrNoCommits):
		return misuse("name its repository with --repository: it is built as the target's definition says", "--commits: %s has no git source that says where its commits are", d.Name)
	case errors.Is(err, runtimes.ErrNoRecipe):
		var kinds []string
		for _, s := range d.Sources {
			if !slices.Contains(kinds, s.Kind()) {
				kinds = append(kinds, s.Kind())
			}
		}
		return misuse("leave --commits out to bisect by version, or define a target with a git source and a build command or Dockerfile: docs/targets.md",
			"--commits: %s comes ready made (%s), and nothing says how a server is built of its commits", d.Name, strings.Join(kinds, ", "))
	}
	return err
}

// bisect begins a bisection, or goes on with the same one.
func (a *app) bisect(ctx context.Context, target, good, bad string, f bisectFlags) error {
	o, err := a.checkBisect(ctx, target, good, bad, f)
	if err != nil {
		return err
	}
	l, err := a.connect(ctx, o.definition, o.cache, o.source, o.launchFlags, o.cpus, true)
	if err != nil {
		return err
	}
	defer l.close()
	b := store.Bisection{Target: o.definition.Name, Source: l.supply.Kind(), Metric: o.metric.Key, Effect: o.effect}
	if err := a.settleEnds(&b, o, l.found, good, bad); err != nil {
		return err
	}
	o.options.Launcher, o.options.Asked, o.options.ServerCPUs, o.options.LoadCPUs = l.kind, o.launcher, o.cpus.Server, o.cpus.Load
	r := &bisecting{app: a, definition: o.definition, cache: o.cache, launch: o.launchFlags, cpus: o.cpus, budget: o.budget, repository: o.repository}
	defer r.close()
	if err := r.check(ctx, b, o.options); err != nil {
		return err
	}
	if err := r.openLog(o.log); err != nil {
		return err
	}
	if r.st, err = openStore(ctx, a.db); err != nil {
		return err
	}
	defer r.st.Close()
	if b, err = r.begin(ctx, b, o.options, l); err != nil {
		return err
	}
	if err := r.beginLog(); err != nil {
		return err
	}
	return r.carryOut(ctx, b, l)
}

// settleEnds settles what is between GOOD and BAD.
func (a *app) settleEnds(b *store.Bisection, o *bisectOrder, found []sweep.Version, good, bad string) error {
	from, knownGood, err := a.bisectEnd(o, found, good)
	if err != nil {
		return err
	}
	to, knownBad, err := a.bisectEnd(o, found, bad)
	if err != nil {
		return err
	}
	if !knownGood || !knownBad { // with --commits, revisions
		b.Good, b.Bad, o.options.Direct = good, bad, true
		return nil
	}
	b.Good, b.Bad = from.Name, to.Name
	i := slices.IndexFunc(found, func(v sweep.Version) bool { return v.Name == from.Name })
	k := slices.IndexFunc(found, func(v sweep.Version) bool { return v.Name == to.Name })
	switch {
	case i == k:
		return misuse("give an older and a newer version", "GOOD and BAD are both %s", from.Name)
	case i > k:
		return misuse("versweep bisect "+b.Target+" "+to.Name+" "+from.Name+" finds an improvement as well as a regression", "GOOD %s is newer than BAD %s", from.Name, to.Name)
	}
	between := found[i+1 : k]
	chosen, err := sweep.Selection{Per: perOr(o.options.Per, sweep.PerPatch), Prereleases: o.options.Prereleases}.Choose(between)
	if err != nil {
		return err
	}
	versions := slices.Concat([]sweep.Version{from}, chosen.Versions, []sweep.Version{to})
	for _, v := range versions {
		o.options.Candidates = append(o.options.Candidates, bisectCandidate{Version: v})
	}
	o.options.Direct = o.options.Commits && len(versions) == 2
	return nil
}

func perOr(per string, other sweep.Per) sweep.Per {
	if per == "" {
		return other
	}
	return sweep.Per(per)
}

// bisectEnd finds the version that is called name: itself, or the newest of a
// line. With --commits one that is not there is a revision of the repository.
func (a *app) bisectEnd(o *bisectOrder, found []sweep.Version, name string) (sweep.Version, bool, error) {
	for _, v := range found {
		if v.Name == name || v.Raw == name {
			return v, true, nil
		}
	}
	chosen, err := sweep.Selection{Range: name, Per: sweep.PerPatch}.Choose(found)
	if n := len(chosen.Versions); err == nil && n > 0 {
		newest := chosen.Versions[n-1]
		a.say("%s: %s is the newest of %s", o.definition.Name, newest.Name, name)
		return newest, true, nil
	}
	if o.options.Commits {
		return sweep.Version{Name: name, Raw: name}, false, nil
	}
	hint := "versweep versions " + o.definition.Name + " lists them"
	return sweep.Version{}, false, misuse(hint, "%s has no version %q", o.definition.Name, name)
}

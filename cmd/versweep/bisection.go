package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/bisect"
	"versweep/sweep/load"
)

// bisectOptions are what decides, beside the columns of the store, how a
// bisection goes. They are kept with it.
type bisectOptions struct {
	Launcher    string            `json:"launcher"` // that was found
	Asked       string            `json:"asked_launcher,omitempty"`
	Profile     load.Profile      `json:"profile"`
	ServerCPUs  []int             `json:"server_cpus"`
	LoadCPUs    []int             `json:"load_cpus"`
	MinRounds   int               `json:"min_rounds"`
	MaxRounds   int               `json:"max_rounds"`
	All         bool              `json:"all"`
	Commits     bool              `json:"commits"`
	Repository  string            `json:"repository,omitempty"` // without what lets one in
	FirstParent bool              `json:"first_parent"`
	Prereleases bool              `json:"prereleases"`
	Per         string            `json:"per,omitempty"`
	Direct      bool              `json:"direct"` // to the commits: there is no version in between
	Replay      string            `json:"replay,omitempty"`
	Seed        uint64            `json:"seed"`
	MergesWhole bool              `json:"merges_whole,omitempty"` // a merge that is found is not looked into
	Inside      string            `json:"inside,omitempty"`       // hash of the merge whose branch is searched
	Way         int               `json:"way,omitempty"`          // of the merge's step: 1 up, -1 down
	Had         []string          `json:"had,omitempty"`          // hashes of what the merge did not bring in
	Unsearched  string            `json:"unsearched,omitempty"`   // why a branch was not searched
	Empty       bool              `json:"empty,omitempty"`        // the merge brought in no commit
	Candidates  []bisectCandidate `json:"candidates"`             // from good to bad, as they were when it began
}

// bisectCandidate is a version, or a commit with what tells it to people.
type bisectCandidate struct {
	Version sweep.Version `json:"version"`
	Subject string        `json:"subject,omitempty"`
	Date    time.Time     `json:"date,omitzero"`
	Merge   bool          `json:"merge,omitempty"`
	Parents []string      `json:"parents,omitempty"` // of a merge, hashes
}

// launcherOfCommits is what --launcher asked for. Versions may have found containers
// where commits do not have what one needs; but who asked for containers never
// gets processes.
func (o bisectOptions) launcherOfCommits() string { return cmp.Or(o.Asked, o.Launcher) }

func optionsOf(b store.Bisection) (o bisectOptions, err error) {
	if err := json.Unmarshal(b.Options, &o); err != nil {
		return o, fmt.Errorf("reading the options of bisection %d: %w", b.ID, err)
	}
	o.Repository = runtimes.KeptAddress(o.Repository) // older stores may have it with a password
	return o, nil
}

// sameBisection tells whether two ask for the same thing.
func sameBisection(a, b store.Bisection) bool {
	key := func(b store.Bisection) string {
		o, err := optionsOf(b)
		if err != nil {
			return err.Error()
		}
		o.Seed, o.Candidates = 0, nil
		text, err := json.Marshal(o)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(b.Target, " ", b.Source, " ", b.Good, " ", b.Bad, " ", b.Metric, " ", b.Effect, " ", string(text))
	}
	return key(a) == key(b)
}

// begin saves a bisection, or finds the same one unfinished.
func (r *bisecting) begin(ctx context.Context, b store.Bisection, o bisectOptions, l *launching) (store.Bisection, error) {
	a, st := r.app, r.st
	text, err := json.Marshal(o)
	if err != nil {
		return b, err
	}
	b.Options = text
	unfinished, err := st.Bisections(ctx, store.BisectionFilter{Target: b.Target, Unfinished: true})
	if err != nil {
		return b, err
	}
	for _, was := range unfinished {
		if !sameBisection(was, b) {
			continue
		}
		trials, why, err := r.trialsOf(ctx, was, o, l)
		if err != nil {
			return b, err
		}
		if why != "" {
			a.say("bisection %d asked the same %s; beginning a new one. %s ends the old one", was.ID, why, a.commandLine("bisect", "--abandon", fmt.Sprint(was.ID)))
			continue
		}
		samples := 0
		for _, sw := range trials {
			samples += len(sweep.LastAttempts(sw.Samples))
		}
		a.say("going on with bisection %d, which asks the same: %s are there", was.ID, counted(samples, "sample"))
		return was, claimBisection(ctx, st, was.ID)
	}
	if b, err = st.CreateBisection(ctx, b, a.now()); err != nil {
		return b, err
	}
	return b, claimBisection(ctx, st, b.ID)
}

// trialsOf are those of a bisection and of its parts. why says what keeps them from
// being gone on with; empty for nothing.
func (r *bisecting) trialsOf(ctx context.Context, b store.Bisection, o bisectOptions, l *launching) (all []sweep.Sweep, why string, err error) {
	if all, err = r.st.Trials(ctx, b.ID); err != nil {
		return nil, "", err
	}
	for _, sw := range all {
		if why = otherThan(sw, l.environment, l.definition); why != "" {
			return all, why, nil
		}
	}
	parts, err := r.st.Bisections(ctx, store.BisectionFilter{PartOf: b.ID})
	if err != nil || len(parts) == 0 {
		return all, "", err
	}
	// Commits are measured as a target of their repository, not of the versions' source.
	definition, err := r.definitionOfCommits(o)
	if err != nil {
		return nil, "", err
	}
	for _, p := range parts {
		trials, err := r.st.Trials(ctx, p.ID)
		if err != nil {
			return nil, "", err
		}
		for _, sw := range trials {
			environment := l.environment
			if sw.Environment.Launcher != environment.Launcher { // commits may need another
				environment = sw.Environment
			}
			if why = otherThan(sw, environment, definition); why != "" {
				return all, why, nil
			}
		}
		all = append(all, trials...)
	}
	return all, "", nil
}

// otherThan says why a trial's samples cannot be put beside new ones.
func otherThan(sw sweep.Sweep, environment sweep.Environment, definition sweep.Definition) string {
	if sw.Environment.Hash() != environment.Hash() {
		return "in another environment: " + difference(sw.Environment, environment)
	}
	if was := sw.Plan.Definition.Hash; was != "" && was != definition.Hash {
		return "of a target that was defined in another way"
	}
	return ""
}

// keptRepository is what --repository names as it is kept: without what lets one in,
// and so that it is the same from any folder.
func keptRepository(name string) string {
	if _, err := os.Stat(name); err == nil {
		if full, err := filepath.Abs(name); err == nil {
			return full
		}
	}
	return runtimes.KeptAddress(name)
}

// resumeBisection goes on with one that is unfinished.
func (a *app) resumeBisection(ctx context.Context, f bisectFlags) error {
	st, err := a.openExisting(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	b, err := findBisection(ctx, st, f.resume, true)
	if err != nil {
		return err
	}
	o, err := optionsOf(b)
	if err != nil {
		return err
	}
	if f.repository != "" && keptRepository(f.repository) != keptRepository(o.Repository) {
		return misuse("give the repository that it began with, or none", "--repository: bisection %d is not about %s", b.ID, f.repository)
	}
	d, err := a.findTarget(b.Target)
	if err != nil {
		return err
	}
	cache, err := f.openCache()
	if err != nil {
		return err
	}
	f.launcher, f.serverCPUs, f.loadCPUs = o.Launcher, sweep.FormatCPUs(o.ServerCPUs), sweep.FormatCPUs(o.LoadCPUs)
	cpus, err := f.cpuSets(a, d)
	if err != nil {
		return err
	}
	l, err := a.connect(ctx, d, cache, b.Source, f.launchFlags, cpus, false)
	if err != nil {
		return err
	}
	defer l.close()
	f.launcher = o.launcherOfCommits()
	r := &bisecting{app: a, st: st, definition: d, cache: cache, launch: f.launchFlags, cpus: cpus, budget: f.budget, repository: f.repository}
	defer r.close()
	if err := r.openLog(f.log); err != nil {
		return err
	}
	if err := claimBisection(ctx, st, b.ID); err != nil {
		return err
	}
	if err := r.beginLog(); err != nil {
		return err
	}
	a.say("going on with bisection %d of %s from %s to %s", b.ID, d.Title, b.Good, b.Bad)
	return r.carryOut(ctx, b, l)
}

// abandonBisection ends one that is not to be gone on with. Its samples stay.
func (a *app) abandonBisection(ctx context.Context, id int64) error {
	st, err := a.openExisting(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	b, err := findBisection(ctx, st, strconv.FormatInt(id, 10), true)
	if err != nil {
		return err
	}
	if err := claimToAbandon(ctx, st, b.ID); err != nil {
		return err
	}
	r := &bisecting{app: a, st: st}
	if err := r.abandon(ctx, b.ID, errors.New("abandoned")); err != nil {
		return err
	}
	a.say("bisection %d of %s is ended; its samples stay", b.ID, b.Target)
	return nil
}

// findBisection reads the bisection of a number, or the latest.
func findBisection(ctx context.Context, st *store.Store, number string, unfinished bool) (store.Bisection, error) {
	filter := store.BisectionFilter{Unfinished: unfinished}
	if number != resumeLatest {
		id, err := strconv.ParseInt(number, 10, 64)
		if err != nil || id < 1 {
			return store.Bisection{}, misuse("bisect tells the number when it ends", "%q is not the number of a bisection", number)
		}
		filter = store.BisectionFilter{ID: id}
	}
	list, err := st.Bisections(ctx, filter)
	switch {
	case err != nil:
		return store.Bisection{}, err
	case len(list) == 0 && number == resumeLatest && unfinished:
		return store.Bisection{}, &hintedError{errors.New("there is no unfinished bisection to go on with"), "versweep bisect TARGET GOOD BAD begins one"}
	case len(list) == 0:
		return store.Bisection{}, &hintedError{fmt.Errorf("looking for %s: %w", bisectionName(number), store.ErrNoBisection), "versweep bisect TARGET GOOD BAD begins one"}
	case unfinished && !list[0].Finished.IsZero():
		return list[0], misuse(fmt.Sprintf("versweep bisect log %d tells what it found", list[0].ID), "bisection %d is finished", list[0].ID)
	case list[0].PartOf != 0:
		return list[0], misuse(fmt.Sprintf("versweep bisect --resume %d", list[0].PartOf), "bisection %d is part of bisection %d", list[0].ID, list[0].PartOf)
	}
	return list[0], nil
}

// stretch is one search, over versions or over the commits between two, and what
// it came to.
type stretch struct {
	b       store.Bisection
	title   string // of the target; empty when only what is stored is read
	o       bisectOptions
	metric  sweep.Metric
	records []bisect.Record
	answers []bisect.Answer
	noEnd   string // why the ends of a merged branch cannot be measured
}

func newStretch(b store.Bisection) (*stretch, error) {
	o, err := optionsOf(b)
	if err != nil {
		return nil, err
	}
	m, known := sweep.MetricByKey(b.Metric)
	if !known {
		return nil, fmt.Errorf("bisection %d is about %q, which this versweep does not know", b.ID, b.Metric)
	}
	return &stretch{b: b, o: o, metric: m}, nil
}

// ofCommits tells whether candidates are commits.
func (s *stretch) ofCommits() bool { return s.b.PartOf != 0 }

func (s *stretch) candidate(place int) bisectCandidate { return s.o.Candidates[place] }

// label is a candidate for people: "20.5.0", or "1a2b3c4d5e6f Subject".
func (s *stretch) label(place int) string {
	c := s.candidate(place)
	if !s.ofCommits() {
		return c.Version.Name
	}
	return shortHash(c.Version) + " " + c.Subject
}

// short is a candidate in as few words as can be.
func (s *stretch) short(place int) string {
	if s.ofCommits() {
		return shortHash(s.candidate(place).Version)
	}
	return s.candidate(place).Version.Name
}

func shortHash(v sweep.Version) string { return v.Commit[:min(12, len(v.Commit))] }

// noun is what a candidate is.
func (s *stretch) noun() string {
	if s.ofCommits() {
		return "commit"
	}
	return "version"
}

func (s *stretch) place(name string) (int, bool) {
	i := slices.IndexFunc(s.o.Candidates, func(c bisectCandidate) bool {
		v := c.Version
		return v.Name == name || sweep.Printable(v.Name) == name || v.Raw == name || v.Commit == name && name != ""
	})
	if i < 0 && s.ofCommits() && len(name) >= 7 {
		i = slices.IndexFunc(s.o.Candidates, func(c bisectCandidate) bool {
			return len(c.Version.Commit) > len(name) && c.Version.Commit[:len(name)] == name
		})
	}
	return i, i >= 0
}

// bisectionName is "bisection 3", or "the latest bisection".
func bisectionName(number string) string {
	if number == resumeLatest {
		return "the latest bisection"
	}
	return "bisection " + number
}

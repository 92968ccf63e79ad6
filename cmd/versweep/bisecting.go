package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"time"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/bisect"
)

// bisecting carries out a bisection: the search over versions and then, where
// that is asked for, those over commits.
type bisecting struct {
	app        *app
	st         *store.Store
	definition *runtimes.Definition
	cache      *runtimes.Cache
	launch     launchFlags
	cpus       runtimes.CPUSets
	budget     time.Duration
	repository string // as --repository names it now, with what lets one in

	log     *os.File // nil for none
	clock   *budgetClock
	commits *launching        // opened when it is needed
	history []bisectCandidate // commits between good and bad themselves, once they are known
}

// close gives back what was opened on the way, but for the store.
func (r *bisecting) close() {
	if r.commits != nil {
		r.commits.close()
	}
	if r.log != nil {
		r.log.Close()
	}
}

// openLog makes sure that the log can be written, and leaves what is in it.
func (r *bisecting) openLog(name string) (err error) {
	if name == "" {
		return nil
	}
	if r.log, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return misuse("name a file in a folder that you may write to", "--log: %v", err)
	}
	return nil
}

// beginLog empties the log. The bisection has been claimed: else another process
// may be writing to it.
func (r *bisecting) beginLog() error {
	if r.log == nil {
		return nil
	}
	info, err := r.log.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = r.log.Truncate(0)
	}
	return err
}

// check refuses, before anything is saved, what would be refused later.
func (r *bisecting) check(ctx context.Context, b store.Bisection, o bisectOptions) (err error) {
	if o.Direct {
		good, bad := endsOf(b, o)
		if r.history, err = r.commitsBetween(ctx, b, o, good, bad); err != nil {
			return err
		}
		o.Candidates, b.PartOf = r.history, -1 // of whatever will be saved
	} else if o.Commits {
		// Not only once the versions have been searched for hours.
		if err := r.connectCommits(ctx, o); err != nil {
			return err
		}
		r.commits.close()
		r.commits = nil
	}
	return (&stretch{b: b, o: o}).checkReplay()
}

// endsOf are good and bad as versions of a search over commits only.
func endsOf(b store.Bisection, o bisectOptions) (good, bad sweep.Version) {
	if len(o.Candidates) == 2 {
		return o.Candidates[0].Version, o.Candidates[1].Version
	}
	return sweep.Version{Name: b.Good, Raw: b.Good}, sweep.Version{Name: b.Bad, Raw: b.Bad}
}

// carryOut searches, prints the answer and finishes the bisection. l measures
// versions.
func (r *bisecting) carryOut(ctx context.Context, b store.Bisection, l *launching) error {
	a := r.app
	a.bisecting = b.ID
	r.clock = &budgetClock{now: a.now, begun: a.now(), budget: r.budget}
	versions, err := newStretch(b)
	if err != nil {
		return err
	}
	var parts []*stretch
	if !versions.o.Direct {
		err = r.search(ctx, versions, l)
	}
	if err == nil && versions.o.Commits {
		parts, err = r.searchCommits(ctx, versions)
	}
	if err == nil {
		err = r.finish(ctx, versions, parts)
	}
	brokenOff := ""
	switch {
	case err != nil && ctx.Err() != nil:
		brokenOff = "interrupted"
	case err != nil:
		brokenOff = err.Error()
	}
	if _, ends := errors.AsType[*endError](err); ends {
		// Asked again, it is to be measured again.
		err = errors.Join(err, r.abandon(ctx, b.ID, err))
		versions.b.Finished = a.now()
	}
	if err != nil && !foundAny(versions, parts) {
		return err
	}
	// What was found before an error holds without the rest.
	if failed := a.tellBisection(versions, parts, brokenOff); err == nil {
		err = failed
	}
	return err
}

// foundAny tells whether searches found out anything: at least that their ends differ,
// or do not.
func foundAny(versions *stretch, parts []*stretch) bool {
	for _, s := range append([]*stretch{versions}, parts...) {
		for _, answer := range s.answers {
			if answer.Ends.Rounds > 0 || len(answer.Steps) > 0 {
				return true
			}
		}
	}
	return false
}

// search carries out one search.
func (r *bisecting) search(ctx context.Context, s *stretch, l *launching) error {
	a := r.app
	s.title = r.definition.Title
	m, err := newTrials(ctx, a, r.st, l, s, r.clock)
	if err != nil {
		return err
	}
	told, err := s.told()
	if err != nil {
		return err
	}
	n := len(s.o.Candidates)
	a.say("%s: %s from %s to %s, by %s; about %s of %d to %d rounds, %v at least",
		r.definition.Title, counted(n, s.noun()), s.short(0), s.short(n-1), charts.ShortName(s.metric), counted(bits.Len(uint(n-2)), "step"), s.o.MinRounds, s.o.MaxRounds,
		(time.Duration(s.o.MinRounds*(3+4*bits.Len(uint(n-2))+5)) * m.assumed()).Round(time.Second))
	var log *bisect.Log
	if r.log != nil {
		log = s.newLog(r.log)
		defer s.endLog(r.log)
	}
	began := a.now()
	s.answers, err = bisect.Search(ctx, n, m.measure, bisect.Options{
		Effect: s.b.Effect, MinRounds: s.o.MinRounds, MaxRounds: s.o.MaxRounds, All: s.o.All, Way: s.o.Way, Told: told,
		Record: func(rec bisect.Record) {
			s.records = append(s.records, rec)
			a.sayRecord(s, rec)
			if log != nil {
				log.Write(rec)
			}
		},
	})
	if l.containers != nil && ctx.Err() == nil {
		var outcomes []sweep.Outcome
		for _, sw := range m.sweeps {
			outcomes = append(outcomes, sw.Outcomes...)
		}
		a.tidy(ctx, l, outcomes, r.launch.keepImages)
	}
	if err != nil {
		return err
	}
	a.say("%s taken in %v", counted(m.taken, "sample"), a.now().Sub(began).Round(time.Second))
	if log != nil && log.Err != nil {
		return fmt.Errorf("writing the log: %w", log.Err)
	}
	return nil
}

// over tells whether a search came to its end: one that ran out of its budget can
// be gone on with.
func (s *stretch) over() bool {
	for _, answer := range s.answers {
		if !answer.Over() {
			return false
		}
	}
	return len(s.answers) > 0 || s.unsearched() != ""
}

// finish keeps the answers of searches that are over.
func (r *bisecting) finish(ctx context.Context, versions *stretch, parts []*stretch) error {
	all := versions.o.Direct || versions.over()
	for _, p := range parts {
		if !p.over() {
			all = false
			continue
		}
		if err := r.keep(ctx, p, nil); err != nil {
			return err
		}
	}
	if !all {
		return nil
	}
	if err := r.keep(ctx, versions, parts); err != nil {
		return err
	}
	r.app.bisecting = 0
	return nil
}

func (r *bisecting) keep(ctx context.Context, s *stretch, parts []*stretch) error {
	before := s.b.Finished
	s.b.Finished = r.app.now()
	document, err := json.Marshal(newBisectionJSON(s, parts))
	if err == nil {
		err = r.finishTrials(ctx, s.b.ID, s.b.Finished)
	}
	if err == nil {
		err = r.st.FinishBisection(ctx, s.b.ID, document, s.b.Finished)
	}
	if err != nil {
		s.b.Finished = before
	}
	return err
}

// finishTrials lets go of the builds of a bisection.
func (r *bisecting) finishTrials(ctx context.Context, id int64, now time.Time) error {
	trials, err := r.st.Trials(ctx, id)
	if err != nil {
		return err
	}
	for _, sw := range trials {
		if err := r.st.FinishSweep(ctx, sw.ID, now); err != nil {
			return err
		}
	}
	return nil
}

// abandon finishes a bisection, and those that are part of it, without an answer.
func (r *bisecting) abandon(ctx context.Context, id int64, why error) error {
	document, err := json.Marshal(struct {
		Schema    int    `json:"schema"`
		Bisection int64  `json:"bisection"`
		Failed    string `json:"failed"`
	}{jsonSchema, id, runtimes.WithoutSecrets(why.Error())})
	if err != nil {
		return err
	}
	list, err := r.st.Bisections(ctx, store.BisectionFilter{PartOf: id, Unfinished: true})
	if err != nil {
		return err
	}
	now := r.app.now()
	for _, b := range append(list, store.Bisection{ID: id}) {
		if err := r.finishTrials(ctx, b.ID, now); err != nil {
			return err
		}
		if err := r.st.FinishBisection(ctx, b.ID, document, now); err != nil {
			return err
		}
	}
	r.app.bisecting = 0
	return nil
}

// sayRecord tells one step as it is found out.
func (a *app) sayRecord(s *stretch, r bisect.Record) {
	by := ""
	if r.Told {
		by = ", as the log says"
	}
	switch r.Purpose {
	case bisect.Ends:
		verdict := "they differ"
		if r.OtherWay {
			verdict = "they differ the other way, so the change is not from there"
		} else if !r.Differ {
			verdict = "which does not tell them apart"
		}
		a.say("ends: %s against %s: %s, %s%s: %s", s.short(r.Bad), s.short(r.Good), s.changeText(r.Change), counted(r.Change.Rounds, "round"), by, verdict)
	case bisect.Probe:
		a.say("step: %s%s", s.stepText(r.Step), by)
	case bisect.Confirm:
		text := "confirmed"
		for _, f := range r.Fresh {
			text = fmt.Sprintf("fresh rounds say that %s is %s; going back", s.short(f.Place), verdictText(f))
		}
		if !r.Differ && len(r.Fresh) == 0 {
			text = "which does not tell them apart"
		}
		a.say("confirmation: %s against %s: %s, %s%s: %s", s.short(r.FirstBad), s.short(r.LastGood), s.changeText(r.Change), counted(r.Change.Rounds, "round"), by, text)
	}
}

func (s *stretch) changeText(c bisect.Change) string {
	return charts.ChangeWords(s.metric, c.Change, c.Lo, c.Hi)
}

// stepText is "20.5.0 is like good: 0.4 % slower than … ; 12 left".
func (s *stretch) stepText(step bisect.Step) string {
	text := s.label(step.Place) + " " + verdictText(step)
	if step.Reason != "" {
		text += ": " + step.Reason
	}
	if !math.IsNaN(step.FromGood.Change) && step.Verdict != bisect.Skipped {
		text += fmt.Sprintf(": %s from %s, %s from %s, %s", step.FromGood, s.short(step.From), step.FromBad, s.short(step.To), counted(step.FromGood.Rounds, "round"))
	}
	left := step.Left
	if left <= 1 {
		return text
	}
	return fmt.Sprintf("%s; one of %d after %s", text, left, s.short(step.Lo))
}

func verdictText(step bisect.Step) string {
	text := map[bisect.Verdict]string{
		bisect.Good: "is like good", bisect.Bad: "is like bad", bisect.Undecided: "could not be told apart from either", bisect.Skipped: "is passed over",
	}[step.Verdict]
	switch step.Where {
	case bisect.Between:
		return "is between good and bad"
	case bisect.BeyondGood:
		return text + ", and beyond it"
	case bisect.BeyondBad:
		return text + ", and beyond it"
	}
	return text
}

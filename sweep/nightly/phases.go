package nightly

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"versweep/sweep"
)

// carry carries out a sweep within a budget and takes in what it measured: what
// was not there before. That a target fails is kept with it; the error is not nil only when ctx has ended.
func (n *night) carry(ctx context.Context, e *errand, budget time.Duration, do func(budget time.Duration) (sweep.Sweep, error), before sweep.Sweep) (sweep.Sweep, error) {
	if budget == Unlimited {
		budget = 0 // a plan's word for it
	}
	sw, err := do(budget)
	var fresh []sweep.Sample
	if n := len(before.Samples); len(sw.Samples) > n {
		fresh = sw.Samples[n:]
	}
	for _, s := range fresh {
		e.tried[s.Version] = true
		if s.Status != sweep.Failed && !s.Spoilt() {
			e.measured[s.Version] = true
		}
	}
	for _, o := range sw.Outcomes {
		if !slices.ContainsFunc(before.Outcomes, func(old sweep.Outcome) bool { return old.Version == o.Version }) {
			e.tried[o.Version] = true
		}
	}
	took := spanOf(fresh, e.sample())
	n.spent, e.spent = n.spent+took, e.spent+took
	e.take(sw)
	if ctx.Err() != nil {
		return sw, ctx.Err()
	}
	if err != nil {
		e.failed = OneLine(err)
		n.Hands.Say("%s: %s", e.Plan.Target, e.failed)
	}
	return sw, nil
}

// take adds a sweep to what is known, if it says something of the plan, in place of what it was before.
func (e *errand) take(sw sweep.Sweep) {
	if len(sw.Samples)+len(sw.Outcomes) == 0 || len(Own([]sweep.Sweep{sw}, e.Plan)) == 0 {
		return
	}
	i := slices.IndexFunc(e.past, func(p sweep.Sweep) bool { return p.ID == sw.ID })
	if i >= 0 {
		e.past[i] = sw
	} else {
		e.past = append(e.past, sw)
	}
}

// spanOf is how long samples took, taken one after the other.
func spanOf(samples []sweep.Sample, each time.Duration) time.Duration {
	if len(samples) < 2 {
		return time.Duration(len(samples)) * each
	}
	span := samples[len(samples)-1].Started.Sub(samples[0].Started)
	return max(0, span) / time.Duration(len(samples)-1) * time.Duration(len(samples))
}

// plan is a sweep of some versions for tonight.
func (n *night) plan(e *errand, versions []sweep.Version, purpose sweep.Purpose) sweep.Plan {
	p := e.Plan
	p.Versions, p.Reference, p.Night, p.Purpose = slices.Clone(versions), e.reference(), n.Night, purpose
	return p
}

// goOn finishes the sweeps that a night before left unfinished.
func (n *night) goOn(ctx context.Context, errands []*errand) error {
	unfinished, err := n.Memory.UnfinishedNightly(ctx)
	if err != nil {
		return err
	}
	for _, sw := range unfinished {
		i := slices.IndexFunc(errands, func(e *errand) bool { return e.Plan.Target == sw.Plan.Target })
		if i < 0 {
			n.Hands.Say("sweep %d of %s was left unfinished, and its target is not among tonight's: it is closed as it is", sw.ID, sw.Plan.Target)
			if err := n.Hands.Abandon(ctx, sw); err != nil {
				return err
			}
			continue
		}
		e := errands[i]
		budget := n.budget(e)
		if e.failed != "" || budget <= 0 {
			continue // another night
		}
		id := sw.ID
		sw, err := n.Hands.Claim(ctx, id)
		switch {
		case errors.Is(err, ErrElsewhere):
			n.remark(e, "sweep %d is left to the process that goes on with it", id)
			continue
		case err != nil:
			return err
		}
		e.take(sw)
		q := e.questionOf(sw)
		var enough func(sweep.Sweep) bool
		if q != nil {
			enough = func(sw sweep.Sweep) bool { return q.Answered(sw, e.Judging.Effect) }
		}
		done := sw
		if sw.Finished.IsZero() {
			done, err = n.carry(ctx, e, budget, func(budget time.Duration) (sweep.Sweep, error) {
				on := sw
				if on.Plan.Budget = budget; budget > 0 {
					on.Plan.Budget += spanOf(sw.Samples, e.sample()) // which its rounds count as used
				}
				return n.Hands.GoOn(ctx, on, enough)
			}, sw)
		}
		if err != nil {
			return err
		}
		if e.failed != "" {
			n.remark(e, "sweep %d, left unfinished, is closed as it is: %s", sw.ID, e.failed)
			e.failed = ""
			if err := n.Hands.Abandon(ctx, sw); err != nil {
				return err
			}
			continue
		}
		if q != nil {
			if err := n.settle(ctx, e, q.Answer(done, e.Judging.Effect)); err != nil {
				return err
			}
		}
	}
	return nil
}

// questionOf is what an unfinished sweep was to answer; nil when that was nothing,
// or is not asked any more.
func (e *errand) questionOf(sw sweep.Sweep) *Question {
	j := e.judge()
	if sw.Plan.Purpose != sweep.PurposeConfirm || j == nil {
		return nil
	}
	var suspected []Suspicion
	for _, s := range e.suspicions {
		if s.Standing == Suspected {
			suspected = append(suspected, s)
		}
	}
	for _, q := range Questions(suspected, *j, sw.Plan.Versions) {
		planned := func(name string) bool {
			return slices.ContainsFunc(sw.Plan.Versions, func(v sweep.Version) bool { return v.Name == name })
		}
		if q.Unanswerable == "" && planned(q.From) && planned(q.To) {
			return &q
		}
	}
	return nil
}

// measureNew sweeps what is new of a target, with a fair part of the budget.
// waiting is how many targets are still to come, this one included.
func (n *night) measureNew(ctx context.Context, e *errand, waiting int) error {
	if e.failed != "" {
		return nil
	}
	a := n.agenda(e)
	for _, item := range a.Waiting {
		n.Hands.Say("%s %s: %s; next try from %s", e.Plan.Target, item.Version.Name, item.Detail, item.Due.Local().Format("2006-01-02 15:04"))
	}
	for _, item := range a.Wanted {
		n.Hands.Say("%s %s: %s%s", e.Plan.Target, item.Version.Name, item.Why, detail(item.Detail))
	}
	budget := share(share(n.budget(e), 1-spare), 1/float64(waiting))
	versions, left := a.Fit(a.Wanted, leastRounds(e.Plan), e.sample(), budget)
	e.left += len(left)
	if len(left) > 0 {
		n.Hands.Say("%s: the budget leaves %d of %d versions for another night", e.Plan.Target, len(left), len(a.Wanted))
	}
	if len(versions) == 0 {
		return nil
	}
	for _, item := range a.Wanted {
		e.wanted = append(e.wanted, item.Version.Name)
	}
	var err error
	e.latest, err = n.sweep(ctx, e, n.plan(e, versions, sweep.PurposeNew), budget, nil)
	return err
}

func detail(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

func (n *night) sweep(ctx context.Context, e *errand, p sweep.Plan, budget time.Duration, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	return n.carry(ctx, e, budget, func(budget time.Duration) (sweep.Sweep, error) {
		p.Budget = budget
		return n.Hands.Sweep(ctx, p, enough)
	}, sweep.Sweep{})
}

// confirm judges a target and asks fresh rounds about what is suspicious.
func (n *night) confirm(ctx context.Context, e *errand) error {
	j := e.judge()
	if j == nil || e.Failed != "" {
		return nil
	}
	keep, suspected := Suspect(e.Plan.Target, e.suspicions, e.told, *j, e.Watching, n.Now())
	// Kept before it is asked about: a night that is killed then goes on with it.
	if err := n.keep(ctx, e, keep); err != nil {
		return err
	}
	questions := Questions(suspected, *j, e.Found)
	for i, q := range questions {
		budget := share(n.budget(e), 1/float64(len(questions)-i))
		switch {
		case q.Unanswerable != "":
			n.remark(e, "cannot confirm %s: %s", q.names(), q.Unanswerable)
			continue
		case e.failed != "":
			continue
		case Cost(len(q.Versions)+1, leastRounds(e.Plan), e.sample()) > budget:
			n.remark(e, "the budget does not allow to confirm %s tonight", q.names())
			continue
		}
		n.Hands.Say("%s: is it so? fresh rounds from %s to %s about %s", e.Plan.Target, q.From, q.To, q.names())
		sw, err := n.sweep(ctx, e, n.plan(e, q.Versions, sweep.PurposeConfirm), budget, func(sw sweep.Sweep) bool {
			return q.Answered(sw, e.Judging.Effect)
		})
		if err != nil {
			return err
		}
		if len(sw.Samples) == 0 {
			continue
		}
		if err := n.settle(ctx, e, q.Answer(sw, e.Judging.Effect)); err != nil {
			return err
		}
	}
	return nil
}

// names are the findings that a question is about.
func (q Question) names() string {
	var ids []string
	for _, s := range q.Suspicions {
		ids = append(ids, s.Finding.ID)
	}
	return strings.Join(ids, ", ")
}

// settle keeps what fresh rounds have said about suspicions.
func (n *night) settle(ctx context.Context, e *errand, answers []Suspicion) error {
	list := slices.Clone(e.suspicions)
	for _, s := range answers {
		n.Hands.Say("%s: %s is %s: %s", e.Plan.Target, s.Finding.ID, s.Standing, s.Seen)
		i := slices.IndexFunc(list, func(old Suspicion) bool { return old.Finding.ID == s.Finding.ID })
		if i >= 0 {
			list[i] = s
		}
		if s.Standing != Suspected {
			e.settled = append(e.settled, s)
		}
	}
	return n.keep(ctx, e, list)
}

func (n *night) keep(ctx context.Context, e *errand, list []Suspicion) error {
	e.suspicions = list
	return n.Memory.SaveSuspicions(ctx, e.Plan.Target, list)
}

// refresh samples what is stale again, the oldest of all targets first, with what
// is left of the budget, and returns the targets that it swept.
func (n *night) refresh(ctx context.Context, errands []*errand) ([]*errand, error) {
	type old struct {
		item Item
		of   *errand
	}
	var all []old
	agendas := map[*errand]Agenda{}
	for _, e := range errands {
		if e.failed != "" {
			continue
		}
		agendas[e] = n.agenda(e)
		for _, item := range agendas[e].Stale {
			all = append(all, old{item, e})
		}
	}
	slices.SortStableFunc(all, func(x, y old) int { return x.item.Sampled.Compare(y.item.Sampled) })
	chosen := map[*errand][]Item{}
	var cost time.Duration // of what is chosen, all together
	costs := map[*errand]time.Duration{}
	for _, o := range all {
		e := o.of
		with := append(slices.Clone(chosen[e]), o.item)
		versions, left := agendas[e].Fit(with, leastRounds(e.Plan), e.sample(), Unlimited)
		next := Cost(len(versions)+referenceBeside(versions, e.reference()), leastRounds(e.Plan), e.sample())
		allowed := share(n.budget(e), 1-spare)
		if len(left) > 0 || next > allowed || n.Budget > 0 && cost-costs[e]+next > share(n.Budget-n.spent, 1-spare) {
			e.left++
			continue
		}
		cost += next - costs[e]
		chosen[e], costs[e] = with, next
	}
	var swept []*errand
	for _, e := range errands {
		if len(chosen[e]) == 0 {
			continue
		}
		versions, _ := agendas[e].Fit(chosen[e], leastRounds(e.Plan), e.sample(), Unlimited)
		budget := share(n.budget(e), 1-spare)
		if budget != Unlimited && cost > 0 {
			budget = max(costs[e], share(budget, float64(costs[e])/float64(cost)))
		}
		n.Hands.Say("%s: %d stale versions are sampled again", e.Plan.Target, len(chosen[e]))
		if _, err := n.sweep(ctx, e, n.plan(e, versions, sweep.PurposeStale), budget, nil); err != nil {
			return swept, err
		}
		cost -= costs[e]
		swept = append(swept, e)
	}
	return swept, nil
}

// referenceBeside is 1 where the reference comes on top of versions.
func referenceBeside(versions []sweep.Version, reference string) int {
	if reference == "" || slices.ContainsFunc(versions, func(v sweep.Version) bool { return v.Name == reference }) {
		return 0
	}
	return 1
}

// account says what there is to tell of a target.
func (n *night) account(ctx context.Context, e *errand) (Account, error) {
	s := Sight{
		Target: e.Plan.Target, Title: e.Plan.Title, Now: n.Now(), First: e.first, Judged: e.judge(), Past: e.past,
		Watching: e.Watching,
	}
	if len(e.measured) == 0 {
		s.Failed = e.failed
	}
	if e.Failed != "" {
		s.Judged = nil // of the sweeps from whatever source
	}
	if s.Judged != nil {
		keep, _ := Suspect(e.Plan.Target, e.suspicions, e.told, *s.Judged, e.Watching, n.Now())
		if err := n.keep(ctx, e, keep); err != nil {
			return Account{}, err
		}
	}
	s.Suspicions = e.suspicions
	if e.Failed == "" {
		s.LacksLooked = true
		s.Lacks = Lacks(Inquiry{Kept: e.Kept, Past: e.past, Fresh: e.Fresh, Every: n.Every, Now: n.Now()}, e.vanished)
		for _, v := range e.Kept {
			s.Kept = append(s.Kept, v.Name)
		}
	}
	a := NewAccount(s, e.told)
	if len(a.Silent) > 0 {
		n.remark(e, "not measured since the first night, and not told: %s", silentWords(a.Silent))
	}
	return a, nil
}

// silentWords is "1.0.0 (the build failed), 1.1.0 (it failed) and 28 more".
func silentWords(lacks []Lack) string {
	const most = 3
	var words []string
	for _, l := range lacks[:min(most, len(lacks))] {
		words = append(words, fmt.Sprintf("%s (%s)", l.Version, l.Reason))
	}
	text := strings.Join(words, ", ")
	if more := len(lacks) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

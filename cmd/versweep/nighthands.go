package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// nightHands carry out the sweeps of a night: they are nightly.Hands.
type nightHands struct {
	*app
	store   *store.Store
	targets map[string]*nightTarget
}

// nightTarget is a target that can be swept.
type nightTarget struct {
	nightlyTarget
	launching *launching
	outcomes  []sweep.Outcome // of tonight's sweeps
}

// open makes a target ready: its versions found, chosen and pinned. What keeps it
// from that is in the subject; the error is not nil only when ctx ends.
func (h *nightHands) open(ctx context.Context, t nightlyTarget) (nightly.Subject, error) {
	s := nightly.Subject{
		Plan: sweep.Plan{
			Target: t.definition.Name, Title: t.definition.Title, Source: t.source, Profile: t.profile,
			Rounds: t.adaptive.max, MinRounds: t.adaptive.min, Effect: t.adaptive.effect,
		},
		Selection: t.selection, Fresh: t.fresh, Budget: t.budget, Judging: t.judging,
		Watching: nightly.Watching{MinChange: t.minChange, Improvements: t.improvements},
	}
	err := h.find(ctx, t, &s)
	if ctx.Err() != nil {
		return s, ctx.Err()
	}
	if err != nil {
		s.Failed = nightly.OneLine(err)
		h.say("%s: %s", t.definition.Name, s.Failed)
	}
	return s, nil
}

func (h *nightHands) find(ctx context.Context, t nightlyTarget, s *nightly.Subject) error {
	l, err := h.connect(ctx, t.definition, t.cache, t.source, t.launchFlags, t.cpus, true)
	if err != nil {
		return err
	}
	if h.targets == nil {
		h.targets = map[string]*nightTarget{}
	}
	h.targets[t.definition.Name] = &nightTarget{nightlyTarget: t, launching: l}
	chosen, err := choose(t.selection, t.definition, l.found)
	if err != nil {
		return err
	}
	for _, term := range chosen.Empty {
		h.warn("versions: no version of %s is in range %q", t.definition.Name, term)
	}
	if s.Kept, err = l.supply.Pin(ctx, withMissing(chosen, t.definition)); err != nil {
		return err
	}
	s.Found, s.Plan.Source, s.Plan.Launcher, s.Plan.Definition = l.found, l.supply.Kind(), l.kind, l.definition
	planned, err := h.plannedReference(ctx, h.store, &sweep.Plan{
		Target: s.Plan.Target, Source: s.Plan.Source, Profile: s.Plan.Profile,
	}, l.environment, l.found, t.reference)
	if err != nil {
		return t.placed(err)
	}
	s.Reference = planned.name
	s.Sample = roundTime(sweep.Plan{Profile: t.profile, Launcher: l.kind})
	h.say("%s: %s kept of %d from %s, launcher %s", s.Plan.Target, counted(len(s.Kept), "version"), len(s.Found), s.Plan.Source, l.name)
	return nil
}

// Sweep implements nightly.Hands.
func (h *nightHands) Sweep(ctx context.Context, p sweep.Plan, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	t := h.targets[p.Target]
	p.Seed = rand.Uint64() >> 11 // 53 bits: whole in every JSON reader
	r := reference{name: p.Reference, required: t.reference != ""}
	switch i := slices.IndexFunc(t.launching.found, func(v sweep.Version) bool { return v.Name == r.name }); {
	case r.name == "":
	case i < 0:
		h.warn("the reference %s of %s is not to be had any more; this sweep takes another", r.name, p.Target)
		r.name = ""
	case !slices.ContainsFunc(p.Versions, func(v sweep.Version) bool { return v.Name == r.name }):
		p.Versions = sweep.SortVersions(append(p.Versions, t.launching.found[i]))
	}
	p.Reference = ""
	h.say("%s: %s from %s to %s, %s, %s", p.Target, counted(len(p.Versions), "version"), p.Versions[0].Name, p.Versions[len(p.Versions)-1].Name,
		purposeWords(p.Purpose), roundsOf(p))
	sw, err := h.conduct(ctx, h.store, t.launching, p, conducting{reference: r, keepImages: true, enough: enough})
	t.outcomes = append(t.outcomes, sw.Outcomes...)
	return sw, err
}

func purposeWords(p sweep.Purpose) string {
	switch p {
	case sweep.PurposeConfirm:
		return "to confirm"
	case sweep.PurposeStale:
		return "to keep figures fresh"
	}
	return "new ones and their neighbours"
}

// Claim implements nightly.Hands.
func (h *nightHands) Claim(ctx context.Context, id int64) (sweep.Sweep, error) {
	err := claim(ctx, h.store, id)
	if errors.Is(err, store.ErrBusy) {
		err = nightly.ErrElsewhere
	}
	if err != nil {
		return sweep.Sweep{}, err
	}
	return h.store.LoadSweep(ctx, id)
}

// goesOn says why a sweep that was left unfinished cannot be gone on with; nil when it
// can.
func (t *nightTarget) goesOn(sw sweep.Sweep) error {
	l := t.launching
	if l.kind != sw.Plan.Launcher || l.supply.Kind() != sw.Plan.Source || l.environment.Hash() != sw.Environment.Hash() {
		return anotherEnvironment(sw, l)
	}
	if err := sameDefinition(sw, l); err != nil {
		return fmt.Errorf("%w; what it lacks is measured anew", err)
	}
	return nil
}

// GoOn implements nightly.Hands.
func (h *nightHands) GoOn(ctx context.Context, sw sweep.Sweep, enough func(sweep.Sweep) bool) (sweep.Sweep, error) {
	t := h.targets[sw.Plan.Target]
	l := t.launching
	if err := t.goesOn(sw); err != nil {
		return sw, err
	}
	h.say("going on with sweep %d of %s, left unfinished: %d samples are there", sw.ID, sw.Plan.Target, len(sweep.LastAttempts(sw.Samples)))
	if err := h.obtainAgain(ctx, l, &sw); err != nil {
		return sw, err
	}
	if err := h.obtainMissing(ctx, h.store, l, &sw); err != nil {
		return sw, err
	}
	err := h.carryOut(ctx, h.store, l, &sw, enough)
	t.outcomes = append(t.outcomes, sw.Outcomes...)
	return sw, err
}

// Abandon implements nightly.Hands.
func (h *nightHands) Abandon(ctx context.Context, sw sweep.Sweep) error {
	err := claim(ctx, h.store, sw.ID)
	if errors.Is(err, store.ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.store.FinishSweep(ctx, sw.ID, h.now())
}

// Say implements nightly.Hands.
func (h *nightHands) Say(format string, args ...any) { h.say(format, args...) }

// tidy keeps the engine's images within bounds, once all of tonight's sweeps are
// done with them.
func (h *nightHands) tidy(ctx context.Context) {
	for _, t := range h.targets {
		h.app.tidy(ctx, t.launching, t.outcomes, t.keepImages)
	}
}

func (h *nightHands) close() {
	for name, t := range h.targets {
		if err := t.launching.close(); err != nil {
			h.warn("closing the engine of %s: %v", name, err)
		}
	}
}

package sweep

import (
	"slices"
	"time"
)

// RecentRounds is how many rounds of each version a judgement goes back for,
// unless it is told otherwise: with them a difference of two versions is known to
// a tenth of a sample's noise, and what more of them would add is less than what
// a machine drifts by in the meantime. See docs/method.md, "How far back".
const RecentRounds = 100

// spoiltRounds is how many rounds, spoilt ones included, are gone back for at
// most, as a multiple: a machine that is always busy would never have enough.
const spoiltRounds = 4

// Span says how far back to go. The zero Span is for the latest RecentRounds
// rounds of each version.
type Span struct {
	All    bool      // everything
	Sweeps int       // the latest so many; 0 for no such bound
	Since  time.Time // those begun at that time or later; zero for no such bound
	Rounds int       // instead of RecentRounds; 0 for that
	Also   []string  // versions whose samples are wanted of every sweep that is read
}

// asked tells whether s says itself which sweeps are wanted.
func (s Span) asked() bool { return s.All || s.Sweeps > 0 || !s.Since.IsZero() }

// Glance is what of a sweep decides whether it is read.
type Glance struct {
	ID        int64
	Kind      string // sweeps that can be judged together have it in common: source and load
	Created   time.Time
	Reference string // empty when nothing ties its rounds to those of others
	Versions  []GlanceVersion
}

// GlanceVersion is a version that a sweep planned, and in how many rounds it was
// sampled under its first label.
type GlanceVersion struct {
	Name   string
	Rounds int
	Spoilt int // of them
}

// Share is what is read of a sweep.
type Share struct {
	ID int64
	// Places are those of Glance.Versions that are read; nil for all of them.
	// The others are left out as if the sweep had not planned them.
	Places []int
}

// Recent picks what a judgement needs of sweeps, the latest first, and returns it
// oldest first; older counts the sweeps of which nothing is needed.
//
// Of each kind it takes the latest sweep, and then each one that holds one of the
// latest rounds of some version; of those, once other versions have enough newer
// rounds, only the versions that need it, those beside them on the axis, and the
// reference. A sweep without a reference is taken whole: its own versions are all
// that its rounds tie. It also takes a sweep for a version that no newer one
// planned, to say what became of it.
func Recent(latestFirst []Glance, span Span) (shares []Share, older int) {
	if span.asked() {
		return asked(latestFirst, span)
	}
	rounds := span.Rounds
	if rounds <= 0 {
		rounds = RecentRounds
	}
	kinds := map[string]*tally{}
	for _, g := range latestFirst {
		t := kinds[g.Kind]
		first := t == nil
		if first {
			t = &tally{planned: map[string]bool{}, rounds: map[string]int{}, good: map[string]int{}}
			kinds[g.Kind] = t
		}
		needed := t.needed(g, rounds)
		if !first && len(needed) == 0 {
			older++
			continue
		}
		share := Share{ID: g.ID}
		if !first && g.Reference != "" && len(needed) < len(g.Versions) {
			share.Places = around(g, needed, span.Also)
		}
		t.add(g)
		shares = append(shares, share)
	}
	slices.Reverse(shares)
	return shares, older
}

func asked(latestFirst []Glance, span Span) (shares []Share, older int) {
	for i, g := range latestFirst {
		if !span.All && (span.Sweeps > 0 && i >= span.Sweeps || g.Created.Before(span.Since)) {
			older++
			continue
		}
		shares = append(shares, Share{ID: g.ID})
	}
	slices.Reverse(shares)
	return shares, older
}

// tally is what the sweeps taken so far hold of each version.
type tally struct {
	planned map[string]bool
	rounds  map[string]int
	good    map[string]int // without the spoilt ones
}

// needed are the places of a sweep's versions that have too few newer rounds.
func (t *tally) needed(g Glance, rounds int) []int {
	var places []int
	for i, v := range g.Versions {
		wanting := v.Rounds > 0 && t.good[v.Name] < rounds && t.rounds[v.Name] < spoiltRounds*rounds
		if wanting || !t.planned[v.Name] {
			places = append(places, i)
		}
	}
	return places
}

func (t *tally) add(g Glance) {
	for _, v := range g.Versions {
		t.planned[v.Name] = true
		t.rounds[v.Name] += v.Rounds
		t.good[v.Name] += v.Rounds - v.Spoilt
	}
}

// around adds to the places that are needed those beside them that were sampled,
// the reference, and those that are wanted in any case.
func around(g Glance, needed []int, also []string) []int {
	sampled := func(i int) bool { return g.Versions[i].Rounds > 0 }
	take := map[int]bool{}
	for _, place := range needed {
		take[place] = true
		for before := place - 1; before >= 0; before-- {
			if sampled(before) {
				take[before] = true
				break
			}
		}
		for after := place + 1; after < len(g.Versions); after++ {
			if sampled(after) {
				take[after] = true
				break
			}
		}
	}
	for i, v := range g.Versions {
		if v.Name == g.Reference || slices.Contains(also, v.Name) {
			take[i] = true
		}
	}
	return slices.Sorted(keys(take))
}

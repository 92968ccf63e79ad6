package nightly

import (
	"cmp"
	"slices"
	"time"

	"versweep/sweep"
)

// record is what the sweeps so far say about one version, as it was last seen: a
// version that was moved to another build begins anew.
type record struct {
	version  sweep.Version // with the identity that was measured; parts may be unknown
	good     int           // samples that count
	sampled  time.Time     // when the last of them began; zero when there is none
	failures int           // sweeps in a row that tried it and have no such sample
	failing  time.Time     // when it failed first of those; zero when it does not
	tried    time.Time     // and last
	reason   string        // why, one line
	spoilt   bool          // it was tried, and the machine spoilt all that there is of it
}

// recordsOf sums up sweeps, oldest first, by version name.
func recordsOf(past []sweep.Sweep) map[string]record {
	records := map[string]record{}
	for _, sw := range past {
		samples := map[string][]sweep.Sample{}
		for _, s := range sweep.LastAttempts(sw.Samples) {
			samples[s.Version] = append(samples[s.Version], s)
		}
		for _, v := range sw.Plan.Versions {
			r := records[v.Name]
			if v.MovedFrom(r.version) {
				r = record{}
			}
			r.version = v.WithIdentityOf(r.version)
			r.add(sw, v.Name, samples[v.Name])
			records[v.Name] = r
		}
	}
	return records
}

// add takes in what one sweep has of the version. A sweep that ended before it
// came to the version says nothing.
func (r *record) add(sw sweep.Sweep, name string, samples []sweep.Sample) {
	good, spoilt, reason, last := 0, 0, "", sw.Created
	for _, o := range sw.Outcomes {
		if o.Version == name {
			reason = o.Reason
		}
	}
	for _, s := range samples {
		switch {
		case s.Status == sweep.Failed:
			reason = cmp.Or(s.Reason, reason, "it failed")
		case s.Spoilt():
			spoilt++
		default:
			good++
			r.sampled = s.Started
		}
		last = s.Started
	}
	switch {
	case good > 0:
		r.good, r.failures, r.failing, r.reason, r.spoilt = r.good+good, 0, time.Time{}, "", false
	case reason != "":
		if r.failures == 0 {
			r.failing = last
		}
		r.failures, r.tried, r.reason = r.failures+1, last, reason
	case spoilt > 0 && r.good == 0:
		// Of a version that has figures it says something of the night only.
		r.spoilt = true
	}
}

// lack is why there is no figure of a version that was tried, or no new one; empty
// when there is.
func (r record) lack() string {
	if r.failures == 0 && r.spoilt {
		return spoiltByMachine
	}
	return r.reason
}

const spoiltByMachine = "the machine spoilt every sample"

// Own picks the sweeps that say something about what a plan would measure: of
// its target, from its source, under its load, of releases and not of commits,
// measured and not imported.
func Own(past []sweep.Sweep, p sweep.Plan) []sweep.Sweep {
	return slices.DeleteFunc(slices.Clone(past), func(sw sweep.Sweep) bool {
		q := sw.Plan
		return q.Foreign != nil || q.Listed || q.Target != p.Target || q.Source != p.Source || !q.SameLoad(p) || !sweep.SameDefinition(q, p)
	})
}

// Vanished lists versions that were measured once and that the selection would
// keep if the source still had them.
func Vanished(s sweep.Selection, found []sweep.Version, past []sweep.Sweep) ([]sweep.Version, error) {
	there := map[string]bool{}
	for _, v := range found {
		there[v.Name] = true
	}
	all := slices.Clone(found)
	for name, r := range recordsOf(past) {
		if !there[name] && r.good > 0 {
			all = append(all, r.version)
		}
	}
	chosen, err := s.Choose(sweep.SortVersions(all))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(chosen.Versions, func(v sweep.Version) bool { return there[v.Name] }), nil
}

// Without leaves out of versions those that vanished.
func Without(versions, vanished []sweep.Version) []sweep.Version {
	return slices.DeleteFunc(slices.Clone(versions), func(v sweep.Version) bool {
		return slices.ContainsFunc(vanished, func(gone sweep.Version) bool { return gone.Name == v.Name })
	})
}

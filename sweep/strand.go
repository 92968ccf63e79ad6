package sweep

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"versweep/sweep/stats"
)

// strand is what can be judged together: sweeps of one target from one source
// under one load, whose samples are tied by rounds of one environment, or by the
// reference across environments.
type strand struct {
	sweeps   []Sweep   // oldest first, at least one
	versions []Version // the axis: of all sweeps, in version order
	metrics  []Metric  // with a figure, in the order of Metrics
	series   map[string]*series
	single   bool // rounds have nothing in common
	// machines holds the environments in which each version was measured.
	machines []map[string]bool
	// spoilt holds those in which samples were taken that the machine spoilt.
	spoilt   []map[string]bool
	outcomes []Outcome            // of versions without a figure
	name     string               // machine and load, where there are several; empty otherwise
	taken    []slotted            // places of the samples
	replaced map[string]time.Time // of versions that were moved: since when they are another build
}

// slotted is the place and the round of a sample.
type slotted struct{ place, round int }

// series is one metric over the axis of a strand.
type series struct {
	metric  Metric
	samples []stats.Observation // logarithms
	twin    []stats.Observation // of the reference under its second label; Place is its version's
	values  [][]float64         // as measured, zeros included, by place
}

// newest is the sweep that decides how the strand is judged.
func (s *strand) newest() *Sweep { return &s.sweeps[len(s.sweeps)-1] }

// strandsOf sorts history, oldest first, into strands, the one judged first
// last, and says what it leaves out.
func strandsOf(history []Sweep, o JudgeOptions) (strands []*strand, warnings []string) {
	chosen, warnings := choose(history, o)
	var groups [][]Sweep
	for _, sw := range chosen {
		i := slices.IndexFunc(groups, func(g []Sweep) bool { return tied(g, sw) })
		if i < 0 {
			groups = append(groups, []Sweep{sw})
			continue
		}
		groups[i] = append(groups[i], sw)
	}
	slices.SortStableFunc(groups, func(a, b []Sweep) int { return cmp.Compare(a[len(a)-1].ID, b[len(b)-1].ID) })
	for _, g := range groups {
		current, moved := asTheyAre(g)
		warnings = append(warnings, moved...)
		parts, replaced := newStrand(current, nil).parts(), replacedAt(g)
		for _, s := range parts {
			s.replaced = replaced
		}
		if len(parts) > 1 {
			warnings = append(warnings, apartWarning(parts))
		}
		strands = append(strands, parts...)
	}
	if len(groups) > 1 {
		warnings = append(warnings, fmt.Sprintf("figures of %d machines or loads have nothing in common: each is judged by itself, and none is compared with another", len(groups)))
		for _, s := range strands {
			s.name = s.machineName()
		}
	}
	return strands, warnings
}

// apartWarning names what was never sampled together.
func apartWarning(parts []*strand) string {
	var names []string
	for _, s := range parts {
		measured := s.measuredNames()
		name := measured[0]
		if len(measured) > 1 {
			name += " to " + measured[len(measured)-1]
		}
		names = append(names, name)
	}
	return fmt.Sprintf("never sampled in one round, so not compared with each other: %s", strings.Join(shortList(names), "; "))
}

// measured tells whether a version has a sample that counts.
func (sw Sweep) measured(version string) bool {
	return slices.ContainsFunc(sw.Samples, func(s Sample) bool { return s.Version == version && s.counts() })
}

// counts tells whether a sample may enter a verdict.
func (s Sample) counts() bool { return s.Status != Failed && !s.Spoilt() }

// Bears tells whether a sample's value of a metric may enter a verdict. What a
// busy machine does to a sample it does to all that is measured of the running
// server, but not to the size of its build. Peak memory is no exception: it is
// ruled by how many requests come in how quickly, by when a garbage collector gets
// to run, and by what is swapped.
func (s Sample) Bears(metric string) bool {
	return s.counts() || s.Status != Failed && metric == BuildSize
}

// roundsApart keeps the rounds of different sweeps different.
const roundsApart = 1 << 24

// newStrand lines up the samples of sweeps, of some versions only or, with nil,
// of all.
func newStrand(sweeps []Sweep, only map[string]bool) *strand {
	s := &strand{sweeps: sweeps, series: map[string]*series{}}
	s.versions = slices.DeleteFunc(axisOf(sweeps), func(v Version) bool { return only != nil && !only[v.Name] })
	place := map[string]int{}
	for i, v := range s.versions {
		place[v.Name] = i
		s.machines, s.spoilt = append(s.machines, map[string]bool{}), append(s.spoilt, map[string]bool{})
	}
	for k, sw := range sweeps {
		if f := sw.Plan.Foreign; f != nil && f.Unpaired {
			s.single = true
		}
		machine, metrics := sw.Environment.Hash(), sw.Plan.AllMetrics()
		for _, sample := range LastAttempts(sw.Samples) {
			p, known := place[sample.Version]
			switch {
			case !known || sample.Status == Failed:
				continue
			case sample.counts():
				s.machines[p][machine] = true
				s.taken = append(s.taken, slotted{p, k*roundsApart + sample.Round})
			default:
				s.spoilt[p][machine] = true
			}
			for _, m := range metrics {
				if v, ok := sample.Values[m.Key]; ok && sample.Bears(m.Key) {
					s.add(m, p, k*roundsApart+sample.Round, sample.Twin, v)
				}
			}
		}
	}
	for _, r := range s.series {
		s.metrics = append(s.metrics, r.metric)
	}
	slices.SortFunc(s.metrics, CompareMetrics)
	s.noteMissing()
	return s
}

func (s *strand) add(m Metric, place, round int, twin bool, value float64) {
	r := s.series[m.Key]
	if r == nil {
		r = &series{metric: m, values: make([][]float64, len(s.versions))}
		s.series[m.Key] = r
	}
	if !twin {
		r.values[place] = append(r.values[place], value)
	}
	if !(value > 0) {
		return // a zero has no logarithm: see onsets
	}
	o := stats.Observation{Place: place, Round: round, Y: math.Log(value)}
	if twin {
		r.twin = append(r.twin, o)
	} else {
		r.samples = append(r.samples, o)
	}
}

// parts splits a strand where nothing would tell the effect of a round from that
// of a version: into the sets of versions that rounds tie together. Where each
// version has its rounds to itself, as in an import every night, the night is the
// unit of replication: each version keeps one value, and they stay one series.
func (s *strand) parts() []*strand {
	if s.single {
		return []*strand{s}
	}
	sets := s.tiedPlaces()
	if len(sets) <= 1 {
		return []*strand{s}
	}
	if !slices.ContainsFunc(sets, func(set []int) bool { return len(set) > 1 }) {
		s.keepMedians()
		return []*strand{s}
	}
	var parts []*strand
	for _, set := range sets {
		names := map[string]bool{}
		for _, p := range set {
			names[s.versions[p].Name] = true
		}
		parts = append(parts, newStrand(s.sweeps, names))
	}
	parts[len(parts)-1].outcomes = s.outcomes
	return parts
}

// tiedPlaces groups the measured places that rounds tie together, by their first.
func (s *strand) tiedPlaces() [][]int {
	root := make([]int, len(s.versions))
	for i := range root {
		root[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if root[i] != i {
			root[i] = find(root[i])
		}
		return root[i]
	}
	first := map[int]int{} // a place of each round
	measured := make([]bool, len(s.versions))
	for _, t := range s.taken {
		measured[t.place] = true
		p, seen := first[t.round]
		if !seen {
			first[t.round] = t.place
			continue
		}
		a, b := find(p), find(t.place)
		root[max(a, b)] = min(a, b)
	}
	sets := map[int][]int{}
	for p, is := range measured {
		if is {
			sets[find(p)] = append(sets[find(p)], p)
		}
	}
	var out [][]int
	for _, r := range slices.Sorted(keys(sets)) {
		out = append(out, sets[r])
	}
	return out
}

// keepMedians leaves each version one value of every metric.
func (s *strand) keepMedians() {
	for _, r := range s.series {
		r.samples, r.twin = nil, nil
		for p, values := range r.values {
			if len(values) == 0 {
				continue
			}
			v := stats.Median(values)
			r.values[p] = []float64{v}
			if v > 0 {
				r.samples = append(r.samples, stats.Observation{Place: p, Y: math.Log(v)})
			}
		}
	}
}

// measuredNames are the versions with a figure, in the order of the axis.
func (s *strand) measuredNames() []string {
	var names []string
	for p, v := range s.versions {
		if len(s.machines[p]) > 0 {
			names = append(names, v.Name)
		}
	}
	return names
}

// machineName is what tells a strand from others: its machine and load.
func (s *strand) machineName() string {
	sw := s.newest()
	name := cmp.Or(sw.Environment.Name, sw.Environment.CPU, "an unnamed machine")
	if f := sw.Plan.Foreign; f != nil && f.Profile != "" {
		name += ", load " + f.Profile
	}
	return name
}

// axisOf joins the versions of all sweeps, in version order, or in the order of
// their lists where names have none.
func axisOf(sweeps []Sweep) []Version {
	var all []Version
	listed := false
	for _, sw := range sweeps {
		listed = listed || sw.Plan.InOwnOrder()
		all = mergeListed(all, sw.Plan.Versions)
	}
	if listed {
		return all
	}
	return SortVersions(all)
}

// mergeListed adds what only more has to all: each version after the one that it
// follows in more, so that a sweep of commits between those of an earlier one
// comes between them. What has no version in common with all comes last.
func mergeListed(all, more []Version) []Version {
	place := make(map[string]int, len(all))
	for i, v := range all {
		place[v.Name] = i
	}
	at := len(all)
	for _, v := range more {
		if i, known := place[v.Name]; known {
			at = i
			break
		}
	}
	added := map[int][]Version{} // by the place in all that they come before
	for _, v := range more {
		if i, known := place[v.Name]; known {
			at = i + 1
			continue
		}
		place[v.Name] = at - 1 // a name that comes twice counts once
		added[at] = append(added[at], v)
	}
	merged := make([]Version, 0, len(all)+len(more))
	for i := range len(all) + 1 {
		merged = append(merged, added[i]...)
		if i < len(all) {
			merged = append(merged, all[i])
		}
	}
	return merged
}

// noteMissing lists the versions that have no figure at all.
func (s *strand) noteMissing() {
	for p, v := range s.versions {
		if len(s.machines[p]) > 0 {
			continue
		}
		reason := "not sampled yet"
		for _, sw := range s.sweeps {
			for _, o := range sw.Outcomes {
				if o.Version == v.Name && o.Reason != "" {
					reason = o.Reason
				}
			}
			for _, sample := range sw.Samples {
				if sample.Version == v.Name && !sample.counts() {
					reason = cmp.Or(sample.Reason, "the machine spoilt every sample")
				}
			}
		}
		s.outcomes = append(s.outcomes, Outcome{Version: v.Name, Reason: reason})
	}
}

// looks says how often the strand's comparisons were looked at.
func (s *strand) looks() stats.Looks {
	p := s.newest().Plan
	if p.MinRounds == 0 || p.MinRounds >= p.Rounds {
		return stats.Looks{}
	}
	now := 0
	for _, sample := range s.newest().Samples {
		now = max(now, sample.Round)
	}
	return stats.Looks{Min: p.MinRounds, Max: p.Rounds, Now: now}
}

// bearing are the environments in which a place has samples that bear a metric.
func (s *strand) bearing(metric string, place int) map[string]bool {
	if !(Sample{Marks: []Mark{{Spoils: true}}}).Bears(metric) {
		return s.machines[place]
	}
	all := maps.Clone(s.machines[place])
	maps.Copy(all, s.spoilt[place])
	return all
}

// primary is the metric that rounds are spent on: throughput, or else the first.
// Where the machine spoilt every sample, what is left to know needs no rounds.
func (s *strand) primary() string {
	if len(s.metrics) == 0 || len(s.taken) == 0 {
		return QPS
	}
	if s.series[QPS] != nil {
		return QPS
	}
	return s.metrics[0].Key
}

// meansByRound is the mean logarithm of each place's samples in each round.
func meansByRound(lists ...[]stats.Observation) map[int]map[int]float64 {
	type slot struct{ place, round int }
	n := map[slot]float64{}
	means := map[int]map[int]float64{}
	for _, list := range lists {
		for _, o := range list {
			if means[o.Place] == nil {
				means[o.Place] = map[int]float64{}
			}
			at := slot{o.Place, o.Round}
			n[at]++
			means[o.Place][o.Round] += (o.Y - means[o.Place][o.Round]) / n[at]
		}
	}
	return means
}

// measured lists the places that have a logarithm, ascending.
func (r *series) measured() []int {
	seen := map[int]bool{}
	for _, o := range r.samples {
		seen[o.Place] = true
	}
	return slices.Sorted(keys(seen))
}

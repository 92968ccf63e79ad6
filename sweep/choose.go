package sweep

import (
	"fmt"
	"slices"
	"strings"

	"versweep/sweep/load"
)

// choose picks the sweeps to judge: those of the source, the definition and the
// load of the latest sweep, unless the options name a source. Published figures come last.
func choose(history []Sweep, o JudgeOptions) (chosen []Sweep, warnings []string) {
	usable := slices.DeleteFunc(slices.Clone(history), func(sw Sweep) bool {
		return len(sw.Samples)+len(sw.Outcomes) == 0 || o.Source != "" && sw.Plan.Source != o.Source
	})
	if len(usable) == 0 {
		return nil, nil
	}
	last := usable[len(usable)-1]
	for _, sw := range slices.Backward(usable) {
		if sw.Plan.Source != publishedSource {
			last = sw
			break
		}
	}
	others := map[string]bool{}
	for _, sw := range usable {
		switch {
		case sw.Plan.Source != last.Plan.Source:
			others["source "+sw.Plan.Source] = true
		case !SameDefinition(sw.Plan, last.Plan):
			others["another definition of the target"] = true
		case last.Plan.Foreign != nil || sw.Plan.SameLoad(last.Plan):
			chosen = append(chosen, sw)
		default:
			others["another load"] = true
		}
	}
	if last.Plan.Foreign != nil {
		var twice []string
		if chosen, twice = onceOnly(chosen); len(twice) > 0 {
			warnings = append(warnings, "left out, since other imports hold the same figures: "+strings.Join(shortList(twice), ", "))
		}
	}
	for _, other := range slices.Sorted(keys(others)) {
		if other != "source "+publishedSource {
			warnings = append(warnings, fmt.Sprintf("sweeps with %s are left out: these figures are from %s, as the latest sweep's", other, last.Plan.Source))
		}
	}
	return chosen, warnings
}

// onceOnly leaves out imports whose samples another import of the same machine
// and load holds as well, such as a file that has grown since: counted twice, they
// would look surer than they are. Of two alike the later one stays.
func onceOnly(sweeps []Sweep) (kept []Sweep, left []string) {
	figures := make([]map[string]int, len(sweeps))
	for i, sw := range sweeps {
		figures[i] = map[string]int{}
		for _, s := range sw.Samples {
			figures[i][fmt.Sprint(s.Version, s.Values)]++
		}
	}
	holds := func(outer, inner int) bool {
		if !sameProfile(sweeps[outer].Plan.Profile, sweeps[inner].Plan.Profile) || sweeps[outer].Environment.Hash() != sweeps[inner].Environment.Hash() {
			return false
		}
		for sample, n := range figures[inner] {
			if figures[outer][sample] < n {
				return false
			}
		}
		return len(figures[inner]) > 0
	}
	for i, sw := range sweeps {
		twice := false
		for k := range sweeps {
			if k != i && holds(k, i) && (k > i || !holds(i, k)) {
				twice = true
			}
		}
		if twice {
			left = append(left, fmt.Sprintf("sweep %d", sw.ID))
			continue
		}
		kept = append(kept, sw)
	}
	return kept, left
}

// publishedSource is the source of figures that posts published.
const publishedSource = "published"

func sameProfile(a, b load.Profile) bool {
	a.Name, b.Name = "", ""
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// tied tells whether sw can be joined to a group: the same load on the same
// machine, or on another one with the same reference in both.
func tied(group []Sweep, sw Sweep) bool {
	first := group[0]
	if !sameProfile(first.Plan.Profile, sw.Plan.Profile) {
		return false
	}
	return slices.ContainsFunc(group, func(g Sweep) bool {
		if g.Environment.Hash() == sw.Environment.Hash() {
			return true
		}
		return g.Plan.Foreign == nil && g.Plan.Reference != "" && g.Plan.Reference == sw.Plan.Reference && g.measured(g.Plan.Reference) && sw.measured(g.Plan.Reference)
	})
}

package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"versweep/charts"
	"versweep/sweep"
)

// findingGroup is what changed from one version to another.
type findingGroup struct {
	Link, Version string
	Joint         string // all metrics in one sentence; empty for one
	Items         []findingItem
	Parts         []sweep.ComponentChange // bundled, that changed
}

// findingItem is one metric of it.
type findingItem struct {
	Tone, Mark, Words, State string
	Notes                    []string
}

// groupFindings puts findings about the same change together, in the order in
// which the first of each comes.
func groupFindings(t *subject, findings []sweep.Finding) []findingGroup {
	type place struct{ from, to string }
	at := map[place]int{}
	var groups []findingGroup
	for _, f := range findings {
		i, ok := at[place{f.From, f.To}]
		if !ok {
			i = len(groups)
			at[place{f.From, f.To}] = i
			groups = append(groups, findingGroup{Link: t.versionLink(f.To), Version: charts.Shortened(f.To, nameColumns), Parts: changedParts(t, f)})
		}
		groups[i].Items = append(groups[i].Items, newFindingItem(t, f))
		if len(groups[i].Items) == 2 {
			groups[i].Joint = charts.Printable(t.Judgement.Joint[f.To])
		}
	}
	return groups
}

func newFindingItem(t *subject, f sweep.Finding) findingItem {
	item := findingItem{Tone: t.tone(f), Mark: "◆", Words: charts.FindingText(f), State: t.state(f)}
	switch f.Verdict {
	case sweep.Regression:
		item.Mark = "▲"
	case sweep.Improvement:
		item.Mark = "■"
	}
	for _, note := range charts.FindingNotes(f) {
		// The group has the parts in full.
		if !strings.HasPrefix(note, "bundled: ") {
			item.Notes = append(item.Notes, note)
		}
	}
	return item
}

func changedParts(t *subject, f sweep.Finding) []sweep.ComponentChange {
	from, to := t.row(f.From), t.row(f.To)
	if from < 0 || to < 0 {
		return nil
	}
	parts := components(t.table.Rows[from].Components, t.table.Rows[to].Components)
	return slices.DeleteFunc(parts, func(c sweep.ComponentChange) bool { return c.Old == c.New })
}

// components puts the bundled parts of two versions side by side, by name;
// "none" where one is missing. None are told where one side is unknown.
func components(old, new map[string]string) []sweep.ComponentChange {
	if old == nil || new == nil {
		return nil
	}
	all := maps.Clone(old)
	maps.Copy(all, new)
	var list []sweep.ComponentChange
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, sweep.ComponentChange{
			Name: charts.Printable(name), Old: cmp.Or(charts.Printable(old[name]), "none"), New: cmp.Or(charts.Printable(new[name]), "none"),
		})
	}
	return list
}

package report

import (
	"cmp"
	"strconv"

	"versweep/charts"
)

const methodName = "method.html"

// methodPage says how things were measured and how to repeat it.
type methodPage struct {
	titled
	Targets []methodTarget
}

type methodTarget struct {
	ID, Link, Title string
	Facts           []fact
	Repeat          []string
}

func (s Site) method(targets []*subject) methodPage {
	p := methodPage{titled: s.heading("How it was measured", "")}
	for i, t := range targets {
		m := methodTarget{ID: "target-" + strconv.Itoa(i+1), Link: t.folder + "/" + indexName, Title: t.title(), Facts: setting(t)}
		if e := environmentText(t.table.Environment); e != "" {
			m.Facts = append(m.Facts, fact{"Environment", charts.Printable(e)})
		}
		if t.table.Plan.Foreign == nil {
			rounds := strconv.Itoa(t.table.Plan.Rounds)
			if least := t.table.Plan.MinRounds; least > 0 {
				rounds = strconv.Itoa(least) + " to " + rounds + ": a version whose comparisons are settled is sampled no more"
			}
			m.Facts = append(m.Facts, fact{"Rounds", rounds}, fact{"Seed", strconv.FormatUint(t.table.Plan.Seed, 10)},
				fact{"Launcher", charts.Printable(cmp.Or(t.table.Plan.Launcher, "unknown"))})
		}
		for _, line := range t.Repeat {
			m.Repeat = append(m.Repeat, charts.Printable(line))
		}
		p.Targets = append(p.Targets, m)
	}
	return p
}

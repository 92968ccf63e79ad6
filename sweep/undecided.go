package sweep

import "slices"

// Undecided lists the comparisons that people wait for and that more rounds
// would settle: each version with the one before it, in version order, then the
// newest with the best so far, in the order of Metrics. Comparisons with the
// reference are left out: they repeat these, for every metric of every version.
func (j Judgement) Undecided() []Comparison {
	var list []Comparison
	for _, c := range j.Neighbours {
		if c.Verdict == Undecided {
			list = append(list, c)
		}
	}
	var newest []Comparison
	for _, c := range j.Newest {
		same := func(d Comparison) bool {
			return d.Metric.Key == c.Metric.Key && d.From == c.From && d.To == c.To
		}
		if c.Verdict == Undecided && !slices.ContainsFunc(list, same) {
			newest = append(newest, c)
		}
	}
	slices.SortFunc(newest, func(c, d Comparison) int { return CompareMetrics(c.Metric, d.Metric) })
	return append(list, newest...)
}

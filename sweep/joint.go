package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// WithFindingsOf is j with the findings that another judgement of the same target
// has of its own metrics, in place of those of j: by fewer metrics, each is judged
// less strictly.
func (j Judgement) WithFindingsOf(other Judgement) Judgement {
	foreign := func(f Finding) bool {
		return !slices.ContainsFunc(other.Metrics, func(m Metric) bool { return m.Key == f.Metric.Key })
	}
	j.Findings = slices.Concat(slices.DeleteFunc(slices.Clone(j.Findings), func(f Finding) bool { return !foreign(f) }), other.Findings)
	j.Joint = map[string]string{}
	j.finish()
	return j
}

// finish puts findings in order and sums up what happened at each version.
func (j *Judgement) finish() {
	place := map[string]int{}
	for i, v := range j.Versions {
		place[v.Name] = i
	}
	slices.SortStableFunc(j.Findings, func(f, g Finding) int {
		return cmp.Or(cmp.Compare(place[f.To], place[g.To]), CompareMetrics(f.Metric, g.Metric), cmp.Compare(f.Kind, g.Kind))
	})
	unique(j.Findings)
	at := map[string][]Finding{}
	for _, f := range j.Findings {
		if f.Kind == KindStep || f.Kind == KindOnset {
			at[f.To] = append(at[f.To], f)
		}
	}
	for version, findings := range at {
		j.Joint[version] = jointWords(findings, j.unchanged(version))
	}
}

// unchanged tells whether it is settled that a version is as quick as the one
// before.
func (j *Judgement) unchanged(version string) bool {
	return slices.ContainsFunc(j.Neighbours, func(c Comparison) bool {
		return c.Metric.Key == QPS && c.To == version && c.Verdict == NoChange
	})
}

// unique numbers findings of several machines that would share an id.
func unique(findings []Finding) {
	seen := map[string]int{}
	for i, f := range findings {
		seen[f.ID]++
		if n := seen[f.ID]; n > 1 {
			findings[i].ID = fmt.Sprintf("%s@%d", f.ID, n)
		}
	}
}

// jointWords sums up changes of several metrics at one version: "8 % slower, 30 %
// more memory", or "no faster, three times the memory" where it is settled that
// throughput did not change. Percentiles of one latency count once.
func jointWords(findings []Finding, unchanged bool) string {
	var words []string
	slow := false // throughput or latency was told
	for _, f := range findings {
		switch f.Metric.Key {
		case QPS:
			slow = true
		case P50, P90, P99, P999:
			if slow {
				continue
			}
			slow = true
		}
		if phrase := changePhrase(f); !slices.Contains(words, phrase) {
			words = append(words, phrase)
		}
	}
	if unchanged && !slow {
		words = append([]string{"no faster"}, words...)
	}
	return strings.Join(words, ", ")
}

// changePhrase is a change in a few words, without its interval.
func changePhrase(f Finding) string {
	up := f.Change > 0 || math.IsNaN(f.Change) && f.Verdict == verdictOf(f.Metric, 1)
	thing, more, less := f.Metric.Key, "more", "less"
	if math.IsNaN(f.Change) && f.Metric.Key != ErrorShare {
		return map[bool]string{true: "new: ", false: "no more: "}[up] + withinSentence(f.Metric)
	}
	switch f.Metric.Key {
	case QPS:
		return sized(f.Change, map[bool]string{true: "faster", false: "slower"}[up], "the throughput")
	case P50, P90, P99, P999, PacedP50, PacedP99, PacedP999:
		return f.Metric.Title + " " + sized(f.Change, map[bool]string{true: "higher", false: "lower"}[up], "what it was")
	case ErrorShare:
		if math.IsNaN(f.Change) {
			return map[bool]string{true: "requests fail", false: "no requests fail any more"}[up]
		}
		thing, less = "failed requests", "fewer"
	case CPUPerRequest:
		thing = "CPU per request"
	case PeakRSS:
		thing = "memory"
	case Startup:
		return sized(f.Change, map[bool]string{true: "slower", false: "faster"}[up]+" to start", "the start-up time")
	case BuildSize:
		return sized(f.Change, map[bool]string{true: "larger", false: "smaller"}[up]+" build", "the build size")
	}
	return sized(f.Change, map[bool]string{true: more, false: less}[up]+" "+thing, "the "+thing)
}

// sized is "30 % more memory", or "three times the memory" from a doubling on.
func sized(change float64, words, whole string) string {
	if change < 0.95 {
		return fmt.Sprintf("%.*f %% %s", places(change), math.Abs(100*change), words)
	}
	times := 1 + change
	numbers := map[int]string{2: "twice", 3: "three times", 4: "four times", 5: "five times"}
	if n, ok := numbers[int(math.Round(times))]; ok && math.Abs(times-math.Round(times)) < 0.1 {
		return n + " " + whole
	}
	return fmt.Sprintf("%.1f times %s", times, whole)
}

func places(change float64) int {
	if math.Abs(change) < 0.0995 {
		return 1
	}
	return 0
}

package charts

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"versweep/sweep"
)

// FindingsOptions is how a judgement is told. The zero value suits a terminal
// of 110 columns and lets every regression count.
type FindingsOptions struct {
	Width     int     // terminal columns that a line should not exceed; 110 when 0
	MinChange float64 // smaller regressions are told apart from those that count, a fraction
}

// maxListed is how many undecided comparisons and versions that were not
// measured are told one by one; JSON has them all.
const maxListed = 10

// WriteFindings tells a judgement for people: the regressions that count first,
// a line each with its doubts indented below, then what got better, what is
// known already, what could not be decided, and how small a change the sweep
// could have seen. The text holds no control characters but line breaks.
func WriteFindings(w io.Writer, j sweep.Judgement, o FindingsOptions) error {
	width := lineWidth(o.Width)
	sections := sectionsOf(j, o.MinChange)
	var b strings.Builder
	b.WriteString(wrap(judgementTitle(j, sections[0].findings), width, 2) + "\n")
	for _, s := range sections {
		if len(s.findings) == 0 {
			continue
		}
		b.WriteString("\n" + s.head + ":\n")
		writeFindingLines(&b, s.findings, width)
	}
	for _, s := range []struct {
		head  string
		lines []string
	}{
		{"All metrics together", jointLines(j)},
		{"Undecided", atMost(maxListed, undecidedLines(j.Undecided()))},
		{"Not measured", atMost(maxListed, outcomeLines(j.NotMeasured))},
		{"", judgementFooter(j)},
	} {
		if len(s.lines) == 0 {
			continue
		}
		b.WriteByte('\n')
		if s.head != "" {
			b.WriteString(s.head + ":\n")
		}
		for _, line := range s.lines {
			b.WriteString(wrap(line, width, 2) + "\n")
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the findings of %s: %w", Printable(j.Target), err)
	}
	return nil
}

// lineWidth is how many columns a line may take where width are asked for.
func lineWidth(width int) int {
	if width == 0 {
		return defaultTableWidth
	}
	return max(width, minTableWidth)
}

// judgementTitle is "Node.js: 2 regressions, 1 improvement in 27 versions".
func judgementTitle(j sweep.Judgement, counting []sweep.Finding) string {
	title := Printable(cmp.Or(j.Title, j.Target)) + ": "
	switch {
	case len(j.Versions) > 0 && len(j.NotMeasured) >= len(j.Versions):
		return title + "nothing could be judged in " + count(int64(len(j.Versions)), "version")
	case len(counting) > 0:
		title += count(int64(len(counting)), "regression")
	case slices.ContainsFunc(j.Findings, func(f sweep.Finding) bool { return f.Verdict == sweep.Regression }):
		title += "no regression that counts"
	default:
		title += "no regression"
	}
	if n := len(improvements(j.Findings)); n > 0 {
		title += ", " + count(int64(n), "improvement")
	}
	return title + " in " + count(int64(len(j.Versions)), "version")
}

// section is a group of findings under a heading.
type section struct {
	head     string
	findings []sweep.Finding
}

// sectionsOf groups findings by what they ask of the reader; those that count
// are the first group. Each finding is in one group.
func sectionsOf(j sweep.Judgement, minChange float64) []section {
	sections := []section{
		{head: "Regressions"}, {head: "Regressions under " + chosenPercent(minChange) + ", which do not count"},
		{head: "Improvements"}, {head: "Changes of the environment"}, {head: "Known already"},
	}
	for _, f := range j.Findings {
		at := 3
		switch {
		case f.Counts(minChange):
			at = 0
		case f.State == sweep.Acknowledged || f.State == sweep.Expected || f.State == sweep.Recovered:
			at = 4
		case f.Counts(0):
			at = 1
		case f.Verdict == sweep.Improvement:
			at = 2
		}
		sections[at].findings = append(sections[at].findings, f)
	}
	return sections
}

func improvements(findings []sweep.Finding) []sweep.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f sweep.Finding) bool { return f.Verdict != sweep.Improvement || f.State != sweep.Open })
}

// writeFindingLines writes "20.5.0  throughput  3.0 % slower since 20.5.0 (…)"
// with the columns in line, and below each what there is to know about it.
func writeFindingLines(b *strings.Builder, findings []sweep.Finding, width int) {
	name := func(f sweep.Finding) string { return shortenMiddle(Printable(f.To), withinColumns(maxNameColumns)) }
	versionWidth, metricWidth := 0, 0
	for _, f := range findings {
		versionWidth = max(versionWidth, textWidth(name(f)))
		metricWidth = max(metricWidth, textWidth(wordingOf(f.Metric).short))
	}
	indent := versionWidth + len(columnGap)
	for _, f := range findings {
		head := padRight(name(f), versionWidth) + columnGap + padRight(wordingOf(f.Metric).short, metricWidth) + columnGap
		// wrap would close up the columns, so it sees only what follows them.
		body := wrap(findingWords(f), width-textWidth(head), 0)
		b.WriteString(head + strings.ReplaceAll(body, "\n", "\n"+strings.Repeat(" ", textWidth(head))) + "\n")
		for _, note := range findingNotes(f) {
			b.WriteString(strings.Repeat(" ", indent) + strings.ReplaceAll(wrap(note, width-indent, 2), "\n", "\n"+strings.Repeat(" ", indent)) + "\n")
		}
	}
}

// FindingText tells a finding in one line: "throughput 3.0 % slower since 20.5.0
// (95 % interval 1.9 to 4.2 %), confidence 99.8 %".
func FindingText(f sweep.Finding) string {
	return wordingOf(f.Metric).short + " " + findingWords(f)
}

// findingWords is what a finding says of its metric: "3.0 % slower since 20.5.0
// (95 % interval 1.9 to 4.2 %), confidence 99.8 %".
func findingWords(f sweep.Finding) string {
	from, to := Printable(f.From), Printable(f.To)
	if f.Verdict == sweep.EnvironmentChange || f.Kind == sweep.KindSeam {
		return "the environment or the reference changed between " + from + " and " + to + ", which says nothing of the version"
	}
	if f.Kind == sweep.KindOnset {
		if known(f.Change) {
			return "0 since " + to + confidenceWords(f)
		}
		return "new since " + to + ", 0 before" + confidenceWords(f)
	}
	text := wordingOf(f.Metric).change(f.Change)
	if strings.Contains(text, ",") {
		text += ","
	}
	if f.Kind == sweep.KindCreep {
		text += " from " + from + " to " + to + " in small steps"
	} else {
		text += " since " + to
	}
	if known(f.Lo) && known(f.Hi) {
		text += " (95 % interval " + intervalWords(f.Change, f.Lo, f.Hi) + ")"
	}
	return text + confidenceWords(f)
}

func confidenceWords(f sweep.Finding) string {
	switch {
	case !(f.Confidence > 0 && f.Confidence <= 1):
		return ""
	case f.Confidence > 0.999:
		return ", confidence over 99.9 %"
	}
	// Down, so that it is never called surer than it is.
	return ", confidence " + percent(math.Floor(f.Confidence*1000)/1000, 1)
}

// findingNotes are the lines below a finding: what became of it, where else
// it may have begun, its doubts, and the name that ack takes.
func findingNotes(f sweep.Finding) []string {
	var notes []string
	switch f.State {
	case sweep.Recovered:
		notes = append(notes, "recovered in "+cellOr(Printable(f.RecoveredIn), "a later version"))
	case sweep.Acknowledged, sweep.Expected:
		notes = append(notes, string(f.State))
	}
	if f.PlaceLo != f.PlaceHi {
		notes = append(notes, "begins anywhere from "+Printable(f.PlaceLo)+" to "+Printable(f.PlaceHi)+" (95 %)")
	}
	for _, note := range f.Notes {
		notes = append(notes, Printable(note))
	}
	if f.ID != "" {
		notes = append(notes, "finding "+Printable(f.ID))
	}
	return notes
}

// jointLines say all metrics together where more than one changed.
func jointLines(j sweep.Judgement) []string {
	changed := map[string]int{}
	for _, f := range j.Findings {
		changed[f.To]++
	}
	var lines []string
	for _, v := range j.Versions {
		if sentence := j.Joint[v.Name]; sentence != "" && changed[v.Name] > 1 {
			lines = append(lines, Printable(v.Name)+": "+Printable(sentence))
		}
	}
	return lines
}

func undecidedLines(comparisons []sweep.Comparison) []string {
	var lines []string
	for _, c := range comparisons {
		lines = append(lines, fmt.Sprintf("%s of %s against %s: %s would tell", wordingOf(c.Metric).short, Printable(c.To), Printable(c.From), moreRounds(c)))
	}
	return lines
}

// moreRounds is "about 12 more rounds".
func moreRounds(c sweep.Comparison) string {
	switch n := c.RoundsNeeded; {
	case n <= 0:
		return "more rounds"
	case n >= manyRounds:
		return "only hundreds of rounds"
	default:
		return "about " + strings.Replace(count(int64(n), "round"), " ", " more ", 1)
	}
}

// manyRounds is from where on a forecast says no more than that it is many.
const manyRounds = 300

func outcomeLines(outcomes []sweep.Outcome) []string {
	var lines []string
	for _, o := range outcomes {
		lines = append(lines, Printable(o.Version)+": "+cellOr(Printable(o.Reason), "reason unknown"))
	}
	return lines
}

// atMost keeps the first n lines and counts the rest.
func atMost(n int, lines []string) []string {
	if len(lines) <= n {
		return lines
	}
	return append(slices.Clip(lines[:n]), fmt.Sprintf("and %d more", len(lines)-n))
}

// judgementFooter says how much the judgement can be trusted.
func judgementFooter(j sweep.Judgement) []string {
	metrics := metricsOf(j)
	list := func(values map[string]float64, of func(metric string) bool) string {
		var parts []string
		for _, m := range metrics {
			if v, ok := values[m.Key]; ok && known(v) && of(m.Key) {
				parts = append(parts, wordingOf(m).short+" "+percent(v, percentPlaces(v)))
			}
		}
		return strings.Join(parts, ", ")
	}
	var lines []string
	if j.Effect > 0 {
		lines = append(lines, "smallest change of interest: "+chosenPercent(j.Effect))
	}
	lasting := func(metric string) bool { return j.Lasting[metric] }
	if text := list(j.SmallestEffect, func(metric string) bool { return !lasting(metric) }); text != "" {
		lines = append(lines, "smallest change between two neighbouring versions that would have been seen (with 80 % power; a step that more versions bear out can be smaller): "+text)
	}
	if text := list(j.SmallestEffect, lasting); text != "" {
		lines = append(lines, "smallest lasting change that would have been seen (with 80 % power, in the middle): "+text)
	}
	if text := list(j.Noise, func(string) bool { return true }); text != "" {
		lines = append(lines, "noise of one sample (standard deviation): "+text)
	}
	var twin []string
	for _, m := range metrics {
		if c, ok := j.Twin[m.Key]; ok && known(c.Change) {
			twin = append(twin, wordingOf(m).short+" "+changeFigure(c)+intervalFigure(c, " (", ")"))
		}
	}
	if len(twin) > 0 {
		lines = append(lines, "reference "+Printable(j.Reference)+" against itself: "+strings.Join(twin, ", "))
	}
	if text := olderText(j.Older); text != "" {
		lines = append(lines, text)
	}
	for _, warning := range j.Warnings {
		lines = append(lines, "warning: "+Printable(warning))
	}
	return lines
}

// olderText says that sweeps were left out as too old; empty when none was.
func olderText(older int) string {
	switch older {
	case 0:
		return ""
	case 1:
		return "1 older sweep is left out (check --sweeps 0 judges all)"
	}
	return count(int64(older), "older sweep") + " are left out (check --sweeps 0 judges all)"
}

// metricsOf lists the metrics that a judgement's figures are about, in order.
func metricsOf(j sweep.Judgement) []sweep.Metric {
	found := map[string]sweep.Metric{}
	for _, values := range []map[string]float64{j.SmallestEffect, j.Noise} {
		for key := range values {
			m, ok := sweep.MetricByKey(key)
			if !ok {
				m.Key = key
			}
			found[key] = m
		}
	}
	for key, c := range j.Twin {
		found[key] = c.Metric
	}
	for _, c := range slices.Concat(j.Neighbours, slices.Collect(maps.Values(j.Newest))) {
		found[c.Metric.Key] = c.Metric
	}
	for _, f := range j.Findings {
		found[f.Metric.Key] = f.Metric
	}
	return slices.SortedFunc(maps.Values(found), sweep.CompareMetrics)
}

// changeFigure is "-8.1 %".
func changeFigure(c sweep.Comparison) string {
	return signedPercent(c.Change, percentPlaces(c.Change))
}

// intervalFigure is "-9.0 to -7.2 %" between before and after; empty when the
// interval is unknown.
func intervalFigure(c sweep.Comparison, before, after string) string {
	if !known(c.Lo) || !known(c.Hi) {
		return ""
	}
	places := percentPlaces(c.Change)
	return before + signed(c.Lo, places) + " to " + signedPercent(c.Hi, places) + after
}

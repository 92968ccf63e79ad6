package charts

import (
	"cmp"
	"strings"

	"versweep/sweep"
)

// The words of tables and findings, for pages that set them themselves. All of
// it is printable.

// ShortName is what a metric is called at the head of a column: "throughput",
// "p99".
func ShortName(m sweep.Metric) string { return wordingOf(m).short }

// UnitOf is the unit in which a metric is shown: "MiB" for bytes.
func UnitOf(m sweep.Metric) string { return Printable(displayOf(m).unit) }

// ValueText is a value, given in the metric's own unit, without its unit:
// "41,235".
func ValueText(m sweep.Metric, v float64) string {
	if !drawable(v) {
		return "unknown"
	}
	return number(v * displayOf(m).factor)
}

// TitleOf is a target's name for people.
func TitleOf(t sweep.Table) string { return targetTitle(t) }

// VerdictText is "undecided, 12 more rounds" or "~ no change".
func VerdictText(c sweep.Comparison) string { return verdictWords(c) }

// ChangeText is "-8.1 %", and the interval "-9.0 to -7.2 %"; each is empty when
// unknown.
func ChangeText(c sweep.Comparison) (change, interval string) {
	m := newReleaseMetric(c)
	if m.Change == "-" {
		return "", ""
	}
	return m.Change, m.Interval
}

// FindingNotes are a finding's state, place, doubts and name, a line each.
func FindingNotes(f sweep.Finding) []string { return findingNotes(f) }

// JudgementNotes say how far a judgement can be trusted, a line each: smallest
// effects, noise, the reference against itself, warnings.
func JudgementNotes(j sweep.Judgement) []string { return judgementFooter(j) }

// UndecidedTexts are what more rounds would tell, a line each.
func UndecidedTexts(j sweep.Judgement) []string { return undecidedLines(j.Undecided()) }

// Remarks are the lines below a table about single versions and samples.
func Remarks(t sweep.Table) []string {
	lines := remarks(t)
	if line := referenceLine(t); line != "" {
		lines = append(lines, line)
	}
	return append(lines, markLines(t)...)
}

// MarkText says what a kind of mark means.
func MarkText(k sweep.MarkKind) string { return cmp.Or(markWords[k], Printable(string(k))) }

// LoadText says how the load was put on, MachineText on what.
func LoadText(t sweep.Table) string { return loadCaption(t) }

func MachineText(e sweep.Environment) string { return machineCaption(e) }

// Shortened cuts the middle out of a text, so that it takes at most n columns.
func Shortened(text string, n int) string {
	return shortenMiddle(Printable(strings.TrimSpace(text)), withinColumns(n))
}

// ChangeWords tells a change of m, new/old - 1, with its interval, where m is not
// named beside it: "17 % more memory (95 % interval 14 to 20 %)"; "unknown" when it
// is.
func ChangeWords(m sweep.Metric, change, lo, hi float64) string {
	if !known(change) {
		return "unknown"
	}
	text := wordingOf(m).unnamed().change(change)
	if known(lo) && known(hi) {
		text += " (95 % interval " + intervalWords(change, lo, hi) + ")"
	}
	return text
}

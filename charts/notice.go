package charts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"versweep/sweep"
	"versweep/sweep/nightly"
)

// NoticeText tells a notice in one printable line: "Node.js, new: throughput 3.0 %
// slower since 20.5.0 (95 % interval 1.9 to 4.2 %), confidence 99.8 %; measured
// again: 2.9 % slower (1.7 to 4.1 %); to acknowledge: versweep ack node-qps-20.5.0".
func NoticeText(n nightly.Notice) string {
	text := Printable(cmp.Or(n.Title, n.Target)) + ", " + NoticeHead(n) + ": " + NoticeBody(n)
	if ack := AckCommand(n); ack != "" {
		text += ToAcknowledge + ack
	}
	return text
}

// ToAcknowledge comes between a notice and its AckCommand.
const ToAcknowledge = "; to acknowledge: "

// AckCommand is what to type when people know of what a notice is about; empty
// where there is nothing to acknowledge.
func AckCommand(n nightly.Notice) string {
	if n.Finding == nil || n.Finding.ID == "" {
		return ""
	}
	switch n.State {
	case nightly.New, nightly.StillThere, nightly.Reopened:
		return "versweep ack " + Printable(n.Finding.ID) + Printable(n.Place)
	}
	return ""
}

// NoticeHead is what became of what a notice is about: "new", "recovered in
// 20.6.0", "missing".
func NoticeHead(n nightly.Notice) string {
	switch {
	case n.State == nightly.Recovered && n.Finding != nil && n.Finding.RecoveredIn != "":
		return "recovered in " + Printable(n.Finding.RecoveredIn)
	case n.State == nightly.New && n.Finding != nil && n.Finding.Verdict != sweep.Regression:
		return "new " + string(n.Finding.Verdict)
	case n.State == nightly.New:
		return "new regression"
	}
	return string(n.State)
}

// NoticeBody is what a notice is about and how sure that is, without the target.
func NoticeBody(n nightly.Notice) string {
	if n.Finding == nil {
		return missingWords(n)
	}
	text := FindingText(*n.Finding)
	if c := n.Confirmed; c != nil {
		text += "; measured again: " + confirmedWords(*c)
	}
	if n.Reason != "" {
		text += "; " + Printable(n.Reason)
	}
	if told := n.State != nightly.New && !n.Since.IsZero(); told {
		text += " (first seen on " + date(n.Since) + ")"
	}
	return text
}

func missingWords(n nightly.Notice) string {
	if n.Target == "" && n.Reason != "" {
		return Printable(n.Reason) // nights themselves are missing
	}
	text := "no result"
	if n.Version != "" {
		text += " of " + Printable(n.Version)
	}
	if n.State == nightly.Back {
		text = "there is a result again"
		if n.Version != "" {
			text += " of " + Printable(n.Version)
		}
		if !n.Since.IsZero() {
			text += ", which was missing since " + date(n.Since)
		}
		return text
	}
	if n.Reason != "" {
		text += ": " + Printable(n.Reason)
	}
	return text
}

// confirmedWords is what fresh rounds said.
func confirmedWords(c sweep.Comparison) string {
	if !known(c.Change) {
		return string(c.Verdict)
	}
	text := wordingOf(c.Metric).change(c.Change)
	if known(c.Lo) && known(c.Hi) {
		text += " (" + intervalWords(c.Change, c.Lo, c.Hi) + ")"
	}
	return text
}

func date(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// NightTitle sums a night up: "Night of 2026-11-30: 2 new, 1 recovered, 1 missing".
func NightTitle(n nightly.Night) string {
	title := "Night of " + date(n.Began) + ": "
	var parts []string
	for _, s := range []nightly.State{
		nightly.New, nightly.Missing, nightly.StillThere, nightly.Reopened, nightly.Recovered, nightly.Back, nightly.Acknowledged, nightly.Expected,
	} {
		number := 0
		for _, notice := range n.Notices {
			if notice.State == s {
				number++
			}
		}
		if number > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", number, s))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing to tell")
	}
	return title + strings.Join(parts, ", ")
}

// TargetNightText is what a night did for one target: "5 versions measured, 3 wait
// for the next night", without its name.
func TargetNightText(t nightly.TargetNight) string {
	if t.Failed != "" {
		return "failed: " + Printable(t.Failed)
	}
	text := "nothing had to be measured"
	switch {
	case len(t.Measured) > 0:
		text = count(int64(len(t.Measured)), "version") + " measured"
	case t.Tried > 0:
		text = count(int64(t.Tried), "version") + " tried, none could be measured"
	case t.Left > 0:
		text = "nothing measured"
	}
	switch {
	case t.Left == 1:
		text += ", 1 waits for the next night"
	case t.Left > 1:
		text += fmt.Sprintf(", %d wait for the next night", t.Left)
	}
	if t.Stopped != "" {
		text += ", then stopped: " + Printable(t.Stopped)
	}
	return text
}

// NightText tells a night in plain text: a line for the whole, one a notice, one a
// target. It ends in a line break.
func NightText(n nightly.Night) string {
	lines := []string{NightTitle(n)}
	for _, notice := range n.Notices {
		lines = append(lines, "- "+NoticeText(notice))
	}
	if open := standing(n); open != "" {
		lines = append(lines, open)
	}
	for _, t := range n.Targets {
		lines = append(lines, targetTitleOf(t)+": "+TargetNightText(t))
	}
	return strings.Join(lines, "\n") + "\n"
}

func targetTitleOf(t nightly.TargetNight) string { return Printable(cmp.Or(t.Title, t.Target)) }

// StandingBesides is what stands besides what is told tonight.
func StandingBesides(n nightly.Night) []nightly.Notice {
	told := map[string]bool{}
	for _, notice := range n.Notices {
		told[notice.Key] = true
	}
	return slices.DeleteFunc(slices.Clone(n.Open), func(o nightly.Notice) bool { return told[o.Key] })
}

// StandingText is what still stands, in one line, with the target.
func StandingText(n nightly.Notice) string {
	text := Printable(cmp.Or(n.Title, n.Target)) + ", stands: " + NoticeBody(n)
	if ack := AckCommand(n); ack != "" {
		text += ToAcknowledge + ack
	}
	return text
}

// standing counts what stands besides what is told tonight; empty when nothing
// does.
func standing(n nightly.Night) string {
	switch number := len(StandingBesides(n)); number {
	case 0:
		return ""
	case 1:
		return "1 more stands as told before."
	default:
		return fmt.Sprintf("%d more stand as told before.", number)
	}
}

package charts

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"versweep/sweep"
	"versweep/sweep/nightly"
)

// What Slack takes of a message: blocks, and characters in each block of text.
// The text that stands for the whole in notifications is kept as short.
const (
	slackBlocks  = 50
	slackLetters = 3000
)

// NightSlack tells a night for Slack: one line for notifications, and sections of
// its mark-up, a block each, within what Slack takes. Text from outside is
// escaped, so that it can neither link nor call anybody.
func NightSlack(n nightly.Night) (text string, sections []string) {
	text = slackCut(NightTitle(n), slackLetters)
	sections = append(sections, "*"+slackCut("versweep: "+NightTitle(n), slackLetters-2)+"*")
	// The heading, what was left out, what stands and the targets.
	const others = 4
	for i, notice := range n.Notices {
		if i == slackBlocks-others {
			sections = append(sections, fmt.Sprintf("and %d more", len(n.Notices)-i))
			break
		}
		sections = append(sections, slackMark(notice)+" "+slackCut(NoticeText(notice), slackLetters-20))
	}
	if open := standing(n); open != "" {
		sections = append(sections, slackCut(open, slackLetters))
	}
	var targets strings.Builder
	for i, t := range n.Targets {
		line := slackCut(targetTitleOf(t)+": "+TargetNightText(t), slackLetters/4) + "\n"
		if utf8.RuneCountInString(targets.String()+line) > slackLetters-40 {
			fmt.Fprintf(&targets, "and %d more targets", len(n.Targets)-i)
			break
		}
		targets.WriteString(line)
	}
	if targets.Len() > 0 {
		sections = append(sections, strings.TrimSuffix(targets.String(), "\n"))
	}
	return text, sections
}

// slackMark is the sign before a notice.
func slackMark(n nightly.Notice) string {
	if n.Finding != nil && n.Finding.Verdict != sweep.Regression {
		return ":white_circle:"
	}
	switch n.State {
	case nightly.New, nightly.Missing, nightly.Reopened:
		return ":red_circle:"
	case nightly.StillThere:
		return ":large_orange_circle:"
	case nightly.Recovered, nightly.Back:
		return ":large_green_circle:"
	}
	return ":white_circle:"
}

var slackEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// slackCut escapes text and cuts it so that it has at most letters characters
// with its escapes.
func slackCut(text string, letters int) string {
	return slackEscapes.Replace(shorten(text, func(s string) bool { return utf8.RuneCountInString(slackEscapes.Replace(s)) <= letters }))
}

package charts

import (
	"fmt"
	"strings"

	"versweep/sweep/nightly"
)

// NightMarkdown tells a night as GitHub-flavoured Markdown: what is told as a
// list, what was done as a table of targets, what stands besides as a list. Text
// from outside is escaped. It has at most limit bytes, if limit leaves room for
// the heading: what does not fit is counted.
func NightMarkdown(n nightly.Night, limit int) string {
	room := limit - 200 // for the lines that say what was left out
	var b strings.Builder
	fmt.Fprintf(&b, "## versweep: %s\n", markdown(NightTitle(n)))
	targets := markdownTargets(n.Targets, room/2)
	writeMarkdownNotices(&b, "", n.Notices, room-len(targets))
	b.WriteString(targets)
	writeMarkdownNotices(&b, "\nStanding as told before:\n", StandingBesides(n), room)
	return b.String()
}

// markdownTargets is the table of what was done; empty when there is none.
func markdownTargets(targets []nightly.TargetNight, room int) string {
	if len(targets) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n| target | tonight |\n|---|---|\n")
	for i, t := range targets {
		row := fmt.Sprintf("| %s | %s |\n", markdown(targetTitleOf(t)), markdown(TargetNightText(t)))
		if b.Len()+len(row) > room {
			fmt.Fprintf(&b, "| and %d more | |\n", len(targets)-i)
			break
		}
		b.WriteString(row)
	}
	return b.String()
}

func writeMarkdownNotices(b *strings.Builder, head string, notices []nightly.Notice, room int) {
	if len(notices) == 0 || b.Len() > room {
		return
	}
	b.WriteString(head + "\n")
	for i, n := range notices {
		line := "- **" + markdown(targetTitleOf(nightly.TargetNight{Target: n.Target, Title: n.Title})) + ", " + markdown(NoticeHead(n)) + "**: " + markdown(NoticeBody(n))
		if ack := AckCommand(n); ack != "" {
			if !strings.Contains(ack, "`") {
				line += ToAcknowledge + "`" + ack + "`"
			} else {
				line += ToAcknowledge + markdown(ack)
			}
		}
		line += "\n"
		if b.Len()+len(line) > room {
			fmt.Fprintf(b, "- and %d more\n", len(notices)-i)
			return
		}
		b.WriteString(line)
	}
}

package main

import (
	"time"

	"versweep/charts"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// nightJSON is a night as webhooks get it.
type nightJSON struct {
	Schema  int               `json:"schema"`
	Kind    string            `json:"kind"` // "versweep-nightly"
	Text    string            `json:"text"` // the same for people, lines of plain text
	Night   nightTimesJSON    `json:"night"`
	Notices []noticeJSON      `json:"notices"` // what has changed, the worst first
	Open    []noticeJSON      `json:"open"`    // regressions and missing results that stand
	Targets []targetNightJSON `json:"targets"`
}

const nightKind = "versweep-nightly"

type nightTimesJSON struct {
	ID    int64     `json:"id"`
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended"`
}

// noticeJSON is what a command gets on its standard input, and an item of what a
// webhook gets.
type noticeJSON struct {
	Schema    int             `json:"schema"`
	Key       string          `json:"key"`
	Text      string          `json:"text"` // the same for people, one line
	Target    string          `json:"target"`
	Title     string          `json:"title"`
	State     nightly.State   `json:"state"`
	Was       *nightly.State  `json:"was"`
	Finding   *findingJSON    `json:"finding"` // as check --json has it
	Confirmed *comparisonJSON `json:"confirmed"`
	Version   *string         `json:"version"`
	Reason    *string         `json:"reason"`
	Since     *time.Time      `json:"since"`
}

// comparisonJSON is what fresh rounds said of a finding.
type comparisonJSON struct {
	Verdict sweep.Verdict `json:"verdict"`
	changeJSON
}

type targetNightJSON struct {
	Target   string   `json:"target"`
	Title    string   `json:"title"`
	Measured []string `json:"measured"`
	Left     int      `json:"left"`
	Failed   *string  `json:"failed"`  // why nothing could be done
	Stopped  *string  `json:"stopped"` // why it was ended before all was done
}

func newNightJSON(n nightly.Night) nightJSON {
	doc := nightJSON{
		Schema: jsonSchema, Kind: nightKind, Text: charts.NightText(n), Night: nightTimesJSON{n.ID, n.Began.UTC(), n.Ended.UTC()},
		Notices: newNoticesJSON(n.Notices), Open: []noticeJSON{}, Targets: []targetNightJSON{},
	}
	for _, o := range charts.StandingBesides(n) {
		open := newNoticeJSON(o)
		open.Text = charts.StandingText(o)
		doc.Open = append(doc.Open, open)
	}
	for _, t := range n.Targets {
		doc.Targets = append(doc.Targets, targetNightJSON{t.Target, t.Title, append([]string{}, t.Measured...), t.Left, orNull(t.Failed), orNull(t.Stopped)})
	}
	return doc
}

func newNoticesJSON(notices []nightly.Notice) []noticeJSON {
	list := []noticeJSON{}
	for _, n := range notices {
		list = append(list, newNoticeJSON(n))
	}
	return list
}

func newNoticeJSON(n nightly.Notice) noticeJSON {
	doc := noticeJSON{
		Schema: jsonSchema, Key: n.Key, Text: charts.NoticeText(n), Target: n.Target, Title: n.Title, State: n.State,
		Version: orNull(n.Version), Reason: orNull(n.Reason),
	}
	if n.Was != "" {
		doc.Was = &n.Was
	}
	if n.Finding != nil {
		finding := newFindingJSON(*n.Finding)
		doc.Finding = &finding
	}
	if c := n.Confirmed; c != nil {
		doc.Confirmed = &comparisonJSON{c.Verdict, newChangeJSON(c.Change, c.Lo, c.Hi)}
	}
	if !n.Since.IsZero() {
		since := n.Since.UTC()
		doc.Since = &since
	}
	return doc
}

// slackJSON is a message for Slack's incoming webhooks.
type slackJSON struct {
	Text   string           `json:"text"` // for notifications, and for what knows no blocks
	Blocks []slackBlockJSON `json:"blocks"`
}

type slackBlockJSON struct {
	Type string        `json:"type"`
	Text slackTextJSON `json:"text"`
}

type slackTextJSON struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Verbatim bool   `json:"verbatim"` // no links are made of what looks like one
}

func newSlackJSON(n nightly.Night) slackJSON {
	text, sections := charts.NightSlack(n)
	doc := slackJSON{Text: text, Blocks: []slackBlockJSON{}}
	for _, s := range sections {
		doc.Blocks = append(doc.Blocks, slackBlockJSON{"section", slackTextJSON{"mrkdwn", s, true}})
	}
	return doc
}

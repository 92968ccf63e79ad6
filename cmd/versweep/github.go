package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"versweep/charts"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// githubChannel writes what GitHub Actions shows: annotations as workflow commands
// to the step's output, and a summary to the step's file.
type githubChannel struct {
	output  io.Writer
	summary string // file; empty when there is none
}

const (
	// summaryBytes is what GitHub takes of a step's summary; a longer one is
	// dropped as a whole.
	summaryBytes = 1 << 20
	// annotationsShown is how many of each level GitHub shows of a step.
	annotationsShown = 10
)

func (g *githubChannel) name() string { return "github" }

func (g *githubChannel) deliver(_ context.Context, night nightly.Night) error {
	return errors.Join(g.annotate(night.Notices), g.summarise(night))
}

func (g *githubChannel) annotate(notices []nightly.Notice) error {
	var b strings.Builder
	number := map[string]int{}
	for _, n := range notices {
		level := annotationLevel(n)
		if number[level]++; number[level] > annotationsShown {
			continue // the summary has them all
		}
		title := charts.Printable(cmp.Or(n.Title, n.Target)) + ", " + charts.NoticeHead(n)
		text := charts.NoticeBody(n)
		if ack := charts.AckCommand(n); ack != "" {
			text += charts.ToAcknowledge + ack
		}
		fmt.Fprintf(&b, "::%s title=%s::%s\n", level, annotationProperty.Replace(title), annotationText.Replace(text))
	}
	if _, err := io.WriteString(g.output, b.String()); err != nil {
		return fmt.Errorf("writing annotations: %w", err)
	}
	return nil
}

func annotationLevel(n nightly.Notice) string {
	bad := n.Finding == nil || n.Finding.Verdict == sweep.Regression
	switch n.State {
	case nightly.New, nightly.Reopened:
		if bad {
			return "error"
		}
	case nightly.StillThere, nightly.Missing:
		if bad {
			return "warning"
		}
	}
	return "notice"
}

// What a workflow command takes for its own, as GitHub's toolkit escapes it.
var (
	annotationText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// summarise adds a page to what the step has said already.
func (g *githubChannel) summarise(night nightly.Night) (err error) {
	if g.summary == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing the step's summary: %w", err)
		}
	}()
	f, err := os.OpenFile(g.summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := charts.NightMarkdown(night, summaryBytes-int(min(info.Size(), summaryBytes))-1)
	if info.Size()+int64(len(text)) >= summaryBytes {
		return errors.New("the step has said so much that there is no room")
	}
	_, err = io.WriteString(f, text)
	return err
}

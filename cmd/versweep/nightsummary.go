package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"versweep/charts"
	"versweep/charts/report"
	"versweep/sweep"
	"versweep/sweep/nightly"
)

// printNight prints what a night has come to: what changed, and of each target
// what was done and what stands.
func (a *app) printNight(n nightly.Night) error {
	if a.json {
		return a.printJSON(newNightDoneJSON(n))
	}
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, charts.Printable(fmt.Sprintf(format, args...)))
	}
	// As check does, for those that ack takes.
	addFinding := func(n nightly.Notice) {
		if n.Finding != nil && n.Finding.State != sweep.Recovered {
			add("    finding %s", n.Finding.ID)
		}
	}
	add("Night %d, %s to %s: %s", n.ID, n.Began.Local().Format(minuteOfDay), n.Ended.Local().Format("15:04"), counted(len(n.Notices), "change"))
	for _, notice := range n.Notices {
		if notice.Target == "" {
			add("  %s", charts.NoticeText(notice))
		}
	}
	for _, t := range n.Targets {
		lines = append(lines, "")
		add("%s: %s", t.Title, doneWords(t))
		for _, notice := range n.Notices {
			if notice.Target == t.Target {
				add("  %s: %s", charts.NoticeHead(notice), charts.NoticeBody(notice))
				addFinding(notice)
			}
		}
		for _, o := range charts.StandingBesides(n) {
			if o.Target == t.Target {
				add("  stands: %s", charts.NoticeBody(o))
				addFinding(o)
			}
		}
		for _, s := range t.Suspicions {
			told := func(notice nightly.Notice) bool {
				return notice.Finding != nil && notice.Finding.ID == s.Finding.ID && notice.State == nightly.New
			}
			switch {
			case s.Standing == nightly.Suspected:
				add("  suspected, not told yet: %s%s", charts.FindingText(s.Finding), seenWords(s))
			case !slices.ContainsFunc(n.Notices, told):
				add("  %s by fresh rounds: %s%s", s.Standing, charts.FindingText(s.Finding), seenWords(s))
			}
		}
		for _, r := range t.Remarks {
			add("  %s", r)
		}
	}
	_, err := fmt.Fprintln(a.stdout, strings.Join(lines, "\n"))
	return err
}

func seenWords(s nightly.Suspicion) string {
	if s.Seen == "" {
		return ""
	}
	return "; seen " + s.Seen
}

// doneWords is "3 versions measured (1.0.0, 1.1.0, 1.2.0), 2 left for another
// night".
func doneWords(t nightly.TargetNight) string {
	if t.Failed != "" {
		return "nothing could be done: " + t.Failed
	}
	const most = 6
	names := t.Measured
	more := ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], fmt.Sprintf(" and %d more", n)
	}
	text := "nothing to measure"
	if len(names) > 0 {
		text = fmt.Sprintf("%s measured (%s%s)", counted(len(t.Measured), "version"), strings.Join(names, ", "), more)
	} else if t.Tried > 0 {
		text = fmt.Sprintf("%s tried, none could be measured", counted(t.Tried, "version"))
	} else if t.Left > 0 {
		text = "nothing measured"
	}
	if t.Left > 0 {
		text += fmt.Sprintf(", %d left for another night", t.Left)
	}
	if t.Stopped != "" {
		text += ", then stopped: " + t.Stopped
	}
	return text
}

// writeNight writes the report and the other outputs of the settings, of the
// targets that have been measured by now. All are tried.
func (a *app) writeNight(ctx context.Context, s *nightlySettings, result nightly.Result) error {
	h, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	var targets []string
	for _, t := range s.targets {
		past, _, err := h.Recent(ctx, t.definition.Name, sweep.Span{})
		if err != nil {
			return err
		}
		if len(past) > 0 {
			targets = append(targets, t.definition.Name)
		}
	}
	o := s.outputs
	if len(targets) == 0 || o.report == "" && o.charts == "" && len(o.export) == 0 {
		return nil
	}
	site, err := a.site(ctx, targets, nil)
	if err != nil {
		return fmt.Errorf("reading what to report on: %w", err)
	}
	site.Targets = s.asTold(site.Targets, result)
	var failed []error
	if o.report != "" {
		failed = append(failed, a.writeReport(ctx, o.report, site))
	}
	if o.charts != "" {
		for _, t := range site.Targets {
			failed = append(failed, a.writeTrend(outputName(o.charts, t.Judgement.Target), t))
		}
	}
	failed = append(failed, a.writeExports(ctx, o.export, s.asWatched(site.Targets)))
	return errors.Join(failed...)
}

func (a *app) writeReport(ctx context.Context, dir string, site report.Site) error {
	files, err := site.Files()
	if err != nil {
		return fmt.Errorf("making the report: %w", err)
	}
	if err := report.Write(dir, untilDone(ctx, files)); err != nil {
		return err
	}
	a.say("wrote %d files: open %s", len(files), filepath.Join(dir, "index.html"))
	return nil
}

// writeTrend draws a target's throughput over all versions, whichever night
// measured them.
func (a *app) writeTrend(file string, t report.Target) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	err := writePicture(file, report.Table(t), sweep.QPS, charts.Options{Judgement: &t.Judgement})
	if errors.Is(err, charts.ErrNothingToDraw) {
		a.say("%v", err) // the night tells what is missing
		return nil
	}
	if err != nil {
		return err
	}
	a.say("wrote %s", file)
	return nil
}

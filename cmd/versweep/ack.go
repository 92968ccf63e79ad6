package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/sweep"
)

// ackFlags are the flags of ack.
type ackFlags struct {
	judgingFlags
	expect, reopen bool
	note           string
}

func (a *app) ackCommand() *cobra.Command {
	var f ackFlags
	cmd := &cobra.Command{
		Use:   "ack FINDING",
		Short: "Acknowledge a finding, expect it, or reopen it",
		Long: `ack keeps in the store what people have made of a finding, by the name under
which check or a night tells it. One that is acknowledged is known and still bad, one that is
expected is meant to be so; neither makes check fail. --reopen takes that back.`,
		Example: "  versweep ack node-qps-20.5.0 --note 'nodejs/node issue 50000'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.check()
			if err != nil {
				return err
			}
			return a.ack(cmd.Context(), args[0], f, o)
		},
		ValidArgsFunction: a.completeFindings,
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.expect, "expect", false, "the change is meant to be so")
	flags.BoolVar(&f.reopen, "reopen", false, "take back what was said of the finding")
	flags.StringVar(&f.note, "note", "", "why, in one line (default none)")
	flags.StringVar(&f.effect, "effect", "", effectHelp)
	return cmd
}

// maxNote is how long a note may be, in characters.
const maxNote = 500

func (f ackFlags) check() (sweep.JudgeOptions, error) {
	switch {
	case f.expect && f.reopen:
		return sweep.JudgeOptions{}, misuse("give one of them", "--expect and --reopen exclude one another")
	case utf8.RuneCountInString(f.note) > maxNote:
		return sweep.JudgeOptions{}, misuse("link to the long story", "--note: it is longer than %d characters", maxNote)
	case strings.ContainsFunc(f.note, func(r rune) bool { return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) }) || !utf8.ValidString(f.note):
		return sweep.JudgeOptions{}, misuse("one line of plain text", "--note: it has line breaks or characters that cannot be seen")
	}
	return f.options()
}

func (f ackFlags) state() sweep.State {
	switch {
	case f.expect:
		return sweep.Expected
	case f.reopen:
		return sweep.Open
	}
	return sweep.Acknowledged
}

func (a *app) ack(ctx context.Context, id string, f ackFlags, o sweep.JudgeOptions) error {
	target, finding, note, err := a.findFinding(ctx, id, o)
	if err != nil {
		return err
	}
	was := finding.State
	if was == sweep.Recovered {
		return misuse("it does not count; versweep check "+target+" lists it as known", "%s recovered in %s: there is nothing to acknowledge", finding.ID, finding.RecoveredIn)
	}
	changes := was != f.state() || f.note != ""
	if f.note == "" {
		f.note = note // what was said before still holds
	}
	if changes {
		err := a.setState(ctx, sweep.Acknowledgement{
			ID: finding.ID, Target: target, Metric: finding.Metric.Key, From: finding.From, To: finding.To, Verdict: finding.Verdict,
			State: f.state(), Note: f.note, At: a.now(),
		})
		if err != nil {
			return err
		}
	}
	finding.State = f.state()
	if a.json {
		return a.printJSON(ackJSON{jsonSchema, target, newFindingJSON(finding), was, orNull(f.note)})
	}
	text := fmt.Sprintf("%s is %s (was %s): %s", finding.ID, finding.State, was, charts.FindingText(finding))
	if was == finding.State {
		text = fmt.Sprintf("%s is %s already: %s", finding.ID, finding.State, charts.FindingText(finding))
	}
	_, err = fmt.Fprintln(a.stdout, charts.Printable(text))
	return err
}

// findFinding looks for a finding among those of all targets, and for what people
// have noted about it.
func (a *app) findFinding(ctx context.Context, id string, o sweep.JudgeOptions) (target string, f sweep.Finding, note string, err error) {
	h, err := a.openHistory(ctx)
	if err != nil {
		return "", f, "", err
	}
	defer h.Close()
	targets, err := h.Targets(ctx)
	if err != nil {
		return "", f, "", err
	}
	// Names of findings begin with their target's: look there first.
	slices.SortStableFunc(targets, func(x, y string) int {
		return cmp.Compare(nameDistance(id, x), nameDistance(id, y))
	})
	var open []string
	for _, target := range targets {
		findings, err := a.acknowledgeable(ctx, h, target, o)
		if err != nil {
			return "", f, "", err
		}
		for _, found := range findings {
			if found.ID == id || found.key == id {
				acks, err := h.Acknowledgements(ctx, target)
				for _, known := range acks {
					if known.ID == found.ID {
						note = known.Note
					}
				}
				return target, found.Finding, note, err
			}
			if found.State == sweep.Open && !slices.Contains(open, found.ID) {
				open = append(open, found.ID)
			}
		}
	}
	return "", f, "", misuse(openFindings(open), "there is no finding %q", id)
}

// acknowledgeable are the findings of a target that ack takes: those of a judgement of
// all its metrics, and then those that nights told of, by the key that they were told
// under as well.
func (a *app) acknowledgeable(ctx context.Context, h history, target string, o sweep.JudgeOptions) ([]toldFinding, error) {
	j, err := a.judge(ctx, h, target, sweep.Span{}, o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		j = sweep.Judgement{} // a target of which nothing can be judged has no findings of its own
	}
	var list []toldFinding
	for _, f := range j.Findings {
		list = append(list, toldFinding{key: f.ID, Finding: f})
	}
	told, err := toldFindings(ctx, h, target, j)
	return append(list, told...), err
}

// nameDistance is 0 for the targets whose findings id may be one of.
func nameDistance(id, target string) int {
	if strings.HasPrefix(id, target) {
		return 0
	}
	return 1
}

// maxListedFindings bounds a hint.
const maxListedFindings = 10

func openFindings(ids []string) string {
	if len(ids) == 0 {
		return "no finding is open; versweep check TARGET tells the others"
	}
	slices.Sort(ids)
	more := ""
	if n := len(ids) - maxListedFindings; n > 0 {
		ids, more = ids[:maxListedFindings], fmt.Sprintf(" and %d more", n)
	}
	return charts.Printable("open are " + strings.Join(ids, ", ") + more)
}

// completeFindings offers findings with what they say.
func (a *app) completeFindings(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	h, targets, ok := a.storedTargets(cmd.Context())
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer h.Close()
	var list []cobra.Completion
	for _, target := range targets {
		findings, err := a.acknowledgeable(cmd.Context(), h, target, sweep.JudgeOptions{})
		if err != nil {
			continue
		}
		offered := map[string]bool{}
		for _, f := range findings {
			if !offered[f.ID] {
				list = append(list, cobra.CompletionWithDesc(charts.Printable(f.ID), charts.FindingText(f.Finding)))
			}
			offered[f.ID] = true
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

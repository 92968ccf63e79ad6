package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/sweep"
)

func (a *app) checkCommand() *cobra.Command {
	var f judgingFlags
	var span spanFlags
	var minChange string
	cmd := &cobra.Command{
		Use:   "check TARGET…",
		Short: "Judge the sweeps of targets, for automation",
		Long: `check judges what the store has of each target: which versions changed, by how
much, and how sure that is. It measures nothing.

The exit status is 3 when a regression counts: one that is neither acknowledged
nor expected (versweep ack) nor recovered, and no smaller than --min-change. All
targets are judged even if one of them cannot be; that is status 1 or 2, unless a
regression counts elsewhere.`,
		Example: "  versweep check node --metric qps,peak_rss_bytes --min-change 5%",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options()
			if err != nil {
				return err
			}
			least, err := parseShare("--min-change", minChange)
			if err != nil {
				return err
			}
			sweeps, err := span.span(cmd.Flags(), a.now())
			if err != nil {
				return err
			}
			h, err := a.openHistory(cmd.Context())
			if err != nil {
				return err
			}
			defer h.Close()
			c := checked{minChange: least}
			for _, target := range args {
				j, err := a.judge(cmd.Context(), h, target, sweeps, o)
				if cmd.Context().Err() != nil {
					return cmd.Context().Err()
				}
				c.add(target, j, err)
			}
			return a.tellChecked(cmd.Context(), c)
		},
		ValidArgsFunction: a.completeStored,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.effect, "effect", "", effectHelp)
	flags.StringVar(&minChange, "min-change", "0%", "smaller regressions are told but do not count, such as 5% or 0.05")
	flags.StringSliceVar(&f.metrics, "metric", nil, "metrics to judge, comma-separated (default all): "+metricKeys())
	flags.StringVar(&f.source, "source", "", sourceOfSweepsHelp)
	span.add(flags)
	return cmd
}

// completeStored offers the targets that have sweeps.
func (a *app) completeStored(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	h, targets, ok := a.storedTargets(cmd.Context())
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer h.Close()
	return slices.DeleteFunc(targets, func(t string) bool { return slices.Contains(args, t) }), cobra.ShellCompDirectiveNoFileComp
}

// checked is what became of the targets that check was given.
type checked struct {
	minChange  float64 // smaller regressions do not count, a fraction
	judgements []sweep.Judgement
	failed     []failedTarget
}

type failedTarget struct {
	target string
	err    error
}

func (c *checked) add(target string, j sweep.Judgement, err error) {
	if err != nil {
		c.failed = append(c.failed, failedTarget{target, err})
		return
	}
	c.judgements = append(c.judgements, j)
}

// regressionError says that regressions count: exit status 3.
type regressionError struct{ found []string }

func (e *regressionError) Error() string { return "regressions found: " + strings.Join(e.found, ", ") }

// tellChecked prints the judgements, and returns the error that decides the exit
// status: regressions first, then what kept a target from being judged.
func (a *app) tellChecked(ctx context.Context, c checked) error {
	if err := a.printChecked(c); err != nil {
		return err
	}
	var regressions regressionError
	for _, j := range c.judgements {
		n := 0
		for _, f := range j.Findings {
			if f.Counts(c.minChange) {
				n++
			}
		}
		if n > 0 {
			regressions.found = append(regressions.found, fmt.Sprintf("%d of %s", n, j.Target))
		}
	}
	told := c.failed
	var last error
	if len(regressions.found) > 0 {
		last = &regressions
	} else if len(told) > 0 {
		told, last = told[:len(told)-1], told[len(told)-1].err
	}
	for _, f := range told {
		a.tell(ctx, f.err)
	}
	return last
}

func (a *app) printChecked(c checked) error {
	switch several := len(c.judgements)+len(c.failed) > 1; {
	case a.json && several:
		return a.printJSON(newChecksJSON(c))
	case a.json:
		for _, j := range c.judgements {
			return a.printJSON(newCheckJSON(j))
		}
	default:
		for i, j := range c.judgements {
			if i > 0 {
				fmt.Fprintln(a.stdout)
			}
			if err := charts.WriteFindings(a.stdout, j, charts.FindingsOptions{Width: a.columns(), MinChange: c.minChange}); err != nil {
				return err
			}
		}
	}
	return nil
}

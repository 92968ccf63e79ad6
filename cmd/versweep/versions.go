package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"versweep/runtimes"
	"versweep/sweep"
)

// selectionFlags are the flags that choose versions.
type selectionFlags struct {
	versions    string
	per         string
	prereleases bool
	source      string
}

func (f *selectionFlags) add(cmd *cobra.Command, per string) {
	flags := cmd.Flags()
	flags.StringVar(&f.versions, "versions", "", "range of versions: '>=18 <23', '0.10.x', '18,20.11.1,latest' (default all)")
	flags.StringVar(&f.per, "per", "", "keep the newest of each line, minor or patch release "+per)
	flags.BoolVar(&f.prereleases, "prereleases", false, "take prereleases too; one that --versions names is always taken")
	flags.StringVar(&f.source, "source", "", "where versions come from (default the first of the target's that answers)")
}

// selection checks the flags against a target.
func (f *selectionFlags) selection(d *runtimes.Definition, per sweep.Per) (sweep.Selection, error) {
	if f.per != "" {
		per = sweep.Per(f.per)
	}
	switch per {
	case sweep.PerLine, sweep.PerMinor, sweep.PerPatch:
	default:
		return sweep.Selection{}, misuse("use line, minor or patch", "--per: unknown value %q", f.per)
	}
	if names := d.SourceNames(); f.source != "" && !slices.Contains(names, f.source) {
		return sweep.Selection{}, misuse("known for this target: "+strings.Join(names, ", "), "--source: %s has no source %q", d.Name, f.source)
	}
	if _, err := sweep.ParseRange(f.versions); err != nil {
		return sweep.Selection{}, err
	}
	return sweep.Selection{Range: f.versions, Per: per, Prereleases: f.prereleases}, nil
}

func (a *app) versionsCommand() *cobra.Command {
	var f selectionFlags
	cmd := &cobra.Command{
		Use:     "versions TARGET",
		Short:   "List the versions that were found, and what was skipped and why",
		Example: "  versweep versions node --versions '>=20' --per minor",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.findTarget(args[0])
			if err != nil {
				return err
			}
			s, err := f.selection(d, sweep.PerPatch)
			if err != nil {
				return err
			}
			found, skipped, err := a.discover(cmd.Context(), d, f.source)
			if err != nil {
				return err
			}
			chosen, err := choose(s, d, found)
			if err != nil {
				return err
			}
			return a.printVersions(d, chosen, skipped)
		},
	}
	f.add(cmd, "(default patch: all)")
	return cmd
}

// discover lists the versions of the source asked for, or of the first that
// answers.
func (a *app) discover(ctx context.Context, d *runtimes.Definition, kind string) (found []sweep.Version, skipped []sweep.Skipped, err error) {
	for _, s := range sourcesOf(d, kind) {
		if err != nil {
			a.say("%v; trying source %s", err, s.Kind())
		}
		var supply *runtimes.Supply
		if supply, err = runtimes.OpenSupply(d, s, nil); err != nil {
			continue
		}
		if found, skipped, err = supply.Versions(ctx); err == nil || ctx.Err() != nil {
			return found, skipped, err
		}
	}
	return nil, nil, err
}

// sourcesOf lists the sources of a kind, or all when kind is empty.
func sourcesOf(d *runtimes.Definition, kind string) []runtimes.Source {
	return slices.DeleteFunc(slices.Clone(d.Sources), func(s runtimes.Source) bool { return kind != "" && s.Kind() != kind })
}

// choose applies a selection. Choosing nothing is misuse.
func choose(s sweep.Selection, d *runtimes.Definition, found []sweep.Version) (sweep.Chosen, error) {
	chosen, err := s.Choose(found)
	if err != nil {
		return chosen, err
	}
	if len(chosen.Versions) == 0 && len(chosen.Missing) == 0 {
		hint := "versweep versions " + d.Name + " lists them"
		if chosen.Prereleases > 0 {
			hint = "--prereleases takes prereleases too; " + hint
		}
		left := chosen.Left()
		if left == "" {
			left = "none were found"
		}
		return chosen, misuse(hint, "no version of %s is in range %q (%d found: %s)", d.Name, s.Range, len(found), left)
	}
	return chosen, nil
}

func (a *app) printVersions(d *runtimes.Definition, chosen sweep.Chosen, skipped []sweep.Skipped) error {
	var missing []sweep.Skipped
	for _, m := range chosen.Missing {
		missing = append(missing, sweep.Skipped{Raw: m, Reason: "no such release"})
	}
	skipped = append(missing, skipped...)
	if a.json {
		return a.printJSON(newVersionsJSON(d.Name, chosen.Versions, skipped))
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, v := range chosen.Versions {
		kind := ""
		if v.Prerelease {
			kind = "prerelease"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", v.Name, v.Line, v.Source, kind)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	a.say("%s of %s", counted(len(chosen.Versions), "version"), d.Title)
	if left := chosen.Left(); left != "" {
		a.say("left out: %s", left)
	}
	a.saySkipped(skipped)
	return nil
}

// shownNames is how many names are shown of those skipped for one reason, and
// shownLetters how much of each: a repository can have thousands. --json has all.
const (
	shownNames   = 5
	shownLetters = 80
)

// saySkipped tells what was skipped, counted by reason.
func (a *app) saySkipped(skipped []sweep.Skipped) {
	var reasons []string
	names := map[string][]string{}
	for _, s := range skipped {
		if _, known := names[s.Reason]; !known {
			reasons = append(reasons, s.Reason)
		}
		names[s.Reason] = append(names[s.Reason], fmt.Sprintf("%.*q", shownLetters, s.Raw))
	}
	for _, reason := range reasons {
		all := names[reason]
		if len(all) == 1 {
			a.say("skipped %s: %s", all[0], reason)
			continue
		}
		more := ""
		if n := len(all) - shownNames; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		a.say("skipped %d: %s: %s%s", len(all), reason, strings.Join(all[:min(len(all), shownNames)], ", "), more)
	}
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/store/published"
	"versweep/sweep"
	"versweep/sweep/load"
)

// addCompletions teaches the shell what may stand where, for the whole command
// tree: by the name of the argument in a command's usage, and by the flag's.
// What this map does not have completes as a file's name does.
func (a *app) addCompletions(root *cobra.Command) {
	flags := map[string]cobra.CompletionFunc{
		"metric":   listed(words(metricWords)),
		"kind":     words(kindNames),
		"theme":    words(func() []string { return []string{string(charts.Light), string(charts.Dark)} }),
		"with":     a.completeWith,
		"format":   completeFormat,
		"better":   completeBetter,
		"layout":   words(func() []string { return []string{layoutVersions, layoutSeries, layoutMetrics} }),
		"launcher": words(func() []string { return []string{launcherAuto, launcherDocker, launcherProcess} }),
		"per": words(func() []string {
			return []string{string(sweep.PerLine), string(sweep.PerMinor), string(sweep.PerPatch)}
		}),
		"profile":     words(profileWords),
		"decimal":     words(func() []string { return decimals }),
		"line":        words(func() []string { return linesBy }),
		"order":       words(func() []string { return orders }),
		"published":   words(published.Names),
		"from":        words(runtimes.SkeletonKinds),
		"source":      a.completeSource,
		"output":      completeOutput,
		"db":          cobra.FixedCompletions([]string{"db"}, cobra.ShellCompDirectiveFilterFileExt),
		"cache":       cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		"target-dir":  cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		"versions":    a.completeVersions,
		"sweep":       cobra.NoFileCompletions,
		"title":       cobra.NoFileCompletions,
		"target":      cobra.NoFileCompletions,
		"environment": cobra.NoFileCompletions,
		"version":     cobra.NoFileCompletions,
		"reference":   cobra.NoFileCompletions,
		"server-cpus": cobra.NoFileCompletions,
		"load-cpus":   cobra.NoFileCompletions,
	}
	for _, cmd := range everyCommand(root) {
		use := cmd.Use
		switch {
		case cmd == root || cmd.ValidArgsFunction != nil:
		case cmd.Name() == "table":
			cmd.ValidArgsFunction = once(a.completeStored)
		case strings.Contains(use, " TARGET…"):
			cmd.ValidArgsFunction = a.completeTargets
		case strings.Contains(use, " TARGET") || cmd.Name() == "show":
			cmd.ValidArgsFunction = once(a.completeTargets)
		case strings.Contains(use, " DIR"):
			cmd.ValidArgsFunction = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		default:
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if complete, ok := flags[f.Name]; ok {
				// The error says that it is there already, from a parent.
				_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
			}
		})
	}
}

// everyCommand lists a command and all below it.
func everyCommand(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, cmd := range root.Commands() {
		all = append(all, everyCommand(cmd)...)
	}
	return all
}

func words(list func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveNoFileComp
	}
}

// once completes the first argument only.
func once(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, begun)
	}
}

// listed completes the last part of a list with commas.
func listed(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := begun[:strings.LastIndexByte(begun, ',')+1]
		list, directive := complete(cmd, args, begun[len(before):])
		for i := range list {
			list[i] = before + list[i]
		}
		return list, directive
	}
}

// completeChart offers files for --kind ramp, and else targets that have sweeps.
func (a *app) completeChart(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if kind, _ := cmd.Flags().GetString("kind"); kind == "ramp" {
		return []cobra.Completion{"json"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return once(a.completeStored)(cmd, args, begun)
}

// completeOutput offers pictures where a picture is written.
func completeOutput(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch cmd.Name() {
	case "run", "resume", "chart":
		return []cobra.Completion{"png", "svg"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// completeFormat offers the forms of tables, and of comparisons those that these
// have.
func completeFormat(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if cmd.Name() == "table" {
		return tableFormats, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{formatText, formatMarkdown, formatHTML}, cobra.ShellCompDirectiveNoFileComp
}

// completeBetter offers the directions of an export; those of an import stand
// behind a metric's name.
func completeBetter(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if cmd.Parent().Name() == "export" {
		return exportDirections, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeVersions offers the measured versions of the target that a chart is of.
// Elsewhere --versions is a range.
func (a *app) completeVersions(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if cmd.Name() != "chart" || len(args) != 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return listed(func(cmd *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return a.completeReleases(cmd, args, begun)
	})(cmd, args, begun)
}

// completeWith offers what can be drawn beside a target.
func (a *app) completeWith(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	list, directive := a.completeStored(cmd, args, begun)
	return append(list, "published"), directive
}

func metricWords() []string {
	var list []string
	for _, m := range sweep.Metrics {
		list = append(list, cobra.CompletionWithDesc(m.Key, m.Unit))
	}
	return list
}

func profileWords() []string {
	var list []string
	for _, p := range load.Profiles() {
		list = append(list, cobra.CompletionWithDesc(p.Profile.Name, p.About))
	}
	return list
}

// completeTargets offers targets with their titles and, once a colon or the
// whole name is there, variants. A definition that is broken is offered without.
func (a *app) completeTargets(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	catalog, err := a.openCatalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var list []cobra.Completion
	for _, name := range catalog.Names() {
		if slices.Contains(args, name) || !strings.HasPrefix(name, begun) && !strings.HasPrefix(begun, name+":") {
			continue
		}
		d, err := catalog.Find(name)
		if err != nil {
			list = append(list, name)
			continue
		}
		list = append(list, cobra.CompletionWithDesc(name, d.Title))
		for _, variant := range slices.Sorted(maps.Keys(d.Variants)) {
			list = append(list, cobra.CompletionWithDesc(name+":"+variant, d.Variants[variant].About))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// completeSource offers the sources of the targets that the line names so far.
func (a *app) completeSource(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	catalog, err := a.openCatalog()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var list []cobra.Completion
	for _, name := range args {
		d, err := catalog.Find(name)
		if err != nil {
			continue
		}
		for _, source := range d.SourceNames() {
			list = append(list, cobra.CompletionWithDesc(source, fmt.Sprintf("of %s", d.Name)))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

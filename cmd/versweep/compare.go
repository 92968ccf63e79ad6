package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/sweep"
	"versweep/sweep/load"
)

// Values of --format.
const (
	formatText     = "text"
	formatMarkdown = "markdown"
	formatHTML     = "html"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	judgingFlags
	format string // empty until chosen
	output string // empty is stdout
}

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare TARGET OLD NEW",
		Short: "Compare two releases over all metrics",
		Long: `compare says of every metric what became of it from one release to another, with
interval and verdict, and what lies between the two. It measures nothing.

OLD and NEW are versions, "latest" for the newest stable one that was measured,
or "reference". The exit status is 0 whatever the verdict: versweep check is what
fails on regressions.`,
		Example: "  versweep compare node 20.9.0 latest -o upgrade.html",
		Args:    cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.check(a.json)
			if err != nil {
				return err
			}
			h, err := a.openHistory(cmd.Context())
			if err != nil {
				return err
			}
			defer h.Close()
			past, older, from, to, err := a.pastOfBoth(cmd.Context(), h, args)
			if err != nil {
				return err
			}
			r, err := sweep.CompareReleases(past, from, to, o)
			if err != nil {
				return err
			}
			r.Older = older
			return a.writeRelease(r, f)
		},
		ValidArgsFunction: a.completeReleases,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.effect, "effect", "", effectHelp)
	flags.StringVar(&f.source, "source", "", sourceOfSweepsHelp)
	flags.StringVar(&f.format, "format", "", "text, markdown or html (default by the extension of -o, .md or .html, otherwise text)")
	flags.StringVarP(&f.output, "output", "o", "", "write to this file instead of stdout (default none)")
	return cmd
}

// check refuses what can be refused without the store, and chooses the format.
func (f *compareFlags) check(json bool) (sweep.JudgeOptions, error) {
	if f.output != "" {
		if err := checkOutput(f.output); err != nil {
			return sweep.JudgeOptions{}, err
		}
	}
	switch f.format {
	case formatText, formatMarkdown, formatHTML:
		if json {
			return sweep.JudgeOptions{}, misuse("leave one of them out", "--format %s and --json exclude one another", f.format)
		}
	case "":
		f.format = formatText
		if json {
			break
		}
		var err error
		if f.format, err = formatByName(f.output, []string{formatText, formatMarkdown, formatHTML}); err != nil {
			return sweep.JudgeOptions{}, err
		}
	default:
		return sweep.JudgeOptions{}, misuse("use text, markdown or html", "--format: unknown value %q", f.format)
	}
	return f.options()
}

// pastOfBoth reads the sweeps of args[0] that tell most of the versions args[1] and
// args[2], and finds their names.
func (a *app) pastOfBoth(ctx context.Context, h history, args []string) (past []sweep.Sweep, older int, from, to string, err error) {
	past, _, err = a.past(ctx, h, args[0], sweep.Span{})
	if err != nil {
		return nil, 0, "", "", err
	}
	if from, to, err = bothReleases(past, args[1], args[2]); err != nil {
		return nil, 0, "", "", err
	}
	// Where one has enough newer rounds, those that it shares with the other may
	// have been left out.
	past, older, err = a.past(ctx, h, args[0], sweep.Span{Also: []string{from, to}})
	return past, older, from, to, err
}

// bothReleases finds the names of the two versions that are to be compared.
func bothReleases(past []sweep.Sweep, old, new string) (from, to string, err error) {
	if from, err = releaseName(past, old); err != nil {
		return "", "", err
	}
	if to, err = releaseName(past, new); err != nil {
		return "", "", err
	}
	if from == to {
		return "", "", misuse("name two versions", "%s cannot be compared with itself", from)
	}
	return from, to, nil
}

// releaseName is the version that name stands for in the sweeps of a target: its
// name, with a v before it if need be, the name that the source has for it,
// "latest" or "reference". What no sweep has is returned as it is.
func releaseName(past []sweep.Sweep, name string) (string, error) {
	target := past[0].Plan.Target
	switch name {
	case "latest":
		measured := measuredVersions(past)
		if latest, ok := sweep.Latest(measured); ok {
			return latest.Name, nil
		}
		if len(measured) == 0 {
			return "", fmt.Errorf("comparing the latest version of %s: none was measured", target)
		}
		return measured[len(measured)-1].Name, nil
	case "reference":
		for _, sw := range slices.Backward(past) {
			if sw.Plan.Reference != "" {
				return sw.Plan.Reference, nil
			}
		}
		return "", misuse("name a version", "the sweeps of %s have no reference", target)
	}
	raw := ""
	for _, sw := range slices.Backward(past) {
		for _, v := range sw.Plan.Versions {
			if v.Name == name {
				return name, nil
			}
			if raw == "" && (v.Raw == name || "v"+v.Name == name) {
				raw = v.Name
			}
		}
	}
	if raw != "" {
		return raw, nil
	}
	return name, nil
}

// measuredVersions are the versions with a sample that can be compared, in
// version order.
func measuredVersions(past []sweep.Sweep) []sweep.Version {
	measured := map[string]bool{}
	for _, sw := range past {
		for _, s := range sw.Samples {
			if s.Status != sweep.Failed {
				measured[s.Version] = true
			}
		}
	}
	var list []sweep.Version
	for _, sw := range slices.Backward(past) {
		for _, v := range sw.Plan.Versions {
			if measured[v.Name] {
				list = append(list, v)
				delete(measured, v.Name)
			}
		}
	}
	return sweep.SortVersions(list)
}

// writeRelease writes a comparison in the form and to the place that the flags
// ask for.
func (a *app) writeRelease(r sweep.Release, f compareFlags) error {
	options := charts.ReleaseOptions{Repeat: repeatCommands(r)}
	if f.output == "" {
		options.Width = a.columns()
	}
	write := func(w io.Writer) error {
		switch {
		case a.json:
			return writeJSON(w, newReleaseJSON(r))
		case f.format == formatMarkdown:
			return charts.WriteReleaseMarkdown(w, r, options)
		case f.format == formatHTML:
			return charts.WriteReleaseHTML(w, r, options)
		}
		return charts.WriteComparison(w, r, options)
	}
	if f.output == "" {
		return write(a.stdout)
	}
	if err := writeWhole(f.output, write); err != nil {
		return err
	}
	a.say("wrote %s", f.output)
	return nil
}

// repeatCommands are the lines to type to measure and compare the two releases
// again as they were.
func repeatCommands(r sweep.Release) []string {
	compare := []string{"versweep", "compare", r.Target, r.From.Name, r.To.Name}
	p := r.Plan
	if f := p.Foreign; f != nil {
		return slices.Concat(repeatImport(*f, r.Target), shellLines(compare...))
	}
	run := repeatRun(p, r.Environment, r.From.Name+","+r.To.Name)
	return slices.Concat(shellLines(run...), shellLines(compare...))
}

// repeatImport is the lines to type to import results again. What versions the
// reports of tools were about is not known any more.
func repeatImport(f sweep.Foreign, target string) []string {
	switch f.Format {
	case "published":
		return shellLines("versweep", "import", f.Format, f.File)
	case "csv":
		return shellLines("versweep", "import", f.Format, f.File, "--target", target)
	}
	lines := shellLines("versweep", "import", f.Format, "--target", target)
	lines[len(lines)-1] += " VERSION=FILE"
	return append([]string{"# " + charts.Printable(f.File) + ", each as VERSION=FILE:"}, lines...)
}

// repeatRun is the words of the command that measures versions again as a plan
// did on a machine.
func repeatRun(p sweep.Plan, e sweep.Environment, versions string) []string {
	run := []string{"versweep", "run", p.Target, "--versions", versions}
	flag := func(name, value string) { run = append(run, "--"+name, value) }
	if p.Source != "" {
		flag("source", p.Source)
	}
	if p.Launcher != "" {
		flag("launcher", p.Launcher)
	}
	named, err := load.ProfileByName(p.Profile.Name)
	if err == nil {
		flag("profile", p.Profile.Name)
	}
	if p.Profile.Connections != named.Connections {
		flag("connections", strconv.Itoa(p.Profile.Connections))
	}
	if p.Profile.Duration != named.Duration && p.Profile.Duration > 0 {
		flag("duration", p.Profile.Duration.String())
	}
	if p.Profile.Warmup != named.Warmup {
		flag("warmup", p.Profile.Warmup.String())
	}
	if p.Profile.Timeout != named.Timeout {
		flag("timeout", p.Profile.Timeout.String())
	}
	if p.LatencyRate > 0 {
		run = append(run, "--latency-pass")
	}
	rounds := strconv.Itoa(p.Rounds)
	if p.MinRounds > 0 && p.MinRounds < p.Rounds {
		rounds = strconv.Itoa(p.MinRounds) + ":" + rounds
	}
	flag("rounds", rounds)
	if p.Reference != "" {
		flag("reference", p.Reference)
	}
	flag("seed", strconv.FormatUint(p.Seed, 10))
	if cpus := e.ServerCPUs; len(cpus) > 0 {
		flag("server-cpus", sweep.FormatCPUs(cpus))
	}
	if cpus := e.LoadCPUs; len(cpus) > 0 {
		flag("load-cpus", sweep.FormatCPUs(cpus))
	}
	return run
}

// shellLineColumns is about how long a line of a command gets before the next
// flag goes on a line of its own.
const shellLineColumns = 90

// shellLines writes a command so that a POSIX shell reads its words as they are,
// over several lines when it is long.
func shellLines(words ...string) []string {
	var lines []string
	line := ""
	for i, word := range words {
		flag := strings.HasPrefix(word, "--")
		if word == "" || strings.ContainsFunc(word, notPlainInShell) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		switch {
		case i == 0:
			line = word
		case flag && len(line)+len(word) > shellLineColumns:
			lines, line = append(lines, line+` \`), "    "+word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

func notPlainInShell(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_.,:/+@%", r))
}

// completeReleases offers targets, then the versions that were measured.
func (a *app) completeReleases(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return a.completeStored(cmd, args, begun)
	case 1, 2:
	default:
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	h, err := a.openHistory(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer h.Close()
	past, _, err := h.Recent(cmd.Context(), args[0], sweep.Span{})
	if err != nil || len(past) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list := []cobra.Completion{"latest", "reference"}
	for _, v := range slices.Backward(measuredVersions(past)) {
		if !slices.Contains(args[1:], v.Name) {
			list = append(list, v.Name)
		}
	}
	// Newest first, where the shell would sort them as text.
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

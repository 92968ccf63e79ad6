package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"versweep/charts/report"
	exports "versweep/store/export"
	"versweep/sweep"
)

func (a *app) reportCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "report [TARGET…] -o DIR",
		Short: "Write pages about targets: trends, findings, comparisons, method",
		Long: `report writes a folder of HTML pages about the targets, or about all that were
swept: an overview, a page a target with its trend to explore, a page a version,
comparisons of the newest version, the method, and the data as JSON and CSV.

The pages load nothing from anywhere: they work from a disk, from any static host
and below any path. A report that is there already is replaced as a whole when the
new one is complete; a folder with anything else in it is refused.`,
		Example:           "  versweep report node bun -o public",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: a.completeStored,
		RunE: func(cmd *cobra.Command, targets []string) error {
			if dir == "" {
				return misuse("-o DIR", "there is no folder to write to")
			}
			if err := checkReportFolder(dir); err != nil {
				return err
			}
			site, err := a.site(cmd.Context(), targets, nil)
			if err != nil {
				return err
			}
			files, err := site.Files()
			if err != nil {
				return err
			}
			if err := report.Write(dir, untilDone(cmd.Context(), files)); err != nil {
				return err
			}
			return a.tellReport(dir, site, len(files))
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "the folder to write: a new one, an empty one or a former report (no default)")
	// Other commands write a picture to -o; what is registered first counts.
	if err := cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)); err != nil {
		panic(err) // the flag is there
	}
	return cmd
}

// reportJSON is what report prints.
type reportJSON struct {
	Schema  int      `json:"schema"`
	Folder  string   `json:"folder"`
	Targets []string `json:"targets"`
	Files   int      `json:"files"`
}

func (a *app) tellReport(dir string, site report.Site, files int) error {
	if !a.json {
		a.say("wrote %d files: open %s", files, filepath.Join(dir, "index.html"))
		return nil
	}
	doc := reportJSON{Schema: jsonSchema, Folder: dir, Targets: []string{}, Files: files}
	for _, t := range site.Targets {
		doc.Targets = append(doc.Targets, t.History[0].Plan.Target)
	}
	return a.printJSON(doc)
}

// checkReportFolder refuses a folder before any work.
func checkReportFolder(dir string) error {
	err := report.CheckFolder(dir)
	if refused, ok := errors.AsType[*report.FolderError](err); ok {
		return misuse("name a new folder, or one that versweep report made", "-o %v", refused)
	}
	if err != nil {
		return &hintedError{fmt.Errorf("-o %w", err), "name a folder below one that you may write to"}
	}
	return nil
}

// untilDone lets files be written until ctx ends.
func untilDone(ctx context.Context, files []report.File) []report.File {
	list := slices.Clone(files)
	for i, f := range files {
		list[i].Write = func(w io.Writer) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f.Write(w)
		}
	}
	return list
}

// known are targets that were judged before, with the store's stamp of each.
type known map[string]struct {
	stamp  string
	target report.Target
}

// site reads what the pages are about: of all targets where none is named, those
// that have samples, which may be none. A target that has not changed is taken
// from what is known, which may be nil, and others are added to it.
func (a *app) site(ctx context.Context, targets []string, before known) (report.Site, error) {
	site := report.Site{Made: a.now(), Program: version()}
	h, err := a.openHistory(ctx)
	if err != nil {
		return site, err
	}
	defer h.Close()
	named := len(targets) > 0
	if !named {
		if targets, err = h.Targets(ctx); err != nil {
			return site, err
		}
	}
	for i, target := range targets {
		if slices.Contains(targets[:i], target) {
			continue
		}
		stamp := ""
		if before != nil {
			// What is read after it may be newer, and is then read once more.
			if stamp, err = h.Stamp(ctx, target); err != nil {
				return site, err
			}
			if k, judged := before[target]; judged && k.stamp == stamp {
				site.Targets = append(site.Targets, k.target)
				continue
			}
		}
		past, older, err := h.Recent(ctx, target, sweep.Span{})
		if err == nil && len(past) == 0 {
			if !named {
				continue
			}
			_, _, err = a.past(ctx, h, target, sweep.Span{})
		}
		if err != nil {
			return site, err
		}
		acks, err := h.Acknowledgements(ctx, target)
		if err != nil {
			return site, err
		}
		t, err := reportTarget(past, older, acks)
		if err != nil {
			return site, err
		}
		site.Targets = append(site.Targets, t)
		if before != nil {
			k := before[target]
			k.stamp, k.target = stamp, t
			before[target] = k
		}
	}
	if len(site.Targets) == 0 {
		return site, &hintedError{errors.New("there is no sweep to report on"), "versweep run makes one"}
	}
	return site, nil
}

// reportTarget judges one target's sweeps, oldest first, and compares its newest
// version. older counts those that were left out.
func reportTarget(past []sweep.Sweep, older int, acks []sweep.Acknowledgement) (report.Target, error) {
	t := report.Target{History: past, Judgement: sweep.Judge(past, sweep.JudgeOptions{})}
	t.Judgement.Older = older
	sweep.ApplyAcknowledgements(&t.Judgement, acks)
	newest := report.Newest(past)
	t.Repeat = repeatSweep(newest)
	held := downloadable(past)
	if err := compareNewest(&t); err != nil {
		return t, err
	}
	t.Downloads = []report.Download{
		{Name: "data.json", About: "the table and the findings, as versweep table --json prints them", Write: func(w io.Writer) error {
			return writeJSON(w, newTableJSON(sweep.NewTable(newest), t.Judgement))
		}},
		{Name: "data.csv", About: dataAbout(len(held), len(past)-len(held)+older), Write: func(w io.Writer) error {
			return exports.CSV(w, labelled(inMemory(held)), nil)
		}},
	}
	return t, nil
}

// maxDataRows bounds data.csv, so that a report stays small however long a target
// has been swept: each row takes some 70 bytes.
const maxDataRows = 15_000

// downloadable are the latest of sweeps that have no more rows than data.csv is to
// have; the newest in any case.
func downloadable(past []sweep.Sweep) []sweep.Sweep {
	rows := 0
	for i, sw := range slices.Backward(past) {
		for _, s := range sw.Samples {
			rows += len(s.Values)
		}
		if rows > maxDataRows && i < len(past)-1 {
			return past[i+1:]
		}
	}
	return past
}

func dataAbout(held, older int) string {
	if older == 0 {
		return "every sample of every sweep, as versweep export csv --all writes them"
	}
	sweeps := "sweep"
	if held > 1 {
		sweeps = fmt.Sprintf("%d sweeps", held)
	}
	return fmt.Sprintf("the samples of the latest %s that are judged; versweep export csv --all writes all there are", sweeps)
}

// compareNewest compares the newest version with the one before it and with the
// reference, where the sweeps tie them.
func compareNewest(t *report.Target) error {
	measured := measuredVersions(t.History)
	newest, ok := sweep.Latest(measured)
	if !ok {
		return nil
	}
	var before string
	for _, v := range measured {
		if v.Name == newest.Name {
			break
		}
		before = v.Name
	}
	for _, c := range []report.Comparison{{Name: "newest-and-before", Link: "the version before"}, {Name: "newest-and-reference", Link: "the reference"}} {
		from := before
		if c.Name == "newest-and-reference" {
			from = t.Judgement.Reference
		}
		if from == "" || from == newest.Name || c.Name == "newest-and-reference" && from == before {
			continue
		}
		r, err := sweep.CompareJudged(t.History, t.Judgement, from, newest.Name, sweep.JudgeOptions{})
		if _, apart := errors.AsType[*sweep.NotMeasuredError](err); apart {
			continue
		}
		if err != nil {
			return err
		}
		c.Release, c.Repeat = r, repeatCommands(r)
		t.Comparisons = append(t.Comparisons, c)
	}
	return nil
}

// repeatSweep is the lines to type to carry out a sweep again as it was.
func repeatSweep(sw sweep.Sweep) []string {
	p := sw.Plan
	if f := p.Foreign; f != nil {
		return repeatImport(*f, p.Target)
	}
	var names []string
	for _, v := range p.Versions {
		names = append(names, v.Name)
	}
	return slices.Concat(shellLines(repeatRun(p, sw.Environment, strings.Join(names, ","))...), shellLines("versweep", "report", p.Target, "-o", "report"))
}

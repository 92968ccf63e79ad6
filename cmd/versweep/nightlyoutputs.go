package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"versweep/charts"
	"versweep/charts/report"
	"versweep/cmd/versweep/settings"
	"versweep/runtimes"
	"versweep/sweep"
)

// nightlyOutputs are the files that a night writes besides the store; empty ones
// are not wanted.
type nightlyOutputs struct {
	report string // folder
	charts string // .png or .svg file of each target; see outputName
	export []nightlyExport
}

// nightlyExport is a file, or one of each target, for another tool.
type nightlyExport struct {
	format string
	better string // one of exportDirections, of github-action
	file   string // see outputName
}

// outputName is the file of one target.
func outputName(file, target string) string {
	return strings.ReplaceAll(file, targetMark, runtimes.FolderName(target))
}

const (
	exportCSV          = "csv"
	exportGoBench      = "go-bench"
	exportGitHubAction = "github-action"
)

// exportFormats are those of versweep export.
func exportFormats() []string {
	names := []string{exportCSV, exportGoBench, exportGitHubAction}
	for _, form := range exportForms {
		names = append(names, form.name)
	}
	return names
}

// holdsSeveral tells whether one file of a format can be about several targets.
func holdsSeveral(format string) bool { return format == exportCSV || format == exportGoBench }

// checkNightlyOutputs refuses what could not be written at the end of the night,
// or would take the place of one of the files that are kept, told by name.
func checkNightlyOutputs(f *settings.File, kept map[string]string) (nightlyOutputs, error) {
	o := nightlyOutputs{report: f.Path(f.Outputs.Report), charts: f.Path(f.Outputs.Charts)}
	c := outputCheck{file: f, report: o.report, taken: map[string]taker{}}
	for name, what := range kept {
		c.taken[absolute(name)] = taker{place: what}
	}
	if o.report != "" {
		c.folder("outputs.report", o.report)
	}
	if o.charts != "" {
		if _, err := charts.FormatOf(o.charts); err != nil {
			c.wrong("outputs.charts", err.Error(), "name it charts/"+targetMark+".png or .svg")
		}
		c.files("outputs.charts", o.charts, false)
	}
	for i, e := range f.Outputs.Export {
		place := fmt.Sprintf("outputs.export[%d]", i)
		switch {
		case !slices.Contains(exportFormats(), e.Format):
			c.wrong(place+".format", fmt.Sprintf("unknown format %q", e.Format), "known: "+strings.Join(exportFormats(), ", "))
		case e.Better != "" && e.Format != exportGitHubAction:
			c.wrong(place+".better", e.Format+" has all metrics in one file", "leave it out")
		case e.Better != "" && !slices.Contains(exportDirections, e.Better):
			c.wrong(place+".better", fmt.Sprintf("unknown value %q", e.Better), "known: "+strings.Join(exportDirections, ", "))
		}
		c.files(place+".file", f.Path(e.File), holdsSeveral(e.Format))
		better := e.Better
		if better == "" && e.Format == exportGitHubAction {
			better = exportDirections[0]
		}
		o.export = append(o.export, nightlyExport{format: e.Format, better: better, file: f.Path(e.File)})
	}
	return o, c.err
}

// outputCheck keeps the first thing that is wrong, and which files are taken.
type outputCheck struct {
	file   *settings.File
	report string           // folder; empty when none is written
	taken  map[string]taker // by absolute file name
	err    error
}

// taker is what writes a file: a key of the settings, for one target or for all.
type taker struct{ place, target string }

// absolute is a name by which two ways to write the same file are known as one.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(dir, filepath.Base(name))
	}
	return name
}

func (c *outputCheck) wrong(place, problem, hint string) {
	if c.err == nil {
		c.err = c.file.Wrong(place, problem, hint)
	}
}

// files checks the name of a file that several targets may have one each of.
func (c *outputCheck) files(place, name string, severalInOne bool) {
	if targets := len(c.file.Targets); targets > 1 && !severalInOne && !strings.Contains(name, targetMark) {
		c.wrong(place, fmt.Sprintf("one file cannot hold %d targets", targets), targetMark+" in its name stands for the target's")
		return
	}
	for _, t := range c.file.Targets {
		one := outputName(name, t.Name)
		by := taker{place: place}
		if !severalInOne || strings.Contains(name, targetMark) {
			by.target = t.Name
		}
		switch other, twice := c.taken[absolute(one)]; {
		case twice && other.place == place && other != by:
			c.wrong(place, fmt.Sprintf("%s and %s would be written into the same file, %s", other.target, t.Name, one), "give each a name of its own")
		case twice && other != by:
			c.wrong(place, "it is written already as "+other.place, "give each a name of its own")
		}
		c.taken[absolute(one)] = by
		if rel, err := filepath.Rel(absolute(c.report), absolute(one)); c.report != "" && err == nil && filepath.IsLocal(rel) {
			c.wrong(place, "it lies in the folder of the report, which is replaced as a whole", "name it outside of "+c.report)
		}
		if info, err := os.Stat(one); err == nil && info.IsDir() {
			c.wrong(place, "this is a folder", "name a file in it")
		}
	}
	c.writable(place, filepath.Dir(name))
}

func (c *outputCheck) folder(place, dir string) {
	if err := checkReportFolder(dir); err != nil && c.err == nil {
		if e, ok := errors.AsType[*misuseError](err); ok {
			c.wrong(place, strings.TrimPrefix(e.problem, "-o "), e.hint)
			return
		}
		c.err = err
	}
}

// writable makes sure that a folder can be written to, or the nearest around it
// that is there: the rest is made when the night ends.
func (c *outputCheck) writable(place, dir string) {
	for {
		_, err := os.Stat(dir)
		if err == nil || !errors.Is(err, os.ErrNotExist) || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err := checkOutput(filepath.Join(dir, "x")); err != nil && c.err == nil {
		c.err = c.file.Wrong(place, "its folder cannot be written to: "+cause(err).Error(), "name a file in a folder that you may write to")
	}
}

// cause is the innermost of errors that wrap one another.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// writeExports writes the files for other tools, of targets that have sweeps, whichever
// night measured a version. All are tried; the error joins what went wrong.
func (a *app) writeExports(ctx context.Context, export []nightlyExport, targets []report.Target) error {
	var failed []error
	for _, e := range export {
		if err := os.MkdirAll(filepath.Dir(e.file), 0o755); err != nil {
			failed = append(failed, fmt.Errorf("exporting %s: %w", e.format, err))
			continue
		}
		if holdsSeveral(e.format) && !strings.Contains(e.file, targetMark) {
			failed = append(failed, a.writeExport(ctx, e, e.file, targets))
			continue
		}
		for _, target := range targets {
			failed = append(failed, a.writeExport(ctx, e, outputName(e.file, target.Judgement.Target), []report.Target{target}))
		}
	}
	return errors.Join(failed...)
}

// writeExport writes one file. Formats that cannot hold several targets are given
// one.
func (a *app) writeExport(ctx context.Context, e nightlyExport, file string, targets []report.Target) error {
	f := exportFlags{output: file}
	var names []string
	for _, t := range targets {
		names = append(names, t.Judgement.Target)
	}
	switch e.format {
	case exportCSV:
		return a.exportCSV(ctx, names, f)
	case exportGoBench:
		return a.exportGoBench(ctx, names, f)
	}
	var write func(io.Writer, sweep.Table, sweep.Judgement) error
	if e.format == exportGitHubAction {
		write = writeGitHubAction(e.better)
	}
	for _, form := range exportForms {
		if form.name == e.format {
			write = form.write
		}
	}
	return a.writeOut(f.output, func(w io.Writer) error { return write(w, report.Table(targets[0]), targets[0].Judgement) })
}

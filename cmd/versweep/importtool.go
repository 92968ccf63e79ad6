package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	imports "versweep/store/import"
	"versweep/sweep"
)

// toolFlags are the flags of the formats of load tools.
type toolFlags struct {
	seriesFlags
	version string
}

func (f *toolFlags) add(flags *pflag.FlagSet) {
	f.seriesFlags.add(flags, "none, it must be named", "what the report says of it, such as c=100", "what the report says, or none")
	flags.StringVar(&f.version, "version", "", "what version files without VERSION= before their name measured (default what the report says)")
}

const toolLong = `Runs under another number of connections, at another rate or of another benchmark
are series of their own; the rest of a version's runs are samples without pairs.
Of FILE, - is standard input. docs/formats.md says what is read and what is not.`

func (a *app) importToolCommand(format string) *cobra.Command {
	var f toolFlags
	cmd := &cobra.Command{
		Use:     format + " [VERSION=]FILE…",
		Short:   "Take in the output of " + format,
		Long:    format + " reads what that tool printed, every run in each file.\n\n" + toolLong,
		Example: "  versweep import " + format + " --target x 1.0=one.txt 1.1=two.txt",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importReports(cmd.Context(), format, args, f)
		},
		ValidArgsFunction: anyFile,
	}
	f.add(cmd.Flags())
	return cmd
}

// formatAuto stands for the format that a report shows by itself.
const formatAuto = "auto"

func (a *app) importAutoCommand() *cobra.Command {
	var f toolFlags
	cmd := &cobra.Command{
		Use:   "auto [VERSION=]FILE…",
		Short: "Take in the output of a tool that each file shows by itself",
		Long: `auto tells by the first lines of each file which tool printed it: ` + strings.Join(imports.Formats(), ", ") + `.

` + toolLong,
		Example: "  versweep import auto --target x 1.0=one.txt 1.1=two.json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.importReports(cmd.Context(), formatAuto, args, f)
		},
		ValidArgsFunction: anyFile,
	}
	f.add(cmd.Flags())
	return cmd
}

// anyFile completes the names of files.
func anyFile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// importReports reads files of a format and stores what is in them.
func (a *app) importReports(ctx context.Context, format string, args []string, f toolFlags) error {
	better, err := f.check()
	if err != nil {
		return err
	}
	if f.target == "" {
		return misuse("--target NAME names it", "no target is named")
	}
	var reports []imports.Report
	for _, arg := range args {
		version, file := splitVersion(arg)
		if version == "" {
			version = f.version
		}
		report, err := a.readReport(format, file)
		if err != nil {
			return err
		}
		report.Version = version
		for i, other := range reports {
			if other.Digest == report.Digest {
				return misuse("give it once", "%s and %s have the same content", args[i], arg)
			}
		}
		reports = append(reports, report)
	}
	sweeps, err := imports.Sweeps(reports, imports.SweepOptions{
		Target: f.target, Profile: f.profile, Environment: f.environment, Line: sweep.LineBy(f.line), Order: imports.Order(f.order), Better: better,
	})
	if e, ok := errors.AsType[*imports.VersionError](err); ok {
		return misuse("--version 1.2.3 names it; of several files each has its own as 1.2.3="+e.File, "importing: %v", err)
	}
	if err != nil {
		return importTrouble(strings.Join(args, ", "), err)
	}
	if err := a.storeImported(ctx, sweeps, f.again); err != nil {
		return err
	}
	for _, report := range reports {
		for _, r := range report.Readings {
			for _, note := range r.Notes {
				a.say("note: %s, line %d: %s", report.File, r.Line, note)
			}
		}
	}
	return nil
}

var versionArgument = regexp.MustCompile(`^([^=/]+)=(.+)$`)

// splitVersion parts "1.2.3=wrk.txt". A file that is called so as a whole is one.
func splitVersion(arg string) (version, file string) {
	m := versionArgument.FindStringSubmatch(arg)
	if m == nil {
		return "", arg
	}
	if _, err := os.Stat(arg); err == nil {
		return "", arg
	}
	return m[1], m[2]
}

// largestReport bounds what is read of a file; store/import reads less of each
// format, and says so.
const largestReport = 32 << 20

func (a *app) readReport(format, file string) (imports.Report, error) {
	in, name, base, err := a.openInput(file)
	if err != nil {
		return imports.Report{}, err
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, largestReport))
	if err != nil {
		return imports.Report{}, fmt.Errorf("importing %s: %w", name, err)
	}
	if format == formatAuto {
		if format, err = imports.Detect(content); err != nil {
			return imports.Report{}, &hintedError{fmt.Errorf("importing %s: %w", name, err), "versweep import csv reads tables of versions and figures"}
		}
		if format == imports.Markdown {
			return imports.Report{}, misuse("versweep import markdown "+name, "importing %s: this is a table in Markdown and no tool's report", name)
		}
	}
	report, err := imports.ReadReport(format, base, content)
	if err == nil {
		return report, nil
	}
	err = fmt.Errorf("importing %s: %w", name, err)
	if other, _ := imports.Detect(content); other != "" && other != format {
		err = &hintedError{err, "it looks like the output of " + other + ": versweep import " + other}
	}
	return report, err
}

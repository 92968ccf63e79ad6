package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/runtimes/strictyaml"
	"versweep/store"
	"versweep/sweep"
	"versweep/sweep/load"
)

// app is what the subcommands share: the streams and the common flags.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       bool          // stderr is one: draw progress
	asks           bool          // stdin is one: a question can be answered
	machine        sweep.Machine // that servers run on, watched while they are measured

	// now is the clock that decides and records. Lengths of time are differences
	// of its times, which setting the clock back does not change.
	now func() time.Time

	db        string
	targetDir string
	json      bool
	quiet     bool
	noColor   bool

	// begun says that the command line was understood; errors before that
	// are misuse.
	begun bool
	// sweeping is the sweep whose rounds have begun; 0 before that.
	sweeping int64
	// unattended says that nightly runs: the next one goes on by itself.
	unattended bool
	// bisecting is the bisection that has begun; 0 before that.
	bisecting int64
}

// command builds the command tree.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "versweep",
		Short: "Find the version in which a runtime or server became slower or faster",
		Long: `versweep finds the versions of a runtime or server, runs the same hello-world
load against every one of them fairly, keeps every number, draws the trend and
judges it.

Exit status: 0 done and clean, 1 failure, 2 misuse, 3 regression found (versweep
check and nightly), 130 interrupted (what was measured is saved, and resume, the
next night or bisect goes on from there).`,
		Example:       "  versweep run node --versions '>=18' --per line -o node.png",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			a.begun = true
		},
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetVersionTemplate("versweep {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&a.db, "db", defaultDB(), "the store, an SQLite file; $VERSWEEP_DB sets the default")
	flags.StringVar(&a.targetDir, "target-dir", "", "folder of your own targets, one folder each (default targets beside the store)")
	flags.BoolVar(&a.json, "json", false, "print JSON (schema 1) instead of text")
	flags.BoolVar(&a.quiet, "quiet", false, "no progress, only results and errors")
	flags.BoolVar(&a.noColor, "no-color", false, "no colours; $NO_COLOR does the same")
	root.AddCommand(
		a.targetsCommand(), a.initCommand(), a.versionsCommand(), a.runCommand(), a.resumeCommand(), a.bisectCommand(),
		a.tableCommand(), a.chartCommand(), a.checkCommand(), a.nightlyCommand(), a.compareCommand(), a.ackCommand(), a.reportCommand(), a.serveCommand(), a.importCommand(), a.exportCommand(), a.loadCommand(), a.doctorCommand(), a.gcCommand(), a.manCommand(), a.engineCommand(),
	)
	a.addCompletions(root)
	return root
}

func defaultDB() string {
	if db := os.Getenv("VERSWEEP_DB"); db != "" {
		return db
	}
	return "versweep.db"
}

// version tells the build: the module's version, or the commit it was made from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "development"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:min(12, len(s.Value))]) {
			v += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return v + " " + info.GoVersion
}

// say writes a line of progress or a warning.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.stderr, safe(fmt.Sprintf(format, args...)))
	}
}

// warn writes a warning, which --quiet does not hide.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintln(a.stderr, "warning: "+safe(fmt.Sprintf(format, args...)))
}

// hear warns of what was told in a line.
func (a *app) hear(line string) { a.warn("%s", line) }

// safe is a line from anywhere as it may be shown: no character of it is obeyed,
// and no password or token is in it.
func safe(line string) string { return charts.Printable(runtimes.WithoutSecrets(line)) }

// misuseError is a command line that cannot be carried out.
type misuseError struct{ problem, hint string }

func (e *misuseError) Error() string { return e.problem }

func misuse(hint, format string, args ...any) error {
	return &misuseError{fmt.Sprintf(format, args...), hint}
}

// dbError says that the store that --db names cannot be opened.
type dbError struct{ error }

func (e *dbError) Unwrap() error { return e.error }

// hintedError is a failure that the user can do something about.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// explain turns an error into one line, a hint for the next step and the exit
// status.
func (a *app) explain(ctx context.Context, err error) (line, hint string, status int) {
	line, hint, status = a.reason(ctx, err)
	flags := a.placeFlags()
	return line, goesOnWith.ReplaceAllStringFunc(hint, func(command string) string { return command + flags }), status
}

// goesOnWith is a command in a hint that goes on with what is in the store, or with
// something in it: it needs the flags that say where that is.
var goesOnWith = regexp.MustCompile(`versweep (?:resume|bisect (?:--resume|--abandon|log))(?: [0-9]+)?`)

func (a *app) reason(ctx context.Context, err error) (line, hint string, status int) {
	line, status = safe(strings.Join(strings.Fields(err.Error()), " ")), exitFailure
	if ctx.Err() != nil && a.unattended {
		return "interrupted; all samples taken so far are saved", "the next versweep nightly goes on from there", exitInterrupted
	}
	if ctx.Err() != nil && a.bisecting != 0 {
		return "interrupted; all samples taken so far are saved", fmt.Sprintf("versweep bisect --resume %d goes on from there", a.bisecting), exitInterrupted
	}
	if ctx.Err() != nil && a.sweeping == 0 {
		return "interrupted", "", exitInterrupted
	}
	if ctx.Err() != nil {
		return "interrupted; all samples taken so far are saved", a.resumeHint(), exitInterrupted
	}
	if !a.begun {
		return line, "versweep --help lists the commands and flags", exitMisuse
	}
	if e, ok := errors.AsType[*misuseError](err); ok {
		return line, e.hint, exitMisuse
	}
	if e, ok := errors.AsType[*strictyaml.Error](err); ok {
		return line, e.Hint, exitMisuse
	}
	if _, ok := errors.AsType[*regressionError](err); ok {
		return line, "versweep ack FINDING when it is known or meant to be so", exitRegression
	}
	if e, ok := errors.AsType[*sweep.NotMeasuredError](err); ok {
		return explainNotMeasured(e, line)
	}
	if e, ok := errors.AsType[*runtimes.UnknownTargetError](err); ok {
		return line, unknownTargetHint(e), exitMisuse
	}
	if e, ok := errors.AsType[*load.MisuseError](err); ok {
		return safe(e.What + ": " + e.Why), e.Hint, exitMisuse
	}
	if _, ok := errors.AsType[*sweep.RangeError](err); ok {
		return line, rangeHint, exitMisuse
	}
	for _, known := range hints {
		if errors.Is(err, known.err) {
			hint = known.hint
			break
		}
	}
	switch {
	case errors.Is(err, store.ErrLocked) && a.sweeping != 0:
		hint = "wait for the other process to end, then go on with versweep resume"
	case errors.Is(err, store.ErrFull) && a.sweeping == 0:
		hint = "make room, then run it again"
	case errors.Is(err, sweep.ErrAway) && a.sweeping == 0:
		hint = "start it again, then run this again"
	case (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)) && a.sweeping == 0 && hint == "":
		hint = "make room on that disk, or name a place on another one"
	}
	if e, ok := errors.AsType[*hintedError](err); ok && hint == "" {
		hint = e.hint
	}
	if _, ok := errors.AsType[*dbError](err); ok && hint == "" {
		hint = "name a file in a folder that you may write to with --db"
	}
	if a.sweeping != 0 && hint == "" {
		hint = a.resumeHint()
	}
	return line, hint, status
}

func (a *app) resumeHint() string {
	return fmt.Sprintf("versweep resume %d goes on from there", a.sweeping)
}

const rangeHint = "ranges look like '>=18 <23', '0.10.x' or '18,20.11.1,latest'"

func unknownTargetHint(e *runtimes.UnknownTargetError) string {
	hint := "versweep targets lists them all; --target-dir says where your own are"
	if e.Nearest != "" {
		hint = fmt.Sprintf("did you mean %s? %s", e.Nearest, hint)
	}
	return hint
}

// explainNotMeasured tells a version that no sweep has, which is misuse, from one
// that failed.
func explainNotMeasured(e *sweep.NotMeasuredError, line string) (string, string, int) {
	status := exitMisuse
	if e.Reason != "" {
		status = exitFailure
	}
	if len(e.Nearest) == 0 {
		return line, "versweep table " + e.Target + " shows what was measured", status
	}
	return line, safe("measured are " + strings.Join(e.Nearest, ", ")), status
}

// hints says what to do about errors that have a name.
var hints = []struct {
	err  error
	hint string
}{
	{runtimes.ErrNoNPM, "install Node.js with npm, for example: apt-get install npm"},
	{runtimes.ErrNoGo, "install Go, for example: apt-get install golang"},
	{runtimes.ErrNoEngine, "start Docker, set $DOCKER_HOST, or use --launcher process"},
	{runtimes.ErrEngineFull, "make room on the engine's disk, for example with docker image prune, and try again"},
	{sweep.ErrAway, "start it again, then go on with versweep resume"},
	{runtimes.ErrDiskFull, "make room in the cache and in $TMPDIR, or name a folder on another disk with --cache"},
	{runtimes.ErrPullLimit, "wait, or docker login: registries allow more to those they know"},
	{runtimes.ErrRegistryAccess, "docker login to the registry; versweep uses the credentials that Docker keeps"},
	{runtimes.ErrIntegrity, "the download differs from what the registry says; try again, and mistrust a proxy in between"},
	{store.ErrNoStore, "versweep run makes one; --db says where it is"},
	{store.ErrForeign, "name another file with --db; this one was left as it is"},
	{store.ErrNewer, "use the newer versweep; the file was left as it is"},
	{store.ErrReadOnly, "name a file that you may write to with --db"},
	{store.ErrUnreachable, "name a file in a folder that you may write to with --db"},
	{store.ErrLocked, "wait for the other process to end, or name another file with --db"},
	{store.ErrFull, "make room, then go on with versweep resume"},
	{store.ErrDamaged, "the file is cut short or overwritten; go back to a backup, or name another file with --db"},
	{store.ErrNoSweep, "versweep run makes one"},
	{store.ErrNoBisection, "versweep bisect TARGET GOOD BAD begins one"},
	{store.ErrGone, "samples taken since are lost; those before are wherever the file went, unless it was written over"},
	{charts.ErrNothingToDraw, "versweep table shows what was measured, and why the rest was not"},
}

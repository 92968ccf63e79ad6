// Command versweep tells in which version a runtime or server became slower or
// faster. The subcommands have a file each; this package only wires, prints and
// decides the exit status. Start reading at run.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"versweep/runtimes"
	"versweep/runtimes/strictyaml"
	"versweep/sweep"
)

// Exit statuses, part of the outside surface.
const (
	exitDone        = 0
	exitFailure     = 1
	exitMisuse      = 2
	exitRegression  = 3
	exitInterrupted = 130
)

func main() {
	if err := runtimes.KeepDescriptors(); err != nil {
		fmt.Fprintln(os.Stderr, "warning:", err)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run carries out one command line and returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runOn(sweep.ThisMachine(), args, stdin, stdout, stderr)
}

// runOn is run with another machine to watch while servers are measured.
func runOn(machine sweep.Machine, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	surviveClosedOutput()
	ctx, stop := interruptible(context.Background())
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	unread := func() { end(errUnread) }
	a := &app{
		stdin: stdin, stdout: output{stdout, unread}, stderr: output{stderr, unread},
		terminal: isTerminal(stderr), asks: isTerminal(stdin), machine: machine, now: time.Now,
	}
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case context.Cause(ctx) == errUnread && a.sweeping == 0:
		return exitInterrupted // whoever closed the output knows
	case err == nil:
		return exitDone
	}
	return a.tell(ctx, err)
}

// tell prints an error and returns the exit status that it calls for.
func (a *app) tell(ctx context.Context, err error) int {
	line, hint, status := a.explain(ctx, err)
	fmt.Fprintln(a.stderr, "versweep: "+safe(line))
	if e, ok := errors.AsType[*strictyaml.Error](err); ok {
		for _, l := range e.Excerpt {
			fmt.Fprintln(a.stderr, "  "+runtimes.WithoutSecrets(l)) // of a file that may hold some
		}
	}
	if hint != "" {
		fmt.Fprintln(a.stderr, "hint: "+safe(hint))
	}
	return status
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

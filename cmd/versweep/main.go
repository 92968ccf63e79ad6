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
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"versweep/runtimes"
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
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run carries out one command line and returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runOn(sweep.ThisMachine(), args, stdin, stdout, stderr)
}

// runOn is run with another machine to watch while servers are measured.
func runOn(machine sweep.Machine, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// The first signal asks for a clean end; restoring the default handling
	// then lets a second one end the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, terminal: isTerminal(stderr), asks: isTerminal(stdin), machine: machine}
	root := a.command()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	return a.tell(ctx, err)
}

// tell prints an error and returns the exit status that it calls for.
func (a *app) tell(ctx context.Context, err error) int {
	line, hint, status := a.explain(ctx, err)
	fmt.Fprintln(a.stderr, "versweep: "+line)
	if e, ok := errors.AsType[*runtimes.DefinitionError](err); ok {
		for _, l := range e.Excerpt {
			fmt.Fprintln(a.stderr, "  "+l)
		}
	}
	if hint != "" {
		fmt.Fprintln(a.stderr, "hint: "+hint)
	}
	return status
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

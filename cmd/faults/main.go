//go:build linux

// Command faults brings faults about and looks what becomes of a sweep: what is
// seen, what is stored, what is left behind. It runs the real program against
// engines, disks, registries and servers of its own, and needs root and Linux.
//
// Its table is docs/faults.md; the tests of this folder run the same scenarios
// and compare. Start reading at scenario.go, then at the file of a kind of fault.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// atOnceUsually is how many scenarios run at the same time: most of them wait.
const atOnceUsually = 4

func main() {
	only := flag.String("run", "", "only scenarios whose names match this pattern (default all)")
	output := flag.String("o", "", "write the table to this file (default standard output)")
	atOnce := flag.Int("at-once", atOnceUsually, "scenarios carried out at the same time")
	flag.Parse()
	if err := run(*only, *output, *atOnce); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

func run(only, output string, atOnce int) (err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := newSuite(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if closing := s.close(); err == nil {
			err = closing
		}
	}()
	failed := 0
	results := carryOutAll(ctx, s, pattern, atOnce, func(r result, took time.Duration) {
		verdict := "as it should be"
		if len(r.problems) > 0 {
			verdict = "WRONG"
			failed++
		}
		fmt.Fprintf(os.Stderr, "%-40s %5.1f s %s\n", r.scenario.name, took.Seconds(), verdict)
		for _, p := range r.problems {
			fmt.Fprintln(os.Stderr, "    "+p)
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d faults did not end as they should; nothing was written", failed, len(results))
	}
	if output == "" {
		_, err = fmt.Print(page(results))
		return err
	}
	return os.WriteFile(output, []byte(page(results)), 0o644)
}

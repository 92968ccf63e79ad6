// Command benchload measures the load engine beside the tools that people know,
// in turn and in one run, each pinned to one CPU and the server to another, and
// prints ratios: absolute figures of a shared machine say little.
//
// `make bench-load` runs it. It needs nginx, and takes as peers whichever of
// wrk, ab, h2load, hey, bombardier and httperf it finds or can install from
// their Go modules; the others it names.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := &bench{out: os.Stdout}
	flag.StringVar(&b.versweep, "versweep", "bin/versweep", "the program to measure")
	flag.IntVar(&b.rounds, "rounds", 7, "times that each tool runs in each comparison")
	flag.DurationVar(&b.window, "window", 2*time.Second, "how long one run takes")
	flag.IntVar(&b.port, "port", 18099, "port for the server on 127.0.0.1")
	flag.StringVar(&b.node, "node", "node", "Node.js program for the comparison on a slower server")
	flag.Parse()
	if err := b.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "benchload:", err)
		os.Exit(1)
	}
}

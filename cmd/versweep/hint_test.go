package main

import (
	"context"
	"testing"
)

// What goes on with something is typed with the flags that say where it is.
func TestHintAfterAnInterruptCanBeTyped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for want, a := range map[string]*app{
		"versweep resume 3 goes on from there":                                       {db: defaultDB(), sweeping: 3},
		"versweep resume 3 --db 'my x.db' --target-dir own goes on from there":       {db: "my x.db", targetDir: "own", sweeping: 3},
		"versweep bisect --resume 2 --target-dir planted/targets goes on from there": {db: defaultDB(), targetDir: "planted/targets", bisecting: 2},
	} {
		if _, hint, status := a.explain(ctx, ctx.Err()); hint != want || status != exitInterrupted {
			t.Errorf("%q, %d; want %q", hint, status, want)
		}
	}
}

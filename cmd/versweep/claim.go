package main

import (
	"context"
	"errors"
	"fmt"

	"versweep/charts"
	"versweep/runtimes"
	"versweep/store"
)

// ownerIsGone judges owners of claims where no lock beside the store can.
func ownerIsGone(owner string) bool { return runtimes.OwnerIsGone(owner, runtimes.ThisOwner()) }

// claim keeps other processes from carrying out the same sweep.
func claim(ctx context.Context, st *store.Store, id int64) error {
	return busyElsewhere(st.ClaimSweep(ctx, id, runtimes.ThisOwner(), ownerIsGone), "sweep", "resume")
}

func claimBisection(ctx context.Context, st *store.Store, id int64) error {
	return busyElsewhere(st.ClaimBisection(ctx, id, runtimes.ThisOwner(), ownerIsGone), "bisection", "bisect --resume")
}

// claimToAbandon takes a bisection over from a process of another machine too, when
// no lock says that it lives: who ends one by its number knows.
func claimToAbandon(ctx context.Context, st *store.Store, id int64) error {
	gone := func(owner string) bool { return !isHere(owner) || ownerIsGone(owner) }
	return busyElsewhere(st.ClaimBisection(ctx, id, runtimes.ThisOwner(), gone), "bisection", "bisect --resume")
}

// isHere tells whether owner is of a machine with the name of this one.
func isHere(owner string) bool {
	host, _, ok := runtimes.ReadOwner(owner)
	here, _, _ := runtimes.ReadOwner(runtimes.ThisOwner())
	return ok && host == here
}

// busyElsewhere says who carries out what could not be claimed, a sweep or a
// bisection, and what to do about it. goOn is the command that goes on with one.
// Other errors are returned as they are.
func busyElsewhere(err error, what, goOn string) error {
	busy, ok := errors.AsType[*store.BusyError](err)
	if !ok {
		return err
	}
	who := "another process"
	if host, pid, ok := runtimes.ReadOwner(busy.Owner); ok {
		who = charts.Printable(fmt.Sprintf("process %d on %s", pid, host))
	}
	if !busy.Since.IsZero() {
		who += ", since " + busy.Since.Local().Format("2006-01-02 15:04:05")
	}
	hint := fmt.Sprintf("wait until it ends, or end it: what it measured is kept, and versweep %s %d goes on from there", goOn, busy.ID)
	if !busy.Running && !isHere(busy.Owner) {
		who += ", as far as can be told from here"
		hint = "where that machine or container is gone for good, begin a new one with versweep run"
		if what == "bisection" {
			hint = fmt.Sprintf("where that machine or container is gone for good, versweep bisect --abandon %d ends it", busy.ID)
		}
	}
	return &hintedError{&busyError{fmt.Sprintf("%s %d is being carried out by %s", what, busy.ID, who), err}, hint}
}

// busyError says in full what a store's BusyError says in short.
type busyError struct {
	text string
	error
}

func (e *busyError) Error() string { return e.text }
func (e *busyError) Unwrap() error { return e.error }

package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"versweep/sweep"
)

func TestAFullDiskIsToldFromOtherFailures(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{fmt.Errorf("fetching x: %w", full), true},
		{errors.New("npm: ENOSPC: no space left on device, write"), true},
		{&BuildError{Reason: "make: exit status 2", Log: []string{"cc1: error: x.o: No space left on device"}}, true},
		{&BuildError{Reason: "make: exit status 2", Log: []string{"x.c:1: error"}}, false},
		{fmt.Errorf("%w: no space left on device", ErrEngineFull), false}, // another disk
	} {
		if got := isDiskFull(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}

// A full disk ends the making of builds: it is no version's fault.
func TestAFullDiskEndsTheMakingOfBuilds(t *testing.T) {
	s := &Supply{definition: &Definition{Name: "fake"}, kind: "list", source: &list{}}
	versions := []sweep.Version{{Name: "1.0.0", Raw: "1.0.0", Source: "list"}}
	for cause, end := range map[error]error{
		syscall.ENOSPC:                 ErrDiskFull,
		away(errors.New("EOF")):        sweep.ErrAway,
		errors.New("no such compiler"): nil,
	} {
		_, err := s.Obtain(t.Context(), versions, func(_ context.Context, b sweep.Build) (sweep.Build, error) { return b, cause }, func(Obtained) {})
		if !errors.Is(err, end) {
			t.Errorf("%v: Obtain = %v, want %v", cause, err, end)
		}
	}
}

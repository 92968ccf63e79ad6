package sweep

import (
	"context"
	"fmt"
	"time"

	"versweep/sweep/load"
)

// Launcher starts builds of one target.
type Launcher interface {
	// Start starts a fresh instance of b and returns when it has given the
	// right answer. An instance that does not get that far is stopped and
	// reported as a *StartError; any other error, cancellation included,
	// says that the launcher itself failed.
	Start(ctx context.Context, b Build) (Instance, error)
}

// Instance is one running server. Its methods are called one at a time, but
// for Usage, which Load's hooks may call.
type Instance interface {
	// StartupTime is the time from the start to the first right answer;
	// false when it could not be seen.
	StartupTime() (time.Duration, bool)
	// Load runs the load engine against the instance.
	Load(ctx context.Context, p load.Profile, hooks load.Hooks) (load.Result, error)
	// Usage reads what the instance has used so far.
	Usage() (Usage, error)
	// Stop ends the instance and takes away all that it left. It works
	// after ctx of the sweep has ended, and may be called twice.
	Stop() (Exit, error)
}

// Usage is what an instance has used since its start.
type Usage struct {
	CPU     time.Duration // over all its processes
	PeakRSS int64         // bytes, the highest resident memory; 0 when unknown
	// GroupCounters are of its control group, which may be older.
	GroupCounters
	// Elsewhere says that it runs on another machine than this program, or
	// that this cannot be known.
	Elsewhere bool
}

// Exit is how an instance ended.
type Exit struct {
	Early       bool     // it ended before it was stopped
	OutOfMemory bool     // and that was for want of memory
	Status      string   // "exit status 1", "signal: killed"; empty unless Early
	Log         []string // its last lines of output
}

// StartError tells why an instance never served. It is an outcome of the
// version, not of the sweep.
type StartError struct {
	Reason string   // one line: "exited with status 127 before serving"
	Log    []string // the last lines that it wrote
}

func (e *StartError) Error() string { return e.Reason }

// usageInWindow reads an instance's usage at both edges of the measuring
// window. It is used from the goroutine that follows the engine only.
type usageInWindow struct {
	instance   Instance
	start, end Usage
	err        error
}

func (u *usageInWindow) hooks() load.Hooks {
	read := func(into *Usage) func() {
		return func() {
			usage, err := u.instance.Usage()
			if err != nil && u.err == nil {
				u.err = fmt.Errorf("reading the server's CPU time and memory: %w", err)
			}
			*into = usage
		}
	}
	return load.Hooks{WindowStart: read(&u.start), WindowEnd: read(&u.end)}
}

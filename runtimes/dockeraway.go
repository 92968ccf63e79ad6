package runtimes

import (
	"context"
	"errors"
	"fmt"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"

	"versweep/sweep"
)

// How long an engine that went away may take to come back: a restart with many
// containers takes ten seconds and more, and an upgrade of its package half a
// minute.
const (
	returnTime  = time.Minute
	returnPause = 250 * time.Millisecond
)

// away says of an error that the engine went away. The error is sweep.ErrAway.
func away(cause error) error {
	if errors.Is(cause, sweep.ErrAway) {
		return cause
	}
	return fmt.Errorf("the container engine %w: %w", sweep.ErrAway, cause)
}

// isAway tells whether an error alone shows that the engine went away.
func isAway(err error) bool {
	return errors.Is(err, sweep.ErrAway) || client.IsErrConnectionFailed(err) || cerrdefs.IsUnavailable(err)
}

// lost looks why something failed: when the engine does not answer any more, its
// absence is the reason, and the error becomes sweep.ErrAway. What is nil, or the
// end of ctx, stays so.
func (e *Engine) lost(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	if isAway(err) {
		return away(err)
	}
	answers := e.ping
	if cerrdefs.IsInternal(err) {
		answers = e.staysUp
	}
	if answers(ctx) != nil {
		return away(err)
	}
	return err
}

// endingTime is how long an engine that is about to end may still answer, while
// it ends its containers or fails in odd ways: a tenth of a second was seen.
const endingTime = 2 * time.Second

// staysUp is an error unless the engine goes on answering for a while.
func (e *Engine) staysUp(ctx context.Context) error {
	for deadline := time.Now().Add(endingTime); ; {
		if err := e.ping(ctx); err != nil || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(returnPause):
		}
	}
}

func (e *Engine) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, engineAnswerTime)
	defer cancel()
	_, err := e.api.Ping(ctx)
	return err
}

// awaitBack waits until the engine answers again. Of several that wait, one says
// so.
func (e *Engine) awaitBack(ctx context.Context) error {
	e.waiting.Lock()
	defer e.waiting.Unlock()
	if e.ping(ctx) == nil {
		return e.isTheSame(ctx)
	}
	e.warn("the container engine went away; waiting up to %v for it to come back", returnTime)
	deadline, cancel := context.WithTimeout(ctx, returnTime)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline.Done():
			return fmt.Errorf("the container engine %w and did not come back within %v", sweep.ErrAway, returnTime)
		case <-time.After(returnPause):
		}
		if e.ping(deadline) == nil {
			break
		}
	}
	e.warn("the container engine is back; what was under way is done again")
	return e.isTheSame(ctx)
}

// isTheSame makes sure that an engine that came back is of the version that it
// was: otherwise its samples are of another environment.
func (e *Engine) isTheSame(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, engineAnswerTime)
	defer cancel()
	is, err := e.api.ServerVersion(ctx)
	if err != nil {
		return away(err)
	}
	if is.Version != e.plainVersion {
		return fmt.Errorf("the container engine came back as another one (version %s, was %s), and samples of two are never mixed", is.Version, e.plainVersion)
	}
	return nil
}

func (e *Engine) warn(format string, args ...any) {
	e.tellUser(fmt.Sprintf(format, args...))
}

// AwaitReturn implements sweep.Returner. It removes all containers of this
// process: those of the instance that was lost, which an engine may have kept
// running.
func (l *DockerLauncher) AwaitReturn(ctx context.Context) error {
	if err := l.engine.awaitBack(ctx); err != nil {
		return err
	}
	e := l.engine
	list, err := e.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", labelOwner+"="+e.owner))})
	if err != nil {
		return fmt.Errorf("listing what the engine kept of the lost sample: %w", e.lost(ctx, err))
	}
	var errs []error
	for _, c := range list {
		errs = append(errs, e.removeWithin(c.ID, returnTime)) // it has much to do now
	}
	return e.lost(ctx, errors.Join(errs...))
}

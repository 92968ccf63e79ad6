package runtimes

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
)

// removalTime bounds the removal of one container, which goes on after an
// interrupt.
const removalTime = 10 * time.Second

// removalPause is how long an engine that refuses a removal is given.
const removalPause = 50 * time.Millisecond

// removeLeftovers removes the containers of processes that are gone.
func (e *Engine) removeLeftovers(ctx context.Context) error {
	list, err := e.api.ContainerList(ctx, container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", labelOwner))})
	if err != nil {
		return fmt.Errorf("listing what earlier sweeps left in the engine: %w", err)
	}
	var gone sync.WaitGroup
	errs := make([]error, len(list))
	for i, c := range list {
		if OwnerIsGone(c.Labels[labelOwner], e.owner) {
			gone.Go(func() { errs[i] = e.remove(c.ID) })
		}
	}
	gone.Wait()
	return errors.Join(errs...)
}

// remove ends and removes a container, even after the sweep's context has
// ended. It tries again what an engine refuses for the moment: Podman does not
// remove a container that is just ending, nor one whose network another joined.
//
// A container that does not run any more disturbs nothing, and no sweep fails for
// it: the user is told, and the next start tries again. Docker keeps such a one
// when it was itself ended at the moment when it mounted the container's files.
func (e *Engine) remove(id string) error { return e.removeWithin(id, removalTime) }

// removeWithin gives a container that runs more time to go than removalTime.
func (e *Engine) removeWithin(id string, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var refusal error
	for began := time.Now(); ; {
		err := e.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
		if err == nil || cerrdefs.IsNotFound(err) {
			return nil
		}
		passing := cerrdefs.IsConflict(err) || cerrdefs.IsInternal(err)
		if passing || refusal == nil { // that time is up is no reason
			refusal = fmt.Errorf("removing container %.12s: %w", id, err)
		}
		expired := ctx.Err() != nil
		if expired || passing && time.Since(began) >= removalTime {
			switch e.stateOf(id) {
			case containerGone:
				return nil
			case containerEnded:
				e.warn("%v; it does not run any more, and the next start of versweep tries again", refusal)
				return nil
			}
		}
		if expired || !passing {
			return refusal
		}
		select {
		case <-ctx.Done():
		case <-time.After(removalPause):
		}
	}
}

type containerState int

const (
	containerUnknown containerState = iota // or running
	containerEnded
	containerGone
)

func (e *Engine) stateOf(id string) containerState {
	ctx, cancel := context.WithTimeout(context.Background(), engineAnswerTime)
	defer cancel()
	c, err := e.api.ContainerInspect(ctx, id)
	switch {
	case cerrdefs.IsNotFound(err):
		return containerGone
	case err == nil && c.State != nil && !c.State.Running:
		return containerEnded
	}
	return containerUnknown
}

package runtimes

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// buildRoom is the memory of an engine's machine that builds may take.
type buildRoom struct {
	mu     sync.Mutex
	each   int64 // as the user says; 0 for the usual
	memory *buildMemory
	left   *semaphore.Weighted // of what all builds may take
}

// BoundBuilds sets what each step of a build may take of the engine's memory, in
// bytes, before anything is built: 0 for 4 GiB, or three quarters of its machine's
// where that is less.
func (e *Engine) BoundBuilds(each int64) { e.builds.each = each }

// takeBuildMemory waits until a build may begin, so that those made at the same
// time fit into three quarters of the engine's memory. It returns what the build
// may take, in bytes. An engine that does not tell its memory is taken to have
// room for all.
func (e *Engine) takeBuildMemory(ctx context.Context) (each int64, release func(), err error) {
	r := &e.builds
	r.mu.Lock()
	if r.memory == nil {
		setup, err := e.Setup(ctx)
		if ctx.Err() != nil {
			r.mu.Unlock()
			return 0, nil, ctx.Err()
		}
		if err != nil {
			setup.Memory = 0 // the build will say whether the engine is there
		}
		r.memory = newBuildMemory(r.each, setup.Memory)
		r.left = semaphore.NewWeighted(r.memory.all)
	}
	r.mu.Unlock()
	if err := r.left.Acquire(ctx, r.memory.each); err != nil {
		return 0, nil, err
	}
	return r.memory.each, func() { r.left.Release(r.memory.each) }, nil
}

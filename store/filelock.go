package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// tryLock takes the lock that the file called name stands for, making the file
// where there is none. ours is false while another process, or another caller in
// this one, has it. The caller closes f. The lock dies with the process; a file
// left behind means nothing. A link is not followed: who has a lock is written into it.
func tryLock(name string) (f *os.File, ours bool, err error) {
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o666)
		if err != nil {
			return nil, false, fmt.Errorf("its folder cannot be written to: %w", reason(err))
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil && same(f, name):
			return f, true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return f, false, nil
		}
		f.Close() // removed by the one before, or interrupted: another try
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return nil, false, fmt.Errorf("locking %s: %w", name, err)
		}
	}
}

// unlock gives a lock back that tryLock took.
func unlock(f *os.File, name string) error { return errors.Join(os.Remove(name), f.Close()) }

// lock keeps other processes, and other callers in this one, from migrating
// the same store. It waits until they are done or ctx is.
//
// It is not one of SQLite's own locks, because goose begins and ends
// transactions as it likes.
func lock(ctx context.Context, name string) (release func(), err error) {
	for {
		f, ours, err := tryLock(name)
		if err != nil {
			return nil, err
		}
		if ours {
			return func() { unlock(f, name) }, nil
		}
		f.Close()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// clearLock removes the file that a process left which was killed while it made or
// migrated the store, unless another is at that now. That it stays is no failure.
func clearLock(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return // there is none, mostly
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && same(f, name) {
		os.Remove(name)
	}
}

// same says whether f is still the file called name: its last holder removes
// it, so the lock that was won may be on a file that nobody else will find.
func same(f *os.File, name string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(name)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

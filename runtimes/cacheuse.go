package runtimes

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrCacheInUse: another process uses the cache.
var ErrCacheInUse = errors.New("in use by another versweep")

// ErrNoCache: a folder is not marked as a cache of versweep, so that what is in it may
// be anybody's.
var ErrNoCache = errors.New("not marked as a cache of versweep")

// cacheTag marks a cache, for gc and, by its first line, for programs that make
// backups (bford.info/cachedir).
const (
	cacheTag     = "CACHEDIR.TAG"
	cacheTagText = "Signature: 8a477f597d28d172789f06886806bc55\n# versweep keeps fetched and built releases here, and may remove them.\n"
)

// signatureLine is all that a whole tag of another program may have.
var signatureLine, _, _ = strings.Cut(cacheTagText, "\n")

// markCache marks a folder as a cache. One that may only be read can have no mark,
// and the mark of another program stays; one of versweep's that was cut short, as by
// a full disk, is made whole.
func markCache(dir string) error {
	return writeMark(dir, func(w io.Writer) error {
		_, err := io.WriteString(w, cacheTagText)
		return err
	})
}

// writeMark has the mark written beside its place and moved there.
func writeMark(dir string, write func(io.Writer) error) error {
	name := filepath.Join(dir, cacheTag)
	text, err := os.ReadFile(name)
	switch there := string(text); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && (there == cacheTagText || !strings.HasPrefix(cacheTagText, there) || strings.TrimSuffix(there, "\n") == signatureLine):
		return nil
	}
	part := filepath.Join(dir, "."+cacheTag+"-"+rand.Text())
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil
	}
	if err = errors.Join(write(f), f.Close()); err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		os.Remove(part)
	}
	return err
}

func isCache(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, cacheTag))
	return err == nil && string(text) == cacheTagText
}

// cachePatience is how long opening a cache waits for another process to have
// cleared it.
const cachePatience = time.Minute

// lockCache takes a lock of the cache's folder, syscall.LOCK_SH or LOCK_EX, which
// dies with the process. It returns -1 where the disk has no locks or there is no
// folder.
func lockCache(dir string, how int) (fd int, err error) {
	fd, err = syscall.Open(dir, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1, nil
	}
	err = syscall.Flock(fd, how|syscall.LOCK_NB)
	if err == nil {
		return fd, nil
	}
	syscall.Close(fd)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return -1, ErrCacheInUse
	}
	return -1, nil
}

// holdCache keeps others from clearing the cache for as long as this process
// lives: servers run from its folders until then, which no value here could tell
// the end of. So the descriptor is never closed.
func holdCache(dir string) error {
	for deadline := time.Now().Add(cachePatience); ; time.Sleep(50 * time.Millisecond) {
		_, err := lockCache(dir, syscall.LOCK_SH)
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w, which is clearing it away", err)
		}
	}
}

// used notes that something in a cache was used just now: gc goes by that. Where
// it cannot be noted, in a cache that may only be read, gc cannot remove it either.
func used(path string) {
	now := time.Now()
	os.Chtimes(path, now, now)
}

// AloneWithCache calls f while no other process uses the cache in dir, and none
// can begin to. It fails with ErrCacheInUse when one does.
func AloneWithCache(ctx context.Context, dir string, f func(context.Context) error) error {
	fd, err := lockCache(dir, syscall.LOCK_EX)
	if err != nil {
		return err
	}
	if fd >= 0 {
		defer syscall.Close(fd)
	}
	return f(ctx)
}

package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// NightRunningError says that another process carries out a night with the same
// store.
type NightRunningError struct {
	Store string
	PID   int       // 0 when it does not say
	Since time.Time // zero when it does not say
}

func (e *NightRunningError) Error() string {
	text := fmt.Sprintf("another night is under way in %s", e.Store)
	if e.PID > 0 {
		text += fmt.Sprintf(": process %d, since %s", e.PID, e.Since.Local().Format("2006-01-02 15:04:05"))
	}
	return text
}

// LockNights keeps other nights from the store at path, which need not be there
// yet, until release is called or this process ends, however it ends. It does not
// wait: it fails with a NightRunningError while another process has the lock. A
// file path.nightly.lock that is left behind means nothing.
func LockNights(path string, now time.Time) (release func() error, err error) {
	file, err := resolve(path)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	name := file + ".nightly.lock"
	f, ours, err := tryLock(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("locking %s: %w", path, explain(file, err))
	case !ours:
		return nil, errors.Join(holderOf(f, path), f.Close())
	}
	if err := sign(f, now); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, explain(file, err)), unlock(f, name))
	}
	return func() error { return unlock(f, name) }, nil
}

// sign says in a lock who has it, for people.
func sign(f *os.File, now time.Time) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendf(nil, "%d %s\n", os.Getpid(), now.UTC().Format(time.RFC3339)), 0)
	return err
}

func holderOf(f *os.File, path string) error {
	held := &NightRunningError{Store: path}
	text := make([]byte, 128)
	n, _ := f.ReadAt(text, 0) // what cannot be read is not known
	var pid int
	var since string
	if _, err := fmt.Fscan(strings.NewReader(string(text[:n])), &pid, &since); err == nil {
		if at, err := time.Parse(time.RFC3339, since); err == nil {
			held.PID, held.Since = pid, at
		}
	}
	return held
}

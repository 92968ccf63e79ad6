package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A claim says which process carries a sweep or a bisection out, and the tag of a
// lock beside the store, path.claim-TAG, that dies with this process: another
// container does not see the processes of this one, and may have its name.
//
// A tag of 8 digits is of a store on a disk of this machine: whoever has that disk
// sees the lock, after a restart too. One of 8-8 digits is of a disk that others may
// reach over a network, where locks are not seen everywhere; the second eight name
// the run of the kernel that the lock is good for. Claims without a tag are of
// earlier builds, or were made where there are no locks.

// lockOfClaim parts a claim's owner from its tag.
const lockOfClaim = " lock="

var claimTag = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{8})?$`)

// BusyError says that a process carries out a sweep or a bisection that is not gone,
// as far as can be told. It is ErrBusy.
type BusyError struct {
	ID    int64  // of the sweep or bisection
	Owner string // as it was given when it was claimed
	// Running says that the process holds its lock. Else it is only not known to be
	// gone.
	Running bool
	Since   time.Time // when it first claimed something; zero when not known
}

func (e *BusyError) Error() string { return ErrBusy.Error() }
func (e *BusyError) Unwrap() error { return ErrBusy }

// ClaimSweep makes owner the process that carries out a sweep. It fails with a
// BusyError when another has claimed it that is not gone, and with ErrNoSweep. Where
// a lock cannot tell, gone does. A claim ends with FinishSweep, with Close, or with
// its owner.
func (s *Store) ClaimSweep(ctx context.Context, id int64, owner string, gone func(owner string) bool) error {
	return s.claim(ctx, "sweep", id, owner, gone, ErrNoSweep)
}

// ClaimBisection makes owner the process that carries out a bisection, as
// ClaimSweep does.
func (s *Store) ClaimBisection(ctx context.Context, id int64, owner string, gone func(owner string) bool) error {
	return s.claim(ctx, "bisection", id, owner, gone, ErrNoBisection)
}

// claim makes owner that of a row of a table, unless another one has it that is not
// gone. missing says that there is no such row.
func (s *Store) claim(ctx context.Context, table string, id int64, owner string, gone func(owner string) bool, missing error) error {
	return s.change(ctx, fmt.Sprintf("claiming %s %d", table, id), func(tx *sql.Tx) error {
		var held sql.NullString
		err := tx.QueryRowContext(ctx, "SELECT owner FROM "+table+" WHERE id = ?", id).Scan(&held)
		if errors.Is(err, sql.ErrNoRows) {
			return missing
		}
		if err != nil {
			return err
		}
		if busy := s.heldBy(held, owner, gone); busy != nil {
			busy.ID = id
			return busy
		}
		_, err = tx.ExecContext(ctx, "UPDATE "+table+" SET owner = ? WHERE id = ?", s.signed(owner), id)
		return err
	})
}

// ClaimUnfinished makes owner the process that carries out the unfinished sweep
// that was begun last, of whatever target, among those that no other process has
// claimed that is not gone, and returns its id. It fails with a BusyError of the
// last when others carry out all of them, and with ErrNoSweep when there is none.
func (s *Store) ClaimUnfinished(ctx context.Context, owner string, gone func(owner string) bool) (id int64, err error) {
	err = s.change(ctx, "looking for an unfinished sweep", func(tx *sql.Tx) error {
		none := ErrNoSweep
		err := each(ctx, tx, func(scan func(...any) error) error {
			var one int64
			var held sql.NullString
			if err := scan(&one, &held); err != nil || id != 0 {
				return err
			}
			busy := s.heldBy(held, owner, gone)
			if busy == nil {
				id = one
			} else if none == ErrNoSweep {
				busy.ID, none = one, busy
			}
			return nil
		}, "SELECT id, owner FROM sweep WHERE finished_ns IS NULL"+s.ordinary()+" ORDER BY id DESC")
		switch {
		case err != nil:
			return err
		case id == 0:
			return none
		}
		_, err = tx.ExecContext(ctx, "UPDATE sweep SET owner = ? WHERE id = ?", s.signed(owner), id)
		return err
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// claimLock is the lock of an open store; it has none until it claims something.
type claimLock struct {
	mu  sync.Mutex
	f   *os.File
	tag string
}

// claimFile is the name of the lock with a tag.
func (s *Store) claimFile(tag string) string { return s.file + ".claim-" + tag }

// signed is owner with the tag of this store's lock. Where no lock can be had it is
// owner alone, and the claim holds as those of earlier builds do.
func (s *Store) signed(owner string) string {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if s.claims.f == nil {
		s.lockClaims()
	}
	if s.claims.f == nil {
		return owner
	}
	return owner + lockOfClaim + s.claims.tag
}

// lockClaims takes a lock that nobody else has, and makes sure that it keeps others
// out: some disks grant every lock.
func (s *Store) lockClaims() {
	for range 3 { // who clears away what was left may have it for a moment
		var number [4]byte
		rand.Read(number[:])
		tag := hex.EncodeToString(number[:])
		if !onOwnDisk(s.file) {
			kernel := kernelRun()
			if kernel == "" {
				return
			}
			tag += "-" + kernel
		}
		name := s.claimFile(tag)
		f, ours, err := tryLock(name)
		switch {
		case err != nil:
			return
		case !ours:
			f.Close()
			continue
		}
		if free, err := isFree(name); err != nil || free {
			unlock(f, name)
			return
		}
		s.claims.f, s.claims.tag = f, tag
		return
	}
}

// closingTime is how long closing waits for others to let it end its claims.
const closingTime = 2 * time.Second

// endClaims takes this store's tag out of what was not carried out to its end: no
// process does any more. Where it cannot be written, the lock says so as well.
func (s *Store) endClaims() {
	s.claims.mu.Lock()
	tag := s.claims.tag
	if s.claims.f == nil {
		tag = ""
	}
	s.claims.mu.Unlock()
	if tag == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closingTime)
	defer cancel()
	for _, table := range []string{"sweep", "bisection"} {
		var left bool
		err := s.look(ctx, "looking for claims", func(tx *sql.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+table+" WHERE owner LIKE '%' || ?)", lockOfClaim+tag).Scan(&left)
		})
		if err != nil || !left {
			continue
		}
		s.change(ctx, "ending claims", func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE "+table+" SET owner = NULL WHERE owner LIKE '%' || ?", lockOfClaim+tag)
			return err
		})
	}
}

// unlockClaims ends all claims of this store that were not ended.
func (s *Store) unlockClaims() error {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if s.claims.f == nil {
		return nil
	}
	err := unlock(s.claims.f, s.claimFile(s.claims.tag))
	s.claims.f = nil
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the folder was removed
	}
	return err
}

// heldBy tells who has a claim that keeps owner from the same, or nil. gone judges
// owners where no lock can.
func (s *Store) heldBy(held sql.NullString, owner string, gone func(owner string) bool) *BusyError {
	if !held.Valid {
		return nil
	}
	holder, tag := held.String, ""
	if at := strings.LastIndex(holder, lockOfClaim); at >= 0 {
		holder, tag = holder[:at], holder[at+len(lockOfClaim):]
	}
	s.claims.mu.Lock()
	own := s.claims.f != nil && tag == s.claims.tag
	s.claims.mu.Unlock()
	busy := &BusyError{Owner: holder}
	if !own && s.tells(tag) {
		name := s.claimFile(tag)
		if info, err := os.Lstat(name); err == nil {
			busy.Since = info.ModTime()
		}
		if free, err := isFreeSoon(name); err == nil {
			if free {
				if s.write != nil {
					clearLock(name)
				}
				return nil
			}
			busy.Running = true
			return busy
		}
	}
	if holder == owner || gone(holder) {
		return nil
	}
	return busy
}

// tells says whether the lock of a tag, seen from here, says if its process lives.
func (s *Store) tells(tag string) bool {
	if !claimTag.MatchString(tag) {
		return false
	}
	if _, kernel, bound := strings.Cut(tag, "-"); bound {
		return kernel == kernelRun()
	}
	return onOwnDisk(s.file)
}

// clearClaims removes the locks that killed processes left.
func (s *Store) clearClaims() {
	entries, err := os.ReadDir(filepath.Dir(s.file))
	if err != nil {
		return // a folder may let files be opened and not listed
	}
	for _, e := range entries {
		if tag, ok := strings.CutPrefix(e.Name(), filepath.Base(s.file)+".claim-"); ok && s.tells(tag) {
			clearLock(s.claimFile(tag))
		}
	}
}

// isFreeSoon is isFree for a lock that others may have for a moment: who clears away
// what a killed process left.
func isFreeSoon(name string) (free bool, err error) {
	for range 10 {
		if free, err = isFree(name); free || err != nil {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	return free, err
}

// isFree tells whether nobody has the lock that a file stands for, without keeping
// others who ask the same from an answer. A file that is not there is nobody's.
func isFree(name string) (bool, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// kernelRun names the time from a start of this kernel to the next: 8 hex digits,
// and empty where it does not say.
func kernelRun() string {
	id := bootID()
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}

// HeldSweep tells whether a process that is not gone carries a sweep out. It fails
// with ErrNoSweep. gone judges owners where no lock can.
func (s *Store) HeldSweep(ctx context.Context, id int64, gone func(owner string) bool) (held bool, err error) {
	err = s.look(ctx, fmt.Sprintf("asking who carries out sweep %d", id), func(tx *sql.Tx) error {
		var owner sql.NullString
		err := tx.QueryRowContext(ctx, "SELECT owner FROM sweep WHERE id = ?", id).Scan(&owner)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNoSweep
		}
		held = s.heldBy(owner, "", gone) != nil
		return err
	})
	return held, err
}

// Claimed tells whether a process that is not gone carries out an unfinished sweep or
// bisection. gone judges owners where no lock can.
func (s *Store) Claimed(ctx context.Context, gone func(owner string) bool) (claimed bool, err error) {
	query := "SELECT owner FROM sweep WHERE finished_ns IS NULL"
	if s.schema >= bisectionsSince { // trials have no owner of their own
		query += " UNION ALL SELECT owner FROM bisection WHERE finished_ns IS NULL"
	}
	err = s.look(ctx, "looking for sweeps under way", func(tx *sql.Tx) error {
		return each(ctx, tx, func(scan func(...any) error) error {
			var held sql.NullString
			if err := scan(&held); err != nil {
				return err
			}
			claimed = claimed || s.heldBy(held, "", gone) != nil
			return nil
		}, query)
	})
	return claimed, err
}

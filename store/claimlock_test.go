package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// claimForEver claims sweep 1, and has a child that outlives it, as a server or the
// load engine may.
func claimForEver(ctx context.Context, path string) error {
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	if err := s.ClaimSweep(ctx, 1, "elsewhere", func(string) bool { return false }); err != nil {
		return err
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		return err
	}
	fmt.Println(child.Process.Pid)
	for { // not select {}, which the runtime may take for a deadlock
		time.Sleep(time.Hour)
	}
}

// neverGone is a judge of owners of other machines.
func neverGone(string) bool { return false }

// killedClaim has another process claim sweep 1 of the store at path, tells who holds
// it to whoever asks meanwhile, and kills the process.
func killedClaim(t *testing.T, path string) {
	t.Helper()
	cmd, lines := another(t, "claim", path)
	if !lines.Scan() {
		t.Fatal("the other process said nothing")
	}
	var child int
	if _, err := fmt.Sscan(lines.Text(), &child); err != nil {
		t.Fatalf("the other process said %q", lines.Text())
	}
	t.Cleanup(func() {
		if p, err := os.FindProcess(child); err == nil {
			p.Kill()
		}
	})
	s := reopen(t, path) // that looks for what was left, and leaves what is held
	err := s.ClaimSweep(t.Context(), 1, "here", func(string) bool { return true })
	busy, ok := errors.AsType[*BusyError](err)
	if !ok || !errors.Is(err, ErrBusy) || !busy.Running || busy.ID != 1 || busy.Owner != "elsewhere" || time.Since(busy.Since).Abs() > time.Minute {
		t.Errorf("while it runs, whatever is said of it: %+v, %v", busy, err)
	}
	if claimed, err := s.Claimed(t.Context(), neverGone); err != nil || !claimed {
		t.Errorf("while it runs: claimed %v, %v", claimed, err)
	}
	if _, err := s.ClaimUnfinished(t.Context(), "here", neverGone); !errors.Is(err, ErrBusy) {
		t.Errorf("the latest, while it runs: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}

func claimFiles(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + ".claim-*")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A claim dies with its process, wherever that ran, and what it leaves goes.
func TestClaimDiesWithItsProcess(t *testing.T) {
	for name, take := range map[string]func(*Store) error{
		"by number": func(s *Store) error { return s.ClaimSweep(t.Context(), 1, "here", neverGone) },
		"the latest": func(s *Store) error {
			_, err := s.ClaimUnfinished(t.Context(), "here", neverGone)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.db")
			s := reopen(t, path)
			begin(t, s, "1.0.0")
			for range 2 {
				killedClaim(t, path)
			}
			if n := len(claimFiles(t, path)); n != 1 {
				t.Errorf("%d files beside it after two kills", n)
			}
			if claimed, err := s.Claimed(t.Context(), neverGone); err != nil || claimed {
				t.Errorf("killed: claimed %v, %v", claimed, err)
			}
			if err := take(s); err != nil {
				t.Errorf("killed: %v", err)
			}
			if n := len(claimFiles(t, path)); n != 1 {
				t.Errorf("%d files beside it: what a kill left goes", n)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if names := entries(t, filepath.Dir(path)); len(names) != 1 {
				t.Errorf("left behind: %q", names)
			}
		})
	}
}

func TestOpeningRemovesWhatAKillLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s := reopen(t, path)
	begin(t, s, "1.0.0")
	killedClaim(t, path)
	foreign := []string{path + ".claim-", path + ".claim-mine", path + ".claim-0123abcd-00000000", path + ".claim-0123ABCD"}
	for _, name := range foreign {
		write(t, name, "")
	}
	if err := reopen(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	if names := claimFiles(t, path); len(names) != len(foreign) {
		t.Errorf("beside it are %q", names)
	}
}

// Two open stores of one process are as those of two; an end without a finish lets go.
func TestClaimEndsWithClose(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	other := reopen(t, s.path)
	if err := other.ClaimSweep(t.Context(), sw.ID, "me", neverGone); err != nil {
		t.Fatal(err)
	}
	if err := s.ClaimSweep(t.Context(), sw.ID, "me", neverGone); !errors.Is(err, ErrBusy) {
		t.Errorf("while the other has it: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.ClaimSweep(t.Context(), sw.ID, "me", neverGone); err != nil {
		t.Errorf("when the other is closed: %v", err)
	}
}

// What is closed without an end names no process that has gone; what another one
// carries out stays its own.
func TestCloseNamesNobody(t *testing.T) {
	s := fresh(t)
	first, second := begin(t, s, "1.0.0"), begin(t, s, "1.1.0")
	b, err := s.CreateBisection(t.Context(), someBisection(), noon)
	if err != nil {
		t.Fatal(err)
	}
	other := reopen(t, s.path)
	err = errors.Join(other.ClaimSweep(t.Context(), first.ID, "me", neverGone), other.ClaimBisection(t.Context(), b.ID, "me", neverGone),
		s.ClaimSweep(t.Context(), second.ID, "me", neverGone), other.Close())
	if err != nil {
		t.Fatal(err)
	}
	owners := map[string]sql.NullString{}
	for query, id := range map[string]int64{"sweep 1": first.ID, "sweep 2": second.ID, "bisection 1": b.ID} {
		table, _, _ := strings.Cut(query, " ")
		var owner sql.NullString
		err := s.look(t.Context(), "reading an owner", func(tx *sql.Tx) error {
			return tx.QueryRowContext(t.Context(), "SELECT owner FROM "+table+" WHERE id = ?", id).Scan(&owner)
		})
		if err != nil {
			t.Fatal(err)
		}
		owners[query] = owner
	}
	if owners["sweep 1"].Valid || owners["bisection 1"].Valid || !owners["sweep 2"].Valid {
		t.Errorf("owners are %v", owners)
	}
}

// Locks are believed where they are seen: not those of another kernel on a disk that
// both may share, nor of names that are none.
func TestLocksOfOthersAreNotBelieved(t *testing.T) {
	s := fresh(t)
	for tag, want := range map[string]bool{
		"0123abcd":                  onOwnDisk(s.file),
		"0123abcd-" + kernelRun():   kernelRun() != "",
		"0123abcd-00000000":         false,
		"":                          false,
		"../x":                      false,
		"0123abcd-" + "../../../ab": false,
		"0123abcd/../../etc/x":      false,
	} {
		if got := s.tells(tag); got != want {
			t.Errorf("%q: %v, want %v", tag, got, want)
		}
	}
	// What is not believed is judged as claims of earlier builds are.
	for _, held := range []string{"old", "old lock=0123abcd-00000000", "old lock=../x"} {
		claim := sql.NullString{String: held, Valid: true}
		if busy := s.heldBy(claim, "me", neverGone); busy == nil || busy.Running || busy.Owner != "old" {
			t.Errorf("%q: %+v", held, busy)
		}
		if busy := s.heldBy(claim, "me", func(owner string) bool { return owner == "old" }); busy != nil {
			t.Errorf("%q: %+v, though it is gone", held, busy)
		}
	}
}

// Where no lock can be had, a claim is what earlier builds make.
func TestClaimWithoutALock(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	s.file = filepath.Join(t.TempDir(), "no such folder", "x.db")
	if got := s.signed("me"); got != "me" {
		t.Errorf("signed %q", got)
	}
	s.file = s.path
	if err := s.ClaimSweep(t.Context(), sw.ID, "me", neverGone); err != nil {
		t.Fatal(err)
	}
	var owner string
	if err := s.read.QueryRow("SELECT owner FROM sweep").Scan(&owner); err != nil || !strings.HasPrefix(owner, "me lock=") {
		t.Errorf("owner %q, %v", owner, err)
	}
	if err := s.FinishSweep(t.Context(), sw.ID, noon); err != nil {
		t.Fatal(err)
	}
	if len(claimFiles(t, s.path)) != 1 {
		t.Error("the lock goes before the store is closed")
	}
}

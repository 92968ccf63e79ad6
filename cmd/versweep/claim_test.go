package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"versweep/runtimes"
	"versweep/store"
	"versweep/sweep"
)

// Who carries a sweep out is told, and what to do about it.
func TestBusySweepTellsByWhom(t *testing.T) {
	db := filepath.Join(t.TempDir(), "versweep.db")
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	sw, err := st.CreateSweep(t.Context(), sweep.Plan{Target: "node"}, sweep.Environment{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	resumed := func(args ...string) (line, hint string, status int) {
		t.Helper()
		_, _, err := ran(t, append([]string{"resume", "--db", db}, args...)...)
		if err == nil {
			t.Fatal("it is gone on with")
		}
		return (&app{begun: true}).explain(t.Context(), err)
	}
	if err := st.ClaimSweep(t.Context(), sw.ID, "box boot 7 100", ownerIsGone); err != nil {
		t.Fatal(err)
	}
	since := time.Now().Format("2006-01-02 15:")
	for _, args := range [][]string{nil, {"1"}} {
		line, hint, status := resumed(args...)
		if !strings.HasPrefix(line, "sweep 1 is being carried out by process 7 on box, since "+since) || strings.Contains(line, "can be told") ||
			hint != "wait until it ends, or end it: what it measured is kept, and versweep resume 1 goes on from there" || status != exitFailure {
			t.Errorf("%q: %s\n%s\nstatus %d", args, line, hint, status)
		}
	}
	// As an earlier build claimed it, on a machine that cannot be asked.
	file, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Exec("UPDATE sweep SET owner = 'box boot 7 100'"); err != nil {
		t.Fatal(err)
	}
	line, hint, _ := resumed()
	if line != "sweep 1 is being carried out by process 7 on box, as far as can be told from here" || !strings.Contains(hint, "begin a new one with versweep run") {
		t.Errorf("of an earlier build: %s\n%s", line, hint)
	}
	if _, err := file.Exec("UPDATE sweep SET owner = ?", runtimes.ThisOwner()+"0"); err != nil { // another start of this number
		t.Fatal(err)
	}
	if err := claim(t.Context(), st, sw.ID); err != nil {
		t.Errorf("of an earlier build here, and gone: %v", err)
	}
}

// A bisection of a machine that cannot be asked is in nobody's way for ever.
func TestAbandoningABisectionOfAnotherMachine(t *testing.T) {
	db, b := begunBisection(t, bisectOptions{})
	st, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.ClaimBisection(t.Context(), b.ID, "box boot 7 100", ownerIsGone); err != nil {
		t.Fatal(err)
	}
	abandon := []string{"bisect", "--abandon", "1", "--db", db}
	if _, _, err := ran(t, abandon...); err == nil || !strings.Contains(err.Error(), "bisection 1 is being carried out by process 7 on box, since ") {
		t.Errorf("of a process that runs: %v", err)
	}
	file, err := sql.Open("sqlite", db) // an earlier build has claimed it
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Exec("UPDATE bisection SET owner = 'box boot 7 100'"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ran(t, abandon...); err != nil {
		t.Error(err)
	}
}

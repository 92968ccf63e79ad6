package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"versweep/sweep"
)

// roleVariable makes the test binary play another process: see roles.
const roleVariable = "VERSWEEP_STORE_TEST_ROLE"

// roles are what another process can do with the store at path. They print
// lines for the test to read.
func roles() map[string]func(ctx context.Context, path string) error {
	return map[string]func(context.Context, string) error{
		"hold":   holdOneSecond,
		"save":   saveForEver,
		"open":   openAndSave,
		"nobody": openAsNobody, "migrate": openOnly,
		"thin": thinSlowly, "claim": claimForEver,
	}
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles()[role](context.Background(), os.Args[1]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// another starts another process that plays role; its output is a stream of
// lines. It is killed when the test ends.
func another(t *testing.T, role, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

func holdOneSecond(ctx context.Context, path string) error {
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	defer s.Close()
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println("holding")
	time.Sleep(time.Second)
	return tx.Commit()
}

// Case D1.
func TestManyWritersBesideAnotherProcess(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0", "2.0.0", "3.0.0", "4.0.0")
	cmd, lines := another(t, "hold", s.path)
	if !lines.Scan() || lines.Text() != "holding" {
		t.Fatalf("the other process said %q", lines.Text())
	}
	begun := time.Now()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				m := sweep.Sample{
					Version: sw.Plan.Versions[g/2].Name, Twin: g%2 == 1, Round: i + 1,
					Status: sweep.OK, Values: map[string]float64{sweep.QPS: float64(i)},
				}
				if err := s.SaveSample(t.Context(), sw.ID, &m); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if waited := time.Since(begun); waited < 500*time.Millisecond {
		t.Errorf("all was saved in %v: the other process held nothing", waited)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	list, err := s.Sweeps(t.Context(), Filter{})
	if err != nil || len(list) != 1 || list[0].Samples != 1600 {
		t.Fatalf("%+v, %v; want 1600 samples", list, err)
	}
}

func TestLockedTooLong(t *testing.T) {
	s := fresh(t)
	begin(t, s, "1.0.0")
	other := reopen(t, s.path)
	tx, err := other.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := s.write.Exec("PRAGMA busy_timeout = 100"); err != nil {
		t.Fatal(err)
	}
	err = s.FinishSweep(t.Context(), 1, noon)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), s.path) {
		t.Fatalf("got %v", err)
	}
	// Reading and opening go on.
	if _, err := reopen(t, s.path).LoadSweep(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	// Ctrl-C does not wait for the lock.
	if _, err := s.write.Exec("PRAGMA busy_timeout = 10000"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if err := s.FinishSweep(ctx, 1, noon); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("cancelled: %v", err)
	}
	if waited := time.Since(begun); waited > 3*time.Second {
		t.Errorf("cancelling took %v", waited)
	}
}

func saveForEver(ctx context.Context, path string) error {
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	sw, err := s.LoadSweep(ctx, 1)
	if err != nil {
		return err
	}
	m := measured(rand.New(rand.NewPCG(1, 2)), sw.Plan.Versions[0].Name, 0)
	for round := len(sw.Samples) + 1; ; round++ {
		m.Round = round
		if err := s.SaveSample(ctx, sw.ID, m); err != nil {
			return err
		}
		fmt.Println(m.ID)
	}
}

func TestKilledWhileSaving(t *testing.T) {
	path := filepath.Join(t.TempDir(), "versweep.db")
	s := reopen(t, path)
	sw := begin(t, s, "1.0.0")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	last := 0
	for try := range 5 {
		cmd, lines := another(t, "save", path)
		time.AfterFunc(time.Duration(100+37*try)*time.Millisecond, func() { cmd.Process.Signal(syscall.SIGKILL) })
		for lines.Scan() {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("the other process said %q", lines.Text())
			}
			last = n
		}
		cmd.Wait()
		s := reopen(t, path)
		checkWhole(t, s, sw.ID, last)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if last == 0 {
		t.Error("nothing was saved before the kill")
	}
}

func TestKilledWhileMaking(t *testing.T) {
	for try := range 12 {
		path := filepath.Join(t.TempDir(), "versweep.db")
		cmd, lines := another(t, "open", path)
		time.AfterFunc(time.Duration(2*try)*time.Millisecond+5*time.Millisecond, func() { cmd.Process.Signal(syscall.SIGKILL) })
		for lines.Scan() {
			t.Error(lines.Text())
		}
		cmd.Wait()
		begin(t, reopen(t, path), "1.0.0")
	}
}

func openAndSave(ctx context.Context, path string) error {
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	if _, err := s.CreateSweep(ctx, plan("1.0.0"), machine(), noon); err != nil {
		return err
	}
	return s.Close()
}

func TestProcessesMakeOneStore(t *testing.T) {
	for _, already := range []string{"", "an empty file"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "versweep.db")
		if already != "" {
			write(t, path, "")
		}
		const n = 6
		var others []*exec.Cmd
		for range n {
			cmd, lines := another(t, "open", path)
			others = append(others, cmd)
			go func() {
				for lines.Scan() {
					t.Error(lines.Text())
				}
			}()
		}
		for _, cmd := range others {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		st, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		list, err := st.Sweeps(t.Context(), Filter{})
		if err != nil || len(list) != n {
			t.Errorf("%d sweeps, %v; want %d", len(list), err, n)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
		if names := entries(t, dir); len(names) != 1 {
			t.Errorf("left behind: %q", names)
		}
	}
}

// openOnly opens the store, which brings it up to date, and closes it again.
func openOnly(ctx context.Context, path string) error {
	fmt.Println("opening")
	s, err := Open(ctx, path)
	if err != nil {
		return err
	}
	return s.Close()
}

// openAsNobody gives up root's right to write everywhere, then says how
// opening goes.
func openAsNobody(ctx context.Context, path string) error {
	if os.Geteuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			return err
		}
	}
	s, err := Open(ctx, path)
	fmt.Println(err)
	if err == nil {
		s.Close()
	}
	s, err = OpenReadOnly(ctx, path)
	if err == nil {
		var list []Summary
		list, err = s.Sweeps(ctx, Filter{})
		fmt.Println(len(list))
		err = errors.Join(err, s.Close())
	}
	fmt.Println(err)
	return nil
}

func TestPermissions(t *testing.T) {
	for name, c := range map[string]struct {
		folder, file     os.FileMode // 0 for no file
		opening, reading string
	}{
		"new in a read-only folder":  {0o555, 0, "its folder cannot be written to: permission denied", "no versweep store"},
		"read-only folder":           {0o555, 0o644, "read-only", "1 <nil>"},
		"read-only folder, own file": {0o555, 0o666, "read-only", "1 <nil>"},
		"read-only file":             {0o777, 0o444, "read-only", "1 <nil>"},
		"unreadable file":            {0o777, 0o000, "cannot be opened", "cannot be opened"},
		"unreadable folder":          {0o000, 0o644, "permission denied", "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "versweep.db")
			if c.file != 0 || name == "unreadable file" {
				s := reopen(t, path)
				begin(t, s, "1.0.0")
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, c.file); err != nil {
					t.Fatal(err)
				}
			}
			before := read(t, path)
			if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, c.folder)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(dir, 0o755) })
			cmd, lines := another(t, "nobody", path)
			var said []string
			for lines.Scan() {
				said = append(said, lines.Text())
			}
			if err := cmd.Wait(); err != nil || len(said) < 2 {
				t.Fatalf("%q, %v", said, err)
			}
			if !strings.Contains(said[0], c.opening) || !strings.Contains(said[0], path) {
				t.Errorf("opening: %s; want %q", said[0], c.opening)
			}
			if reading := strings.Join(said[1:], " "); !strings.Contains(reading, c.reading) {
				t.Errorf("reading: %s; want %q", reading, c.reading)
			}
			if os.Geteuid() == 0 && read(t, path) != before {
				t.Error("the file was changed")
			}
		})
	}
}

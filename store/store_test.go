package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"versweep/sweep"
	"versweep/sweep/load"
)

var noon = time.Date(2024, 2, 29, 12, 0, 0, 123456789, time.UTC)

// fresh opens a new store in a folder of its own.
func fresh(t testing.TB) *Store {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "versweep.db"))
}

// reopen opens a store that is closed when the test ends.
func reopen(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// plan is a plan with these versions.
func plan(names ...string) sweep.Plan {
	p := sweep.Plan{
		Target: "node", Title: "Node.js", Source: "npm", Launcher: "process", Reference: names[len(names)-1],
		Seed: 1<<64 - 1, Rounds: 5,
		Profile: load.Profile{
			Name: "hello", Shape: load.ShapeClosed, Connections: 64,
			Duration: 2 * time.Second, Warmup: 500 * time.Millisecond, Timeout: 5 * time.Second,
		},
	}
	for _, name := range names {
		p.Versions = append(p.Versions, sweep.Version{
			Name: name, Raw: "v" + name, Source: "npm", Line: name + "-line", Digest: "sha512-" + strings.Repeat("x", 88),
		})
	}
	return p
}

func machine() sweep.Environment {
	return sweep.Environment{
		CPU: "AMD EPYC 7B13", Cores: 2, OS: "linux/amd64", Kernel: "6.1.0", Memory: 8 << 30, Launcher: "process",
		ServerCPUs: []int{0}, LoadCPUs: []int{1}, Method: 1,
	}
}

// begin saves a sweep of these versions.
func begin(t testing.TB, s *Store, names ...string) sweep.Sweep {
	t.Helper()
	sw, err := s.CreateSweep(t.Context(), plan(names...), machine(), noon)
	if err != nil {
		t.Fatal(err)
	}
	return sw
}

// measured is a sample as a sweep measures one, with a histogram that looks
// like that of a fast server over two seconds.
func measured(r *rand.Rand, version string, round int) *sweep.Sample {
	h := hdrhistogram.New(1, time.Hour.Nanoseconds(), 3)
	const n = 40_000
	for range n {
		latency := 1.5e6 * (1 + 0.25*r.NormFloat64() + 0.3*r.ExpFloat64())
		if err := h.RecordValue(max(int64(latency), 1000)); err != nil {
			panic(err)
		}
	}
	values := map[string]float64{}
	for _, m := range sweep.Metrics {
		values[m.Key] = r.NormFloat64() * 1000
	}
	return &sweep.Sample{
		Round: round, Position: r.IntN(40), Version: version, Status: sweep.OK, Started: noon.Add(time.Duration(round) * time.Minute),
		Values: values,
		Load: &load.Result{
			Scheduled: n + 64, Started: n + 64, OK: n, InFlight: 64, Elapsed: 2*time.Second + 1234567,
			Connections: 64, BytesIn: n * 190, CPU: 1700 * time.Millisecond,
			CPUShare: 0.85, Busy: 0.9, Sustained: true, Latency: h,
		},
	}
}

// paced is measured under a fixed rate: with all three histograms.
func paced(r *rand.Rand, version string, round int) *sweep.Sample {
	m := measured(r, version, round)
	m.Load.OfferedRate, m.Load.Corrected = 20_000, true
	m.Load.Service = measured(r, version, round).Load.Latency
	m.Load.Lateness = hdrhistogram.New(1, time.Hour.Nanoseconds(), 3)
	for range m.Load.OK {
		if err := m.Load.Lateness.RecordValue(int64(50_000 * r.ExpFloat64())); err != nil {
			panic(err)
		}
	}
	return m
}

func TestOpenMakesAndKeepsAStore(t *testing.T) {
	for _, name := range []string{
		"plain.db", "with space.db", "a?mode=memory.db", "half#way.db", "100%25.db", "ünïcode-ø.db", ":memory:", "file:x.db", "semi;colon'quote\".db", "&_txlock=x",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			s := reopen(t, path)
			sw := begin(t, s, "1.0.0")
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if names := entries(t, dir); len(names) != 1 || names[0] != name {
				t.Fatalf("after closing the folder holds %q, want only %q", names, name)
			}
			got, err := reopen(t, path).LoadSweep(t.Context(), sw.ID)
			if err != nil || got.Plan.Target != "node" {
				t.Fatalf("read back %+v, %v", got, err)
			}
		})
	}
}

func TestOpenTakesAnEmptyFileAsNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.db")
	write(t, path, "")
	if _, err := OpenReadOnly(t.Context(), path); !errors.Is(err, ErrNoStore) {
		t.Fatalf("for reading: %v", err)
	}
	begin(t, reopen(t, path), "1.0.0")
}

func TestOpenFollowsALink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	link, file := filepath.Join(dir, "link.db"), filepath.Join(elsewhere, "file.db")
	if err := reopen(t, file).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	begin(t, reopen(t, link), "1.0.0")
	if names := entries(t, dir); len(names) != 1 {
		t.Fatalf("beside the link: %q", names)
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "hello")
	for _, c := range []struct{ path, want string }{
		{dir, "it is a folder"},
		{filepath.Join(file, "x.db"), "not a directory"},
		{filepath.Join(dir, "missing", "x.db"), "its folder: no such file or directory"},
		{os.DevNull, "not a regular file"},
		{"", "no file named"},
		{"a\x00b", "NUL"},
		{filepath.Join(dir, strings.Repeat("x", 300)), "file name too long"},
	} {
		for _, open := range []func(context.Context, string) (*Store, error){Open, OpenReadOnly} {
			_, err := open(t.Context(), c.path)
			if errors.Is(err, ErrNoStore) {
				continue // a missing folder, when only reading
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v; want one line with %q", c.path, err, c.want)
			}
		}
	}
	if names := entries(t, dir); len(names) != 1 {
		t.Errorf("left behind: %q", names)
	}
}

func TestOpenReadOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "versweep.db")
	for _, missing := range []string{path, filepath.Join(dir, "no", "such", "folder.db")} {
		if _, err := OpenReadOnly(t.Context(), missing); !errors.Is(err, ErrNoStore) || !strings.Contains(err.Error(), missing) {
			t.Fatalf("%s: %v", missing, err)
		}
	}
	if names := entries(t, dir); len(names) != 0 {
		t.Fatalf("reading made %q", names)
	}

	w := reopen(t, path)
	sw := begin(t, w, "1.0.0")
	r, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.LoadSweep(t.Context(), sw.ID); err != nil {
		t.Fatalf("beside a writer: %v", err)
	}
	if _, err := r.CreateSweep(t.Context(), plan("1.0.0"), machine(), noon); !errors.Is(err, ErrReadOnly) {
		t.Fatalf("writing: %v", err)
	}
	if _, err := r.read.ExecContext(t.Context(), "DELETE FROM sweep"); !errors.Is(explain(r.file, err), ErrReadOnly) {
		t.Fatalf("writing behind its back: %v", err)
	}
	// The reader goes last: it tidies up all the same.
	if err := errors.Join(w.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	if names := entries(t, dir); len(names) != 1 {
		t.Fatalf("after closing: %q", names)
	}
}

func TestEveryConnectionHasItsSettings(t *testing.T) {
	s := fresh(t)
	for range readers {
		conn, err := s.read.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() // held, so that each turn opens another one
		for pragma, want := range map[string]int64{"foreign_keys": 1, "busy_timeout": 10_000, "query_only": 1} {
			var got int64
			if err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s is %d, %v; want %d", pragma, got, err, want)
			}
		}
	}
	for pragma, want := range map[string]string{
		"foreign_keys": "1", "busy_timeout": "10000", "synchronous": "2", "journal_mode": "wal", "application_id": fmt.Sprint(applicationID),
	} {
		var got string
		if err := s.write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", pragma, got, err, want)
		}
	}
}

func TestFullDisk(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	var pages int64
	if err := s.write.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.write.ExecContext(t.Context(), fmt.Sprint("PRAGMA max_page_count = ", pages)); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	saved := 0
	for round := 1; ; round++ {
		err := s.SaveSample(t.Context(), sw.ID, measured(r, "1.0.0", round))
		if err == nil {
			saved++
			continue
		}
		if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), s.path) {
			t.Fatal(err)
		}
		break
	}
	checkWhole(t, s, sw.ID, saved)
}

func TestCancelled(t *testing.T) {
	s := fresh(t)
	sw := begin(t, s, "1.0.0")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.LoadSweep(ctx, sw.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: %v", err)
	}
	if err := s.FinishSweep(ctx, sw.ID, noon); !errors.Is(err, context.Canceled) {
		t.Errorf("writing: %v", err)
	}
	if _, err := Open(ctx, s.path); !errors.Is(err, context.Canceled) {
		t.Errorf("opening: %v", err)
	}
}

// checkWhole fails unless the sweep has at least atLeast samples, each with all
// that measured gave it.
func checkWhole(t *testing.T, s *Store, id int64, atLeast int) {
	t.Helper()
	sw, err := s.LoadSweep(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.LoadHistograms(t.Context(), sw.Samples); err != nil {
		t.Fatal(err)
	}
	if len(sw.Samples) < atLeast {
		t.Errorf("%d samples, want at least %d", len(sw.Samples), atLeast)
	}
	for _, m := range sw.Samples {
		if len(m.Values) != len(sweep.Metrics) || m.Load == nil || m.Load.Latency == nil {
			t.Errorf("half a sample: %+v", m)
		} else if m.Load.Latency.TotalCount() != m.Load.OK {
			t.Errorf("sample %d: %d of %d latencies", m.ID, m.Load.Latency.TotalCount(), m.Load.OK)
		}
	}
	var verdict string
	if err := s.read.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s, %v", verdict, err)
	}
}

func entries(t testing.TB, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

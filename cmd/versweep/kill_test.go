//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"versweep/store"
	"versweep/sweep"
)

// killable is a command that is killed at any moment and gone on with.
type killable struct {
	begin  []string // the command line
	goOn   []string // what goes on after a kill, once a sweep is in the store
	kills  int      // of one carrying out, at most
	table  bool     // it prints the table of its sweep
	checks int      // starts of a server before a sweep has samples
	rounds int      // of each sweep; 0 where the samples decide
	// within is when after its start a process is killed, at the latest.
	within time.Duration
}

// killRun is how one carrying out went.
type killRun struct {
	kills  int
	lost   int // samples that were in flight when their process was killed
	twice  int // samples that were measured again although they were stored
	places int // samples in the end, repeated attempts not counted
}

// killStage is a folder with a program, a target of tiny servers and a store.
type killStage struct {
	t       *testing.T
	program string
	folder  string
	starts  string // file with a line for each start of a server
	docker  bool   // servers run in containers

	processes []string // numbers of those that carried out sweeps
}

// tinyVersions are the tags of the repository. From 2.0.0 on they are slow.
const tinyVersions = "1.0.0 1.1.0 1.2.0 1.3.0 2.0.0 2.1.0"

// newKillStage builds the program as users have it. It is static, so that it is
// its own load engine in containers.
func newKillStage(t *testing.T) *killStage {
	t.Helper()
	s := &killStage{t: t, folder: t.TempDir()}
	s.program, s.starts = filepath.Join(s.folder, "bin", "versweep"), filepath.Join(s.folder, "starts")
	repository := filepath.Join(s.folder, "repository")
	for out, pkg := range map[string]string{s.program: ".", filepath.Join(repository, "hello"): "./testdata/tinyserver"} {
		build := exec.Command("go", "build", "-o", out, pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", pkg, err, said)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", repository, "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"}, args...)...)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, said)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "all")
	for _, v := range strings.Fields(tinyVersions) {
		git("tag", "v"+v)
	}
	target := filepath.Join(s.folder, "targets", "tiny")
	if err := errors.Join(os.MkdirAll(target, 0o755), os.Mkdir(filepath.Join(s.folder, "tmp"), 0o755)); err != nil {
		t.Fatal(err)
	}
	definition := fmt.Sprintf(`title: Tiny
homepage: https://example.org
about: a server of the tests
sources:
  - git: {repository: %q, tags: "v{version}"}
start: ["{build}/hello", "{version}", %q]
image: {base: "docker.io/library/debian:bookworm-slim"}
`, repository, s.starts)
	if err := os.WriteFile(filepath.Join(target, "target.yaml"), []byte(definition), 0o644); err != nil {
		t.Fatal(err)
	}
	return s
}

// newStore forgets what was measured and built.
func (s *killStage) newStore() {
	s.t.Helper()
	if err := errors.Join(os.RemoveAll(filepath.Join(s.folder, "store")), os.RemoveAll(filepath.Join(s.folder, "cache")),
		os.Mkdir(filepath.Join(s.folder, "store"), 0o755)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *killStage) db() string { return filepath.Join(s.folder, "store", "versweep.db") }

func (s *killStage) command(args ...string) *exec.Cmd {
	args = append(slices.Clone(args), "--db", s.db(), "--target-dir", filepath.Join(s.folder, "targets"))
	cmd := exec.Command(s.program, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(s.folder, "tmp"), "XDG_CACHE_HOME="+filepath.Join(s.folder, "cache"))
	return cmd
}

// started counts the starts of servers so far.
func (s *killStage) started() int {
	s.t.Helper()
	if s.docker {
		time.Sleep(300 * time.Millisecond) // for the engine to tell
	}
	lines, err := os.ReadFile(s.starts)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	return bytes.Count(lines, []byte("\n"))
}

// stored reads the sweeps of the store, oldest first; none where there is no store.
func (s *killStage) stored() []sweep.Sweep {
	s.t.Helper()
	st, err := store.OpenReadOnly(s.t.Context(), s.db())
	if errors.Is(err, store.ErrNoStore) {
		return nil
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer st.Close()
	var sweeps []sweep.Sweep
	for id := int64(1); ; id++ { // the trials of a bisection too, which no list has
		sw, err := st.LoadSweep(s.t.Context(), id)
		if errors.Is(err, store.ErrNoSweep) {
			return sweeps
		}
		if err != nil {
			s.t.Fatal(err)
		}
		sweeps = append(sweeps, sw)
	}
}

func samplesOf(sweeps []sweep.Sweep) (all []sweep.Sample) {
	for _, sw := range sweeps {
		all = append(all, sw.Samples...)
	}
	return all
}

// carryOut begins k and goes on with it until it is done, killing the process at
// random moments, and checks after each what is in the store.
func (s *killStage) carryOut(k killable, rng *rand.Rand) (r killRun) {
	s.t.Helper()
	s.newStore()
	before, startsBefore := s.stored(), s.started()
	late := 0 // kills whose sample in flight has not been seen
	for {
		args := k.begin
		if len(before) > 0 {
			args = k.goOn
		}
		var said, table bytes.Buffer
		cmd := s.command(args...)
		cmd.Stdout, cmd.Stderr = &table, &said
		if err := cmd.Start(); err != nil {
			s.t.Fatal(err)
		}
		s.processes = append(s.processes, strconv.Itoa(cmd.Process.Pid))
		killing := r.kills < k.kills
		if killing {
			timer := time.AfterFunc(time.Duration(rng.Int64N(int64(k.within))), func() { cmd.Process.Kill() })
			defer timer.Stop()
		}
		err := cmd.Wait()
		killed := killing && err != nil && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
		if err != nil && !killed {
			s.t.Fatalf("versweep %q: %v\n%s", args, err, &said)
		}
		after, starts := s.stored(), s.started()
		was, is := samplesOf(before), samplesOf(after)
		for i, sample := range was {
			if i >= len(is) || !reflect.DeepEqual(sample, is[i]) {
				s.t.Fatalf("sample %d was changed or lost by versweep %q", sample.ID, args)
			}
		}
		more := starts - startsBefore - (len(is) - len(was))
		// The reference of each new sweep was started to see whether it runs.
		begun := len(after) - len(before)
		if len(before) == 0 {
			begun = max(begun, 1) // and killed before it was saved
		}
		more -= min(max(more, 0), k.checks*begun)
		if killed {
			r.kills++
			late++
		}
		// An engine that was told to start a container does so, if need be when the
		// process that told it is gone.
		if seen := min(more, late); seen > 0 && (killed || s.docker) {
			r.lost, late, more = r.lost+seen, late-seen, more-seen
		}
		if !s.docker {
			late = 0
		}
		if more != 0 {
			r.twice += more
			s.t.Errorf("versweep %q, killed: %v: %d starts for %d samples\n%s", args, killed, starts-startsBefore, len(is)-len(was), &said)
		}
		before, startsBefore = after, starts
		if !killed {
			r.places = s.check(after, k.rounds)
			if said, err := s.command("table", "tiny", "--no-color").Output(); k.table && (err != nil || !bytes.HasPrefix(table.Bytes(), said)) {
				s.t.Errorf("%v: the store has the table\n%sand what was printed is\n%s", err, said, &table)
			}
			s.checkLeftovers()
			return r
		}
	}
}

// check looks at what is there once all is done; rounds as in killable.
func (s *killStage) check(sweeps []sweep.Sweep, rounds int) (places int) {
	s.t.Helper()
	for _, sw := range sweeps {
		if sw.Finished.IsZero() {
			s.t.Errorf("sweep %d is not finished", sw.ID)
		}
		if len(sw.Outcomes) != len(sw.Plan.Versions) {
			s.t.Errorf("sweep %d: %d outcomes of %d versions", sw.ID, len(sw.Outcomes), len(sw.Plan.Versions))
		}
		counts, failed := map[string]int{}, map[string]int{}
		for _, m := range sweep.LastAttempts(sw.Samples) {
			entry := fmt.Sprint(m.Version, m.Twin)
			counts[entry]++
			places++
			if m.Status == sweep.Failed { // where nothing gets any CPU a window may pass by
				failed[entry]++
			}
		}
		entries := 1 // the twin
		for _, o := range sw.Outcomes {
			if o.Reason == "" {
				entries++
			}
		}
		for entry, n := range counts {
			if rounds > 0 && n != rounds && failed[entry] < 2 || len(counts) != entries {
				s.t.Errorf("sweep %d: %d samples of %s in %d rounds, and %d of %d have some", sw.ID, n, entry, sw.Plan.Rounds, len(counts), entries)
			}
		}
		checkAttempts(s.t, sw.Samples)
	}
	return places
}

// checkAttempts holds the attempts of a sweep against the rules of docs/method.md:
// a sample that the machine spoilt is taken again at once, twice at most, and every
// third place at most.
func checkAttempts(t *testing.T, samples []sweep.Sample) {
	t.Helper()
	place := func(s sweep.Sample) string { return fmt.Sprint(s.Round, s.Version, s.Twin) }
	again := 0
	for i, s := range samples {
		if s.Attempt > 0 {
			again++
		}
		spoilt := slices.ContainsFunc(s.Marks, func(m sweep.Mark) bool {
			return m.Spoils && slices.Contains([]sweep.MarkKind{sweep.OtherWork, sweep.Steal, sweep.Throttled, sweep.Swap}, m.Kind)
		})
		allowed := spoilt && s.Attempt < 2 && again < 2+(i+1-again)/3
		taken := i+1 < len(samples) && place(samples[i+1]) == place(s) && samples[i+1].Attempt == s.Attempt+1
		if allowed != taken {
			t.Errorf("attempt %d at %s of sample %d: another is allowed: %v, taken: %v", s.Attempt, place(s), s.ID, allowed, taken)
		}
	}
}

// checkLeftovers looks for files, processes and containers of killed sweeps.
func (s *killStage) checkLeftovers() {
	s.t.Helper()
	for folder, want := range map[string][]string{
		filepath.Dir(s.db()): {"versweep.db"}, filepath.Join(s.folder, "tmp"): nil, filepath.Join(s.folder, "cache", "versweep", "scratch"): nil,
	} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			s.t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if !slices.Equal(names, want) {
			s.t.Errorf("%s holds %q", folder, names)
		}
	}
	links, err := filepath.Glob("/proc/[0-9]*/[ce]*")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, link := range links {
		if name := filepath.Base(link); name != "cwd" && name != "exe" {
			continue
		}
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, s.folder) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			s.t.Errorf("left running: %q in %s", line, at)
		}
	}
	if s.docker {
		left, err := exec.Command("docker", "ps", "-a", "--filter", "label=versweep.owner", "--format", `{{.ID}} {{.Label "versweep.owner"}}`).Output()
		if err != nil {
			s.t.Fatal(err)
		}
		for _, line := range strings.Split(string(left), "\n") {
			if fields := strings.Fields(line); len(fields) == 5 && slices.Contains(s.processes, fields[3]) {
				s.t.Errorf("left in the engine: %s", line)
			}
		}
	}
}

// tinyRun is a sweep of the tiny servers of about 16 samples, beside a version
// that is not there.
func tinyRun(launcher string, more ...string) []string {
	return append([]string{
		"run", "tiny", "--versions", "1.0.0,1.1.0,2.0.0,9.9.9", "--launcher", launcher, "--rounds", "4", "--duration", "100ms", "--warmup", "10ms",
		"--connections", "2", "--seed", "3", "--yes", "--no-color",
	}, more...)
}

// killsAskedFor are some kills at the same moments each time, or as many as
// $VERSWEEP_TEST_KILLS says at others.
func killsAskedFor(t *testing.T, usual int) (int, *rand.Rand) {
	t.Helper()
	text := os.Getenv("VERSWEEP_TEST_KILLS")
	if text == "" {
		return usual, rand.New(rand.NewPCG(1, 7))
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return n, rand.New(rand.NewPCG(seed, 7))
}

// Issue 7: kill -9 at any moment loses at most the sample in flight, and nothing
// is measured twice. More kills, with $VERSWEEP_TEST_KILLS.
func TestKilledAtAnyMoment(t *testing.T) {
	kills, rng := killsAskedFor(t, 8)
	s := newKillStage(t)
	goOn := []string{"resume", "--no-color"}
	k := killable{begin: tinyRun("process"), goOn: goOn, table: true, checks: 1, rounds: 4, kills: 6, within: 2 * time.Second}
	s.killUntil(k, rng, kills)
}

// The same in containers, with few kills: the next start removes what is left.
func TestEngineKilledAtAnyMoment(t *testing.T) {
	if err := exec.Command("docker", "version").Run(); err != nil {
		if os.Getenv("VERSWEEP_TEST_ENGINE") != "" {
			t.Fatal(err)
		}
		t.Skip("left out: ", err)
	}
	kills, rng := killsAskedFor(t, 2)
	s := newKillStage(t)
	s.docker = true
	// The engine itself keeps the last events only.
	events := exec.Command("sh", "-c", `exec docker events --filter event=start --filter label=versweep.target=tiny --format '{{.ID}}' >>"$0"`, s.starts)
	if err := events.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { events.Process.Kill(); events.Wait() }()
	k := killable{begin: tinyRun("docker", "--keep-images=false"), goOn: []string{"resume", "--no-color", "--keep-images=false"}, table: true, checks: 1, rounds: 4, kills: 4, within: 6 * time.Second}
	s.killUntil(k, rng, kills)
}

// killUntil carries out k until so many kills are there.
func (s *killStage) killUntil(k killable, rng *rand.Rand, kills int) {
	s.t.Helper()
	var all killRun
	runs := 0
	for all.kills < kills && !s.t.Failed() {
		k.kills = min(k.kills, kills-all.kills)
		r := s.carryOut(k, rng)
		all.kills, all.lost, all.twice, all.places = all.kills+r.kills, all.lost+r.lost, all.twice+r.twice, all.places+r.places
		runs++
	}
	s.t.Logf("%s: %d kills in %d sweeps of %d samples, %d in flight lost, %d measured twice", k.begin[0], all.kills, runs, all.places, all.lost, all.twice)
}

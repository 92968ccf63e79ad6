//go:build linux

package runtimes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"versweep/sweep"
	"versweep/sweep/load"
)

const plantedServer = `package main

import (
	"fmt"
	"net/http"
	"os"
	"time"
)

// busy is what a request costs beside its answer.
const busy = %s

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		for start := time.Now(); time.Since(start) < busy; {
		}
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "Hello World\n")
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
	os.Exit(1)
}
`

type samplesInMemory struct{ samples []sweep.Sample }

func (s *samplesInMemory) SaveSample(_ context.Context, _ int64, sample *sweep.Sample) error {
	s.samples = append(s.samples, *sample)
	return nil
}

// From tags to figures: four releases of a server are built by the local
// toolchain and measured. One does not compile, which is told with the
// compiler's words and stops none of the others; one is slow, which shows. A
// second time nothing is fetched or built.
func TestGitReleasesAreBuiltAndMeasured(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	for _, release := range []struct{ tag, busy string }{
		{"v1.0.0", "0"}, {"v1.1.0", "notDefined"}, {"v1.2.0", "2 * time.Millisecond"}, {"v1.3.0", "0"},
	} {
		commitFiles(t, dir, map[string]string{
			"go.mod": "module planted\n\ngo 1.26\n", "main.go": fmt.Sprintf(plantedServer, release.busy), "tag": release.tag,
		})
		runGit(t, dir, "tag", "-a", "-m", "x", release.tag)
	}
	s := gitTarget(t, GitSource{Repository: dir}, Recipe{
		Build: []string{"env", "CGO_ENABLED=0", "go", "build", "-o", "{build}/server", "."}, Start: []string{"{build}/server"},
	})
	usable := sweep.UsableCPUs()
	l, err := NewProcessLauncher(s, gitCache(s), CPUSets{Server: usable[:1], Load: usable[len(usable)-1:]})
	if err != nil {
		t.Fatal(err)
	}
	found, _ := listed(t, s)
	outcomes, err := s.Obtain(t.Context(), found, l.Build, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	broken := outcomes[1]
	if want := `building server 1.1.0: env: exit status 1 ("./main.go:11:14: undefined: notDefined")`; broken.Reason != want || !strings.Contains(strings.Join(broken.Log, "\n"), "undefined: notDefined") {
		t.Errorf("the broken release: %q, log %q", broken.Reason, broken.Log)
	}
	again, err := s.Obtain(t.Context(), found, l.Build, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if i == 1 {
			continue
		}
		if o.Reason != "" || o.Build.FromCache {
			t.Fatalf("%s: %q, log %q, %+v", o.Version, o.Reason, o.Log, o.Build)
		}
		if !again[i].Build.FromCache || again[i].Build.Dir != o.Build.Dir {
			t.Errorf("%s is built again: %+v", o.Version, again[i].Build)
		}
		// A resumed sweep hands back what Build made.
		if b, err := l.Build(t.Context(), o.Build); err != nil || b.Dir != o.Build.Dir {
			t.Errorf("%s: %+v, %v", o.Version, b, err)
		}
	}
	if left := filesIn(t, gitCache(s).scratch()); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}

	sw := &sweep.Sweep{Outcomes: outcomes, Plan: sweep.Plan{
		Target: "server", Versions: found, Reference: "1.0.0", Rounds: 1,
		Profile: load.Profile{Shape: load.ShapeClosed, Connections: 4, Duration: 300 * time.Millisecond, Warmup: 100 * time.Millisecond, Timeout: time.Second},
	}}
	runner := sweep.Runner{Launcher: l, Recorder: &samplesInMemory{}, Now: time.Now}
	if _, err := runner.Run(t.Context(), sw); err != nil {
		t.Fatal(err)
	}
	qps := map[string]float64{}
	for _, sample := range sw.Samples {
		if sample.Status != sweep.OK {
			t.Fatalf("%s: %s", sample.Version, sample.Reason)
		}
		qps[sample.Version] = float64(sample.Load.OK) / sample.Load.Elapsed.Seconds()
	}
	// One CPU does 500 requests of 2 ms a second.
	if slow := qps["1.2.0"]; slow > 600 || slow == 0 || qps["1.0.0"] < 2*slow || qps["1.3.0"] < 2*slow || len(qps) != 3 {
		t.Errorf("requests a second: %v", qps)
	}
}

// buildIn builds a version whose source is one file by a shell command.
func buildIn(t *testing.T, command string, change func(*ProcessLauncher)) (sweep.Build, error) {
	t.Helper()
	cache := emptyCache(t)
	d := &Definition{Name: "fake"}
	l, err := NewProcessLauncher(&Supply{definition: d, kind: "git", recipe: Recipe{Build: []string{"/bin/sh", "-c", command}}}, cache, CPUSets{})
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(l)
	}
	source := t.TempDir()
	if err := os.WriteFile(filepath.Join(source, "file"), []byte("source"), 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := l.Build(t.Context(), sweep.Build{Version: "1.0.0", Dir: source, Digest: "git:x"})
	if text, readErr := os.ReadFile(filepath.Join(source, "file")); string(text) != "source" || readErr != nil {
		t.Errorf("the source was changed: %q, %v", text, readErr)
	}
	if left := filesIn(t, cache.scratch()); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	return b, err
}

func TestBuildRunsInACopy(t *testing.T) {
	b, err := buildIn(t, `echo "$PWD {build} $VERSION {version}" > built; echo changed > file; mktemp`, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(b.Dir, "built"))
	words := strings.Fields(string(text))
	if err != nil || len(words) != 4 || words[0] != words[1] || words[2] != "1.0.0" || words[3] != "1.0.0" {
		t.Errorf("%q, %v", text, err)
	}
	if b.Bytes != int64(len(text)+len("changed\n")) {
		t.Errorf("%d bytes", b.Bytes)
	}
}

func TestBuildFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		command, reason, log string
		limit                time.Duration
	}{
		"its command fails":        {command: "echo out; echo the reason >&2; exit 3", reason: `building fake 1.0.0: sh: exit status 3 ("the reason")`, log: "out the reason"},
		"it hangs, with a child":   {command: "echo started; sleep 3600 & sleep 3600", reason: "not done within 300ms", log: "started", limit: 300 * time.Millisecond},
		"it is killed":             {command: "kill -9 $$", reason: "signal: killed"},
		"there is no such command": {reason: "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(processTree(os.Getpid()))
			_, err := buildIn(t, tt.command, func(l *ProcessLauncher) {
				if tt.limit > 0 {
					l.buildTime = tt.limit
				}
				if tt.command == "" {
					l.recipe.Build = []string{"/nonexistent/make"}
				}
			})
			failed, ok := errors.AsType[*BuildError](err)
			if !ok || !strings.Contains(failed.Reason, tt.reason) || strings.Join(failed.Log, " ") != tt.log {
				t.Fatalf("%#v, want %q and log %q", err, tt.reason, tt.log)
			}
			if after := len(processTree(os.Getpid())); after > before {
				t.Errorf("%d processes before, %d after", before, after)
			}
		})
	}
}

func TestInterruptedBuildIsNoFailure(t *testing.T) {
	cache := emptyCache(t)
	l, err := NewProcessLauncher(&Supply{definition: &Definition{Name: "fake"}, kind: "git", recipe: Recipe{Build: []string{"sleep", "3600"}}}, cache, CPUSets{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := l.Build(ctx, sweep.Build{Version: "1.0.0", Dir: t.TempDir()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// What changes how code is compiled stays out; what says where packages come
// from stays in.
func TestBuildEnvironmentIsClean(t *testing.T) {
	env := buildEnvironment([]string{
		"PATH=/bin", "HOME=/home/me", "GOFLAGS=-tags=fast", "NODE_OPTIONS=--jitless", "CFLAGS=-O0", "LANG=de_DE", "TMPDIR=/elsewhere",
		"AWS_SECRET_ACCESS_KEY=x", "SSH_AUTH_SOCK=/x", "npm_config_registry=r", "https_proxy=p", "GOPROXY=g", "BASH_FUNC_x%%=() { :; }",
	}, "/scratch", "/tmp/x", "1.0.0")
	want := []string{
		"GIT_CEILING_DIRECTORIES=/scratch", "GOPROXY=g", "HOME=/home/me", "LANG=C.UTF-8", "PATH=/bin", "TMPDIR=/tmp/x", "VERSION=1.0.0",
		"https_proxy=p", "npm_config_registry=r",
	}
	if slices.Sort(env); !slices.Equal(env, want) {
		t.Errorf("%q", env)
	}
}

// What needs no build, and what does not come as source, is left alone.
func TestNothingToBuild(t *testing.T) {
	for name, s := range map[string]*Supply{
		"no command":   {definition: &Definition{Name: "x"}, kind: "git"},
		"not a source": {definition: &Definition{Name: "x"}, kind: "npm", recipe: Recipe{Build: []string{"false"}}},
	} {
		cache, err := OpenCache(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewProcessLauncher(s, cache, CPUSets{})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := l.Build(t.Context(), sweep.Build{Version: "1", Dir: "/x"}); err != nil || b.Dir != "/x" {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
}

func TestWhichSourcesRunAsProcess(t *testing.T) {
	git := &GitSource{Repository: "x"}
	for name, tt := range map[string]struct {
		source Source
		want   bool
	}{
		"with a build command":            {Source{Git: git, Recipe: Recipe{Build: []string{"make"}, Dockerfile: "Dockerfile"}}, true},
		"as it is":                        {Source{Git: git}, true},
		"by its Dockerfile alone":         {Source{Git: git, Recipe: Recipe{Dockerfile: "Dockerfile"}}, false},
		"a list, which is no source code": {Source{List: []string{"1"}}, false},
	} {
		if got := tt.source.RunsAsProcess(&Definition{}); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

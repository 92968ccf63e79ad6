package runtimes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"versweep/sweep"
)

// frameworkSupply is a target that is the npm package x, with a program.
func frameworkSupply(t *testing.T, resolve Resolve) *Supply {
	t.Helper()
	c, err := newCatalog(fstest.MapFS{"x/hello.js": {Data: []byte("// hello\n")}, "x/target.yaml": {Data: fmt.Appendf(nil, `
title: X
sources:
  - npm: {package: x, with: ["@y/z@2.0.0"], resolve: %s}
program: [hello.js]
start: [/bin/true, "{build}/{main}"]
`, resolve)}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Find("x")
	if err != nil {
		t.Fatal(err)
	}
	cache := emptyCache(t)
	s, err := OpenSupply(d, d.Sources[0], cache)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fakeInstall is an npm that has x 1.0.0 with the hash sha1-00ff…, published in
// 2020, and whose install writes its arguments to a file and then does as told.
func fakeInstall(t *testing.T, install string) (arguments string) {
	t.Helper()
	arguments = filepath.Join(t.TempDir(), "arguments")
	fakeCommand(t, "npm", fmt.Sprintf(`case $1$3 in
viewtime) echo '{"created":"2019-01-01T00:00:00.000Z","1.0.0":"2020-02-02T02:02:02.000Z"}' ;;
view*) echo '{"version":"1.0.0","dist.shasum":"00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff"}' ;;
install*) echo "$*" >%s
mkdir -p node_modules/x
%s
;;
esac`, arguments, install))
	return arguments
}

// writeLock is a shell command that leaves npm's lock of x with a hash.
func writeLock(integrity string) string {
	return fmt.Sprintf(`cat >package-lock.json <<'END'
{"lockfileVersion":3,"packages":{"":{"name":"hello"},
"node_modules/x":{"version":"1.0.0","integrity":"%s"},
"node_modules/@y/z":{"version":"2.0.0"},
"node_modules/x/node_modules/@y/z":{"version":"1.5.0"}}}
END`, integrity)
}

const installedHash = "sha1-AP8A/wD/AP8A/wD/AP8A/wD/AP8="

// What is installed is recorded by name, with the program beside it, and made
// once.
func TestNPMProject(t *testing.T) {
	arguments := fakeInstall(t, writeLock(installedHash))
	s := frameworkSupply(t, ResolveToday)
	o := obtainOne(t, s, "1.0.0")
	if o.Reason != "" {
		t.Fatal(o.Reason, o.Log)
	}
	for name, want := range map[string]string{"x": "1.0.0", "@y/z": "2.0.0", "x > @y/z": "1.5.0"} {
		if got := o.Build.Bundled[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	manifest, err := os.ReadFile(filepath.Join(o.Build.Dir, "package.json"))
	if err != nil || !strings.Contains(string(manifest), `"@y/z":"2.0.0","x":"1.0.0"`) {
		t.Errorf("%s, %v", manifest, err)
	}
	if _, err := os.Stat(filepath.Join(o.Build.Dir, "hello.js")); err != nil {
		t.Error(err)
	}
	args, err := os.ReadFile(arguments)
	if err != nil || !strings.Contains(string(args), "--ignore-scripts") || strings.Contains(string(args), "--before") {
		t.Errorf("npm %s, %v", args, err)
	}
	if err := os.Remove(arguments); err != nil {
		t.Fatal(err)
	}
	if again := obtainOne(t, s, "1.0.0"); !again.Build.FromCache || again.Build.Digest != o.Build.Digest || len(again.Build.Bundled) != 3 {
		t.Errorf("again %+v", again)
	}
	if _, err := os.Stat(arguments); err == nil {
		t.Error("installed twice")
	}
}

func TestNPMProjectAsOfTheRelease(t *testing.T) {
	arguments := fakeInstall(t, writeLock(installedHash))
	if o := obtainOne(t, frameworkSupply(t, ResolveRelease), "1.0.0"); o.Reason != "" {
		t.Fatal(o.Reason)
	}
	args, err := os.ReadFile(arguments)
	if err != nil || !strings.Contains(string(args), "--before=2020-02-02T02:02:02.000Z") {
		t.Errorf("npm %s, %v", args, err)
	}
}

func TestNPMProjectFailureIsAnOutcome(t *testing.T) {
	for name, tt := range map[string]struct{ install, reason, log string }{
		"ranges that clash": {
			`echo 'npm error code ERESOLVE' >&2; echo 'npm error ERESOLVE unable to resolve dependency tree' >&2; echo 'npm error Found: y@1.0.0' >&2; exit 1`,
			"installing x 1.0.0: npm: ERESOLVE: ERESOLVE unable to resolve dependency tree", "Found: y@1.0.0",
		},
		"another content": {writeLock("sha512-AAAA"), "installing x 1.0.0: integrity mismatch: sha1-00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff was pinned, npm installed 1.0.0 (sha512-AAAA)", ""},
		"an old npm":      {`echo '{"lockfileVersion":1,"dependencies":{}}' >package-lock.json`, "installing x 1.0.0: npm's lockfile does not name the package; npm 7 or later is needed", ""},
	} {
		t.Run(name, func(t *testing.T) {
			fakeInstall(t, tt.install)
			s := frameworkSupply(t, ResolveToday)
			o := obtainOne(t, s, "1.0.0")
			if o.Reason != tt.reason || !strings.Contains(strings.Join(o.Log, "\n"), tt.log) {
				t.Errorf("reason %q, log %q\nwant   %q", o.Reason, o.Log, tt.reason)
			}
			if left := filesIn(t, s.source.(*npmProject).cache.dir); len(left) > 0 {
				t.Errorf("left in the cache: %v", left)
			}
		})
	}
}

// One old and one new release of Express through the real npm, on a Node.js
// that is had the same way; the second time npm may only be asked for hashes.
func TestRealExpressReleases(t *testing.T) {
	real, err := exec.LookPath("npm")
	if err != nil {
		t.Fatal("this test needs npm, as the README says")
	}
	d := embeddedTarget(t, "express")
	cache := emptyCache(t)
	versions := []sweep.Version{{Name: "2.5.11", Raw: "2.5.11", Source: "npm"}, {Name: "5.1.0", Raw: "5.1.0", Source: "npm"}}
	obtain := func() (*Supply, []sweep.Outcome) {
		s, err := OpenSupply(d, d.Sources[0], cache)
		if err != nil {
			t.Fatal(err)
		}
		outcomes, err := s.Obtain(t.Context(), versions, nil, func(Obtained) {})
		if err != nil {
			t.Fatal(err)
		}
		return s, outcomes
	}
	s, first := obtain()
	fakeCommand(t, "npm", fmt.Sprintf(`[ $1 = view ] && exec %s "$@"; echo "npm error $1 is not needed again" >&2; exit 1`, real))
	_, second := obtain()
	l, err := NewProcessLauncher(s, cache, CPUSets{})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range first {
		if o.Reason != "" || second[i].Reason != "" {
			t.Fatalf("%s: %s %v; again: %s", o.Version, o.Reason, o.Log, second[i].Reason)
		}
		if o.Build.FromCache || !second[i].Build.FromCache || second[i].Build.Digest != o.Build.Digest || second[i].Build.Runtime != o.Build.Runtime {
			t.Errorf("%s: %+v, again %+v", o.Version, o.Build, second[i].Build)
		}
		if b := o.Build.Bundled; b["express"] != o.Version || b["node"] != "22.23.5" || b["qs"] == "" {
			t.Errorf("%s: bundled %v", o.Version, b)
		}
		lock, err := os.ReadFile(filepath.Join(o.Build.Dir, "package-lock.json"))
		if err != nil || strings.Contains(string(lock), `"resolved"`) {
			t.Errorf("%s: the lock names where packages came from, or %v", o.Version, err)
		}
		instance, err := l.Start(t.Context(), o.Build)
		if err != nil {
			t.Errorf("%s: %v", o.Version, err)
			continue
		}
		if exit, err := instance.Stop(); err != nil || exit.Early {
			t.Errorf("%s: %+v, %v", o.Version, exit, err)
		}
	}
}

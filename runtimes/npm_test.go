package runtimes

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"versweep/sweep"
)

func nodeSupply(t *testing.T) *Supply {
	t.Helper()
	d := embeddedTarget(t, "node")
	cache := emptyCache(t)
	i := slices.IndexFunc(d.Sources, func(s Source) bool { return s.NPM != nil })
	supply, err := OpenSupply(d, d.Sources[i], cache)
	if err != nil {
		t.Fatal(err)
	}
	return supply
}

func cacheOf(s *Supply) *Cache { return s.source.(*npm).cache }

func obtainOne(t *testing.T, s *Supply, version string) sweep.Outcome {
	t.Helper()
	outcomes, err := s.Obtain(t.Context(), []sweep.Version{{Name: version, Raw: version, Source: "npm"}}, nil, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes[0]
}

func TestNPMMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	d := embeddedTarget(t, "express")
	if _, err := OpenSupply(d, d.Sources[0], nil); !errors.Is(err, ErrNoNPM) {
		t.Errorf("got %v, want ErrNoNPM", err)
	}
}

// V11: what can be installed are the keys of "versions"; npm prints a bare
// value where there is only one.
func TestNPMVersions(t *testing.T) {
	for name, tt := range map[string]struct{ answer, want string }{
		"a list":        {`["1.10.0","1.9.0","1.9.1-canary.1","nightly"]`, "1.9.0 1.9.1-canary.1 1.10.0"},
		"a bare string": {`"1.0.0"`, "1.0.0"},
		"nothing":       {``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fakeCommand(t, "npm", "echo '"+tt.answer+"'")
			found, _, err := nodeSupply(t).Versions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, v := range found {
				names = append(names, v.Name)
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNPMSaysWhatWentWrong(t *testing.T) {
	for name, tt := range map[string]struct{ script, want string }{
		"npm 10 and later": {`echo 'npm error code E404' >&2; echo 'npm error 404 Not Found - GET x' >&2; exit 1`, "npm: E404: 404 Not Found - GET x"},
		"npm 9":            {`echo 'npm ERR! code ENOTFOUND' >&2; echo 'npm ERR! network request failed' >&2; exit 1`, "npm: ENOTFOUND: network request failed"},
		"JSON":             {`printf '%s' '{"error":{"code":"E401","summary":"Incorrect or missing password.\nTo correct this"}}'; exit 1`, "npm: E401: Incorrect or missing password."},
		"nothing":          {`exit 7`, "npm: exit status 7"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeCommand(t, "npm", tt.script)
			_, _, err := nodeSupply(t).Versions(t.Context())
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// fakePackage is an npm that has one version, whose archive is the file, and
// counts how often that is fetched.
func fakePackage(t *testing.T, archive []byte, digest string) (fetches string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "archive")
	if err := os.WriteFile(file, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	fetches = filepath.Join(dir, "fetches")
	fakeCommand(t, "npm", fmt.Sprintf(`case $1 in
view) echo '{"version":"1.0.0","dist.integrity":"%s"}' ;;
pack) echo >>%s; cp %s "$4/x.tgz" ;;
esac`, digest, fetches, file))
	return fetches
}

func TestBuildIsFetchedOnce(t *testing.T) {
	archive := archiveOf(t, [2]string{"package/bin/node", "binary"})
	fetches := fakePackage(t, archive, digestOf(t, archive))
	s := nodeSupply(t)
	first, second := obtainOne(t, s, "1.0.0"), obtainOne(t, s, "1.0.0")
	if first.Reason != "" || first.Build.FromCache || !second.Build.FromCache || first.Build.Dir != second.Build.Dir || second.Build.Bytes != 6 {
		t.Errorf("first %+v\nsecond %+v", first, second)
	}
	if n, err := os.ReadFile(fetches); err != nil || len(n) != 1 {
		t.Errorf("fetched %d times, %v", len(n), err)
	}
}

// A build that was changed in the cache is not measured but fetched again.
func TestDamagedBuildIsFetchedAgain(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"cut short": func(dir string) error { return os.Truncate(filepath.Join(dir, filesDir, "bin/node"), 3) },
		"replaced": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, filesDir, "bin/node"), []byte("BINARY"), 0o755)
		},
		"not runnable":  func(dir string) error { return os.Chmod(filepath.Join(dir, filesDir, "bin/node"), 0o644) },
		"deleted":       func(dir string) error { return os.Remove(filepath.Join(dir, filesDir, "bin/node")) },
		"without files": func(dir string) error { return os.RemoveAll(filepath.Join(dir, filesDir)) },
		"facts empty":   func(dir string) error { return os.WriteFile(filepath.Join(dir, factsFile), nil, 0o644) },
		"facts cut":     func(dir string) error { return os.WriteFile(filepath.Join(dir, factsFile), []byte(`{"dig`), 0o644) },
		"facts bare":    func(dir string) error { return os.WriteFile(filepath.Join(dir, factsFile), []byte(`{}`), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			archive := archiveOf(t, [2]string{"package/bin/node", "binary"})
			fakePackage(t, archive, digestOf(t, archive))
			s := nodeSupply(t)
			first := obtainOne(t, s, "1.0.0")
			if err := damage(filepath.Dir(first.Build.Dir)); err != nil {
				t.Fatal(err)
			}
			again := obtainOne(t, s, "1.0.0")
			if again.Reason != "" || again.Build.FromCache || filesIn(t, again.Build.Dir)["bin/node"] != "binary" {
				t.Errorf("%+v, files %q", again, filesIn(t, again.Build.Dir))
			}
			if third := obtainOne(t, s, "1.0.0"); !third.Build.FromCache {
				t.Errorf("fetched a third time: %+v", third)
			}
		})
	}
}

// A download that is not what the registry has is not used, and leaves nothing.
func TestBuildWithAnotherHashIsRefused(t *testing.T) {
	archive := archiveOf(t, [2]string{"package/bin/node", "binary"})
	fakePackage(t, archive, digestOf(t, append(archive, 0)))
	s := nodeSupply(t)
	o := obtainOne(t, s, "1.0.0")
	if !strings.Contains(o.Reason, "integrity mismatch") || o.Build.Dir != "" {
		t.Errorf("outcome %+v", o)
	}
	for _, dir := range []string{cacheOf(s).builds(), cacheOf(s).scratch()} {
		if left := filesIn(t, dir); len(left) > 0 {
			t.Errorf("left in the cache: %v", left)
		}
	}
}

func TestInterruptedFetchLeavesNoBuild(t *testing.T) {
	archive := archiveOf(t, [2]string{"package/bin/node", "binary"})
	fakePackage(t, archive, digestOf(t, archive))
	s := nodeSupply(t)
	ctx, cancel := context.WithCancel(t.Context())
	dir := cacheOf(s).buildDir("node", "1.0.0", "sha512-x")
	_, err := cacheOf(s).add(ctx, dir, func(ctx context.Context, _, files string) (buildFacts, error) {
		if err := os.WriteFile(filepath.Join(files, "half"), []byte("ha"), 0o644); err != nil {
			return buildFacts{}, err
		}
		cancel()
		return buildFacts{}, ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err %v", err)
	}
	if _, cached, err := cacheOf(s).facts(dir); cached || err != nil {
		t.Errorf("half a build is taken for whole: %v, %v", cached, err)
	}
	if left := filesIn(t, cacheOf(s).dir); len(left) > 0 {
		t.Errorf("left in the cache: %v", left)
	}
}

func TestVersionThatIsNotThere(t *testing.T) {
	archive := archiveOf(t, [2]string{"package/bin/node", "binary"})
	fakePackage(t, archive, digestOf(t, archive))
	if o := obtainOne(t, nodeSupply(t), "9.9.9"); !strings.Contains(o.Reason, "no such release") {
		t.Errorf("outcome %+v", o)
	}
}

func digestOf(t *testing.T, b []byte) string {
	t.Helper()
	sum := sha512.Sum512(b)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// One small old release, which carries an archive inside the package, and one
// new one, through the real npm: listed, fetched, checked, unpacked and run.
func TestRealNodeReleases(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatal("this test needs npm, as the README says")
	}
	s := nodeSupply(t)
	found, _, err := s.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	latest, ok := sweep.Latest(found)
	if !ok || len(found) < 600 {
		t.Fatalf("%d versions", len(found))
	}
	old := slices.IndexFunc(found, func(v sweep.Version) bool { return v.Name == "0.8.28" })
	if old < 0 {
		t.Fatal("0.8.28 is not listed")
	}
	outcomes, err := s.Obtain(t.Context(), []sweep.Version{found[old], latest}, nil, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewProcessLauncher(s, cacheOf(s), CPUSets{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Reason != "" {
			t.Fatalf("%s: %s", o.Version, o.Reason)
		}
		out, err := exec.Command(filepath.Join(o.Build.Dir, "bin/node"), "--version").Output()
		if err != nil || strings.TrimSpace(string(out)) != "v"+o.Version {
			t.Errorf("%s says it is %q, %v", o.Version, out, err)
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

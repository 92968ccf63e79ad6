package runtimes

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"versweep/sweep"
)

const goHello = "//go:build ignore\n\npackage main\n\nimport (\n\t\"fmt\"\n\n\tx \"example.org/x/v2\"\n\t\"example.org/x/v2/sub\"\n\t\"example.org/xy\"\n)\n\nfunc main() { fmt.Println(x.A, sub.B, xy.C) }\n"

// goTarget is a target whose program is built against example.org/x.
func goTarget(t *testing.T, files fstest.MapFS) *Definition {
	t.Helper()
	var program []string
	for name := range files {
		program = append(program, name)
	}
	all := fstest.MapFS{"t/target.yaml": {Data: fmt.Appendf(nil, `
title: T
sources:
  - gomod: {module: example.org/x, majors: [2, 3]}
program: [%s]
start: ["{build}/hello"]
`, strings.Join(program, ", "))}}
	for name, f := range files {
		all["t/"+name] = f
	}
	c, err := newCatalog(all)
	if err != nil {
		t.Fatal(err)
	}
	d, err := c.Find("t")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func goSupply(t *testing.T, d *Definition) *Supply {
	t.Helper()
	cache := emptyCache(t)
	s, err := OpenSupply(d, d.Sources[0], cache)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGoMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	d := goTarget(t, fstest.MapFS{"hello.go": {Data: []byte(goHello)}})
	if _, err := OpenSupply(d, d.Sources[0], nil); !errors.Is(err, ErrNoGo) {
		t.Errorf("got %v, want ErrNoGo", err)
	}
}

// What go lists under all paths is one axis; what is no release of it is told.
func TestGoModVersions(t *testing.T) {
	fakeCommand(t, "go", `case "$*" in
*-retracted*) more=',"v1.0.1"' ;;
esac
echo '{"Path":"example.org/x/v3","Versions":["v3.0.0"]}'
echo '{"Path":"example.org/x/v2","Versions":["v2.0.0-beta.1","v2.0.0","v2.10.0","v2.9.0"]}'
echo '{"Path":"example.org/x","Versions":["v1.0.0","v0.0.0-20200101120000-abcdefabcdef","v2.0.0+incompatible","v4.1.0+incompatible"'"$more"']}'`)
	found, skipped, err := goSupply(t, goTarget(t, fstest.MapFS{"hello.go": {Data: []byte(goHello)}})).Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range found {
		got = append(got, v.Name+"="+v.Raw)
	}
	want := []string{"1.0.0=v1.0.0", "2.0.0-beta.1=v2.0.0-beta.1", "2.0.0=v2.0.0", "2.9.0=v2.9.0", "2.10.0=v2.10.0", "3.0.0=v3.0.0", "4.1.0=v4.1.0+incompatible"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	reasons := map[string]string{}
	for _, s := range skipped {
		reasons[s.Raw] = s.Reason
	}
	if len(reasons) != 3 || !strings.Contains(reasons["v1.0.1"], "retracted") ||
		!strings.Contains(reasons["v0.0.0-20200101120000-abcdefabcdef"], "pseudo-version") ||
		!strings.Contains(reasons["v2.0.0+incompatible"], "same version as v2.0.0") {
		t.Errorf("skipped %v", skipped)
	}
}

func TestGoModSaysWhatWentWrong(t *testing.T) {
	fakeCommand(t, "go", `echo 'go: downloading x v1.0.0' >&2; echo 'go: module example.org/x: not found' >&2; exit 1`)
	_, _, err := goSupply(t, goTarget(t, fstest.MapFS{"hello.go": {Data: []byte(goHello)}})).Versions(t.Context())
	if err == nil || err.Error() != "listing the versions of Go module example.org/x: go: module example.org/x: not found" {
		t.Errorf("got %v", err)
	}
}

// The program of the highest form that is not above the version's major, with
// the imports of the module, and of nothing else, under the version's path.
func TestGoProgramOfAMajorVersion(t *testing.T) {
	forms := fstest.MapFS{
		"hello.go": {Data: []byte(goHello + "// form 0\n")}, "hello_v3.go": {Data: []byte(goHello + "// form 3\n")},
		"other.go": {Data: []byte("package main\n")}, "page.html": {Data: []byte("example.org/x")},
	}
	d := goTarget(t, forms)
	s := goSupply(t, d)
	for raw, want := range map[string]struct{ path, form string }{
		"v0.9.0": {"example.org/x", "form 0"}, "v1.0.0": {"example.org/x", "form 0"}, "v2.1.0": {"example.org/x/v2", "form 0"},
		"v3.0.0": {"example.org/x/v3", "form 3"}, "v4.0.0+incompatible": {"example.org/x", "form 3"}, "v3.0.0+incompatible": {"example.org/x", "form 3"},
	} {
		program, err := s.source.(*gomod).program(sweep.Version{Raw: raw})
		if err != nil {
			t.Fatal(err)
		}
		if names := slices.Sorted(maps.Keys(program)); !slices.Equal(names, []string{"hello.go", "other.go", "page.html"}) {
			t.Errorf("%s: files %v", raw, names)
		}
		text := string(program["hello.go"])
		for _, part := range []string{"\tx \"" + want.path + "\"\n", "\t\"" + want.path + "/sub\"\n", "\t\"example.org/xy\"\n", want.form} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is not in\n%s", raw, part, text)
			}
		}
		if string(program["page.html"]) != "example.org/x" {
			t.Errorf("%s: page.html is %q", raw, program["page.html"])
		}
	}
}

// A version that cannot be downloaded or built is an outcome with go's reason
// and its last lines; nothing of it is left.
func TestGoModFailureIsAnOutcome(t *testing.T) {
	const download = `case $1 in
env) echo go1.26.0 ;;
mod) echo '{"Path":"example.org/x","Version":"v1.0.0","Sum":"h1:abc="}' ;;
`
	for name, tt := range map[string]struct{ script, reason, log string }{
		"not to be downloaded": {
			`case $1 in mod) printf %s '{"Path":"example.org/x","Version":"v1.0.0","Error":"verifying module: checksum mismatch\nSECURITY ERROR"}'; exit 1 ;; esac`,
			"downloading Go module example.org/x v1.0.0: go: verifying module: checksum mismatch", "",
		},
		"a newer Go": {
			download + `get) echo 'go: downloading example.org/x v1.0.0' >&2; echo 'go: example.org/x@v1.0.0 requires go >= 1.99 (running go 1.26.0)' >&2; exit 1 ;; esac`,
			"building against example.org/x 1.0.0: go: example.org/x@v1.0.0 requires go >= 1.99 (running go 1.26.0)", "requires go >= 1.99",
		},
		"another API": {
			download + `build) echo '# command-line-arguments' >&2; echo './hello.go:13:20: undefined: x.A' >&2; exit 1 ;; esac`,
			"building against example.org/x 1.0.0: go: ./hello.go:13:20: undefined: x.A", "undefined: x.A",
		},
		"no words": {download + `build) exit 7 ;; esac`, "building against example.org/x 1.0.0: go: exit status 7", ""},
	} {
		t.Run(name, func(t *testing.T) {
			fakeCommand(t, "go", tt.script)
			s := goSupply(t, goTarget(t, fstest.MapFS{"hello.go": {Data: []byte(goHello)}}))
			outcomes, err := s.Obtain(t.Context(), []sweep.Version{{Name: "1.0.0", Raw: "v1.0.0", Source: "gomod"}}, nil, func(Obtained) {})
			if err != nil {
				t.Fatal(err)
			}
			o := outcomes[0]
			if o.Reason != tt.reason || !strings.Contains(strings.Join(o.Log, "\n"), tt.log) {
				t.Errorf("reason %q, log %q\nwant   %q", o.Reason, o.Log, tt.reason)
			}
			if left := filesIn(t, s.source.(*gomod).cache.dir); len(left) > 0 {
				t.Errorf("left in the cache: %v", left)
			}
		})
	}
}

// The oldest release that the program still builds with and a new one, through
// the real go: listed, downloaded, built, told apart and run; the second time
// from the cache, with no registry to ask.
func TestRealGoModReleases(t *testing.T) {
	d := embeddedTarget(t, "fasthttp")
	s := goSupply(t, d)
	found, _, err := s.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := sweep.Selection{Range: "1.2.0,1.52.0", Per: sweep.PerPatch}.Choose(found)
	if err != nil || len(chosen.Versions) != 2 {
		t.Fatalf("%+v, %v", chosen, err)
	}
	first, err := s.Obtain(t.Context(), chosen.Versions, nil, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	second, err := s.Obtain(t.Context(), chosen.Versions, nil, func(Obtained) {})
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewProcessLauncher(s, s.source.(*gomod).cache, CPUSets{})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range first {
		if o.Reason != "" || second[i].Reason != "" {
			t.Fatalf("%s: %s %v; again: %s", o.Version, o.Reason, o.Log, second[i].Reason)
		}
		if o.Build.FromCache || !second[i].Build.FromCache || second[i].Build.Digest != o.Build.Digest {
			t.Errorf("%s: %+v, again %+v", o.Version, o.Build, second[i].Build)
		}
		if b := second[i].Build.Bundled; b["github.com/valyala/fasthttp"] != "v"+o.Version || b["go"] == "" || b["github.com/klauspost/compress"] == "" {
			t.Errorf("%s: bundled %v", o.Version, b)
		}
		if digest := chosen.Versions[i].Digest; !strings.HasPrefix(digest, "h1:") {
			t.Errorf("%s: digest %q", o.Version, digest)
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

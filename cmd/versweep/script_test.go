package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"versweep/runtimes"
	"versweep/runtimes/planted"
	"versweep/sweep"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv("VERSWEEP_TEST_SERVER") != "":
		talkativeServer()
		return
	case len(os.Args) == 2 && os.Args[1] == runtimes.EngineCommand: // the load engine that run starts is this program
		main()
		return
	}
	testscript.Main(m, map[string]func(){
		"versweep": main,
		// For what must not depend on how busy the machine of the tests is.
		"versweep-unwatched": func() { os.Exit(runOn(sweep.Machine{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// Each script is named for the behaviour that it guards.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"plant": plant},
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
			// The user's npm configuration, which knows the registry.
			for _, name := range os.Environ() {
				if key, value, _ := strings.Cut(name, "="); strings.HasPrefix(strings.ToLower(key), "npm_config_") || strings.HasSuffix(key, "_CA_CERTS") {
					e.Setenv(key, value)
				}
			}
			home, err := os.UserHomeDir()
			if err != nil {
				return err
			}
			e.Setenv("NPM_CONFIG_USERCONFIG", filepath.Join(home, ".npmrc"))
			e.Setenv("TMPDIR", os.TempDir())
			// Outputs of other load tools.
			reports, err := filepath.Abs("../../store/import/testdata")
			if err != nil {
				return err
			}
			e.Setenv("REPORTS", reports)
			// The folder of the program alone, for scripts without other tools.
			e.Setenv("PROGRAM", filepath.SplitList(e.Getenv("PATH"))[0])
			return nil
		},
	})
}

// plant makes a repository of commits with a known culprit, and its target:
//
//	plant REPOSITORY TARGETS COMMITS SLOW [merged] [BROKEN]
//
// of which the one at place SLOW doubles the work, or one on a branch that is merged
// there, and the one at BROKEN cannot be built.
func plant(ts *testscript.TestScript, _ bool, args []string) {
	number := func(text string) int {
		n, err := strconv.Atoi(text)
		ts.Check(err)
		return n
	}
	p := planted.Plan{Commits: number(args[2]), Changes: []planted.Change{{At: number(args[3]), Share: 1}}, Noise: 0.02, Work: 100_000}
	for _, place := range args[4:] {
		if place == "merged" {
			p.Changes[0].Merged = true
			continue
		}
		p.Broken = append(p.Broken, number(place))
	}
	r, err := planted.Plant(ts.MkAbs(args[0]), p)
	ts.Check(err)
	_, err = r.WriteTarget(ts.MkAbs(args[1]), "planted")
	ts.Check(err)
	// Else the standard library would be compiled first.
	cache, err := os.UserCacheDir()
	ts.Check(err)
	ts.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
}

// What each package of ours may import of ours, as docs/DESIGN has it; heavy
// modules stay where they are used.
func TestImportArrows(t *testing.T) {
	allowed := map[string][]string{
		"sweep/load": {}, "sweep/stats": {}, "docs": {},
		"sweep":                   {"sweep/load", "sweep/stats"},
		"sweep/nightly":           {"sweep", "sweep/load", "sweep/stats", "sweep/nightly/simulated"}, // the last in tests of its own
		"sweep/nightly/simulated": {"sweep", "sweep/load", "sweep/nightly"},
		"sweep/bisect":            {"sweep", "sweep/stats"},
		"runtimes":                {"runtimes/strictyaml", "runtimes/strictyaml/yamlschema", "sweep", "sweep/load"},
		// A leaf: what is read strictly is no concern of its own.
		"runtimes/strictyaml": {}, "runtimes/strictyaml/yamlschema": {"runtimes/strictyaml"},
		"store":        {"sweep", "sweep/load", "sweep/nightly"},
		"store/import": {"sweep", "sweep/load"}, "store/export": {"sweep", "sweep/load"}, "store/published": {"sweep", "sweep/load"}, "store/simulated": {"store", "sweep", "sweep/load"},
		"charts":        {"sweep", "sweep/load", "sweep/nightly", "sweep/stats"},
		"charts/report": {"charts", "sweep", "sweep/load", "sweep/stats"},
		// Repositories for tests and for trying; its own test builds from them.
		"runtimes/planted": {"runtimes", "sweep"},
	}
	heavy := map[string]string{
		"github.com/docker/": "runtimes", "modernc.org/sqlite": "store", "gonum.org/v1/plot": "charts",
		"github.com/spf13/cobra": "cmd/versweep", "github.com/goccy/go-yaml": "runtimes/strictyaml", "github.com/go-git/": "runtimes",
		"github.com/chromedp/": "charts/report",
	}
	seen := map[string]bool{}
	err := filepath.WalkDir("../..", func(file string, entry fs.DirEntry, err error) error {
		// The programs of targets and of tests are no part of this one.
		if entry != nil && entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if entry != nil && entry.IsDir() && slices.Contains([]string{"../../runtimes/catalog", "../../runtimes/skeletons"}, file) {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		pkg, err := filepath.Rel("../..", filepath.Dir(file))
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen[pkg] = true
		arrows, ruled := allowed[pkg]
		if !ruled && !strings.HasPrefix(pkg, "cmd/") {
			t.Errorf("%s: package %s has no place in the layout", file, pkg)
		}
		for _, i := range parsed.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if own, ok := strings.CutPrefix(path, "versweep/"); ok && ruled && own != pkg && !slices.Contains(arrows, own) {
				t.Errorf("%s imports %s: %s may only import %v of ours", file, path, pkg, arrows)
			}
			for module, home := range heavy {
				if strings.HasPrefix(path, module) && strings.TrimSuffix(pkg, "/planted") != home && !strings.HasPrefix(pkg, home+"/yamlschema") {
					t.Errorf("%s imports %s, which belongs to %s", file, path, home)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range allowed {
		if !seen[pkg] {
			t.Errorf("package %s is missing", pkg)
		}
	}
}

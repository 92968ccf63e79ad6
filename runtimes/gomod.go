package runtimes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"versweep/sweep"
)

// ErrNoGo says that there is no go command.
var ErrNoGo = errors.New("go is not installed")

// gomod is a source: a Go module, whose versions are what the target's program
// is built against. It asks the user's own go command, so that proxies, private
// modules and the checksum database are those the user has configured.
//
// Every version is built by the toolchain that is installed, so that a step
// between two of them is the module's and not the compiler's. What the module
// itself depends on is what Go's minimal version selection takes: the versions
// that its release asks for, on whatever day it is built. Only releases older
// than Go modules, which ask for none, get the newest.
type gomod struct {
	command    string // path of the go program
	definition *Definition
	recipe     Recipe
	module     *GoModSource
	cache      *Cache

	mu   sync.Mutex
	gone map[string]error // why pin could not have a version, by name
}

// newGoMod finds the go command. The error is ErrNoGo when there is none.
func newGoMod(d *Definition, r Recipe, m *GoModSource, cache *Cache) (*gomod, error) {
	command, err := exec.LookPath("go")
	if err != nil {
		return nil, ErrNoGo
	}
	return &gomod{command: command, definition: d, recipe: r, module: m, cache: cache, gone: map[string]error{}}, nil
}

// goModule is what "go list -m -json" and "go mod download -json" tell of a
// module. The first has an object for an error where the second has a text.
type goModule struct {
	Path     string
	Version  string
	Versions []string
	Sum      string
	Error    json.RawMessage
}

// pseudoVersion is the end of a version that names a commit without a tag: the
// time of the commit and the start of its hash.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-[0-9a-f]{12}$`)

const incompatible = "+incompatible"

// versions lists the tags of the module under all its paths, in version order.
// "+incompatible", which marks a release of v2 or later from before Go modules,
// is no part of a version's name.
func (g *gomod) versions(ctx context.Context) ([]sweep.Version, []sweep.Skipped, error) {
	raws, err := g.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, err := g.list(ctx, "-retracted")
	if err != nil {
		return nil, nil, err
	}
	var names []string
	var skipped []sweep.Skipped
	rawOf := map[string]string{}
	for _, raw := range all {
		name := strings.TrimSuffix(raw, incompatible)
		switch {
		case !slices.Contains(raws, raw):
			skipped = append(skipped, sweep.Skipped{Raw: raw, Reason: "retracted by the module's authors"})
		case pseudoVersion.MatchString(name):
			skipped = append(skipped, sweep.Skipped{Raw: raw, Reason: "a pseudo-version: a commit without a tag"})
		case rawOf[name] != "":
			skipped = append(skipped, sweep.Skipped{Raw: raw, Reason: "the same version as " + rawOf[name]})
		default:
			names, rawOf[name] = append(names, name), raw
		}
	}
	versions, notVersions := sweep.ParseVersions(names, "gomod", g.definition.Line)
	for i := range versions {
		versions[i].Raw = rawOf[versions[i].Raw]
	}
	return versions, append(skipped, notVersions...), nil
}

// list asks for the versions of every path of the module, the highest path
// first: what is there with a path of its own counts before the same release
// marked as incompatible.
func (g *gomod) list(ctx context.Context, flags ...string) ([]string, error) {
	paths := g.module.paths()
	slices.Reverse(paths)
	doing := "listing the versions of Go module " + g.module.Module
	dir, err := os.MkdirTemp("", runFolder()) // outside every module of the user's
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	defer os.RemoveAll(dir)
	out, err := g.run(ctx, dir, slices.Concat([]string{"list", "-m", "-versions", "-json"}, flags, paths)...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	modules, err := goModules(out)
	if err != nil {
		return nil, fmt.Errorf("%s: reading go's answer: %w", doing, err)
	}
	var raws []string
	for _, m := range modules {
		raws = append(raws, m.Versions...)
	}
	return raws, nil
}

// paths are the module's path and those of its later major versions.
func (m *GoModSource) paths() []string {
	paths := []string{m.Module}
	for _, major := range m.Majors {
		paths = append(paths, m.Module+"/v"+strconv.Itoa(major))
	}
	return paths
}

// pathOf is the path that a version, as Go writes it, is found under.
func (m *GoModSource) pathOf(raw string) string {
	if major := goMajor(raw); slices.Contains(m.Majors, major) && !strings.HasSuffix(raw, incompatible) {
		return m.Module + "/v" + strconv.Itoa(major)
	}
	return m.Module
}

// goMajor is the first number of a version: 4 of "v4.1.16".
func goMajor(raw string) int {
	text, _, _ := strings.Cut(strings.TrimPrefix(raw, "v"), ".")
	major, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return major
}

// pin downloads the modules and takes the hash that go.sum would hold of them,
// "h1:" and base64, which go has compared with the checksum database.
func (g *gomod) pin(ctx context.Context, versions []sweep.Version) ([]sweep.Version, error) {
	args := []string{"mod", "download", "-json"}
	for _, v := range versions {
		args = append(args, g.module.pathOf(v.Raw)+"@"+v.Raw)
	}
	dir, err := os.MkdirTemp("", runFolder())
	if err != nil {
		return nil, fmt.Errorf("downloading Go module %s: %w", g.module.Module, err)
	}
	defer os.RemoveAll(dir)
	out, failed := g.run(ctx, dir, args...)
	modules, err := goModules(out)
	if failed != nil && (err != nil || len(modules) == 0) || ctx.Err() != nil {
		return nil, fmt.Errorf("downloading Go module %s: %w", g.module.Module, failed)
	}
	if err != nil {
		return nil, fmt.Errorf("downloading Go module %s: reading go's answer: %w", g.module.Module, err)
	}
	byName := map[string]goModule{}
	for _, m := range modules {
		byName[m.Path+"@"+m.Version] = m
	}
	pinned := slices.Clone(versions)
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, v := range pinned {
		m := byName[g.module.pathOf(v.Raw)+"@"+v.Raw]
		pinned[i].Digest = m.Sum
		if len(m.Error) > 0 {
			var text string
			if json.Unmarshal(m.Error, &text) != nil {
				text = string(m.Error)
			}
			g.gone[v.Name] = fmt.Errorf("downloading Go module %s %s: go: %s", m.Path, m.Version, firstWords(text))
		}
	}
	return pinned, nil
}

// missing implements explainer.
func (g *gomod) missing(name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gone[name]
}

// goModules reads the JSON objects that go prints one after the other.
func goModules(out []byte) ([]goModule, error) {
	var modules []goModule
	for objects := json.NewDecoder(bytes.NewReader(out)); ; {
		var m goModule
		if err := objects.Decode(&m); errors.Is(err, io.EOF) {
			return modules, nil
		} else if err != nil {
			return nil, err
		}
		modules = append(modules, m)
	}
}

// obtain builds the program against a version.
func (g *gomod) obtain(ctx context.Context, v sweep.Version) (sweep.Build, error) {
	toolchain, err := g.run(ctx, g.cache.dir, "env", "GOVERSION")
	if err != nil {
		return sweep.Build{}, fmt.Errorf("asking go for its version: %w", err)
	}
	program, err := g.program(v)
	if err != nil {
		return sweep.Build{}, err
	}
	job := goBuild{path: g.module.pathOf(v.Raw), version: v, program: program, toolchain: strings.TrimSpace(string(toolchain))}
	dir := g.cache.buildDir(g.definition.Name, v.Name, v.Digest, job.recipe()...)
	facts, cached, err := g.cache.make(ctx, dir, func(ctx context.Context, scratch, files string) (buildFacts, error) {
		return g.build(ctx, job, scratch, files)
	})
	if err != nil {
		return sweep.Build{}, fmt.Errorf("building against %s %s: %w", job.path, v.Name, err)
	}
	return sweep.Build{
		Version: v.Name, Dir: filepath.Join(dir, filesDir), Digest: facts.Digest, Bytes: facts.Bytes,
		Bundled: facts.Bundled, FromCache: cached,
	}, nil
}

// run runs go in a folder and returns its output, which it may have written
// although it failed. The error of a failed command is a *BuildError with go's
// own first complaint.
func (g *gomod) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	var stderr Tail
	err := command{
		args: append([]string{g.command}, args...), dir: dir,
		env: append(os.Environ(),
			"GO111MODULE=on", "GOWORK=off", "GOFLAGS=-mod=mod", // neither the user's workspace nor vendored copies
			"GOTOOLCHAIN=local", // a version that asks for a newer Go is told, not built by another compiler
			"CGO_ENABLED=0",     // the program is linked statically and runs in any container
		),
		stdout: &stdout, stderr: &stderr, within: commandTime, memory: g.cache.bounds(),
	}.run(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		lines := stderr.Lines()
		return stdout.Bytes(), &BuildError{Reason: goComplaint(lines, err), Log: lines}
	}
	return stdout.Bytes(), nil
}

// goComplaint is the line of go's output that says what is wrong: the first
// that neither tells of progress nor names the package that follows.
func goComplaint(lines []string, cause error) string {
	if _, ended := errors.AsType[*boundError](cause); ended {
		return "go: " + cause.Error()
	}
	for _, line := range lines {
		text := strings.TrimPrefix(strings.TrimSpace(line), "go: ")
		progress := false
		for _, word := range []string{"#", "downloading ", "finding ", "added ", "upgraded ", "downgraded ", "warning:"} {
			progress = progress || strings.HasPrefix(text, word)
		}
		if !progress {
			return "go: " + text
		}
	}
	return "go: " + cause.Error()
}

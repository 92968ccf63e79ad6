package runtimes

import (
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"versweep/runtimes/strictyaml"
	"versweep/sweep"
)

// goBinary is the built program's file in a build.
const goBinary = "hello"

// goBuild is one program to build against one version of a module.
type goBuild struct {
	path      string // of the module, with its major version
	version   sweep.Version
	program   map[string][]byte
	toolchain string // "go1.26.8"
}

// recipe is what the build is made of beside the module's content.
func (b goBuild) recipe() []string {
	return append([]string{b.path, b.toolchain}, contentOf(b.program)...)
}

// contentOf is the names and texts of files, in the order of their names.
func contentOf(files map[string][]byte) []string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		parts = append(parts, name, string(files[name]))
	}
	return parts
}

// majorProgram is the name of a program file that is for a major version of
// the module and those after it: hello_v2.go.
var majorProgram = regexp.MustCompile(`^(.+)_v(\d+)\.go$`)

// program is what is built for a version. The API of a module changes with its
// major version, so a Go file may come in several forms: hello.go, and
// hello_v2.go from major version 2 on. The form with the highest number that is
// not above the version's counts. Imports of the module, under whichever of its
// paths, are turned into imports of the path that has the version.
func (g *gomod) program(v sweep.Version) (map[string][]byte, error) {
	files, err := g.definition.programFiles(g.recipe)
	if err != nil {
		return nil, err
	}
	program := map[string][]byte{}
	from := map[string]int{} // the number that the chosen form has, by plain name
	for name, text := range files {
		plain, since := name, 0
		if m := majorProgram.FindStringSubmatch(name); m != nil {
			if since, err = strconv.Atoi(m[2]); err != nil {
				return nil, fmt.Errorf("reading target %s: program %s: %w", g.definition.Name, name, err)
			}
			plain = m[1] + ".go"
		}
		if known, chosen := from[plain]; since > goMajor(v.Raw) || chosen && known > since {
			continue
		}
		if strings.HasSuffix(plain, ".go") {
			if text, err = g.module.rewriteImports(name, text, g.module.pathOf(v.Raw)); err != nil {
				return nil, fmt.Errorf("reading target %s: its program: %w", g.definition.Name, err)
			}
		}
		program[plain], from[plain] = text, since
	}
	if len(program) == 0 {
		return nil, fmt.Errorf("the target has no program for major version %d", goMajor(v.Raw))
	}
	return program, nil
}

// rewriteImports makes a Go file import the module as path.
func (m *GoModSource) rewriteImports(name string, text []byte, path string) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	known := m.paths()
	slices.Reverse(known) // the plain path is a prefix of all others
	for _, spec := range slices.Backward(file.Imports) {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		for _, k := range known {
			if rest, ok := strings.CutPrefix(imported, k); ok && (rest == "" || rest[0] == '/') {
				start, end := set.Position(spec.Path.Pos()).Offset, set.Position(spec.Path.End()).Offset
				text = slices.Concat(text[:start], []byte(strconv.Quote(path+rest)), text[end:])
				break
			}
		}
	}
	return text, nil
}

// languageVersion is what a go.mod says of a toolchain: "1.26.8" of "go1.26.8".
var languageVersion = regexp.MustCompile(`\d+\.\d+(\.\d+|rc\d+)?`)

// build builds the program in a module of its own and puts the binary into
// files.
func (g *gomod) build(ctx context.Context, b goBuild, scratch, files string) (buildFacts, error) {
	module := filepath.Join(scratch, "module")
	if err := os.Mkdir(module, 0o755); err != nil {
		return buildFacts{}, err
	}
	for name, text := range b.program {
		if err := os.WriteFile(filepath.Join(module, name), text, 0o644); err != nil {
			return buildFacts{}, err
		}
	}
	// The same language version for every release, since it also sets the
	// defaults of $GODEBUG.
	language := languageVersion.FindString(b.toolchain)
	if language == "" {
		return buildFacts{}, fmt.Errorf("the toolchain calls itself %q", b.toolchain)
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module hello\n\ngo "+language+"\n"), 0o644); err != nil {
		return buildFacts{}, err
	}
	if _, err := g.run(ctx, module, "get", b.path+"@"+b.version.Raw); err != nil {
		return buildFacts{}, err
	}
	// Naming the files builds them in spite of their "//go:build ignore",
	// which keeps them out of builds of the folder that they lie in.
	binary := filepath.Join(files, goBinary)
	args := []string{"build", "-trimpath", "-o", binary}
	for _, name := range slices.Sorted(maps.Keys(b.program)) {
		if strings.HasSuffix(name, ".go") {
			args = append(args, name)
		}
	}
	if _, err := g.run(ctx, module, args...); err != nil {
		return buildFacts{}, err
	}
	return goFacts(binary, b)
}

// goFacts reads out of a binary what it is made of, and makes sure that it is
// the version that was asked for.
func goFacts(binary string, b goBuild) (buildFacts, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return buildFacts{}, fmt.Errorf("reading what the program was built from: %w", err)
	}
	facts := buildFacts{Bundled: map[string]string{"go": strings.TrimPrefix(info.GoVersion, "go")}}
	found := false
	for _, m := range info.Deps {
		facts.Bundled[m.Path] = m.Version
		if m.Path != b.path {
			continue
		}
		found = true
		if m.Version != b.version.Raw {
			return buildFacts{}, fmt.Errorf("the program was built with %s instead", m.Version)
		}
		if m.Sum != b.version.Digest {
			return buildFacts{}, fmt.Errorf("%w: %s was pinned, %s was built", ErrIntegrity, b.version.Digest, m.Sum)
		}
	}
	if !found {
		return buildFacts{}, errors.New("the program does not use the module")
	}
	f, err := os.Open(binary)
	if err != nil {
		return buildFacts{}, err
	}
	defer f.Close()
	sum := sha256.New()
	if facts.Bytes, err = io.Copy(sum, f); err != nil {
		return buildFacts{}, fmt.Errorf("reading the built program: %w", err)
	}
	facts.Digest = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	// Synced, since the folder is renamed into the cache once it is whole.
	return facts, f.Sync()
}

// check finds what is wrong with the source as it is written.
func (m *GoModSource) check(r Recipe) error {
	for i, major := range m.Majors {
		if major < 2 || i > 0 && major <= m.Majors[i-1] {
			return strictyaml.FlawAt(fmt.Sprintf("majors[%d]", i), "%v are not numbers from 2 on in rising order", m.Majors)
		}
	}
	if !slices.ContainsFunc(r.Program, func(name string) bool { return strings.HasSuffix(name, ".go") }) {
		return &strictyaml.Flaw{Problem: "program names no .go file", Hint: "the program of a Go module is hello.go, and hello_v2.go where its API changed"}
	}
	return nil
}

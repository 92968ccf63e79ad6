package runtimes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"versweep/runtimes/strictyaml"
	"versweep/sweep"
)

// npmProject is a source: an npm package that is installed with its
// dependencies into a project that holds the target's program. What there is
// and what its hashes are, it has from npm.
type npmProject struct {
	*npm
	recipe Recipe
}

func newNPMProject(d *Definition, r Recipe, p *NPMSource, cache *Cache) (*npmProject, error) {
	n, err := newNPM(d, p, cache)
	if err != nil {
		return nil, err
	}
	return &npmProject{npm: n, recipe: r}, nil
}

// check finds what is wrong with the source as it is written.
func (p *NPMSource) check() error {
	for i, pattern := range p.Keep {
		if _, err := path.Match(pattern, ""); err != nil {
			return &strictyaml.Flaw{Path: fmt.Sprintf("keep[%d]", i), Problem: fmt.Sprintf("bad pattern %q: %v", pattern, err), Hint: `* is any name, ? any character, [a-z] one of several; \[ is a bracket`}
		}
	}
	if len(p.Keep) > 0 && (len(p.With) > 0 || p.Resolve != "") {
		return &strictyaml.Flaw{Path: "keep", Problem: "nothing is installed, so with and resolve mean nothing", Hint: "leave out keep to install the package"}
	}
	for i, spec := range p.With {
		if name, version := cutSpec(spec); !npmName.MatchString(name) || version == "" {
			return strictyaml.FlawAt(fmt.Sprintf("with[%d]", i), "%q is not PACKAGE@VERSION", spec)
		}
	}
	return nil
}

// cutSpec cuts "@hapi/hapi@21.0.0" at its last at sign.
func cutSpec(spec string) (name, version string) {
	i := strings.LastIndexByte(spec, '@')
	if i <= 0 {
		return "", ""
	}
	return spec[:i], spec[i+1:]
}

// Files of a project beside the program's.
const (
	manifestFile = "package.json"
	lockFile     = "package-lock.json"
)

// obtain makes a project of one version. A project is kept as it was resolved
// the first time: later sweeps measure the same.
func (n *npmProject) obtain(ctx context.Context, v sweep.Version) (sweep.Build, error) {
	program, err := n.definition.programFiles(n.recipe)
	if err != nil {
		return sweep.Build{}, err
	}
	parts := slices.Concat([]string{n.pack.Package, string(n.pack.Resolve)}, n.pack.With, contentOf(program))
	dir := n.cache.buildDir(n.definition.Name, v.Name, v.Digest, parts...)
	facts, cached, err := n.cache.make(ctx, dir, func(ctx context.Context, _, files string) (buildFacts, error) {
		return n.install(ctx, v, program, files)
	})
	if err != nil {
		return sweep.Build{}, fmt.Errorf("installing %s %s: %w", n.pack.Package, v.Name, err)
	}
	return sweep.Build{
		Version: v.Name, Dir: filepath.Join(dir, filesDir), Digest: facts.Digest, Bytes: facts.Bytes,
		Bundled: facts.Bundled, FromCache: cached,
	}, nil
}

// install installs a version into the project folder. Nothing of a package is
// run: install scripts are off.
func (n *npmProject) install(ctx context.Context, v sweep.Version, program map[string][]byte, project string) (buildFacts, error) {
	for name, text := range program {
		if err := os.WriteFile(filepath.Join(project, name), text, 0o644); err != nil {
			return buildFacts{}, err
		}
	}
	dependencies := map[string]string{n.pack.Package: v.Raw}
	for _, spec := range n.pack.With {
		name, version := cutSpec(spec)
		dependencies[name] = version
	}
	manifest, err := json.Marshal(map[string]any{"name": "hello", "private": true, "dependencies": dependencies})
	if err != nil {
		return buildFacts{}, err
	}
	if err := os.WriteFile(filepath.Join(project, manifestFile), manifest, 0o644); err != nil {
		return buildFacts{}, err
	}
	args := []string{
		"install", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev",
		"--omit-lockfile-registry-resolved", // the name of a registry or mirror is nobody else's business
	}
	if n.pack.Resolve == ResolveRelease {
		published, err := n.published(ctx, v.Raw)
		if err != nil {
			return buildFacts{}, err
		}
		args = append(args, "--before="+published)
	}
	if _, err := n.run(ctx, project, args...); err != nil {
		return buildFacts{}, err
	}
	// npm's own copy of the lock, which no program reads.
	if err := os.Remove(filepath.Join(project, "node_modules", "."+lockFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return buildFacts{}, err
	}
	return projectFacts(project, n.pack.Package, v)
}

// published is when the registry says that a version was published.
func (n *npmProject) published(ctx context.Context, version string) (string, error) {
	out, err := n.run(ctx, "", "view", n.pack.Package, "time", "--json")
	if err != nil {
		return "", fmt.Errorf("asking npm when it was published: %w", err)
	}
	times := map[string]string{}
	if err := json.Unmarshal(out, &times); err != nil {
		return "", fmt.Errorf("asking npm when it was published: reading npm's answer: %w", err)
	}
	if times[version] == "" {
		return "", errors.New("the registry does not tell when it was published")
	}
	return times[version], nil
}

// npmLock is what is read of npm's lockfile. The keys are folders:
// "node_modules/body-parser/node_modules/qs".
type npmLock struct {
	Packages map[string]struct {
		Version   string `json:"version"`
		Integrity string `json:"integrity"`
	} `json:"packages"`
}

// projectFacts reads the lock of a project, and makes sure that it has the
// content that was asked for. The lock holds the hash of every package, so its
// own hash stands for all of them.
func projectFacts(project, pack string, v sweep.Version) (buildFacts, error) {
	text, err := os.ReadFile(filepath.Join(project, lockFile))
	if err != nil {
		return buildFacts{}, fmt.Errorf("reading what npm resolved: %w", err)
	}
	var lock npmLock
	if err := json.Unmarshal(text, &lock); err != nil {
		return buildFacts{}, fmt.Errorf("reading what npm resolved: %w", err)
	}
	installed, ok := lock.Packages["node_modules/"+pack]
	if !ok {
		return buildFacts{}, errors.New("npm's lockfile does not name the package; npm 7 or later is needed")
	}
	if installed.Version != v.Raw || !sharesHash(installed.Integrity, v.Digest) {
		return buildFacts{}, fmt.Errorf("%w: %s was pinned, npm installed %s (%s)", ErrIntegrity, v.Digest, installed.Version, installed.Integrity)
	}
	sum := sha256.Sum256(bytes.TrimSpace(text))
	facts := buildFacts{Digest: "sha256:" + hex.EncodeToString(sum[:]), Bundled: map[string]string{}}
	for folder, p := range lock.Packages {
		if folder != "" {
			facts.Bundled[packageName(folder)] = p.Version
		}
	}
	if facts.Bytes, err = folderSize(project); err != nil {
		return buildFacts{}, fmt.Errorf("measuring the project: %w", err)
	}
	return facts, nil
}

// sharesHash tells whether two lists of hashes have one in common. Those of old
// packages are written in hex digits in one place and in base64 in another.
func sharesHash(a, b string) bool {
	hashes := func(list string) []string {
		var all []string
		for one := range strings.FieldsSeq(list) {
			if digits, ok := strings.CutPrefix(one, "sha1-"); ok {
				if sum, err := hex.DecodeString(digits); err == nil {
					one = "sha1-" + base64.StdEncoding.EncodeToString(sum)
				}
			}
			all = append(all, one)
		}
		return all
	}
	known := hashes(b)
	return slices.ContainsFunc(hashes(a), func(h string) bool { return slices.Contains(known, h) })
}

// packageName names a package by its folder: "qs", or "body-parser > qs" for
// one that only body-parser has.
func packageName(folder string) string {
	return strings.ReplaceAll(strings.TrimPrefix(folder, "node_modules/"), "/node_modules/", " > ")
}

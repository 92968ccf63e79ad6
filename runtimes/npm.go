package runtimes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"versweep/sweep"
)

// ErrNoNPM says that there is no npm command.
var ErrNoNPM = errors.New("npm is not installed")

// npm asks the user's own npm command, so that mirrors, proxies and
// credentials are those the user has configured. It is a source.
type npm struct {
	command    string // path of the npm program
	definition *Definition
	pack       *NPMSource
	cache      *Cache
}

// newNPM finds the npm command. The error is ErrNoNPM when there is none.
func newNPM(d *Definition, p *NPMSource, cache *Cache) (*npm, error) {
	command, err := exec.LookPath("npm")
	if err != nil {
		return nil, ErrNoNPM
	}
	return &npm{command: command, definition: d, pack: p, cache: cache}, nil
}

// versions lists what the registry can install, in version order. The names
// come from the package's "versions", never from its dates, which keep
// releases that were taken back, nor from its tags, since "latest" need not be
// the highest.
func (n *npm) versions(ctx context.Context) ([]sweep.Version, []sweep.Skipped, error) {
	out, err := n.run(ctx, "", "view", n.pack.Package, "versions", "--json")
	if err != nil {
		return nil, nil, fmt.Errorf("listing the versions of npm package %s: %w", n.pack.Package, err)
	}
	names, err := oneOrMany[string](out)
	if err != nil {
		return nil, nil, fmt.Errorf("listing the versions of npm package %s: reading npm's answer: %w", n.pack.Package, err)
	}
	versions, skipped := sweep.ParseVersions(names, "npm", n.definition.Line)
	return versions, skipped, nil
}

// pin asks for the registry's own hash of each version, in one request:
// "sha512-…" in base64, or "sha1-" and 40 hex digits for old packages.
func (n *npm) pin(ctx context.Context, versions []sweep.Version) ([]sweep.Version, error) {
	names := make([]string, len(versions))
	for i, v := range versions {
		names[i] = v.Raw
	}
	out, err := n.run(ctx, "", "view", n.pack.Package+"@"+strings.Join(names, " || "), "version", "dist.integrity", "dist.shasum", "--json")
	if err != nil {
		return nil, fmt.Errorf("asking npm for the hashes of %s: %w", n.pack.Package, err)
	}
	type dist struct {
		Version   string `json:"version"`
		Integrity string `json:"dist.integrity"`
		Shasum    string `json:"dist.shasum"`
	}
	dists, err := oneOrMany[dist](out)
	if err != nil {
		return nil, fmt.Errorf("asking npm for the hashes of %s: reading npm's answer: %w", n.pack.Package, err)
	}
	digests := map[string]string{}
	for _, d := range dists {
		switch {
		case d.Integrity != "":
			digests[d.Version] = d.Integrity
		case d.Shasum != "":
			digests[d.Version] = "sha1-" + d.Shasum
		}
	}
	pinned := slices.Clone(versions)
	for i := range pinned {
		pinned[i].Digest = digests[pinned[i].Raw]
	}
	return pinned, nil
}

// obtain makes a build of the files that the package carries.
func (n *npm) obtain(ctx context.Context, v sweep.Version) (sweep.Build, error) {
	dir := n.cache.buildDir(n.definition.Name, v.Name, v.Digest, append([]string{n.pack.Package}, n.pack.Keep...)...)
	facts, cached, err := n.cache.make(ctx, dir, func(ctx context.Context, scratch, files string) (buildFacts, error) {
		return n.download(ctx, v, scratch, files)
	})
	if err != nil {
		return sweep.Build{}, fmt.Errorf("fetching %s %s: %w", n.definition.Name, v.Name, err)
	}
	return sweep.Build{
		Version: v.Name, Dir: filepath.Join(dir, filesDir), Digest: facts.Digest, Bytes: facts.Bytes, FromCache: cached,
	}, nil
}

// download fetches one version's package, checks it and unpacks it into files.
func (n *npm) download(ctx context.Context, v sweep.Version, scratch, files string) (buildFacts, error) {
	archive, err := n.fetch(ctx, v.Raw, scratch)
	if err != nil {
		return buildFacts{}, err
	}
	if err := checkDigest(archive, v.Digest); err != nil {
		return buildFacts{}, err
	}
	f, err := os.Open(archive)
	if err != nil {
		return buildFacts{}, err
	}
	defer f.Close()
	size, err := unpackPackage(f, files, n.pack.Keep)
	if err != nil {
		return buildFacts{}, err
	}
	return buildFacts{Digest: v.Digest, Bytes: size}, nil
}

// fetch downloads one version's archive into folder and returns its path.
func (n *npm) fetch(ctx context.Context, version, folder string) (string, error) {
	out, err := n.run(ctx, "", "pack", n.pack.Package+"@"+version, "--pack-destination", folder, "--ignore-scripts", "--loglevel=error")
	if err != nil {
		return "", err
	}
	archives, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(archives) != 1 {
		return "", fmt.Errorf("npm pack left no archive but said %q", strings.TrimSpace(string(out)))
	}
	return archives[0], nil
}

// run runs npm in a folder, "" for the current one, and returns its output. The
// error of a failed command is a *BuildError with npm's own first line of
// complaint and its last lines.
func (n *npm) run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	var complaint Tail
	err := command{
		args: append([]string{n.command}, args...), dir: dir,
		env: append(os.Environ(), "npm_config_update_notifier=false", "npm_config_fund=false", "npm_config_audit=false",
			"npm_config_package_lock=true", "npm_config_global=false", "npm_config_workspaces=false"), // a project of its own, whatever lies around it
		stdout: &bounded{w: &stdout, left: maxNPMAnswer}, stderr: &complaint, within: commandTime, memory: n.cache.bounds(),
	}.run(ctx)
	if err == nil {
		return stdout.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	lines := complaint.Lines()
	return nil, &BuildError{Reason: npmError(stdout.Bytes(), lines, err).Error(), Log: lines}
}

// maxNPMAnswer bounds what npm may print; the longest real list of versions has
// a hundredth of it.
const maxNPMAnswer = 64 << 20 // bytes

// npmError finds npm's own words for what went wrong: in the JSON that --json
// prints, or in the lines marked "npm error" (npm ERR! before npm 10).
func npmError(stdout []byte, complaint []string, cause error) error {
	if _, ended := errors.AsType[*boundError](cause); ended {
		return fmt.Errorf("npm: %w", cause)
	}
	var report struct {
		Error struct{ Code, Summary string } `json:"error"`
	}
	if json.Unmarshal(stdout, &report) == nil && report.Error.Summary != "" {
		return fmt.Errorf("npm: %s: %s", report.Error.Code, firstWords(report.Error.Summary))
	}
	var code string
	for _, line := range complaint {
		text, marked := strings.CutPrefix(strings.TrimSpace(line), "npm error ")
		if !marked {
			text, marked = strings.CutPrefix(strings.TrimSpace(line), "npm ERR! ")
		}
		if !marked {
			continue
		}
		if after, ok := strings.CutPrefix(text, "code "); ok {
			code = after + ": "
			continue
		}
		return fmt.Errorf("npm: %s%s", code, text)
	}
	return fmt.Errorf("npm: %w", cause)
}

// firstWords is the first line of a longer text.
func firstWords(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// oneOrMany reads npm's JSON, which is a bare value instead of a list where
// there is only one, and nothing at all where there is none.
func oneOrMany[T any](b []byte) ([]T, error) {
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, nil
	}
	var many []T
	if json.Unmarshal(b, &many) == nil {
		return many, nil
	}
	var one T
	if err := json.Unmarshal(b, &one); err != nil {
		return nil, err
	}
	return []T{one}, nil
}

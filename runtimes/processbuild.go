package runtimes

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"versweep/sweep"
)

// buildTime is how long a version may take to build. Larger than any build of a
// server should be on two cores, so that only one that hangs is ended.
const buildTime = 30 * time.Minute

// Build builds a version from its source by the recipe's build command, in a
// copy of the source that then stays in the cache. It is a Finish for
// Supply.Obtain. A version whose recipe has no such command, or that does not
// come as source, is returned as it is, and so is one that Build made.
//
// What is built is moved once, into the cache, so it must not depend on where
// it was built. A failed build is a *BuildError with the last lines of output.
func (l *ProcessLauncher) Build(ctx context.Context, b sweep.Build) (sweep.Build, error) {
	if len(l.recipe.Build) == 0 || l.kind != "git" {
		return b, nil
	}
	program, err := l.definition.programFiles(l.recipe)
	if err != nil {
		return b, err
	}
	dir := l.cache.buildDir(l.definition.Name, b.Version, b.Digest, "built", l.recipe.hash(program))
	built := filepath.Join(dir, filesDir)
	if b.Dir == built {
		return b, nil
	}
	facts, cached, err := l.cache.make(ctx, dir, func(ctx context.Context, scratch, files string) (buildFacts, error) {
		if err := copyFolder(files, b.Dir); err != nil {
			return buildFacts{}, fmt.Errorf("copying the source of %s %s: %w", l.definition.Name, b.Version, err)
		}
		if err := l.runBuild(ctx, b, scratch, files); err != nil {
			return buildFacts{}, err
		}
		size, err := folderSize(files)
		return buildFacts{Digest: b.Digest, Bytes: size}, err
	})
	if err != nil {
		return b, err
	}
	b.Dir, b.Bytes, b.FromCache = built, facts.Bytes, b.FromCache && cached
	return b, nil
}

// runBuild runs the build command in files.
func (l *ProcessLauncher) runBuild(ctx context.Context, b sweep.Build, scratch, files string) error {
	temporary := filepath.Join(scratch, "tmp")
	if err := os.Mkdir(temporary, 0o755); err != nil {
		return err
	}
	at := places{build: files, program: l.program, main: l.recipe.main(), runtime: b.Runtime, version: b.Version}
	args := at.fill(l.recipe.Build)
	var output Tail
	err := command{
		args: args, dir: files, env: buildEnvironment(os.Environ(), scratch, temporary, b.Version),
		stdout: &output, stderr: &output, within: l.buildTime, memory: l.cache.bounds(),
	}.run(ctx)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := &BuildError{
		Reason: fmt.Sprintf("building %s %s: %s: %v", l.definition.Name, b.Version, filepath.Base(args[0]), err), Log: output.Lines(),
	}
	if n := len(failed.Log); n > 0 {
		failed.Reason += fmt.Sprintf(" (%.200q)", failed.Log[n-1])
	}
	return failed
}

// Variables that a build has from the user: where programs, packages and
// certificates are found and kept, so that a build reaches the user's mirrors
// and caches. What changes how code is compiled or run (GOFLAGS, CFLAGS,
// NODE_OPTIONS) is left out, or the same version would be another on another
// machine.
var (
	buildVariables = []string{
		"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
		"GOPATH", "GOMODCACHE", "GOCACHE", "GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOTOOLCHAIN",
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	}
	buildPrefixes = []string{"NPM_CONFIG_"}
)

// buildEnvironment picks a build's variables out of the user's, without regard
// to case, and adds LANG, TMPDIR and VERSION, which the Dockerfile has too. No
// repository above scratch is the build's.
func buildEnvironment(user []string, scratch, temporary, version string) []string {
	env := []string{"LANG=C.UTF-8", "TMPDIR=" + temporary, "VERSION=" + version, "GIT_CEILING_DIRECTORIES=" + scratch}
	for _, variable := range user {
		name, _, _ := strings.Cut(variable, "=")
		name = strings.ToUpper(name)
		if slices.Contains(buildVariables, name) || slices.ContainsFunc(buildPrefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			env = append(env, variable)
		}
	}
	return env
}

// copyFolder copies what is in from, links as links, into the folder to.
func copyFolder(to, from string) error {
	return filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == from {
			return err
		}
		inside, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		switch {
		case entry.IsDir():
			return os.Mkdir(target, 0o755)
		case entry.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(file)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, info.Mode().Perm())
	})
}

// folderSize adds up the sizes of the files in a folder.
func folderSize(folder string) (int64, error) {
	var size int64
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		return nil
	})
	return size, err
}

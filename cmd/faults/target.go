//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Versions of the target; the newest is the reference.
var versionNames = []string{"1.0.0", "1.1.0", "1.2.0"}

// badVersion is the one that misbehaves.
const badVersion = "1.1.0"

// target writes the bench's target: a server that misbehaves as told, as one
// version or, with bad "all", as all. More lines are added to its definition.
func (b *bench) target(how, bad string, more ...string) {
	server, source := b.suite.server, ""
	if b.engine != nil {
		server, source = "/server", fmt.Sprintf("sources: [{list: [%q, %q, %q]}]\nimage: {base: %q}", versionNames[0], versionNames[1], versionNames[2], baseImage)
	} else {
		source = fmt.Sprintf("sources: [{git: {repository: %q, tags: \"v{version}\"}}]", b.repository())
	}
	b.define(append([]string{
		source, fmt.Sprintf(`start: [%q, %q, "{version}", %q, "{port}", %q]`, server, how, bad, b.mark),
	}, more...)...)
}

// define writes the target's definition.
func (b *bench) define(lines ...string) {
	b.write("target.yaml", "title: Faulty\n"+strings.Join(lines, "\n")+"\n")
}

// write writes a file of the target.
func (b *bench) write(name, text string) {
	dir := filepath.Join(b.targets(), targetName)
	b.need(os.MkdirAll(dir, 0o755))
	b.need(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// repository makes a git repository with a tag for each version, or returns the
// one that is there.
func (b *bench) repository() string {
	dir := filepath.Join(b.dir, "repository")
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	b.need(os.Mkdir(dir, 0o755))
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@localhost",
			"GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@localhost")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.need(fmt.Errorf("git %s: %w: %s", args[0], err, out))
		}
	}
	git("init", "-q")
	for _, v := range versionNames {
		b.need(os.WriteFile(filepath.Join(dir, "version"), []byte(v), 0o644))
		// Something to be transferred that does not compress.
		b.need(os.WriteFile(filepath.Join(dir, "ballast"), randomBytes(ballast), 0o644))
		git("add", ".")
		git("commit", "-q", "-m", v)
		git("tag", "v"+v)
	}
	return dir
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// hostileTarget writes a definition with one source into a folder of targets.
func hostileTarget(t *testing.T, dir, source string) {
	t.Helper()
	folder := filepath.Join(dir, "hostile")
	text := "title: Hostile\nsources:\n  - " + source + "\nstart: [\"{build}/server\"]\n"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "target.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fakeProgram puts a shell script first on the path.
func fakeProgram(t *testing.T, name, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func writeJSONFile(t *testing.T, document any) string {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "names.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// sourceNames are the hostile names and some that look like versions, and one
// that is.
func sourceNames() []string {
	names := append([]string{"1.0.0"}, hostileNames...)
	for _, n := range hostileNames {
		names = append(names, "1.2.3"+n, "v9.9.9-"+n, n+"/2.0.0")
	}
	return names
}

// Each source takes the one version out of a list of hostile names, and tells of
// the others without a character that a terminal obeys.
func TestHostileNamesAtTheDoorsOfSources(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	names := sourceNames()
	for kind, source := range map[string]func(*testing.T) string{
		"npm": func(t *testing.T) string {
			fakeProgram(t, "npm", "cat "+writeJSONFile(t, names))
			return "npm: {package: hostile, keep: [server]}"
		},
		"gomod": func(t *testing.T) string {
			fakeProgram(t, "go", "cat "+writeJSONFile(t, map[string]any{"Path": "example.org/hostile", "Versions": append(names, "v1.0.0")}))
			return "gomod: {module: example.org/hostile}\n    recipe: {program: [hello.go]}"
		},
		"image": func(t *testing.T) string {
			registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/tags/list") {
					json.NewEncoder(w).Encode(map[string]any{"name": "hostile", "tags": names})
				}
			}))
			t.Cleanup(registry.Close)
			return "image: {repository: " + strings.TrimPrefix(registry.URL, "http://") + "/hostile}"
		},
		"git": func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "hostile.git")
			for _, args := range [][]string{
				{"init", "-q", "--bare", dir},
				{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-m", "\x1b[31m::error::"},
			} {
				cmd := exec.Command("git", args...)
				if args[0] == "-C" { // the empty tree has to be there
					if out, err := exec.Command("git", "-C", dir, "hash-object", "-t", "tree", "-w", "/dev/null").CombinedOutput(); err != nil {
						t.Fatalf("%v: %s", err, out)
					}
				}
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				if args[0] != "-C" {
					continue
				}
				// No git makes such names; a server can send what it likes.
				packed := "# pack-refs with: peeled fully-peeled sorted \n"
				for _, n := range names {
					if n != "" && !strings.ContainsAny(n, "\n\r\t ") {
						packed += strings.TrimSpace(string(out)) + " refs/tags/" + n + "\n"
					}
				}
				if err := os.WriteFile(filepath.Join(dir, "packed-refs"), []byte(packed), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			return "git: {repository: " + dir + "}"
		},
		"list": func(t *testing.T) string {
			var quoted []string
			for _, n := range names {
				quoted = append(quoted, fmt.Sprintf("%q", strings.ToValidUTF8(n, "?")))
			}
			return "list: [" + strings.Join(quoted, ", ") + "]"
		},
	} {
		t.Run(kind, func(t *testing.T) {
			targets := t.TempDir()
			hostileTarget(t, targets, source(t))
			if kind == "gomod" {
				if err := os.WriteFile(filepath.Join(targets, "hostile", "hello.go"), []byte("//go:build ignore\n\npackage main\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for _, form := range [][]string{{}, {"--json"}, {"--prereleases"}} {
				args := append([]string{"versions", "hostile", "--target-dir", targets, "--db", filepath.Join(t.TempDir(), "none.db")}, form...)
				var out, complaints bytes.Buffer
				status := run(args, strings.NewReader(""), &out, &complaints)
				checkTerminal(t, args, out.String())
				checkTerminal(t, args, complaints.String())
				if status != exitDone || !strings.Contains(out.String(), "1.0.0") {
					t.Errorf("status %d: %.200s%.300s", status, out.String(), complaints.String())
				}
			}
		})
	}
}

// A registry whose every release is called and fails as an attacker likes: what
// is shown of it is text, and the cache has plain names.
func TestHostileFailuresOfBuilds(t *testing.T) {
	targets, cache := t.TempDir(), t.TempDir()
	hostileTarget(t, targets, "npm: {package: hostile, keep: [server]}")
	var hashes []map[string]string
	for _, n := range sourceNames() {
		hashes = append(hashes, map[string]string{"version": n, "dist.integrity": "sha512-" + n})
	}
	complaint := filepath.Join(t.TempDir(), "complaint")
	if err := os.WriteFile(complaint, []byte("npm error code ::error::\x1b[2J\nnpm error "+strings.Join(hostileNames[12:20], "\nnpm error ")), 0o644); err != nil {
		t.Fatal(err)
	}
	fakeProgram(t, "npm", `case "$*" in
*dist.integrity*) cat `+writeJSONFile(t, hashes)+`;;
*versions*) cat `+writeJSONFile(t, sourceNames())+`;;
*) cat `+complaint+` >&2; exit 1;;
esac`)
	db := filepath.Join(t.TempDir(), "versweep.db")
	args := []string{"run", "hostile", "--target-dir", targets, "--cache", cache, "--db", db, "--launcher", "process", "--prereleases", "--yes", "--rounds", "1"}
	var out, complaints bytes.Buffer
	if status := run(args, strings.NewReader(""), &out, &complaints); status != exitFailure {
		t.Errorf("status %d: %s", status, &complaints)
	}
	checkTerminal(t, args, out.String())
	checkTerminal(t, args, complaints.String())
	if !strings.Contains(complaints.String(), `\x3a:error::\x1b[2J: `) {
		t.Errorf("the failure is not told: %s", &complaints)
	}
	plain := regexp.MustCompile(`^[A-Za-z0-9._+~-]+$`)
	err := filepath.WalkDir(cache, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !plain.MatchString(entry.Name()) {
			t.Errorf("the cache has %q", file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

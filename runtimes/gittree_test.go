package runtimes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"versweep/sweep"
)

// obtainGit obtains one tag.
func obtainGit(t *testing.T, s *Supply, tag string) sweep.Outcome {
	t.Helper()
	found, skipped := listed(t, s)
	for _, v := range found {
		if v.Raw != tag {
			continue
		}
		outcomes, err := s.Obtain(t.Context(), []sweep.Version{v}, nil, func(Obtained) {})
		if err != nil {
			t.Fatal(err)
		}
		return outcomes[0]
	}
	t.Fatalf("no %s among %v, skipped %v", tag, found, skipped)
	return sweep.Outcome{}
}

func TestGitFilesKeepTheirKind(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	if err := os.WriteFile(filepath.Join(dir, "run"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "below/file", "below/up": "../run"} {
		if err := os.MkdirAll(filepath.Join(dir, "below"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	commitFiles(t, dir, map[string]string{"below/file": "x"})
	runGit(t, dir, "tag", "v1.0.0")
	o := obtainGit(t, gitTarget(t, GitSource{Repository: dir}, Recipe{}), "v1.0.0")
	if o.Reason != "" {
		t.Fatal(o.Reason)
	}
	run, err := os.Stat(filepath.Join(o.Build.Dir, "run"))
	if err != nil || run.Mode().Perm()&0o111 == 0 {
		t.Errorf("run: %v, %v", run.Mode(), err)
	}
	for link, want := range map[string]string{"link": "x", "below/up": "#!/bin/sh\n"} {
		if text, err := os.ReadFile(filepath.Join(o.Build.Dir, link)); string(text) != want || err != nil {
			t.Errorf("%s: %q, %v", link, text, err)
		}
	}
	if _, err := os.Stat(filepath.Join(o.Build.Dir, ".git")); !os.IsNotExist(err) {
		t.Errorf(".git is there: %v", err)
	}
}

// A tree that would write or read outside its folder is refused, and leaves
// nothing.
func TestGitTreesThatClimbOut(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	blob := func(text string) string {
		file := filepath.Join(t.TempDir(), "blob")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return runGit(t, dir, "hash-object", "-w", file)
	}
	plant := func(tag string, entries ...string) {
		file := filepath.Join(t.TempDir(), "tree")
		if err := os.WriteFile(file, []byte(rawTree(t, entries)), 0o644); err != nil {
			t.Fatal(err)
		}
		tree := runGit(t, dir, "hash-object", "-w", "--literally", "-t", "tree", file)
		runGit(t, dir, "tag", tag, runGit(t, dir, "commit-tree", "-m", "x", tree))
	}
	text, up, absolute := blob("x"), blob("../outside"), blob("/etc/passwd")
	plant("v1.0.1", "120000 link", up)
	plant("v1.0.2", "120000 link", absolute)
	plant("v1.0.3", "100644 ../escaped", text)
	plant("v1.0.4", "100644 ..", text)
	plant("v1.0.5", "100644 .GIT", text)
	plant("v1.0.6", "120000 same", blob("."), "100644 same", text)
	plant("v1.0.7", "120000 link", blob("a/../../x"))
	plant("v1.0.8", "100644 .git.", text)
	plant("v1.0.9", "100644 a\\\\..\\\\b", text)
	s := gitTarget(t, GitSource{Repository: dir}, Recipe{})
	for tag, want := range map[string]string{
		"v1.0.1": "leads out of the source", "v1.0.2": "leads out of the source", "v1.0.3": `named "../escaped"`,
		"v1.0.4": `named ".."`, "v1.0.5": `named ".GIT"`, "v1.0.6": "file exists", "v1.0.7": "leads out of the source",
		"v1.0.8": `named ".git."`, "v1.0.9": "a file is named",
	} {
		if o := obtainGit(t, s, tag); !strings.Contains(o.Reason, want) || o.Build.Dir != "" {
			t.Errorf("%s: %+v", tag, o)
		}
	}
	if left := filesIn(t, gitCache(s).dir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// rawTree writes a tree object by hand: mode, name and hash by turns.
func rawTree(t *testing.T, entries []string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(entries); i += 2 {
		b.WriteString(entries[i] + "\x00")
		b.Write(hashBytes(t, entries[i+1]))
	}
	return b.String()
}

func TestLinksThatStayInside(t *testing.T) {
	for target, inside := range map[string]bool{
		"x": true, "../x": true, "./y/z": true, "../../x": true, "../../../x": false, "/etc": false, "": false,
		"y/../x": false, "../y/../x": false, "..": true, "x\x00": false, strings.Repeat("x", maxLinkLength+1): false,
	} {
		if got := staysInside("a/b/link", target); got != inside {
			t.Errorf("%.40q: %v, want %v", target, got, inside)
		}
	}
}

func TestGitSubmodules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"inner", "library", "server"} {
		runGit(t, dir, "init", "-q", name)
	}
	inner, library, server := filepath.Join(dir, "inner"), filepath.Join(dir, "library"), filepath.Join(dir, "server")
	commitFiles(t, inner, map[string]string{"deep": "deep"})
	commitFiles(t, library, map[string]string{"lib": "old"})
	runGit(t, library, "submodule", "-q", "add", "../inner", "inner")
	commitFiles(t, library, nil)
	runGit(t, server, "submodule", "-q", "add", "../library", "vendor/library")
	commitFiles(t, server, map[string]string{"main": "x"})
	runGit(t, server, "tag", "v1.0.0")
	// The submodule goes on; the tag still means what it was then.
	commitFiles(t, library, map[string]string{"lib": "new"})
	web := t.TempDir()
	for _, name := range []string{"inner", "library", "server"} {
		runGit(t, web, "clone", "-q", "--bare", filepath.Join(dir, name), name)
	}
	url, fetches := serveGit(t, web, "")

	for name, repository := range map[string]string{"path": server, "http": url + "/server"} {
		t.Run(name, func(t *testing.T) {
			s := gitTarget(t, GitSource{Repository: repository, Submodules: true}, Recipe{})
			o := obtainGit(t, s, "v1.0.0")
			if o.Reason != "" {
				t.Fatal(o.Reason)
			}
			for file, want := range map[string]string{"main": "x", "vendor/library/lib": "old", "vendor/library/inner/deep": "deep"} {
				if text, err := os.ReadFile(filepath.Join(o.Build.Dir, file)); string(text) != want || err != nil {
					t.Errorf("%s: %q, %v", file, text, err)
				}
			}
			before := fetches.Load()
			if again := obtainGit(t, s, "v1.0.0"); !again.Build.FromCache || fetches.Load() != before {
				t.Errorf("fetched again: %+v, %d fetches", again, fetches.Load()-before)
			}
		})
	}
	t.Run("not asked for", func(t *testing.T) {
		o := obtainGit(t, gitTarget(t, GitSource{Repository: server}, Recipe{}), "v1.0.0")
		entries, err := os.ReadDir(filepath.Join(o.Build.Dir, "vendor/library"))
		if err != nil || len(entries) > 0 {
			t.Errorf("%v, %v", entries, err)
		}
	})
	t.Run("gone", func(t *testing.T) {
		if err := os.Rename(filepath.Join(web, "inner"), filepath.Join(web, "elsewhere")); err != nil {
			t.Fatal(err)
		}
		o := obtainGit(t, gitTarget(t, GitSource{Repository: url + "/server", Submodules: true}, Recipe{}), "v1.0.0")
		if want := `submodule "vendor/library/inner" from ../inner: there is no git repository`; !strings.Contains(o.Reason, want) {
			t.Errorf("%q, want %q", o.Reason, want)
		}
	})
	t.Run("a path of this machine", func(t *testing.T) {
		runGit(t, server, "config", "-f", ".gitmodules", "submodule.vendor/library.url", library)
		commitFiles(t, server, nil)
		runGit(t, server, "tag", "v1.1.0")
		runGit(t, web, "clone", "-q", "--bare", server, "planted")
		o := obtainGit(t, gitTarget(t, GitSource{Repository: url + "/planted", Submodules: true}, Recipe{}), "v1.1.0")
		if !strings.Contains(o.Reason, "is a path of this machine") {
			t.Errorf("%+v", o)
		}
	})
}

func TestSubmoduleAddress(t *testing.T) {
	for _, tt := range [][3]string{
		{"https://example.org/a/server.git", "../library.git", "https://example.org/a/library.git"},
		{"git@example.org:a/server.git", "../library.git", "git@example.org:a/library.git"},
		{"ssh://git@example.org/a/server", "../../b/library", "ssh://git@example.org/b/library"},
		{"/a/server", "../library", "/a/library"},
		{"/a/server", "./library", "/a/server/library"},
		{"https://example.org/a/server.git", "https://example.net/x", "https://example.net/x"},
	} {
		if got := submoduleAddress(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%s beside %s is %s, want %s", tt[1], tt[0], got, tt[2])
		}
	}
}

package runtimes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// folderOf writes files by name into a new folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func openFolder(t *testing.T, dir string) *Catalog {
	t.Helper()
	c, err := OpenCatalog(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestYourTargetHidesTheCatalogues(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"node/target.yaml": rightDefinition, "node/hello.js": "",
		"mine/target.yaml": rightDefinition, "mine/hello.js": "",
	})
	c := openFolder(t, dir)
	for name, want := range map[string]struct {
		origin Origin
		hides  bool
	}{"node": {OriginYours, true}, "mine": {OriginYours, false}, "bun": {OriginCatalogue, false}} {
		d, err := c.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if d.Origin != want.origin || c.Hides(d) != want.hides {
			t.Errorf("%s: %s, hides %v", name, d.Origin, c.Hides(d))
		}
		if file := filepath.Join(dir, name, definitionFile); want.origin == OriginYours && d.File != file || want.origin == OriginCatalogue && d.File != "" {
			t.Errorf("%s: file %q", name, d.File)
		}
	}
	var nodes []Entry
	for _, e := range c.Entries() {
		if e.Name == "node" {
			nodes = append(nodes, e)
		}
		d, err := c.Read(e)
		if err != nil || d.Origin != e.Origin {
			t.Errorf("%+v: read %v, %v", e, d, err)
		}
	}
	want := []Entry{{"node", OriginYours, filepath.Join(dir, "node", definitionFile), false}, {"node", OriginCatalogue, "", true}}
	if !slices.Equal(nodes, want) {
		t.Errorf("got %+v, want %+v", nodes, want)
	}
	if text, err := c.Text("node"); err != nil || text != rightDefinition {
		t.Errorf("text %q, %v", text, err)
	}
	_, err := c.Find("mien")
	if unknown, ok := errors.AsType[*UnknownTargetError](err); !ok || unknown.Nearest != "mine" {
		t.Errorf("got %v", err)
	}
}

// Nothing outside of the folder is read, whatever links there are in it.
func TestLinksOutOfTheFolderAreRefused(t *testing.T) {
	outside := folderOf(t, map[string]string{"target.yaml": rightDefinition, "hello.js": "secret"})
	dir := folderOf(t, map[string]string{
		"definition/hello.js": "", "program/target.yaml": rightDefinition, "climbing/target.yaml": rightDefinition,
		"inside/target.yaml": rightDefinition, "shared/target.yaml": rightDefinition, "shared/hello.js": "",
	})
	relative, err := filepath.Rel(filepath.Join(dir, "climbing"), filepath.Join(outside, "hello.js"))
	if err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{
		"folder": outside, "definition/target.yaml": filepath.Join(outside, "target.yaml"),
		"program/hello.js": filepath.Join(outside, "hello.js"), "climbing/hello.js": relative,
		"inside/hello.js": "../shared/hello.js", "dangling": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	c := openFolder(t, dir)
	for _, name := range []string{"folder", "definition", "program", "climbing", "dangling"} {
		_, err := c.Find(name)
		if e, ok := errors.AsType[*DefinitionError](err); !ok || !strings.Contains(e.Problem, "link that leads out") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := c.Find("inside"); err != nil {
		t.Errorf("a link within the folder: %v", err)
	}
	if odd := c.Odd(); len(odd) != 2 || odd[0].Raw != "dangling" || odd[1].Raw != "folder" {
		t.Errorf("odd: %v", odd)
	}
}

func TestFolderOfTargetsHoldsOtherThings(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"README.md": "", ".git/config": "", "My Target/target.yaml": rightDefinition, "-x/target.yaml": rightDefinition,
		"a\nb/target.yaml": rightDefinition, "empty/notes.txt": "", "folder/target.yaml/x": "", "right/target.yaml": rightDefinition, "right/hello.js": "",
	})
	for _, name := range []string{"piped/target.yaml", "pipe/hello.js"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "pipe", definitionFile), []byte(rightDefinition), 0o644); err != nil {
		t.Fatal(err)
	}
	c := openFolder(t, dir)
	var odd []string
	for _, o := range c.Odd() {
		odd = append(odd, o.Raw)
	}
	if want := []string{"-x", "My Target", "a\nb"}; !slices.Equal(odd, want) {
		t.Errorf("odd: %q, want %q", odd, want)
	}
	for name, want := range map[string]string{
		"empty": "there is no such file", "folder": "is a folder, not a file", "piped": "is not a regular file",
		"pipe": "is not a regular file", "My Target": "not a target's name",
	} {
		if _, err := c.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	for _, name := range []string{"README.md", ".git", "..", ".", "", "../right", "right/"} {
		if _, err := c.Find(name); err == nil || !strings.HasPrefix(err.Error(), "unknown target") {
			t.Errorf("%q: got %v", name, err)
		}
	}
	if _, err := c.Find("right"); err != nil {
		t.Error(err)
	}
}

func TestFolderOfTargetsCannotBeRead(t *testing.T) {
	if _, err := OpenCatalog(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	file := filepath.Join(folderOf(t, map[string]string{"targets": ""}), "targets")
	if _, err := OpenCatalog(file); err == nil || errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "reading the targets in "+file+": ") {
		t.Errorf("a file: %v", err)
	}
	// The tests run as root, whom no permission stops.
	if _, err := newShelf(OriginYours, "targets", forbidden{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("forbidden: %v", err)
	}
	s := &shelf{origin: OriginYours, folder: "targets", targets: forbidden{}, names: []string{"x"}}
	_, err := s.readDefinition("x")
	if want := filepath.Join("targets", "x", definitionFile) + ": cannot be read: permission denied"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// forbidden is a folder that its reader has no permission for.
type forbidden struct{}

func (forbidden) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
}

func TestCatalogueAndYoursAreReadAlike(t *testing.T) {
	files := fstest.MapFS{"x/target.yaml": {Data: []byte(rightDefinition + "satrt: [x]\n")}, "x/hello.js": {}}
	for _, origin := range []Origin{OriginCatalogue, OriginYours} {
		s, err := newShelf(origin, "", files)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.readDefinition("x"); err == nil || !strings.Contains(err.Error(), `:8:1: unknown key "satrt"; did you mean "start"?`) {
			t.Errorf("%s: %v", origin, err)
		}
	}
}

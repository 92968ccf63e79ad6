package runtimes

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Each kind of skeleton is a right definition, for the reader and by the schema.
func TestSkeletonsAreRight(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "targets")
	s := compiledSchema(t)
	for _, kind := range SkeletonKinds() {
		name := "my-" + kind
		files, err := WriteSkeleton(dir, name, kind)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) < 2 || files[0] != filepath.Join(dir, name, definitionFile) {
			t.Errorf("%s: wrote %v", kind, files)
		}
		d, err := openFolder(t, dir).Find(name)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if d.Origin != OriginYours || !slices.Equal(d.SourceNames(), []string{kind}) || len(d.Program) == 0 {
			t.Errorf("%s: %+v", kind, d)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(text); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		if !bytes.HasPrefix(text, []byte("# yaml-language-server: $schema=../target.schema.json\n")) || bytes.Contains(text, []byte(nameMark)) {
			t.Errorf("%s: %s", kind, text)
		}
	}
}

func TestSkeletonOverwritesNothing(t *testing.T) {
	dir := folderOf(t, map[string]string{"full/notes.txt": "mine", "file": "mine"})
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"full", "file", "empty", "link"} {
		if _, err := WriteSkeleton(dir, name, "npm"); !errors.Is(err, ErrTargetExists) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "..", "../up", "a/b", "Big", "a:b", "-a", "é", strings.Repeat("a", 65)} {
		if _, err := WriteSkeleton(dir, name, "npm"); err == nil || errors.Is(err, ErrTargetExists) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "full", "notes.txt")); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "empty")); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// What stands at the end of each skeleton is right when it is not a comment any
// more, and has every key of the form; so does the page for users.
func TestEveryKeyIsExplained(t *testing.T) {
	commented, err := skeletons.ReadFile("skeletons/keys.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(commented)) {
		if !strings.HasPrefix(line, "# ----") {
			text.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "#"), " "))
		}
	}
	c, err := newCatalog(fstest.MapFS{
		"x/target.yaml": {Data: []byte(text.String())}, "x/hello.js": {}, "x/hello.go": {}, "x/xml.js": {}, "x/Dockerfile": {},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find("x"); err != nil {
		t.Errorf("keys.yaml: %v", err)
	}
	if err := compiledSchema(t).Validate([]byte(text.String())); err != nil {
		t.Errorf("keys.yaml: %v", err)
	}
	paths, err := definitions.Paths([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, path := range paths {
		shown[path[strings.LastIndex(path, ".")+1:]] = true
	}
	page, err := os.ReadFile("../docs/targets.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range definitions.Form.Every() {
		if !shown[k.Name] {
			t.Errorf("skeletons/keys.yaml does not show the key %s", k.Name)
		}
		if !bytes.Contains(page, []byte("| `"+k.Name+"` |")) {
			t.Errorf("docs/targets.md does not explain the key %s", k.Name)
		}
	}
}

// The examples of the page for users are of the form.
func TestExamplesOnThePageAreRight(t *testing.T) {
	page, err := os.ReadFile("../docs/targets.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.Split(string(page), "```yaml\n")[1:]
	if len(examples) < len(SkeletonKinds()) {
		t.Errorf("%d examples for %d kinds of source", len(examples), len(SkeletonKinds()))
	}
	for _, e := range examples {
		text, _, _ := strings.Cut(e, "```")
		if _, err := definitions.Paths([]byte("title: X\n" + text)); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
}

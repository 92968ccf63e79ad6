package runtimes

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"testing"

	"versweep/runtimes/strictyaml/yamlschema"
)

var update = flag.Bool("update", false, "write docs/target.schema.json anew")

const schemaFile = "../docs/target.schema.json"

func generatedSchema(t *testing.T) []byte {
	t.Helper()
	comments, err := yamlschema.ReadComments(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := yamlschema.File{
		ID: "urn:versweep:target", Title: "A target of versweep: target.yaml", Form: definitions.Form, Comments: comments,
		Required: map[string][]string{
			"Definition": {"title", "sources"}, "ImageSource": {"repository"}, "NPMSource": {"package"},
			"GoModSource": {"module"}, "GitSource": {"repository"},
		},
		OneOf: map[string][]string{"Source": {"image", "npm", "gomod", "git", "list"}},
		Names: map[string]string{"Definition.variants": "^[a-z0-9][a-z0-9-]{0,63}$"},
	}.Write()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSchemaFollowsTheTypes(t *testing.T) {
	want := generatedSchema(t)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the Go types say; write it anew: go test ./runtimes -run Schema -update", schemaFile)
	}
}

func compiledSchema(t *testing.T) yamlschema.Compiled {
	t.Helper()
	s, err := yamlschema.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEveryEmbeddedTargetIsValidByTheSchema(t *testing.T) {
	s := compiledSchema(t)
	files, err := fs.Glob(embedded, "catalog/*/"+definitionFile)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(embedded, file)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What an editor marks, the reader refuses, and the other way round.
func TestSchemaAndReaderAgree(t *testing.T) {
	s := compiledSchema(t)
	for text, right := range map[string]bool{
		"":                                 true,
		"satrt: [y]\n":                     false,
		"cpus: many\n":                     false,
		"cpus: '2'\n":                      false,
		"cpus: 2\n":                        true,
		"line: patch\n":                    false,
		"line: minor\n":                    true,
		"about: 1.10\n":                    false,
		"about: '1.10'\n":                  true,
		"about: null\n":                    false,
		"env: {A: 1}\n":                    false,
		"env: {A: '1'}\n":                  true,
		"components: x\n":                  false,
		"answer: {timeout: 10}\n":          false,
		"answer: {timeout: 10 s}\n":        false,
		"answer: {timeout: 1m30.5s}\n":     true,
		"image: {packages: [1]}\n":         false,
		"variants: {X Y: {about: x}}\n":    false,
		"variants: {xml: {about: x}}\n":    true,
		"variants: {xml: {start: [x]}}\n":  false,
		"dockerfile: [Dockerfile]\n":       false,
		"homepage: https://example.test\n": true,
	} {
		text = "title: X\nsources:\n  - npm: {package: x}\nstart: [x]\n" + text
		d := new(Definition)
		err := definitions.Read("target.yaml", []byte(text), d, func() error {
			d.fillIn()
			return d.check()
		})
		if (err == nil) != right {
			t.Errorf("the reader says of %q: %v", text, err)
		}
		if err := s.Validate([]byte(text)); (err == nil) != right {
			t.Errorf("the schema says of %q: %v", text, err)
		}
	}
	for _, text := range []string{
		"title: X\nstart: [x]\n", "sources:\n  - list: ['1']\nstart: [x]\n", "title: X\nsources:\n  - npm: {}\nstart: [x]\n",
		"title: X\nsources:\n  - recipe: {}\nstart: [x]\n", "title: X\nsources:\n  - list: ['1']\n    npm: {package: x}\nstart: [x]\n",
	} {
		if err := s.Validate([]byte(text)); err == nil {
			t.Errorf("the schema has nothing against %q", text)
		}
	}
}

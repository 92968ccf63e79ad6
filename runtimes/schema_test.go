package runtimes

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write docs/target.schema.json anew")

const schemaFile = "../docs/target.schema.json"

// schema is the part of JSON Schema, draft 2020-12, that target.yaml needs.
type schema struct {
	Schema        string     `json:"$schema,omitempty"`
	ID            string     `json:"$id,omitempty"`
	Title         string     `json:"title,omitempty"`
	Description   string     `json:"description,omitempty"`
	Ref           string     `json:"$ref,omitempty"`
	Type          string     `json:"type,omitempty"`
	Enum          []string   `json:"enum,omitempty"`
	Pattern       string     `json:"pattern,omitempty"`
	Items         *schema    `json:"items,omitempty"`
	PropertyNames *schema    `json:"propertyNames,omitempty"`
	Properties    properties `json:"properties,omitempty"`
	Additional    any        `json:"additionalProperties,omitempty"` // false, or a *schema
	Required      []string   `json:"required,omitempty"`
	OneOf         []schema   `json:"oneOf,omitempty"`
	Defs          properties `json:"$defs,omitempty"`
}

// properties keeps the order of the Go fields, in which editors offer them.
type properties []property

type property struct {
	name   string
	schema *schema
}

func (p properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, one := range p {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.schema)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// schemaWriter turns the form into a schema. What the Go types cannot say, it
// is told: which keys check.go finds missing.
type schemaWriter struct {
	t        *testing.T
	comments map[string]string // by "Type" and "Type.Field"
	required map[string][]string
	defs     properties
}

func (w *schemaWriter) of(f *form) *schema {
	switch f.kind {
	case formMapping:
		w.define(f)
		return &schema{Ref: "#/$defs/" + f.name}
	case formTable:
		return &schema{Type: "object", Additional: w.of(f.of)}
	case formList:
		return &schema{Type: "array", Items: w.of(f.of)}
	case formText:
		return &schema{Type: "string", Enum: f.values}
	case formNumber:
		return &schema{Type: "integer"}
	case formFlag:
		return &schema{Type: "boolean"}
	case formDuration:
		return &schema{Type: "string", Pattern: `^[+-]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`}
	}
	w.t.Fatalf("no schema for %q", f.kind)
	return nil
}

func (w *schemaWriter) define(f *form) {
	if slices.ContainsFunc(w.defs, func(p property) bool { return p.name == f.name }) {
		return
	}
	i := len(w.defs)
	w.defs = append(w.defs, property{name: f.name})
	w.defs[i].schema = w.mapping(f)
}

func (w *schemaWriter) mapping(f *form) *schema {
	s := &schema{Description: w.comments[f.name], Type: "object", Additional: false, Required: w.required[f.name]}
	for _, k := range f.keys {
		value := w.of(k.form)
		value.Description = w.comments[k.owner+"."+k.field]
		if value.Description == "" && value.Ref == "" {
			w.t.Errorf("%s.%s has no comment for the schema to show", k.owner, k.field)
		}
		if k.owner == "Definition" && k.name == "variants" {
			value.PropertyNames = &schema{Pattern: "^[a-z0-9][a-z0-9-]{0,63}$"}
		}
		s.Properties = append(s.Properties, property{k.name, value})
		if f.name == "Source" && k.name != "recipe" {
			s.OneOf = append(s.OneOf, schema{Required: []string{k.name}})
		}
	}
	for _, name := range s.Required {
		if _, ok := f.key(name); !ok {
			w.t.Errorf("%s has no key %q that could be missing", f.name, name)
		}
	}
	return s
}

// goComments reads the comments of the package's types and their fields.
func goComments(t *testing.T) map[string]string {
	t.Helper()
	comments := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.TypeSpec)
				comments[spec.Name.Name] = paragraph(decl.Doc, spec.Doc)
				fields, ok := spec.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, field := range fields.Fields.List {
					for _, name := range field.Names {
						comments[spec.Name.Name+"."+name.Name] = paragraph(field.Doc, field.Comment)
					}
				}
			}
		}
	}
	return comments
}

func paragraph(groups ...*ast.CommentGroup) string {
	var text []string
	for _, g := range groups {
		text = append(text, strings.Fields(g.Text())...)
	}
	return strings.Join(text, " ")
}

func generatedSchema(t *testing.T) []byte {
	t.Helper()
	w := schemaWriter{t: t, comments: goComments(t), required: map[string][]string{
		"Definition": {"title", "sources"}, "ImageSource": {"repository"}, "NPMSource": {"package"},
		"GoModSource": {"module"}, "GitSource": {"repository"},
	}}
	whole := w.mapping(definitionForm())
	whole.Schema, whole.ID = "https://json-schema.org/draft/2020-12/schema", "urn:versweep:target"
	whole.Title, whole.Defs = "A target of versweep: target.yaml", w.defs
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(whole); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
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

// compiledSchema is the published schema, as an editor uses it.
func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	s, err := compiler.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, text []byte) error {
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return err
	}
	asJSON, err := json.Marshal(document)
	if err != nil {
		return err
	}
	if document, err = jsonschema.UnmarshalJSON(bytes.NewReader(asJSON)); err != nil {
		return err
	}
	return s.Validate(document)
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
		if err := validate(s, text); err != nil {
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
		_, err := conform([]byte(text), definitionForm())
		if err == nil {
			err = new(Definition).decode([]byte(text))
		}
		if (err == nil) != right {
			t.Errorf("the reader says of %q: %v", text, err)
		}
		if err := validate(s, []byte(text)); (err == nil) != right {
			t.Errorf("the schema says of %q: %v", text, err)
		}
	}
	for _, text := range []string{
		"title: X\nstart: [x]\n", "sources:\n  - list: ['1']\nstart: [x]\n", "title: X\nsources:\n  - npm: {}\nstart: [x]\n",
		"title: X\nsources:\n  - recipe: {}\nstart: [x]\n", "title: X\nsources:\n  - list: ['1']\n    npm: {package: x}\nstart: [x]\n",
	} {
		if err := validate(s, []byte(text)); err == nil {
			t.Errorf("the schema has nothing against %q", text)
		}
	}
}

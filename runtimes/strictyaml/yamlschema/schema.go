// Package yamlschema writes the JSON schema of a kind of YAML file from the same
// Go types that strictyaml reads it into, and the comments of those. Only tests
// use it: they keep the published schemas in step with the types.
package yamlschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"versweep/runtimes/strictyaml"
)

// schema is the part of JSON Schema, draft 2020-12, that such files need.
type schema struct {
	Schema        string     `json:"$schema,omitempty"`
	ID            string     `json:"$id,omitempty"`
	Title         string     `json:"title,omitempty"`
	Description   string     `json:"description,omitempty"`
	Ref           string     `json:"$ref,omitempty"`
	Type          any        `json:"type,omitempty"` // a name, or several
	Enum          []string   `json:"enum,omitempty"`
	Pattern       string     `json:"pattern,omitempty"`
	Minimum       *int       `json:"minimum,omitempty"`
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

// File is what a schema says besides what the Go types say.
type File struct {
	ID, Title string
	Form      *strictyaml.Form
	Comments  Comments
	// Required are the keys that have to be there, by Go type.
	Required map[string][]string
	// OneOf are keys of which exactly one has to be there, by Go type.
	OneOf map[string][]string
	// Names are patterns of the user's own names, by "Type.key".
	Names map[string]string
}

// Write writes the schema, indented. Its error names what the types, their
// comments and f do not agree on.
func (f File) Write() ([]byte, error) {
	w := writer{File: f}
	whole := w.mapping(f.Form)
	if w.wrong != nil {
		return nil, w.wrong
	}
	whole.Schema, whole.ID = "https://json-schema.org/draft/2020-12/schema", f.ID
	whole.Title, whole.Defs = f.Title, w.defs
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(whole)
	return out.Bytes(), err
}

type writer struct {
	File
	defs  properties
	wrong error // the first thing that does not agree
}

func (w *writer) disagree(format string, args ...any) {
	if w.wrong == nil {
		w.wrong = fmt.Errorf(format, args...)
	}
}

func (w *writer) of(f *strictyaml.Form) *schema {
	if f.Scalar != nil {
		s := &schema{Type: "string", Pattern: f.Scalar.Pattern}
		if f.Scalar.Numbers {
			s.Type, s.Minimum = []string{"string", "number"}, new(int) // patterns know no sign
		}
		return s
	}
	switch f.Kind {
	case strictyaml.Mapping:
		w.define(f)
		return &schema{Ref: "#/$defs/" + f.Name}
	case strictyaml.Table:
		return &schema{Type: "object", Additional: w.of(f.Of)}
	case strictyaml.List:
		return &schema{Type: "array", Items: w.of(f.Of)}
	case strictyaml.Text:
		return &schema{Type: "string", Enum: f.Values}
	case strictyaml.Number:
		return &schema{Type: "integer"}
	case strictyaml.Flag:
		return &schema{Type: "boolean"}
	}
	w.disagree("no schema for %q", f.Kind)
	return &schema{}
}

func (w *writer) define(f *strictyaml.Form) {
	if slices.ContainsFunc(w.defs, func(p property) bool { return p.name == f.Name }) {
		return
	}
	i := len(w.defs)
	w.defs = append(w.defs, property{name: f.Name})
	w.defs[i].schema = w.mapping(f)
}

func (w *writer) mapping(f *strictyaml.Form) *schema {
	s := &schema{Description: w.Comments[f.Name], Type: "object", Additional: false, Required: w.Required[f.Name]}
	for _, k := range f.Keys {
		value := w.of(k.Form)
		value.Description = w.Comments[k.Owner+"."+k.Field]
		if value.Description == "" && value.Ref == "" {
			w.disagree("%s.%s has no comment for the schema to show", k.Owner, k.Field)
		}
		if pattern, ok := w.Names[k.Owner+"."+k.Name]; ok {
			value.PropertyNames = &schema{Pattern: pattern}
		}
		s.Properties = append(s.Properties, property{k.Name, value})
	}
	for _, name := range w.OneOf[f.Name] {
		s.OneOf = append(s.OneOf, schema{Required: []string{name}})
	}
	for _, name := range slices.Concat(s.Required, w.OneOf[f.Name]) {
		if _, ok := f.Key(name); !ok {
			w.disagree("%s has no key %q that could be missing", f.Name, name)
		}
	}
	return s
}

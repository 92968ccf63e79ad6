// Package strictyaml reads YAML files that people write, strictly: unknown keys,
// values of another kind and everything clever are refused, each in one line with
// its place, an excerpt and what was probably meant. What a file may hold is read
// off the Go types that it is read into. Start reading at Document.
package strictyaml

import (
	"bytes"
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
)

// byteOrderMark is what some editors begin a file of UTF-8 with.
var byteOrderMark = []byte("\ufeff")

// Document is a kind of file.
type Document struct {
	Noun    string // with its article: "a definition"
	Instead string // what saves the repeating that anchors are for elsewhere
	// Secrets are the keys whose values, and all below them, are never shown. A
	// document that has any shows no addresses either.
	Secrets []string
	Form    *Form
}

// Read reads text into a value of the type that the form was read off, and then
// checks it, where check is not nil. Its error is to be a *Flaw whose path says
// where. What is wrong with the text is an *Error about file.
func (d Document) Read(file string, text []byte, into any, check func() error) error {
	text = bytes.TrimPrefix(text, byteOrderMark)
	spots, err := d.conform(text)
	if err == nil {
		err = decode(text, into)
	}
	if err == nil && check != nil {
		err = check()
	}
	if err == nil {
		return nil
	}
	return d.located(file, string(text), spots, err)
}

// Locate finds the place of a flaw in a text that Read has read.
func (d Document) Locate(file string, text []byte, err error) error {
	text = bytes.TrimPrefix(text, byteOrderMark)
	spots, flawed := d.conform(text)
	if flawed != nil {
		err = flawed
	}
	return d.located(file, string(text), spots, err)
}

// Paths lists the keys and items of a text of the form, by their paths.
func (d Document) Paths(text []byte) ([]string, error) {
	spots, err := d.conform(bytes.TrimPrefix(text, byteOrderMark))
	var paths []string
	for path := range spots {
		paths = append(paths, path)
	}
	return paths, err
}

func decode(text []byte, into any) error {
	if err := yaml.UnmarshalWithOptions(text, into, yaml.Strict()); err != nil {
		return yamlFlaw(err)
	}
	return nil
}

// located tells where in the file a flaw is.
func (d Document) located(file, text string, spots map[string]spot, err error) error {
	e := &Error{File: file, Problem: strings.Map(printable, d.said(err.Error()))}
	found, ok := errors.AsType[*Flaw](err)
	if !ok {
		return e
	}
	e.Hint = strings.Map(printable, found.Hint)
	at := found.spot
	if at == (spot{}) {
		at = spotFor(found.Path, spots)
	}
	if at != (spot{}) {
		e.Line, e.Column = at.line, at.column
		if shown, ok := d.concealed(text); ok {
			e.Excerpt = excerpt(shown, at)
		}
	}
	return e
}

package runtimes

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// conformer holds a text against the form, strictly: goccy/go-yaml alone would
// take the number 1.10 for the text "1.1" and an empty value for none.
type conformer struct {
	whole *form
	spots map[string]spot // by path: of a key or an item
}

// conform reads text as one document of the form and tells where each of its
// keys and items stands, by path: "sources[0].npm". The error is a *flaw.
func conform(text []byte, f *form) (map[string]spot, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		found := yamlFlaw(err)
		if indentedByTab(text, found.spot.line) {
			found.hint = "indent with blanks; YAML takes no tabs"
		}
		return nil, found
	}
	c := conformer{whole: f, spots: map[string]spot{}}
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return nil, &flaw{problem: "is empty"}
	case len(file.Docs) > 1:
		return nil, &flaw{spot: spotOf(file.Docs[1].Start), problem: "a second document begins; there has to be one"}
	}
	c.spots[""] = spotOf(firstToken(file.Docs[0].Body))
	return c.spots, c.node("", file.Docs[0].Body, f)
}

// yamlFlaw is what the YAML reader says, with its place.
func yamlFlaw(err error) *flaw {
	said, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return &flaw{problem: firstWords(err.Error())}
	}
	return &flaw{spot: spotOf(said.GetToken()), problem: "this is no YAML: " + said.GetMessage()}
}

// indentedByTab tells whether there is a tab before the words of a line.
func indentedByTab(text []byte, line int) bool {
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return false
	}
	l := lines[line-1]
	return bytes.ContainsRune(l[:len(l)-len(bytes.TrimLeft(l, " \t"))], '\t')
}

func spotOf(t *token.Token) spot {
	if t == nil || t.Position == nil {
		return spot{}
	}
	// Values that go over several lines are marked at their first character.
	length := utf8.RuneCountInString(strings.TrimSpace(t.Origin))
	if strings.Contains(strings.TrimSpace(t.Origin), "\n") {
		length = 1
	}
	return spot{line: t.Position.Line, column: t.Position.Column, length: max(1, length)}
}

// node checks one value. What is wrong with it is told at its own place.
func (c *conformer) node(path string, n ast.Node, f *form) error {
	wrong := func(hint string) error {
		return &flaw{path: path, spot: spotOf(n.GetToken()), problem: fmt.Sprintf("%s was found, but it has to be %s", kindOf(n), f.kind), hint: hint}
	}
	switch n := n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return &flaw{path: path, spot: spotOf(n.GetToken()), problem: "anchors, aliases and tags have no place in a definition", hint: "write the value out; recipes laid over one another save the repeating"}
	case *ast.NullNode:
		return &flaw{path: path, spot: c.spots[path], problem: "has no value; it has to be " + string(f.kind), hint: "leave the key out, or give it a value"}
	}
	switch f.kind {
	case formMapping, formTable:
		m, ok := n.(ast.MapNode)
		if !ok {
			return wrong("")
		}
		return c.mapping(path, m, f)
	case formList:
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			return wrong("a list of one is written [" + sourceText(n) + "]")
		}
		for i, item := range list.Values {
			at := fmt.Sprintf("%s[%d]", path, i)
			c.spots[at] = spotOf(firstToken(item))
			if err := c.node(at, item, f.of); err != nil {
				return err
			}
		}
		return nil
	case formText:
		return c.text(path, n, f)
	case formNumber:
		if _, ok := n.(*ast.IntegerNode); !ok {
			return wrong("")
		}
	case formFlag:
		if _, ok := n.(*ast.BoolNode); !ok {
			return wrong("")
		}
	case formDuration:
		text, ok := textOf(n)
		if _, err := time.ParseDuration(text); !ok || err != nil {
			return wrong("write it with its unit: 500ms, 10s, 2m")
		}
	}
	return nil
}

func (c *conformer) text(path string, n ast.Node, f *form) error {
	text, ok := textOf(n)
	if !ok {
		found := &flaw{path: path, spot: spotOf(n.GetToken()), problem: fmt.Sprintf("%s was found, but it has to be %s", kindOf(n), formText)}
		if written := sourceText(n); written != "" {
			found.hint = fmt.Sprintf("put it in quotes: %q", written)
		}
		return found
	}
	if len(f.values) == 0 || slices.Contains(f.values, text) {
		return nil
	}
	return &flaw{
		path: path, spot: spotOf(n.GetToken()), hint: "known: " + strings.Join(f.values, ", "),
		problem: fmt.Sprintf("unknown value %q%s", text, didYouMean(text, f.values)),
	}
}

// mapping checks keys and values of a mapping with the form's keys, or of a
// table with names of the user's own.
func (c *conformer) mapping(path string, m ast.MapNode, f *form) error {
	for all := m.MapRange(); all.Next(); {
		key := all.Key()
		name, ok := "", false
		if node, scalar := key.(ast.Node); scalar {
			name, ok = textOf(node)
		}
		at := spotOf(key.GetToken())
		if !ok {
			return &flaw{path: path, spot: at, problem: "a key has to be text", hint: "put it in quotes; merge keys (<<) have no place in a definition"}
		}
		inside, value := pathOf(path, name), f.of
		if f.kind == formMapping {
			known, ok := f.key(name)
			if !ok {
				return c.unknownKey(path, name, at, f)
			}
			value = known.form
		}
		c.spots[inside] = at
		if err := c.node(inside, all.Value(), value); err != nil {
			return err
		}
	}
	return nil
}

// unknownKey suggests where a key of that name belongs, below here first, or
// else the nearest key that belongs here.
func (c *conformer) unknownKey(path, name string, at spot, f *form) error {
	homes := f.homes(name)
	if len(homes) == 0 {
		homes = c.whole.homes(name)
	}
	suggestion := didYouMean(name, f.names())
	switch {
	case slices.Contains(homes, ""):
		suggestion = "; it belongs at the top, without indentation"
	case len(homes) > 0:
		suggestion = "; it belongs in " + strings.Join(homes, " or ")
	}
	return &flaw{
		path: path, spot: at, problem: fmt.Sprintf("unknown key %q%s", name, suggestion),
		hint: "keys here: " + strings.Join(f.names(), ", "),
	}
}

func didYouMean(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// pathOf is the path of a key inside of path.
func pathOf(path, key string) string {
	if strings.ContainsFunc(key, func(r rune) bool { return !nameRune(r) && r != '_' && !(r >= 'A' && r <= 'Z') }) {
		return path + "[" + strconv.Quote(key) + "]"
	}
	return below(path, key)
}

func textOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

// sourceText is a plain value as it is written; empty for others.
func sourceText(n ast.Node) string {
	if _, ok := n.(ast.ScalarNode); !ok {
		return ""
	}
	return strings.TrimSpace(n.GetToken().Origin)
}

// firstToken is the first token of an item: of a mapping its first key.
func firstToken(n ast.Node) *token.Token {
	m, ok := n.(*ast.MappingNode)
	if !ok || m.IsFlowStyle || len(m.Values) == 0 {
		return n.GetToken()
	}
	return m.Values[0].Key.GetToken()
}

func kindOf(n ast.Node) string {
	switch n.(type) {
	case ast.MapNode:
		return string(formMapping)
	case *ast.SequenceNode:
		return string(formList)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return string(formFlag)
	}
	return string(formText)
}

// spotFor finds the place of a path, or of the nearest part around it that has
// one.
func spotFor(path string, spots map[string]spot) spot {
	for path != "" {
		if at, ok := spots[path]; ok {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return spots[""]
}

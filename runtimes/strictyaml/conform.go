package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// conformer holds a text against the form, strictly: goccy/go-yaml alone would
// take the number 1.10 for the text "1.1" and an empty value for none.
type conformer struct {
	Document
	spots  map[string]spot // by path: of a key or an item
	secret bool            // what is looked at is below a key of Secrets
}

// conform reads text as one document of the form and tells where each of its
// keys and items stands, by path: "sources[0].npm". The error is a *Flaw.
func (d Document) conform(text []byte) (map[string]spot, error) {
	if tooDeep(text) {
		return nil, &Flaw{Problem: "nested too deep", Hint: "files that people write are a few brackets deep"}
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		found := yamlFlaw(err)
		if indentedByTab(text, found.spot.line) {
			found.Hint = "indent with blanks; YAML takes no tabs"
		}
		return nil, found
	}
	c := conformer{Document: d, spots: map[string]spot{}}
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return nil, &Flaw{Problem: "is empty"}
	case len(file.Docs) > 1:
		return nil, &Flaw{spot: spotOf(file.Docs[1].Start), Problem: "a second document begins; there has to be one"}
	}
	c.spots[""] = spotOf(firstToken(file.Docs[0].Body))
	return c.spots, c.node("", file.Docs[0].Body, d.Form)
}

// Brackets that may be open at once, and that there may be at all. The reader
// takes gigabytes for a file that holds little else.
const (
	maxOpen     = 100
	maxBrackets = 10_000
)

// tooDeep counts brackets wherever they are, in comments and quotes too.
func tooDeep(text []byte) bool {
	open, all := 0, 0
	for _, b := range text {
		switch b {
		case '[', '{':
			open++
			all++
		case ']', '}':
			open = max(0, open-1)
		}
		if open > maxOpen || all > maxBrackets {
			return true
		}
	}
	return false
}

// yamlFlaw is what the YAML reader says, with its place.
func yamlFlaw(err error) *Flaw {
	said, ok := errors.AsType[yaml.Error](err)
	if !ok {
		line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
		return &Flaw{Problem: line}
	}
	return &Flaw{spot: spotOf(said.GetToken()), Problem: "this is no YAML: " + said.GetMessage()}
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
func (c *conformer) node(path string, n ast.Node, f *Form) error {
	wrong := func(hint string) error {
		return &Flaw{Path: path, spot: spotOf(n.GetToken()), Problem: fmt.Sprintf("%s was found, but it has to be %s", kindOf(n), f.Kind), Hint: hint}
	}
	switch n := n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return &Flaw{Path: path, spot: spotOf(n.GetToken()), Problem: "anchors, aliases and tags have no place in " + c.Noun, Hint: "write the value out; " + c.Instead}
	case *ast.NullNode:
		return &Flaw{Path: path, spot: c.spots[path], Problem: "has no value; it has to be " + string(f.Kind), Hint: "leave the key out, or give it a value"}
	}
	if f.Scalar != nil {
		return c.scalar(path, n, f.Scalar)
	}
	switch f.Kind {
	case Mapping, Table:
		m, ok := n.(ast.MapNode)
		if !ok {
			return wrong("")
		}
		return c.mapping(path, m, f)
	case List:
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			if c.secret {
				return wrong("")
			}
			return wrong("a list of one is written [" + c.shown(sourceText(n)) + "]")
		}
		for i, item := range list.Values {
			at := fmt.Sprintf("%s[%d]", path, i)
			c.spots[at] = spotOf(firstToken(item))
			if err := c.node(at, item, f.Of); err != nil {
				return err
			}
		}
		return nil
	case Text:
		return c.text(path, n, f)
	case Number:
		if _, ok := n.(*ast.IntegerNode); !ok {
			return wrong("")
		}
	case Flag:
		if _, ok := n.(*ast.BoolNode); !ok {
			return wrong("")
		}
	}
	return nil
}

// scalar checks a text with a way of writing of its own.
func (c *conformer) scalar(path string, n ast.Node, s *Scalar) error {
	text, ok := textOf(n)
	if !ok && s.Numbers {
		switch n.(type) {
		case *ast.IntegerNode, *ast.FloatNode:
			text, ok = sourceText(n), true
		}
	}
	pattern := regexp.MustCompile(s.Pattern)
	right := ok && pattern.MatchString(text)
	if right && (s.Check == nil || s.Check(text)) {
		return nil
	}
	if negative, is := strings.CutPrefix(text, "-"); right || ok && is && pattern.MatchString(negative) {
		return &Flaw{Path: path, spot: spotOf(n.GetToken()), Problem: fmt.Sprintf("%q is not %s", c.shown(text), s.Kind), Hint: s.Hint}
	}
	return &Flaw{Path: path, spot: spotOf(n.GetToken()), Problem: fmt.Sprintf("%s was found, but it has to be %s", kindOf(n), s.Kind), Hint: s.Hint}
}

func (c *conformer) text(path string, n ast.Node, f *Form) error {
	text, ok := textOf(n)
	if !ok {
		found := &Flaw{Path: path, spot: spotOf(n.GetToken()), Problem: fmt.Sprintf("%s was found, but it has to be %s", kindOf(n), Text)}
		if written := sourceText(n); written != "" && !c.secret {
			found.Hint = fmt.Sprintf("put it in quotes: %q", c.shown(written))
		}
		return found
	}
	if len(f.Values) == 0 || slices.Contains(f.Values, text) {
		return nil
	}
	return &Flaw{
		Path: path, spot: spotOf(n.GetToken()), Hint: "known: " + strings.Join(f.Values, ", "),
		Problem: fmt.Sprintf("unknown value %q%s", c.shown(text), DidYouMean(text, f.Values)),
	}
}

// mapping checks keys and values of a mapping with the form's keys, or of a
// table with names of the user's own.
func (c *conformer) mapping(path string, m ast.MapNode, f *Form) error {
	for all := m.MapRange(); all.Next(); {
		key := all.Key()
		name, ok := "", false
		if node, scalar := key.(ast.Node); scalar {
			name, ok = textOf(node)
		}
		at := spotOf(key.GetToken())
		if !ok {
			return &Flaw{Path: path, spot: at, Problem: "a key has to be text", Hint: "put it in quotes; merge keys (<<) have no place in " + c.Noun}
		}
		inside, value := PathOf(path, name), f.Of
		if f.Kind == Mapping {
			known, ok := f.Key(name)
			if !ok {
				return c.unknownKey(path, name, at, f)
			}
			value = known.Form
		}
		c.spots[inside] = at
		outside := c.secret
		c.secret = outside || f.Kind == Mapping && slices.Contains(c.Secrets, name)
		err := c.node(inside, all.Value(), value)
		if c.secret = outside; err != nil {
			return err
		}
	}
	return nil
}

// unknownKey suggests where a key of that name belongs, below here first, or
// else the nearest key that belongs here.
func (c *conformer) unknownKey(path, name string, at spot, f *Form) error {
	homes := f.homes(name)
	if len(homes) == 0 {
		homes = c.Form.homes(name)
	}
	suggestion := DidYouMean(name, f.names())
	switch {
	case slices.Contains(homes, ""):
		suggestion = "; it belongs at the top, without indentation"
	case len(homes) > 0:
		suggestion = "; it belongs in " + strings.Join(homes, " or ")
	}
	return &Flaw{
		Path: path, spot: at, Problem: fmt.Sprintf("unknown key %q%s", c.shown(name), suggestion),
		Hint: "keys here: " + strings.Join(f.names(), ", "),
	}
}

// DidYouMean is how a suggestion ends a line about an unknown name: the nearest of
// those known, or nothing.
func DidYouMean(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
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
		return string(Mapping)
	case *ast.SequenceNode:
		return string(List)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return string(Flag)
	}
	return string(Text)
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

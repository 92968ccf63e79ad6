package strictyaml

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// concealed is text with everything below the keys of Secrets as dots, every
// character at its place. It is false where that cannot be told, because text is
// no YAML and names such a key.
func (d Document) concealed(text string) (string, bool) {
	if len(d.Secrets) == 0 {
		return text, true
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return text, !slices.ContainsFunc(d.Secrets, func(key string) bool { return strings.Contains(text, key) })
	}
	var found secrets
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(&keeper{d.Secrets, &found}, doc.Body)
		}
	}
	// Longer ones first, in case one is part of another.
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range found {
		text = strings.ReplaceAll(text, secret, strings.Repeat("·", utf8.RuneCountInString(secret)))
	}
	return text, true
}

// secrets are lines of secret values as they are written.
type secrets []string

// keeper finds the values of keys that hold secrets.
type keeper struct {
	keys  []string
	found *secrets
}

func (k *keeper) Visit(n ast.Node) ast.Visitor {
	pair, ok := n.(*ast.MappingValueNode)
	if !ok {
		return k
	}
	if name, ok := textOf(pair.Key); ok && slices.Contains(k.keys, name) {
		ast.Walk(k.found, pair.Value)
		return nil
	}
	return k
}

// Visit keeps every scalar; the names in a table of secrets are none.
func (s *secrets) Visit(n ast.Node) ast.Visitor {
	if pair, ok := n.(*ast.MappingValueNode); ok {
		ast.Walk(s, pair.Value)
		return nil
	}
	if _, ok := n.(ast.ScalarNode); ok {
		for line := range strings.Lines(n.GetToken().Origin) {
			if line = strings.Trim(line, " \t\r\n\"'"); line != "" {
				*s = append(*s, line)
			}
		}
		if literal, ok := n.(*ast.LiteralNode); ok {
			for line := range strings.Lines(literal.Value.GetToken().Origin) {
				if line = strings.TrimSpace(line); line != "" {
					*s = append(*s, line)
				}
			}
		}
	}
	return s
}

package strictyaml

import (
	"regexp"
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
	k := keeper{keys: d.Secrets, found: &found, places: map[[2]int]bool{}}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(&k, doc.Body)
		}
	}
	text = k.concealOdd(text)
	// Longer ones first, in case one is part of another.
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range found {
		text = strings.ReplaceAll(text, secret, dots(secret))
	}
	return text, true
}

func dots(s string) string { return strings.Repeat("·", utf8.RuneCountInString(s)) }

// secrets are lines of secret values as they are written.
type secrets []string

// keeper finds the values of keys that hold secrets.
type keeper struct {
	keys   []string
	found  *secrets
	places map[[2]int]bool // line and column of the keys, in characters from 1
}

// concealOdd conceals the rest of lines that have such a key where there is none:
// in a comment, or in what a slip made part of a longer text.
func (k *keeper) concealOdd(text string) string {
	names := make([]string, len(k.keys))
	for i, key := range k.keys {
		names[i] = regexp.QuoteMeta(key)
	}
	key := regexp.MustCompile(`(?:` + strings.Join(names, "|") + `)["']?\s*:\s*`)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, at := range key.FindAllStringIndex(line, -1) {
			column := utf8.RuneCountInString(line[:at[0]]) + 1
			if !k.places[[2]int{i + 1, column}] && !k.places[[2]int{i + 1, column - 1}] { // a quote may come before it
				lines[i] = line[:at[1]] + dots(line[at[1]:])
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

func (k *keeper) Visit(n ast.Node) ast.Visitor {
	pair, ok := n.(*ast.MappingValueNode)
	if !ok {
		return k
	}
	if name, ok := textOf(pair.Key); ok && slices.Contains(k.keys, name) {
		at := spotOf(pair.Key.GetToken())
		k.places[[2]int{at.line, at.column}] = true
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

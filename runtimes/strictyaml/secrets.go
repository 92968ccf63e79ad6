package strictyaml

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Words that hold an address, and keys that mostly hold what is secret, however
// they are written: slips for the keys of Secrets, or what other programs have.
var (
	addressed = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://\S+`)
	// Of errors, where %q may have put the word into quotes.
	addressedQuoted = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://(?:\\.|[^\s"\\])+`)
	oddPart         = regexp.MustCompile(`\["(?:\\.|[^"\\])*"\]`)
)

const telltale = `url|uri|header|authorization|token|secret|password`

var (
	telltaleKey = regexp.MustCompile(`^(?i:` + telltale + `)`)
	plainKey    = regexp.MustCompile(`^[\w.-]+$`)
)

// keyPattern finds the keys whose values are never shown, with their colon.
func (d Document) keyPattern() *regexp.Regexp {
	names := make([]string, len(d.Secrets))
	for i, key := range d.Secrets {
		names[i] = regexp.QuoteMeta(key)
	}
	return regexp.MustCompile(`(?i:(?:` + telltale + `)[\w.-]*|` + strings.Join(names, "|") + `)["']?\s*:\s*`)
}

// shown is a part of the text as an error may repeat it: as dots where it looks
// as if it held a secret.
func (d Document) shown(part string) string {
	if len(d.Secrets) > 0 && (addressed.MatchString(part) || d.keyPattern().MatchString(part)) {
		return dots(part)
	}
	return part
}

// said is what an error says, without addresses and odd keys of the text.
func (d Document) said(problem string) string {
	if len(d.Secrets) == 0 {
		return problem
	}
	return addressedQuoted.ReplaceAllStringFunc(oddPart.ReplaceAllString(problem, "[…]"), dots)
}

// concealed is text with everything below the keys of Secrets, and what looks
// like a secret elsewhere, as dots, every character at its place. It is false
// where that cannot be told, because text is no YAML and names such a key.
func (d Document) concealed(text string) (string, bool) {
	if len(d.Secrets) == 0 {
		return text, true
	}
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		lower := strings.ToLower(text)
		named := slices.ContainsFunc(d.Secrets, func(key string) bool { return strings.Contains(lower, strings.ToLower(key)) })
		return addressed.ReplaceAllStringFunc(text, dots), !named && !d.keyPattern().MatchString(text)
	}
	var found secrets
	k := keeper{keys: d.Secrets, found: &found, places: map[[2]int]bool{}}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(&k, doc.Body)
		}
	}
	text = k.concealOdd(text, d.keyPattern())
	// Longer ones first, in case one is part of another.
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range found {
		if short.MatchString(secret) {
			text = regexp.MustCompile(`\b`+secret+`\b`).ReplaceAllString(text, dots(secret))
			continue
		}
		text = strings.ReplaceAll(text, secret, dots(secret))
	}
	return addressed.ReplaceAllStringFunc(text, dots), true
}

// short are secrets such as 1 or true, which are concealed as whole words only.
var short = regexp.MustCompile(`^[0-9A-Za-z]{1,5}$`)

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
func (k *keeper) concealOdd(text string, key *regexp.Regexp) string {
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
	if name, ok := textOf(pair.Key); ok && (slices.Contains(k.keys, name) || telltaleKey.MatchString(name)) {
		at := spotOf(pair.Key.GetToken())
		if plainKey.MatchString(name) { // in others there may be a whole line
			k.places[[2]int{at.line, at.column}] = true
		}
		ast.Walk(k.found, pair.Value)
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

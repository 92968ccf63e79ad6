package runtimes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

//go:embed catalog
var embedded embed.FS

// Catalog is a set of targets, one folder each.
type Catalog struct {
	targets fs.FS
	names   []string // in alphabetical order
}

// UnknownTargetError says that a catalogue has no such target.
type UnknownTargetError struct {
	Name    string
	Nearest string // the known name that is nearest; empty when none is near
}

func (e *UnknownTargetError) Error() string { return fmt.Sprintf("unknown target %q", e.Name) }

// EmbeddedCatalog holds the targets that come with versweep.
func EmbeddedCatalog() (*Catalog, error) {
	targets, err := fs.Sub(embedded, "catalog")
	if err != nil {
		return nil, fmt.Errorf("reading the catalogue: %w", err)
	}
	return newCatalog(targets)
}

func newCatalog(targets fs.FS) (*Catalog, error) {
	entries, err := fs.ReadDir(targets, ".")
	if err != nil {
		return nil, fmt.Errorf("reading the catalogue: %w", err)
	}
	c := &Catalog{targets: targets}
	for _, e := range entries {
		if e.IsDir() {
			c.names = append(c.names, e.Name())
		}
	}
	slices.Sort(c.names)
	return c, nil
}

// Names lists the targets in alphabetical order.
func (c *Catalog) Names() []string { return slices.Clone(c.names) }

// Find reads the definition of a target, or of a variant of it as in
// "node:xml". The error is an *UnknownTargetError
// when there is none of that name.
func (c *Catalog) Find(name string) (*Definition, error) {
	target, variant, hasVariant := strings.Cut(name, ":")
	if !slices.Contains(c.names, target) {
		return nil, &UnknownTargetError{Name: name, Nearest: nearest(target, c.names)}
	}
	d, err := readDefinition(c.targets, target)
	if err != nil || !hasVariant {
		return d, err
	}
	v, ok := d.variant(variant)
	if !ok {
		known := slices.Sorted(maps.Keys(d.Variants))
		near := nearest(variant, known)
		if near != "" {
			near = target + ":" + near
		}
		return nil, &UnknownTargetError{Name: name, Nearest: near}
	}
	return v, nil
}

// Text is the definition as it is written.
func (c *Catalog) Text(name string) (string, error) {
	if _, err := c.Find(name); err != nil {
		return "", err
	}
	text, err := fs.ReadFile(c.targets, name+"/"+definitionFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", &UnknownTargetError{Name: name}
	}
	return string(text), err
}

// nearest is the known name with the fewest edits, if it has at most half as
// many as name has letters.
func nearest(name string, known []string) string {
	best, bestDistance := "", len(name)/2+1
	for _, k := range known {
		if d := editDistance(name, k); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// editDistance counts insertions, deletions and replacements (Levenshtein
// 1966), by Wagner and Fischer's table kept one row at a time.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

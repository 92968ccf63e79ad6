package runtimes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"versweep/runtimes/strictyaml"
	"versweep/sweep"
)

//go:embed catalog
var embedded embed.FS

// Origin tells whose definition a target's is.
type Origin string

const (
	OriginCatalogue Origin = "catalogue" // comes with versweep
	OriginYours     Origin = "yours"     // read from the user's folder
)

// Catalog is a set of targets, one folder each: those that come with versweep
// and, before them, the user's own.
type Catalog struct {
	shelves []*shelf // the first that has a name counts
}

// shelf is one folder of targets.
type shelf struct {
	origin  Origin
	folder  string // as the user named it; empty for the embedded
	targets fs.FS
	names   []string        // of the targets, in alphabetical order
	odd     []sweep.Skipped // what is there and is no target, and why
}

// Entry is one target of a catalogue, read or not.
type Entry struct {
	Name   string
	Origin Origin
	File   string // target.yaml as a person would open it; empty for the catalogue's
	Hidden bool   // one of the same name that is the user's counts
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
	s, err := newShelf(OriginCatalogue, "", targets)
	if err != nil {
		return nil, fmt.Errorf("reading the catalogue: %w", err)
	}
	return &Catalog{shelves: []*shelf{s}}, nil
}

// OpenCatalog holds the targets in folder, and behind them those that come with
// versweep. Nothing outside of folder is read, whatever links there are in it.
// The error is fs.ErrNotExist where there is no folder.
func OpenCatalog(folder string) (*Catalog, error) {
	c, err := EmbeddedCatalog()
	if err != nil {
		return nil, err
	}
	// Left open: definitions are read from it as long as the catalogue is used.
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the targets in %s: there is no such folder: %w", folder, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the targets in %s: %s", folder, cause(err))
	}
	s, err := newShelf(OriginYours, folder, root.FS())
	if err != nil {
		return nil, fmt.Errorf("reading the targets in %s: %s", folder, cause(err))
	}
	return &Catalog{shelves: append([]*shelf{s}, c.shelves...)}, nil
}

func newShelf(origin Origin, folder string, targets fs.FS) (*shelf, error) {
	entries, err := fs.ReadDir(targets, ".")
	if err != nil {
		return nil, err
	}
	s := &shelf{origin: origin, folder: folder, targets: targets}
	for _, e := range entries {
		name := e.Name()
		link := e.Type()&fs.ModeSymlink != 0
		if strings.HasPrefix(name, ".") || !e.IsDir() && !link {
			continue
		}
		info, err := fs.Stat(targets, name)
		switch {
		case link && err != nil:
			s.odd = append(s.odd, sweep.Skipped{Raw: name, Reason: "it is a link that leads out of the folder, or to nothing; put a copy there"})
		case err == nil && !info.IsDir():
		case !ValidTargetName(name):
			s.odd = append(s.odd, sweep.Skipped{Raw: name, Reason: "not a target's name; " + TargetNameRule})
		default:
			s.names = append(s.names, name)
		}
	}
	slices.Sort(s.names)
	return s, nil
}

// TargetNameRule says in words what ValidTargetName takes.
const TargetNameRule = "names have small letters, digits and dashes, 64 at most, and begin with a letter or digit"

// ValidTargetName tells whether a target or variant may have this name, which
// becomes part of the names of images, folders and files.
func ValidTargetName(name string) bool {
	return name != "" && len(name) <= 64 && name[0] != '-' &&
		!strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) })
}

func nameRune(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' }

// Names lists the targets in alphabetical order.
func (c *Catalog) Names() []string {
	var names []string
	for _, s := range c.shelves {
		names = append(names, s.names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Entries lists the targets in alphabetical order, also those that one of the
// user's hides.
func (c *Catalog) Entries() []Entry {
	var entries []Entry
	seen := map[string]bool{}
	for _, s := range c.shelves {
		for _, name := range s.names {
			entries = append(entries, Entry{Name: name, Origin: s.origin, File: s.file(name), Hidden: seen[name]})
			seen[name] = true
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries
}

// Odd lists what in the user's folder looks like a target and is none, with the
// reason.
func (c *Catalog) Odd() []sweep.Skipped {
	var odd []sweep.Skipped
	for _, s := range c.shelves {
		odd = append(odd, s.odd...)
	}
	return odd
}

// Hides tells whether d counts in place of one of the same name that comes with
// versweep.
func (c *Catalog) Hides(d *Definition) bool {
	target, _, _ := strings.Cut(d.Name, ":")
	last := c.shelves[len(c.shelves)-1]
	return d.Origin != last.origin && slices.Contains(last.names, target)
}

// Read reads the definition of an entry, hidden or not. What is wrong with it is
// a *DefinitionError.
func (c *Catalog) Read(e Entry) (*Definition, error) {
	for _, s := range c.shelves {
		if s.origin == e.Origin && slices.Contains(s.names, e.Name) {
			return s.readDefinition(e.Name)
		}
	}
	return nil, &UnknownTargetError{Name: e.Name}
}

// Find reads the definition of a target, or of a variant of it as in
// "node:xml". The error is an *UnknownTargetError when there is none of that
// name, and a *DefinitionError when something is wrong with it.
func (c *Catalog) Find(name string) (*Definition, error) {
	target, variant, hasVariant := strings.Cut(name, ":")
	s, err := c.shelfOf(target, name)
	if err != nil {
		return nil, err
	}
	d, err := s.readDefinition(target)
	if err != nil || !hasVariant {
		return d, err
	}
	v, ok := d.variant(variant)
	if !ok {
		near := strictyaml.Nearest(variant, slices.Sorted(maps.Keys(d.Variants)))
		if near != "" {
			near = target + ":" + near
		}
		return nil, &UnknownTargetError{Name: name, Nearest: near}
	}
	return v, nil
}

// shelfOf finds the shelf whose target counts. name is what the user asked for.
func (c *Catalog) shelfOf(target, name string) (*shelf, error) {
	for _, s := range c.shelves {
		if slices.Contains(s.names, target) {
			return s, nil
		}
		for _, o := range s.odd {
			if o.Raw == target {
				return nil, &DefinitionError{File: filepath.Join(s.folder, target), Problem: "is not read: " + o.Reason}
			}
		}
	}
	return nil, &UnknownTargetError{Name: name, Nearest: strictyaml.Nearest(target, c.Names())}
}

// Text is the definition as it is written, once it is found to be right.
func (c *Catalog) Text(name string) (string, error) {
	if _, err := c.Find(name); err != nil {
		return "", err
	}
	target, _, _ := strings.Cut(name, ":")
	s, err := c.shelfOf(target, name)
	if err != nil {
		return "", err
	}
	text, err := s.text(target)
	return string(text), err
}

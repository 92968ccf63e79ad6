package runtimes

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"reflect"

	"versweep/runtimes/strictyaml"
	"versweep/sweep"
)

const (
	definitionFile = "target.yaml"
	// maxDefinition bounds what is read of a file that calls itself a
	// definition, in bytes. Real ones have a few thousand.
	maxDefinition = 256 << 10
)

// DefinitionError says what is wrong in a target's definition, and where.
type DefinitionError = strictyaml.Error

// definitions is what target.yaml may hold.
var definitions = strictyaml.Document{
	Noun: "a definition", Instead: "recipes laid over one another save the repeating",
	Form: strictyaml.FormOf(reflect.TypeFor[Definition](), strictyaml.Scalars{
		reflect.TypeFor[sweep.LineBy](): {Values: []string{string(sweep.LineByMajor), string(sweep.LineByMinor)}},
		reflect.TypeFor[Resolve]():      {Values: []string{string(ResolveToday), string(ResolveRelease)}},
	}),
}

// readDefinition reads and checks the target in folder name of a shelf. What is
// wrong with it is a *DefinitionError.
func (s *shelf) readDefinition(name string) (*Definition, error) {
	text, err := s.text(name)
	if err != nil {
		return nil, err
	}
	d := &Definition{Name: name, Origin: s.origin, File: s.file(name), files: folderOfTarget{s.targets, name}}
	err = definitions.Read(s.describe(name), text, d, func() error {
		d.fillIn()
		return d.check()
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// text reads the definition in folder name.
func (s *shelf) text(name string) ([]byte, error) {
	file := path.Join(name, definitionFile)
	if problem := fileProblem(s.targets, file); problem != "" {
		return nil, &DefinitionError{File: s.describe(name), Problem: problem, Hint: "versweep init writes one that works"}
	}
	info, err := fs.Stat(s.targets, file)
	if err == nil && info.Size() > maxDefinition {
		return nil, &DefinitionError{File: s.describe(name), Problem: fmt.Sprintf("has %d bytes; a definition has %d at most", info.Size(), maxDefinition)}
	}
	text, err := fs.ReadFile(s.targets, file)
	if err != nil {
		return nil, &DefinitionError{File: s.describe(name), Problem: "cannot be read: " + cause(err)}
	}
	return text, nil
}

// folderOfTarget is the folder of one target. Unlike that of fs.Sub, its Stat
// does not open the file, which would block on a pipe.
type folderOfTarget struct {
	targets fs.FS
	name    string
}

func (f folderOfTarget) path(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return path.Join(f.name, name), nil
}

func (f folderOfTarget) Open(name string) (fs.File, error) {
	name, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return f.targets.Open(name)
}

func (f folderOfTarget) Stat(name string) (fs.FileInfo, error) {
	name, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return fs.Stat(f.targets, name)
}

func (f folderOfTarget) Lstat(name string) (fs.FileInfo, error) {
	name, err := f.path(name)
	if err != nil {
		return nil, err
	}
	return fs.Lstat(f.targets, name)
}

func (f folderOfTarget) ReadLink(name string) (string, error) {
	name, err := f.path(name)
	if err != nil {
		return "", err
	}
	return fs.ReadLink(f.targets, name)
}

// fileProblem says why a file of a target cannot be taken; empty when it can.
// Anything but a regular file is refused before it is opened: a pipe would
// block for ever.
func fileProblem(folder fs.FS, name string) string {
	info, err := fs.Stat(folder, name)
	link, linkErr := fs.Lstat(folder, name)
	switch {
	case err == nil && info.IsDir():
		return "is a folder, not a file"
	case err == nil && !info.Mode().IsRegular():
		return "is not a regular file"
	case err == nil:
		return ""
	case linkErr == nil && link.Mode()&fs.ModeSymlink != 0:
		return "is a link that leads out of the folder of targets, or to nothing"
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	}
	return "cannot be read: " + cause(err)
}

// cause is what lies below the words of an fs.PathError.
func cause(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// file is a definition as a person would open it; empty for the catalogue's.
func (s *shelf) file(name string) string {
	if s.folder == "" {
		return ""
	}
	return filepath.Join(s.folder, name, definitionFile)
}

// describe names a definition in errors.
func (s *shelf) describe(name string) string {
	if file := s.file(name); file != "" {
		return file
	}
	return "the catalogue's " + path.Join(name, definitionFile)
}

package settings

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"versweep/runtimes/strictyaml"
)

// Name is how the file is called where nothing else is asked for.
const Name = "versweep.yaml"

// maxBytes bounds what is read of a file that calls itself settings. Real ones
// have a few thousand.
const maxBytes = 256 << 10

// Document is what versweep.yaml may hold. Addresses and headers can let in who
// knows them, and are never shown.
var Document = strictyaml.Document{
	Noun: "settings", Instead: "defaults save the repeating", Secrets: []string{"webhook", "url", "header"},
	Form: strictyaml.FormOf(reflect.TypeFor[Settings](), strictyaml.Scalars{
		reflect.TypeFor[Format](): {Values: []string{string(FormatJSON), string(FormatSlack)}},
		reflect.TypeFor[Period](): {
			Kind: "a time of more than 0, such as 90m or 14d", Pattern: periodPattern, Hint: "write it with its unit: 90m, 24h, 14d, 2w, 1d12h; what has no limit is left out",
			Check: func(text string) bool { p, err := ParsePeriod(text); return err == nil && p > 0 },
		},
		reflect.TypeFor[Rounds](): {Kind: "a number of rounds such as 10 or 5:15", Pattern: `^[0-9]+(:[0-9]+)?$`, Numbers: true, Hint: "rounds: 10, or rounds: 5:15 to stop where all is settled"},
		reflect.TypeFor[Share]():  {Kind: "a share such as 3% or 0.03", Pattern: `^([0-9]+(\.[0-9]*)?|\.[0-9]+) *%?$`, Numbers: true, Hint: "write 3% or 0.03"},
		reflect.TypeFor[CPUs]():   {Kind: "CPUs such as 0 or 0-3,6", Pattern: `^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$`, Numbers: true, Hint: "CPU lists look like 0-3,6"},
	}),
}

// File is a versweep.yaml that was read.
type File struct {
	Settings
	name  string
	text  []byte
	paths []string // of the keys and items that it has
}

// Read reads a file and checks what can be checked by its text alone. What is
// wrong with it is a *strictyaml.Error.
func Read(name string) (*File, error) {
	f := &File{name: name}
	var err error
	if f.text, err = readRegular(name); err != nil {
		return nil, err
	}
	if err := Document.Read(name, f.text, &f.Settings, f.check); err != nil {
		return nil, err
	}
	f.paths, err = Document.Paths(f.text)
	return f, err
}

// readRegular reads a file unless it is a pipe, which would block, or huge.
func readRegular(name string) ([]byte, error) {
	flawed := func(problem, hint string) error { return &strictyaml.Error{File: name, Problem: problem, Hint: hint} }
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, flawed("there is no such file", "versweep nightly init writes one that works; --config names another")
	case err == nil && info.IsDir():
		return nil, flawed("is a folder, not a file", "name the file in it with --config")
	case err == nil && !info.Mode().IsRegular():
		return nil, flawed("is not a regular file", "")
	case err == nil && info.Size() > maxBytes:
		return nil, flawed("is larger than settings ever are", "")
	}
	var text []byte
	file, err := os.Open(name)
	if err == nil {
		defer file.Close()
		text, err = io.ReadAll(io.LimitReader(file, maxBytes))
	}
	if err != nil {
		why := err
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			why = e.Err
		}
		return nil, flawed("cannot be read: "+why.Error(), "")
	}
	return text, nil
}

// Wrong tells what is wrong with the value at path, or with the nearest part
// around it that the file has.
func (f *File) Wrong(path, problem, hint string) error {
	return Document.Locate(f.name, f.text, &strictyaml.Flaw{Path: path, Problem: problem, Hint: hint})
}

// WrongTarget tells what is wrong with a key of the target at index i, where the
// key stands: at the target, or else among the defaults.
func (f *File) WrongTarget(i int, key, problem, hint string) error {
	target := itemOf("targets", i)
	if key == "" {
		return f.Wrong(target, problem, hint)
	}
	for _, path := range []string{target + "." + key, "defaults." + key} {
		if slices.Contains(f.paths, path) {
			return f.Wrong(path, problem, hint)
		}
	}
	return f.Wrong(target, problem, hint)
}

// TopKeys are the keys of the whole, which are no target's.
func (f *File) TopKeys() []string {
	var keys []string
	for _, k := range Document.Form.Keys {
		if k.Name != "budget" {
			keys = append(keys, k.Name)
		}
	}
	return keys
}

// Path is a file or folder that the settings name, as the program can open it;
// empty when name is.
func (f *File) Path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(f.name), name)
}

// Key is the key of the file that stands for a flag of versweep run.
func Key(flag string) string { return strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_") }

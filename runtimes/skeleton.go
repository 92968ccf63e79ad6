package runtimes

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// skeletons has a folder for each kind of source, with a target that works, and
// keys.yaml, which goes to the end of each definition.
//
//go:embed skeletons
var skeletons embed.FS

// ErrTargetExists says that there is a target, or something else, of that name.
var ErrTargetExists = errors.New("it is there already")

// SkeletonKinds lists the kinds of source that WriteSkeleton knows, the usual
// one first.
func SkeletonKinds() []string { return []string{"npm", "gomod", "git", "image", "list"} }

// nameMark in a skeleton's definition stands for the target's name.
const nameMark = "NAME"

// WriteSkeleton writes a new target that works and explains itself into
// folder/name, with versions from a kind of source, and returns the files that
// it wrote. folder is made where needed. Nothing is overwritten: the error is
// ErrTargetExists. What was begun is taken away again when writing fails.
func WriteSkeleton(folder, name, kind string) (files []string, err error) {
	dir := filepath.Join(folder, name)
	if !ValidTargetName(name) || !slices.Contains(SkeletonKinds(), kind) {
		return nil, fmt.Errorf("making target %q from %q: no such name or kind", name, kind)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of targets %s: %s", folder, cause(err))
	}
	if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("making target %s: %w", dir, ErrTargetExists)
	} else if err != nil {
		return nil, fmt.Errorf("making target %s: %s", dir, cause(err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	texts, err := skeleton(name, kind)
	if err != nil {
		return nil, fmt.Errorf("making target %s: %w", dir, err)
	}
	for _, t := range texts {
		file := filepath.Join(dir, t.name)
		if err := os.WriteFile(file, t.text, 0o644); err != nil {
			return nil, fmt.Errorf("making target %s: %w", dir, err)
		}
		files = append(files, file)
	}
	return files, nil
}

// skeletonFile is one file of a new target.
type skeletonFile struct {
	name string
	text []byte
}

// skeleton lists the files of a new target, the definition first.
func skeleton(name, kind string) ([]skeletonFile, error) {
	folder := path.Join("skeletons", kind)
	entries, err := fs.ReadDir(skeletons, folder)
	if err != nil {
		return nil, err
	}
	var files []skeletonFile
	for _, e := range entries {
		text, err := fs.ReadFile(skeletons, path.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		if e.Name() != definitionFile {
			files = append(files, skeletonFile{e.Name(), text})
			continue
		}
		keys, err := fs.ReadFile(skeletons, "skeletons/keys.yaml")
		if err != nil {
			return nil, err
		}
		text = bytes.ReplaceAll(slices.Concat(text, keys), []byte(nameMark), []byte(name))
		files = append([]skeletonFile{{definitionFile, text}}, files...)
	}
	return files, nil
}

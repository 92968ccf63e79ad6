package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"versweep/charts"
	"versweep/sweep"
)

// checkPicture makes sure, before any work, that a picture can be written.
func checkPicture(file string) error {
	if _, err := charts.FormatOf(file); err != nil {
		return misuse("name it FILE.png or FILE.svg", "-o: %v", err)
	}
	return checkOutput(file)
}

// checkOutput makes sure, before any work, that a file can be written; none is
// standard output.
func checkOutput(file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return misuse("name a file in it", "-o %s: this is a folder", file)
	}
	probe, err := os.CreateTemp(filepath.Dir(file), ".versweep-")
	if err != nil {
		return &hintedError{fmt.Errorf("-o %s: its folder cannot be written to: %w", file, errors.Unwrap(err)), "name a file in a folder that you may write to"}
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// formatByName is the format, one of known, that a file's extension stands for:
// text for standard output, .txt and a name without extension.
func formatByName(file string, known []string) (string, error) {
	extension := strings.ToLower(filepath.Ext(file))
	format, ok := map[string]string{
		"": formatText, ".txt": formatText, ".md": formatMarkdown, ".markdown": formatMarkdown,
		".html": formatHTML, ".htm": formatHTML, ".csv": formatCSV, ".json": formatJSON,
	}[extension]
	switch _, err := charts.FormatOf(file); {
	case err == nil:
		return "", misuse("versweep chart draws pictures", "-o %s: this is no picture", file)
	case !ok || !slices.Contains(known, format):
		return "", misuse("--format says what to write: "+strings.Join(known, ", "), "-o %s: the extension %s stands for no format", file, extension)
	}
	return format, nil
}

func writePicture(file string, t sweep.Table, metric string, o charts.Options) error {
	m, err := findMetric(t.Plan, metric)
	if err != nil {
		return err
	}
	if o.Format, err = charts.FormatOf(file); err != nil {
		return err
	}
	return writeWhole(file, func(w io.Writer) error { return charts.Trend(w, t, m, o) })
}

// writeWhole writes a file so that it is there whole or not at all. One that was
// there keeps its permissions; a link in its place is replaced and not followed,
// since in a shared folder another user may have put it there.
func writeWhole(file string, write func(io.Writer) error) (err error) {
	if isStore(file) {
		return misuse("name another file", "writing %s: it is a store, or another SQLite file, and stays", file)
	}
	f, err := createBeside(file)
	if err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return errors.Join(fmt.Errorf("writing %s: %w", file, err), f.Close())
		}
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return os.Rename(f.Name(), file)
}

// createBeside makes a new file beside another, with the permissions that the
// user's umask gives. os.CreateTemp gives none to others, and changing that
// afterwards would pass over the umask.
func createBeside(file string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(file), ".versweep-"+rand.Text())
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// isStore tells whether a file is a SQLite database: results that an output must
// not take the place of.
func isStore(file string) bool {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return false // a pipe would block
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(sqliteHead))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == sqliteHead
}

// sqliteHead begins every SQLite database.
const sqliteHead = "SQLite format 3\x00"

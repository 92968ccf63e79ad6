package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// markerName is the file by which a folder is known to be a report, so that
// nothing else is ever replaced.
const markerName = "versweep-report.json"

// Folders that are written beside a report are called besidePrefix and a number.
// One that is older than besideAge was left by a program that was killed.
const (
	besidePrefix = ".versweep-report-"
	besideAge    = time.Hour
)

var besideName = regexp.MustCompile(`^` + regexp.QuoteMeta(besidePrefix) + `[0-9]+$`)

// marker is what that file holds.
type marker struct {
	Schema int      `json:"schema"`
	Report string   `json:"report"` // always "versweep"
	Files  []string `json:"files"`  // below the folder, with slashes, in order
}

// maxMarkerBytes bounds what is read of a marker: some 100,000 names.
const maxMarkerBytes = 16 << 20

// FolderError says why a folder cannot hold a report.
type FolderError struct{ Folder, Why string }

func (e *FolderError) Error() string { return e.Folder + ": " + e.Why }

// CheckFolder refuses a place that a report cannot be written to: a file, a
// folder that holds anything but a former report (a FolderError), one whose
// parent cannot be written to.
func CheckFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return &FolderError{dir, "this is a file"}
	case err == nil:
		if err := checkFormer(dir); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("looking at %s: %w", dir, err)
	}
	place, err := placeOf(dir)
	if err != nil {
		return err
	}
	probe, err := os.MkdirTemp(filepath.Dir(place), besidePrefix)
	if err != nil {
		return fmt.Errorf("%s: its parent folder cannot be written to: %w", dir, errors.Unwrap(err))
	}
	return os.Remove(probe)
}

// placeOf is where dir really is, so that a link to a folder stays one.
func placeOf(dir string) (string, error) {
	place, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("looking for %s: %w", dir, err)
	}
	if real, err := filepath.EvalSymlinks(place); err == nil {
		return real, nil
	}
	return place, nil
}

// checkFormer accepts an empty folder and one that holds a report and nothing
// that people have put beside it.
func checkFormer(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	m, err := readMarker(dir)
	if err != nil {
		return &FolderError{dir, "the folder is not empty and no report of versweep"}
	}
	place, err := placeOf(dir) // a walk does not follow a link
	if err != nil {
		return err
	}
	return filepath.WalkDir(place, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(place, file)
		if err != nil {
			return err
		}
		if name = filepath.ToSlash(name); name != markerName {
			if _, ours := slices.BinarySearch(m.Files, name); !ours {
				return &FolderError{dir, "it holds " + name + ", which the report before did not write"}
			}
		}
		return nil
	})
}

func readMarker(dir string) (marker, error) {
	var m marker
	f, err := os.Open(filepath.Join(dir, markerName))
	if err != nil {
		return m, err
	}
	defer f.Close()
	if err := json.NewDecoder(io.LimitReader(f, maxMarkerBytes)).Decode(&m); err != nil {
		return m, err
	}
	if m.Report != "versweep" {
		return m, errors.New("of another program")
	}
	slices.Sort(m.Files)
	return m, nil
}

// Write puts the files into dir and replaces the report that is there. They are
// written beside it and moved into place when all are there: a failure leaves
// dir as it was. It refuses what CheckFolder refuses. What earlier calls that
// were killed have left beside dir is removed.
func Write(dir string, files []File) (err error) {
	if err := CheckFolder(dir); err != nil {
		return err
	}
	place, err := placeOf(dir)
	if err != nil {
		return err
	}
	removeLeft(filepath.Dir(place))
	beside, err := os.MkdirTemp(filepath.Dir(place), besidePrefix)
	if err != nil {
		return fmt.Errorf("writing %s: %w", dir, err)
	}
	defer os.RemoveAll(beside)
	fresh := filepath.Join(beside, "new")
	m := marker{Schema: 1, Report: "versweep", Files: []string{}}
	for _, f := range files {
		if err := writeFile(fresh, f); err != nil {
			return fmt.Errorf("writing %s: %w", dir, err)
		}
		m.Files = append(m.Files, f.Path)
	}
	slices.Sort(m.Files)
	err = writeFile(fresh, File{Path: markerName, Write: func(w io.Writer) error { return json.NewEncoder(w).Encode(m) }})
	if err != nil {
		return fmt.Errorf("writing %s: %w", dir, err)
	}
	if err := exchange(fresh, place, filepath.Join(beside, "old")); err != nil {
		return fmt.Errorf("putting the report into place: %w", err)
	}
	return nil
}

// removeLeft removes what was left in the folder parent. What cannot be removed
// stays: it is in nobody's way.
func removeLeft(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !entry.IsDir() || !besideName.MatchString(entry.Name()) { // a link is no folder here
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > besideAge {
			os.RemoveAll(filepath.Join(parent, entry.Name()))
		}
	}
}

// exchange moves fresh to place, and what is there to old. Where the second
// move fails, the first is taken back.
func exchange(fresh, place, old string) error {
	err := os.Rename(place, old)
	former := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, place); err != nil {
		if former {
			err = errors.Join(err, os.Rename(old, place))
		}
		return err
	}
	return nil
}

func writeFile(dir string, f File) (err error) {
	name := filepath.Join(dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(f.writeTo(file), file.Close())
}

// writeTo writes a file through a buffer, which fails for ever once it has failed.
func (f File) writeTo(w io.Writer) error {
	buffer := bufio.NewWriter(w)
	if err := f.Write(buffer); err != nil {
		return err
	}
	return buffer.Flush()
}

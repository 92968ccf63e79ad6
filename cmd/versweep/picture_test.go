//go:build unix

package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Files that are written get the rights that the user's umask gives, or keep
// those that they had; links are not followed, and nothing is left of a failure.
func TestWrittenFiles(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	dir := t.TempDir()
	text := func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }
	file, shared, private, link := filepath.Join(dir, "file"), filepath.Join(dir, "shared"), filepath.Join(dir, "private"), filepath.Join(dir, "link")
	err := errors.Join(
		os.WriteFile(private, []byte("private"), 0o600), os.Symlink(private, link),
		os.WriteFile(shared, nil, 0o600), os.Chmod(shared, 0o640),
		writeWhole(file, text), writeWhole(shared, text), writeWhole(link, text),
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{file: 0o600, shared: 0o640, link: 0o600} {
		info, err := os.Lstat(name)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
		if got, err := os.ReadFile(name); string(got) != "text" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := os.ReadFile(private); string(got) != "private" || err != nil {
		t.Errorf("what the link led to: %q, %v", got, err)
	}
	broken := errors.New("broken")
	if err := writeWhole(filepath.Join(dir, "other"), func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(dir); len(entries) != 4 || err != nil {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

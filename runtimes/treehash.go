package runtimes

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// treeHash is a SHA-256 over all that is in a folder: names, kinds, permission
// to run, contents and the targets of links, in the order of names.
func treeHash(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%q %v %t\n", filepath.ToSlash(name), entry.Type(), info.Mode()&0o111 != 0)
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(file)
			fmt.Fprintf(sum, "%q\n", target)
			return err
		case !entry.Type().IsRegular():
			return nil
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(sum, "%d\n", info.Size())
		_, err = io.Copy(sum, f)
		return err
	})
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), err
}

// holds tells whether a folder has exactly these files.
func holds(dir string, files map[string][]byte) bool {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(files) {
		return false
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			return false
		}
	}
	return true
}

package runtimes

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/memory"
)

// madeUp is a repository of objects that no git would make.
type madeUp struct {
	gitRepository
	*memory.Storage
}

func (m madeUp) tree(context.Context, plumbing.Hash, string, string) (storer.EncodedObjectStorer, error) {
	return m.Storage, nil
}

func (m madeUp) put(t *testing.T, o interface {
	Encode(plumbing.EncodedObject) error
}) plumbing.Hash {
	t.Helper()
	e := m.NewEncodedObject()
	if err := o.Encode(e); err != nil {
		t.Fatal(err)
	}
	hash, err := m.SetEncodedObject(e)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func (m madeUp) file(t *testing.T, text string) plumbing.Hash {
	t.Helper()
	e := m.NewEncodedObject()
	e.SetType(plumbing.BlobObject)
	w, err := e.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	hash, err := m.SetEncodedObject(e)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// checkOutBounded checks out a tree with room for 1,000 files and 1,000 bytes.
func (m madeUp) checkOutBounded(t *testing.T, tree plumbing.Hash) error {
	t.Helper()
	commit := m.put(t, &object.Commit{TreeHash: tree})
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := &checkout{root: root, submodules: true, scratch: t.TempDir(), bytes: 1000, files: 1000}
	return c.commit(t.Context(), m, commit, "", "", 0)
}

// A few objects can stand for more than any disk holds.
func TestGitTreesAreBounded(t *testing.T) {
	m := madeUp{Storage: memory.NewStorage()}
	small, large := m.file(t, "x"), m.file(t, strings.Repeat("x", 600))
	deep := m.put(t, &object.Tree{})
	for range 600 {
		deep = m.put(t, &object.Tree{Entries: []object.TreeEntry{{Name: "d", Mode: filemode.Dir, Hash: deep}}})
	}
	wide := m.put(t, &object.Tree{Entries: []object.TreeEntry{{Name: "f", Mode: filemode.Regular, Hash: small}}})
	for range 30 {
		wide = m.put(t, &object.Tree{Entries: []object.TreeEntry{{Name: "a", Mode: filemode.Dir, Hash: wide}, {Name: "b", Mode: filemode.Dir, Hash: wide}}})
	}
	for name, tt := range map[string]struct {
		tree object.Tree
		want string
	}{
		"deep":  {object.Tree{Entries: []object.TreeEntry{{Name: "x", Mode: filemode.Dir, Hash: deep}}}, "a path has more than 1024 letters"},
		"wide":  {object.Tree{Entries: []object.TreeEntry{{Name: "x", Mode: filemode.Dir, Hash: wide}}}, "a path has more than 1024 letters|files"},
		"large": {object.Tree{Entries: []object.TreeEntry{{Name: "a", Mode: filemode.Regular, Hash: large}, {Name: "b", Mode: filemode.Regular, Hash: large}}}, "bytes"},
		"long":  {object.Tree{Entries: []object.TreeEntry{{Name: strings.Repeat("x", 5000), Mode: filemode.Regular, Hash: small}}}, "a path has more than 1024 letters"},
	} {
		t.Run(name, func(t *testing.T) {
			err := m.checkOutBounded(t, m.put(t, &tt.tree))
			matches := false
			for _, want := range strings.Split(tt.want, "|") {
				matches = matches || err != nil && strings.Contains(err.Error(), want)
			}
			if !errors.Is(err, ErrUnsafeArchive) || !matches {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// What a server sends for a listing goes into memory, so it is weighed unpacked.
func TestGitListingIsBounded(t *testing.T) {
	m := madeUp{Storage: memory.NewStorage()}
	file := m.file(t, strings.Repeat("x", 1<<20))
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, m.Storage, false).Encode([]plumbing.Hash{file}, 0); err != nil {
		t.Fatal(err)
	}
	if err := unpackObjects(memory.NewStorage(), bytes.NewReader(pack.Bytes())); err != nil {
		t.Errorf("within the bound: %v", err)
	}
	for _, left := range []int64{1 << 20, 1<<20 - 1} {
		bound := &memoryBound{left: left}
		p, err := packfile.NewParserWithStorage(packfile.NewScanner(bytes.NewReader(pack.Bytes())), memory.NewStorage(), bound)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Parse(); errors.Is(err, ErrUnsafeArchive) != (left < 1<<20) {
			t.Errorf("%d bytes left: %v", left, err)
		}
	}
}

// What a repository calls its submodules is no way to this machine's files, nor
// to a command.
func TestGitSubmodulesThatLeadElsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"work/server", "work/beside", "private"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		runGit(t, filepath.Join(dir, name), "init", "-q")
	}
	marker := filepath.Join(dir, "ran")
	local, err := newLocalGit(filepath.Join(dir, "work/server"), emptyCache(t))
	if err != nil {
		t.Fatal(err)
	}
	remote, err := openGitRepository("https://example.invalid/a/server.git", emptyCache(t))
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"file://" + dir + "/private": "path of this machine", dir + "/private": "path of this machine", "file:///etc": "path of this machine",
		"ext::sh -c touch% " + marker: "", "--upload-pack=touch " + marker: "", "-oProxyCommand=touch " + marker: "",
		"ssh://-oProxyCommand=touch%20" + marker + "/x": "", "fd::17": "", "../../private": "path of this machine", "../../../../../../../etc": "path of this machine",
	} {
		for _, from := range []gitRepository{local, remote} {
			if from == remote && strings.HasPrefix(url, "../") {
				continue // another path of the same server
			}
			found, err := from.submodule(url)
			if err == nil {
				_, err = found.tags(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q of %s: %v, want %s", url, from, err, want)
			}
		}
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a command was run")
	}
	if _, err := local.submodule("../beside"); err != nil {
		t.Errorf("one beside it: %v", err)
	}
}

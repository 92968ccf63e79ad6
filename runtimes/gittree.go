package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// checkout writes the trees of commits into a folder: files, links that stay
// inside, and submodules when they are asked for. There is no .git in it.
type checkout struct {
	root       *os.Root // nothing is written outside it
	submodules bool
	scratch    string // for what submodules need
	bytes      int64  // left of the bound
	files      int    // left of the bound
	links      []treeLink
}

// treeLink is a symbolic link of a tree. Links are made last, so that no file
// is written through one.
type treeLink struct{ name, target string }

const (
	maxLinkLength     = 4096
	maxSubmoduleDepth = 8
	// maxTreePath bounds the path of a file, in bytes, and with it how deep
	// folders lie in each other. Systems take 4,096, and the build's folder
	// goes before it.
	maxTreePath = 1024
)

// checkOut writes the tree of a commit into folder and returns its size. tag is
// the name that the commit was listed under.
func checkOut(ctx context.Context, from gitRepository, commit plumbing.Hash, tag string, submodules bool, scratch, folder string) (int64, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	c := &checkout{root: root, submodules: submodules, scratch: scratch, bytes: maxUnpackedBytes, files: maxUnpackedFiles}
	if err := c.commit(ctx, from, commit, tag, "", 0); err != nil {
		return 0, err
	}
	for _, l := range c.links {
		if err := root.Symlink(l.target, l.name); err != nil {
			return 0, fmt.Errorf("checking out %q: %w", l.name, err)
		}
	}
	return maxUnpackedBytes - c.bytes, nil
}

// commit writes one commit's tree below folder.
func (c *checkout) commit(ctx context.Context, from gitRepository, hash plumbing.Hash, tag, folder string, depth int) error {
	if depth > maxSubmoduleDepth {
		return fmt.Errorf("submodules lie more than %d deep in each other", maxSubmoduleDepth)
	}
	scratch, err := os.MkdirTemp(c.scratch, "objects-")
	if err != nil {
		return err
	}
	objects, err := from.tree(ctx, hash, tag, scratch)
	if err != nil {
		return err
	}
	// Where the server does not say what a tag ends at, this is a tag object.
	hash, elsewhere, err := peel(objects, hash)
	if err != nil {
		return err
	}
	if elsewhere != "" {
		return errors.New(elsewhere)
	}
	commit, err := object.GetCommit(objects, hash)
	if err != nil {
		return fmt.Errorf("reading commit %s: %w", hash, err)
	}
	tree, err := commit.Tree()
	if err != nil {
		return fmt.Errorf("reading the tree of commit %s: %w", hash, err)
	}
	modules, err := submodulesOf(tree)
	if err != nil {
		return err
	}
	w := treeWriter{checkout: c, objects: objects, from: from, modules: modules, top: folder, depth: depth}
	return w.tree(ctx, tree, folder)
}

// treeWriter writes one commit's tree.
type treeWriter struct {
	*checkout
	objects storer.EncodedObjectStorer
	from    gitRepository
	modules map[string]*config.Submodule // by path
	top     string                       // the folder of the commit's tree
	depth   int                          // of submodules in each other
}

func (w *treeWriter) tree(ctx context.Context, tree *object.Tree, folder string) error {
	if folder != "" {
		if err := w.root.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("checking out %q: %w", folder, err)
		}
	}
	for _, entry := range tree.Entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.files--; w.files < 0 {
			return fmt.Errorf("%w: more than %d files", ErrUnsafeArchive, maxUnpackedFiles)
		}
		if !safeEntry(entry.Name) {
			return fmt.Errorf("%w: a file is named %q", ErrUnsafeArchive, entry.Name)
		}
		if len(folder)+len(entry.Name) >= maxTreePath {
			return fmt.Errorf("%w: a path has more than %d letters: %.40q…", ErrUnsafeArchive, maxTreePath, folder)
		}
		if err := w.entry(ctx, entry, path.Join(folder, entry.Name)); err != nil {
			return err
		}
	}
	return nil
}

// safeEntry tells whether a name is one that git itself would check out.
func safeEntry(name string) bool {
	switch strings.ToLower(strings.TrimRight(name, ". ")) {
	case "", ".git", "git~1":
		return false
	}
	return !strings.ContainsAny(name, "/\\\x00")
}

func (w *treeWriter) entry(ctx context.Context, entry object.TreeEntry, name string) error {
	switch entry.Mode {
	case filemode.Dir:
		below, err := object.GetTree(w.objects, entry.Hash)
		if err != nil {
			return fmt.Errorf("reading folder %q: %w", name, err)
		}
		return w.tree(ctx, below, name)
	case filemode.Submodule:
		return w.submodule(ctx, entry.Hash, name)
	}
	blob, err := object.GetBlob(w.objects, entry.Hash)
	if err != nil {
		return fmt.Errorf("reading file %q: %w", name, err)
	}
	content, err := blob.Reader()
	if err != nil {
		return fmt.Errorf("reading file %q: %w", name, err)
	}
	defer content.Close()
	switch entry.Mode {
	case filemode.Symlink:
		target, err := io.ReadAll(io.LimitReader(content, maxLinkLength+1))
		if err != nil {
			return fmt.Errorf("reading link %q: %w", name, err)
		}
		if !staysInside(name, string(target)) {
			return fmt.Errorf("%w: link %q leads out of the source, to %.80q", ErrUnsafeArchive, name, target)
		}
		w.links = append(w.links, treeLink{name, string(target)})
		return nil
	case filemode.Executable:
		return w.file(name, content, 0o755)
	}
	return w.file(name, content, 0o644)
}

// staysInside tells whether a link leads to somewhere inside for sure. A ".."
// after another name might climb from where that name's own link leads, so all
// of them have to come first.
func staysInside(name, target string) bool {
	if target == "" || len(target) > maxLinkLength || path.IsAbs(target) || strings.ContainsAny(target, "\\\x00") {
		return false
	}
	up := strings.Count(name, "/")
	climbing := true
	for part := range strings.SplitSeq(target, "/") {
		switch part {
		case "", ".":
		case "..":
			if up--; up < 0 || !climbing {
				return false
			}
		default:
			climbing = false
		}
	}
	return true
}

func (w *treeWriter) file(name string, content io.Reader, mode os.FileMode) error {
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("checking out %q: %w", name, err)
	}
	n, err := io.Copy(f, io.LimitReader(content, w.bytes+1))
	if w.bytes -= n; w.bytes < 0 {
		err = fmt.Errorf("%w: more than %d bytes", ErrUnsafeArchive, int64(maxUnpackedBytes))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("checking out %q: %w", name, err)
	}
	return nil
}

// submodule writes a submodule's commit, or as git does an empty folder when
// submodules are not asked for.
func (w *treeWriter) submodule(ctx context.Context, commit plumbing.Hash, name string) error {
	if !w.submodules {
		return w.root.MkdirAll(name, 0o755)
	}
	inside := strings.TrimPrefix(strings.TrimPrefix(name, w.top), "/")
	module, known := w.modules[inside]
	if !known {
		return fmt.Errorf("submodule %q: .gitmodules does not say where it comes from", name)
	}
	from, err := w.from.submodule(module.URL)
	if err == nil {
		err = w.commit(ctx, from, commit, "", name, w.depth+1)
	}
	if err != nil {
		return fmt.Errorf("submodule %q from %s: %w", name, withoutCredentials(module.URL), err)
	}
	return nil
}

// submodulesOf reads where a tree's submodules come from, by their path.
func submodulesOf(tree *object.Tree) (map[string]*config.Submodule, error) {
	file, err := tree.File(".gitmodules")
	if errors.Is(err, object.ErrFileNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading .gitmodules: %w", err)
	}
	text, err := file.Contents()
	if err != nil {
		return nil, fmt.Errorf("reading .gitmodules: %w", err)
	}
	modules := config.NewModules()
	if err := modules.Unmarshal([]byte(text)); err != nil {
		return nil, fmt.Errorf("reading .gitmodules: %w", err)
	}
	byPath := make(map[string]*config.Submodule, len(modules.Submodules))
	for _, m := range modules.Submodules {
		byPath[path.Clean(m.Path)] = m
	}
	return byPath, nil
}

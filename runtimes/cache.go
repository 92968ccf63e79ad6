package runtimes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Cache is a folder of builds, keyed by content. A build is made in a scratch
// folder and renamed into place when it is whole, so that what is there can be
// used; several processes may share a cache.
type Cache struct {
	dir    string
	memory *buildMemory // of the commands that make builds
}

// DefaultCacheDir is the user's cache folder: $XDG_CACHE_HOME/versweep on Linux.
func DefaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the user's cache folder: %w", err)
	}
	return filepath.Join(dir, "versweep"), nil
}

// OpenCache makes the folder where needed, and removes what killed processes left:
// their temporary folders, and scratch folders of the cache. Of those whose
// process may be another machine's, since folders can be shared, it removes what
// is a day old. From then on gc leaves the cache alone, until the process ends.
func OpenCache(dir string) (*Cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the cache %s: %w", dir, err)
	}
	c := &Cache{dir: dir, memory: memoryOfThisMachine(0)}
	err = os.MkdirAll(dir, 0o755)
	if err == nil {
		err = holdCache(dir) // first: gc may be removing what is in it
	}
	if err == nil {
		err = markCache(dir)
	}
	for _, d := range []string{c.scratch(), c.builds(), c.programs()} {
		if err == nil {
			err = os.MkdirAll(d, 0o755)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("opening the cache %s: %w", dir, err)
	}
	left, err := os.ReadDir(c.scratch())
	if err != nil {
		return nil, fmt.Errorf("opening the cache %s: %w", dir, err)
	}
	for _, e := range left {
		if !scratchName.MatchString(e.Name()) {
			continue // somebody else's
		}
		_, maker, _ := strings.Cut(e.Name(), "-")
		gone, known := makerIsGone(maker)
		if !known {
			info, err := e.Info()
			gone = err == nil && time.Since(info.ModTime()) > scratchAge
		}
		if gone {
			endOrphans(filepath.Join(c.scratch(), e.Name()))
			os.RemoveAll(filepath.Join(c.scratch(), e.Name())) // what stays is tried again next time
		}
	}
	removeRunFolders(os.TempDir()) // so is what stays here
	return c, nil
}

// BoundMemory sets what a build may take of this machine's memory, in bytes,
// before anything is built: 0 for 4 GiB, or three quarters of the machine's where
// that is less.
func (c *Cache) BoundMemory(each int64) { c.memory = memoryOfThisMachine(each) }

// bounds are the usual ones where there is no cache, since only versions are
// listed.
func (c *Cache) bounds() *buildMemory {
	if c == nil {
		return memoryOfThisMachine(0)
	}
	return c.memory
}

func (c *Cache) scratch() string { return filepath.Join(c.dir, "scratch") }

// scratchFolder makes a folder that tells who made it.
func (c *Cache) scratchFolder(kind string) (string, error) {
	return os.MkdirTemp(c.scratch(), kind+"-"+thisMaker()+"-")
}

func (c *Cache) builds() string   { return filepath.Join(c.dir, "builds") }
func (c *Cache) programs() string { return filepath.Join(c.dir, "programs") }

// buildFacts is kept beside a build's files.
type buildFacts struct {
	Digest string `json:"digest"` // as the source has it
	Bytes  int64  `json:"bytes"`
	Tree   string `json:"tree"` // treeHash of the files
	// Bundled names the parts that a build is made of; nil when unknown.
	Bundled map[string]string `json:"bundled,omitempty"`
}

// factsFile lies beside the files folder, so that it cannot clash with them.
const (
	factsFile  = "build.json"
	filesDir   = "files"
	recipeHash = 12 // hex digits
)

// buildDir is where a build with this content lies, made or not.
func (c *Cache) buildDir(target, version, digest string, recipe ...string) string {
	sum := sha256.Sum256([]byte(digest + "\n" + strings.Join(recipe, "\n")))
	return filepath.Join(c.builds(), FolderName(target), version+"-"+hex.EncodeToString(sum[:])[:recipeHash])
}

// facts reads what is known of the build in dir; false when there is none, or
// none that is whole: a disk, a clean-up or a person may have changed it.
func (c *Cache) facts(dir string) (buildFacts, bool, error) {
	b, err := os.ReadFile(filepath.Join(dir, factsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return buildFacts{}, false, nil
	}
	if err != nil {
		return buildFacts{}, false, fmt.Errorf("reading the cached build %s: %w", dir, err)
	}
	var f buildFacts
	if json.Unmarshal(b, &f) != nil || f.Tree == "" {
		return buildFacts{}, false, nil
	}
	tree, err := treeHash(filepath.Join(dir, filesDir))
	if errors.Is(err, fs.ErrNotExist) || err == nil && tree != f.Tree {
		return buildFacts{}, false, nil
	}
	if err != nil {
		return buildFacts{}, false, fmt.Errorf("reading the cached build %s: %w", dir, err)
	}
	return f, true, nil
}

// make returns the facts of the build in dir, and whether it was there already.
// Where it is not, or not whole, fill writes its files into a folder and tells
// about them; scratch is a folder for what is thrown away afterwards.
func (c *Cache) make(ctx context.Context, dir string, fill func(ctx context.Context, scratch, files string) (buildFacts, error)) (buildFacts, bool, error) {
	facts, cached, err := c.facts(dir)
	if cached {
		used(filepath.Join(dir, factsFile))
	}
	if err != nil || cached {
		return facts, cached, err
	}
	if err := os.RemoveAll(dir); err != nil { // what is not whole
		return facts, false, fmt.Errorf("removing a damaged build: %w", err)
	}
	facts, err = c.add(ctx, dir, fill)
	return facts, false, err
}

// add makes the build in dir. Nothing is left in the cache when it fails.
func (c *Cache) add(ctx context.Context, dir string, fill func(ctx context.Context, scratch, files string) (buildFacts, error)) (buildFacts, error) {
	scratch, err := c.scratchFolder("build")
	if err != nil {
		return buildFacts{}, err
	}
	defer os.RemoveAll(scratch)
	whole := filepath.Join(scratch, "whole")
	files := filepath.Join(whole, filesDir)
	if err := os.MkdirAll(files, 0o755); err != nil {
		return buildFacts{}, err
	}
	facts, err := fill(ctx, scratch, files)
	if err != nil {
		return buildFacts{}, err
	}
	if facts.Tree, err = treeHash(files); err != nil {
		return buildFacts{}, err
	}
	b, err := json.Marshal(facts)
	if err != nil {
		return buildFacts{}, err
	}
	if err := os.WriteFile(filepath.Join(whole, factsFile), b, 0o644); err != nil {
		return buildFacts{}, err
	}
	return facts, moveInto(whole, dir)
}

// program writes the program files of a recipe into a folder of the cache, once
// for each content, and returns the folder.
func (c *Cache) program(d *Definition, r Recipe) (string, error) {
	files, err := d.programFiles(r)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(c.programs(), FolderName(d.Name)+"-"+r.hash(files))
	if holds(dir, files) {
		used(dir)
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil { // what is not whole
		return "", fmt.Errorf("writing the program of %s: %w", d.Name, err)
	}
	scratch, err := c.scratchFolder("program")
	if err != nil {
		return "", fmt.Errorf("writing the program of %s: %w", d.Name, err)
	}
	defer os.RemoveAll(scratch)
	whole := filepath.Join(scratch, "whole")
	if err := os.Mkdir(whole, 0o755); err != nil {
		return "", fmt.Errorf("writing the program of %s: %w", d.Name, err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(whole, name), text, 0o644); err != nil {
			return "", fmt.Errorf("writing the program of %s: %w", d.Name, err)
		}
	}
	return dir, moveInto(whole, dir)
}

// FolderName is a target's name as part of a path or of an image's name.
func FolderName(target string) string { return strings.ReplaceAll(target, ":", "-") }

// moveInto renames a whole folder to where it belongs. A folder that another
// process put there meanwhile has the same content and stays.
func moveInto(whole, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Rename(whole, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return nil
		}
		return fmt.Errorf("moving a build into the cache: %w", err)
	}
	return nil
}

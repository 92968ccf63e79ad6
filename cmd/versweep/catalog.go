package main

import (
	"errors"
	"io/fs"
	"path/filepath"

	"versweep/runtimes"
	"versweep/store"
)

// targetFolder is where the user's own targets are.
func (a *app) targetFolder() string {
	if a.targetDir != "" {
		return a.targetDir
	}
	return filepath.Join(filepath.Dir(a.db), "targets")
}

// openCatalog reads what there is to sweep: the user's own targets, where there
// are any, and those that come with versweep. A folder that another user has put
// where targets are looked for is passed over, unless --target-dir names it.
func (a *app) openCatalog() (*runtimes.Catalog, error) {
	if why := runtimes.UntrustedFolder(a.targetFolder()); why != "" && a.targetDir == "" {
		a.warn("the targets in %s are left out: %s; --target-dir %[1]s reads them, and runs their commands as you", a.targetFolder(), why)
		return runtimes.EmbeddedCatalog()
	}
	catalog, err := runtimes.OpenCatalog(a.targetFolder())
	switch {
	case err == nil:
		return catalog, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, misuse("--target-dir names another folder", "%v", err)
	case a.targetDir != "":
		return nil, misuse("versweep init NAME --target-dir DIR makes it", "--target-dir %s: there is no such folder", a.targetDir)
	}
	return runtimes.EmbeddedCatalog()
}

// findTarget reads the definition of a target. That one of the user's counts in
// place of the catalogue's never goes without saying.
func (a *app) findTarget(name string) (*runtimes.Definition, error) {
	catalog, err := a.openCatalog()
	if err != nil {
		return nil, err
	}
	d, err := catalog.Find(name)
	if err == nil && catalog.Hides(d) {
		a.warn("%s counts in place of the catalogue's %s", d.File, d.Name)
	}
	return d, err
}

// unlessUnknown is err, unless nothing is stored because there is no such target:
// then it says that. What is wrong with the store itself stays err.
func (a *app) unlessUnknown(target string, err error) error {
	if !errors.Is(err, store.ErrNoStore) && !errors.Is(err, store.ErrNoSweep) {
		return err
	}
	catalog, catalogErr := a.openCatalog()
	if catalogErr != nil {
		return err
	}
	if _, targetErr := catalog.Find(target); targetErr != nil {
		if unknown, ok := errors.AsType[*runtimes.UnknownTargetError](targetErr); ok {
			return unknown
		}
	}
	return err
}

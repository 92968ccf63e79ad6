package runtimes

import (
	"archive/tar"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// These write the archive that an engine builds an image from.

func addFile(w *tar.Writer, name string, text []byte) error {
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
		return err
	}
	_, err := w.Write(text)
	return err
}

func addFiles(w *tar.Writer, folder string, files map[string][]byte) error {
	if err := addFolder(w, folder, ""); err != nil {
		return err
	}
	for name, text := range files {
		if err := addFile(w, path.Join(folder, name), text); err != nil {
			return err
		}
	}
	return nil
}

// addFolder adds a folder with all that is in dir; an empty folder when dir is
// "".
func addFolder(w *tar.Writer, name, dir string) error {
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755}); err != nil || dir == "" {
		return err
	}
	return filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		inside, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		inside = path.Join(name, filepath.ToSlash(inside))
		switch {
		case entry.IsDir():
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: inside + "/", Mode: 0o755})
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(file)
			if err != nil {
				return err
			}
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: inside, Linkname: target, Mode: 0o777})
		case !entry.Type().IsRegular():
			return nil
		}
		return addDiskFile(w, inside, file)
	})
}

func addDiskFile(w *tar.Writer, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: int64(info.Mode().Perm()), Size: info.Size()}); err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return err
}

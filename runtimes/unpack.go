package runtimes

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// Bounds for what comes out of an archive. The largest runtime today unpacks
// to 250 MB in 6,000 files.
const (
	maxUnpackedBytes = 4 << 30
	maxUnpackedFiles = 200_000
	// maxUnfoldedBytes counts what is passed over too, and archives inside.
	maxUnfoldedBytes = 3 * maxUnpackedBytes
)

// ErrUnsafeArchive says that an archive climbs out of its folder or is larger
// than any release.
var ErrUnsafeArchive = errors.New("unsafe archive")

// unpacker writes chosen files of an archive into a folder.
type unpacker struct {
	root  *os.Root // nothing is written outside it
	keep  []string // path.Match patterns of the files to write
	kept  int
	bytes int64 // left of the bound
	files int   // left of the bound
	read  int64 // left of the bound on what is unfolded, wanted or not
}

// unfolded reads what an archive unfolds to, no more than the bound: an archive
// of a few MB can unfold to so much that passing it over takes for ever.
type unfolded struct {
	from io.Reader
	u    *unpacker
}

func (f unfolded) Read(p []byte) (int, error) {
	n, err := f.from.Read(p)
	if f.u.read -= int64(n); f.u.read < 0 {
		return 0, fmt.Errorf("%w: it unfolds to more than %d bytes", ErrUnsafeArchive, int64(maxUnfoldedBytes))
	}
	return n, err
}

// unpackPackage writes the files of a gzipped tar archive that match keep into
// folder, without the archive's own top folder. A package that has none of
// them but carries a tar archive is read once more from that: so were old
// releases packed. It returns how many bytes were written.
func unpackPackage(archive io.Reader, folder string, keep []string) (int64, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	u := &unpacker{root: root, keep: keep, bytes: maxUnpackedBytes, files: maxUnpackedFiles, read: maxUnfoldedBytes}
	if err := u.unpack(archive, true); err != nil {
		return 0, err
	}
	if u.kept == 0 {
		return 0, fmt.Errorf("the package holds none of %s", strings.Join(keep, ", "))
	}
	return maxUnpackedBytes - u.bytes, nil
}

// unpack reads one archive; nested says whether an archive inside is read too.
func (u *unpacker) unpack(archive io.Reader, nested bool) error {
	gz, err := gzip.NewReader(archive)
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	defer gz.Close()
	for entries := tar.NewReader(unfolded{gz, u}); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpacking: %w", err)
		}
		if u.files--; u.files < 0 {
			return fmt.Errorf("%w: more than %d files", ErrUnsafeArchive, maxUnpackedFiles)
		}
		if path.IsAbs(entry.Name) || strings.Contains("/"+entry.Name+"/", "/../") {
			return fmt.Errorf("%w: entry %q climbs out of the folder", ErrUnsafeArchive, entry.Name)
		}
		_, name, _ := strings.Cut(strings.TrimPrefix(entry.Name, "./"), "/")
		switch {
		case entry.Typeflag != tar.TypeReg:
		case u.wants(name) && entry.Size > u.bytes:
			return fmt.Errorf("%w: more than %d bytes", ErrUnsafeArchive, int64(maxUnpackedBytes))
		case u.wants(name):
			if err := u.write(name, entries); err != nil {
				return err
			}
		case nested && (strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")):
			if err := u.unpack(io.LimitReader(entries, entry.Size), false); err != nil {
				return fmt.Errorf("%s inside the package: %w", path.Base(name), err)
			}
		}
	}
}

func (u *unpacker) wants(name string) bool {
	for _, pattern := range u.keep {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

func (u *unpacker) write(name string, content io.Reader) error {
	if err := u.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("unpacking %q: %w", name, err)
	}
	// Executable whatever the archive says: the kept files are what is run, and
	// some packages leave it to npm's installer to make them so.
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return fmt.Errorf("unpacking %q: %w", name, err)
	}
	n, err := io.Copy(f, io.LimitReader(content, u.bytes+1))
	if u.bytes -= n; u.bytes < 0 {
		err = fmt.Errorf("%w: more than %d bytes", ErrUnsafeArchive, int64(maxUnpackedBytes))
	}
	// Synced, since the folder is renamed into the cache once it is whole and
	// a power cut must not leave empty files behind that name.
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("unpacking %q: %w", name, err)
	}
	u.kept++
	return nil
}

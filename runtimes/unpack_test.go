package runtimes

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// archiveOf makes a gzipped tar archive. Names that end in / are folders, and
// a text "-> x" makes a symbolic link to x.
func archiveOf(t *testing.T, entries ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for _, e := range entries {
		h := &tar.Header{Name: e[0], Mode: 0o644, Size: int64(len(e[1]))}
		if target, link := strings.CutPrefix(e[1], "-> "); link {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, target, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := io.WriteString(w, e[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Name() == cacheTag { // the mark is no part of what a cache holds
			return err
		}
		text, err := os.ReadFile(file)
		name, _ := filepath.Rel(dir, file)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestUnpackBareBinary(t *testing.T) {
	dir := t.TempDir()
	n, err := unpackPackage(bytes.NewReader(archiveOf(t,
		[2]string{"package/package.json", "{}"}, [2]string{"package/bin/node", "binary"}, [2]string{"package/bin/npm", "-> ../lib/npm"},
	)), dir, []string{"bin/node"})
	if err != nil || n != 6 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if files := filesIn(t, dir); len(files) != 1 || files["bin/node"] != "binary" {
		t.Errorf("files %q", files)
	}
	// Some packages carry their program without the permission to run it.
	info, err := os.Stat(filepath.Join(dir, "bin/node"))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestUnpackArchiveInsideThePackage(t *testing.T) {
	inner := archiveOf(t, [2]string{"node-v0.8.6-linux-x64/bin/node", "old binary"}, [2]string{"node-v0.8.6-linux-x64/bin/npm", "-> x"})
	dir := t.TempDir()
	_, err := unpackPackage(bytes.NewReader(archiveOf(t,
		[2]string{"package/package.json", "{}"}, [2]string{"package/node-v0.8.6-linux-x64.tar.gz", string(inner)},
	)), dir, []string{"bin/node"})
	if err != nil {
		t.Fatal(err)
	}
	if files := filesIn(t, dir); len(files) != 1 || files["bin/node"] != "old binary" {
		t.Errorf("files %q", files)
	}
}

func TestUnpackRefuses(t *testing.T) {
	good := archiveOf(t, [2]string{"package/bin/node", strings.Repeat("binary", 1000)})
	nested := archiveOf(t, [2]string{"x/../../evil", "e"})
	for name, tt := range map[string]struct {
		archive []byte
		unsafe  bool
	}{
		"climbs out":                {archiveOf(t, [2]string{"package/../../bin/node", "evil"}), true},
		"absolute":                  {archiveOf(t, [2]string{"/etc/bin/node", "evil"}), true},
		"climbs out one level down": {archiveOf(t, [2]string{"package/x.tgz", string(nested)}), true},
		"the same file twice":       {archiveOf(t, [2]string{"package/bin/node", "a"}, [2]string{"package/bin/node", "b"}), false},
		"holds nothing wanted":      {archiveOf(t, [2]string{"package/lib/node", "x"}), false},
		"cut short":                 {good[:len(good)/2], false},
		"not an archive":            {[]byte("<html>"), false},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "build")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := unpackPackage(bytes.NewReader(tt.archive), dir, []string{"bin/*", "evil"})
			if err == nil || errors.Is(err, ErrUnsafeArchive) != tt.unsafe {
				t.Errorf("err %v", err)
			}
			if _, err := os.Stat(filepath.Join(parent, "evil")); err == nil {
				t.Error("a file was written outside the folder")
			}
		})
	}
}

// A link inside the archive cannot lead a later file out of the folder.
func TestUnpackDoesNotFollowLinks(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "bin")); err != nil {
		t.Fatal(err)
	}
	_, err := unpackPackage(bytes.NewReader(archiveOf(t, [2]string{"package/bin/node", "evil"})), dir, []string{"bin/node"})
	if err == nil || len(filesIn(t, outside)) > 0 {
		t.Errorf("err %v, files outside %v", err, filesIn(t, outside))
	}
}

func TestUnpackBounds(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	archive := archiveOf(t, [2]string{"p/a", strings.Repeat("x", 600)}, [2]string{"p/b", strings.Repeat("x", 600)})
	u := &unpacker{root: root, keep: []string{"*"}, bytes: 1000, files: 10, read: 1 << 20}
	if err := u.unpack(bytes.NewReader(archive), true); !errors.Is(err, ErrUnsafeArchive) {
		t.Errorf("more bytes than allowed: %v", err)
	}
	u = &unpacker{root: root, keep: []string{"-"}, bytes: 1000, files: 1, read: 1 << 20}
	if err := u.unpack(bytes.NewReader(archive), true); !errors.Is(err, ErrUnsafeArchive) {
		t.Errorf("more files than allowed: %v", err)
	}
}

func TestCheckDigest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// Made with sha1sum, and openssl dgst -sha512 -binary | base64.
	const (
		sha1Hex   = "sha1-f572d396fae9206628714fb2ce00f72e94f2258f"
		sha512B64 = "sha512-58IrmUxZ2c8rSOVJseJGZmNgRZMNPafBrLKZ0cO3+TH5Sq5B7dosKyB6NuEPi8uNRSI+VIePWzFufOO2vAGWKQ=="
		otherSHA1 = "sha1-0000000000000000000000000000000000000000"
	)
	for _, good := range []string{sha1Hex, sha512B64, otherSHA1 + " " + sha512B64} {
		if err := checkDigest(file, good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{otherSHA1, strings.Replace(sha512B64, "5", "6", 1), "", "md5-x", "sha512-!!", sha1Hex + " sha512-" + strings.Repeat("A", 86) + "=="} {
		if err := checkDigest(file, bad); !errors.Is(err, ErrIntegrity) {
			t.Errorf("%q: %v, want ErrIntegrity", bad, err)
		}
	}
}

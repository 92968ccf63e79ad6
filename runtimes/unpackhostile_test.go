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

// rawArchive makes a gzipped tar archive of headers that archiveOf does not make.
func rawArchive(t *testing.T, write func(*tar.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	if err := errors.Join(write(w), w.Flush(), w.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entries writes headers with as many letters as each says.
func entries(headers ...tar.Header) func(*tar.Writer) error {
	return func(w *tar.Writer) error {
		for _, h := range headers {
			if h.Mode == 0 {
				h.Mode = 0o644
			}
			if err := w.WriteHeader(&h); err != nil {
				return err
			}
			if _, err := io.WriteString(w, strings.Repeat("x", int(h.Size))); err != nil {
				return err
			}
		}
		return nil
	}
}

// What a hostile archive can hold beside a climbing path. Only plain files come
// out of it, inside the folder, with no more rights than any.
func TestUnpackHostileArchives(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := tar.Header{Name: "package/bin/node", Size: 3}
	for name, tt := range map[string]struct {
		headers []tar.Header
		fails   bool
		files   int
	}{
		"link, then through it": {[]tar.Header{{Name: "package/bin", Typeflag: tar.TypeSymlink, Linkname: outside}, file}, false, 1},
		"link in place of it":   {[]tar.Header{{Name: "package/bin/node", Typeflag: tar.TypeSymlink, Linkname: secret}}, true, 0},
		"hard link outward":     {[]tar.Header{{Name: "package/bin/node", Typeflag: tar.TypeLink, Linkname: secret}}, true, 0},
		"hard link, then file":  {[]tar.Header{{Name: "package/bin/node", Typeflag: tar.TypeLink, Linkname: "../../" + secret}, file}, false, 1},
		"device":                {[]tar.Header{{Name: "package/bin/node", Typeflag: tar.TypeBlock, Devmajor: 8}}, true, 0},
		"pipe":                  {[]tar.Header{{Name: "package/bin/node", Typeflag: tar.TypeFifo}}, true, 0},
		"setuid":                {[]tar.Header{{Name: "package/bin/node", Size: 3, Mode: 0o7777}}, false, 1},
		"NUL in a name":         {[]tar.Header{{Name: "package/bin/no", Size: 1}, {Name: "package/bin/\u202etxt", Size: 1}}, false, 2},
		"folder over a file":    {[]tar.Header{file, {Name: "package/bin/node/x", Size: 1}}, false, 1},
		"another case":          {[]tar.Header{file, {Name: "package/bin/NODE", Size: 3}}, false, 2},
		"a name of 5,000":       {[]tar.Header{{Name: "package/bin/" + strings.Repeat("n", 5000), Size: 3, Format: tar.FormatPAX}}, true, 0},
		"backslashes":           {[]tar.Header{{Name: `package/bin/..\..\x`, Size: 3}}, false, 1},
		"dots":                  {[]tar.Header{{Name: "package/./../package/bin/node", Size: 3}}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "build")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := unpackPackage(bytes.NewReader(rawArchive(t, entries(tt.headers...))), dir, []string{"bin/*"})
			if (err != nil) != tt.fails {
				t.Errorf("got %v", err)
			}
			files := 0
			err = filepath.WalkDir(parent, func(file string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				info, err := entry.Info()
				if err != nil {
					return err
				}
				if !info.Mode().IsRegular() || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) != 0 || info.Mode().Perm()&0o022 != 0 {
					t.Errorf("%s is %v", file, info.Mode())
				}
				if !strings.HasPrefix(file, dir+"/bin/") {
					t.Errorf("%s was written", file)
				}
				files++
				return nil
			})
			if err != nil || files != tt.files {
				t.Errorf("%d files, want %d, %v", files, tt.files, err)
			}
			if text, err := os.ReadFile(secret); string(text) != "secret" || err != nil {
				t.Errorf("what lies outside was changed: %q, %v", text, err)
			}
			if left, err := os.ReadDir(outside); len(left) != 1 || err != nil {
				t.Errorf("a file was written outside: %v, %v", left, err)
			}
		})
	}
}

// zeros is an archive with an entry of so many MiB of nothing, which packs to a
// thousandth.
func zeros(t *testing.T, name string, mib int) []byte {
	t.Helper()
	return rawArchive(t, func(w *tar.Writer) error {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(mib) << 20}); err != nil {
			return err
		}
		for range mib {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
		}
		return nil
	})
}

// What unfolds to very much is given up, whether it is wanted, passed over, or in
// an archive inside.
func TestUnpackGivesUpBombs(t *testing.T) {
	bomb := zeros(t, "package/big", 20)
	if len(bomb) > 100<<10 {
		t.Fatalf("%d bytes are no bomb", len(bomb))
	}
	nested := rawArchive(t, func(w *tar.Writer) error {
		for _, name := range []string{"package/a.tgz", "package/b.tgz"} {
			if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(bomb))}); err != nil {
				return err
			}
			if _, err := w.Write(bomb); err != nil {
				return err
			}
		}
		return nil
	})
	var huge bytes.Buffer // a header alone
	gz := gzip.NewWriter(&huge)
	if err := errors.Join(tar.NewWriter(gz).WriteHeader(&tar.Header{Name: "package/big", Mode: 0o644, Size: 1 << 40}), gz.Close()); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		archive      []byte
		keep         string
		bytes, read  int64
		unsafe, none bool
	}{
		"within":            {bomb, "big", 30 << 20, 30 << 20, false, false},
		"wanted":            {bomb, "big", 10 << 20, 30 << 20, true, true},
		"passed over":       {bomb, "other", 10 << 20, 10 << 20, true, true},
		"in archives":       {nested, "other", 10 << 20, 30 << 20, true, true},
		"says it is larger": {huge.Bytes(), "big", 10 << 20, 30 << 20, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := os.OpenRoot(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			u := &unpacker{root: root, keep: []string{tt.keep}, bytes: tt.bytes, files: 10, read: tt.read}
			if err := u.unpack(bytes.NewReader(tt.archive), true); errors.Is(err, ErrUnsafeArchive) != tt.unsafe || err != nil && !tt.unsafe {
				t.Errorf("got %v", err)
			}
			info, err := root.Stat("big")
			if tt.none && err == nil && info.Size() > tt.bytes {
				t.Errorf("%d bytes were written", info.Size())
			}
		})
	}
}

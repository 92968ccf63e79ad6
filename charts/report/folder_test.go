package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// counting adds up what is written.
func counting(write func(io.Writer) error, size *int64) func(io.Writer) error {
	return func(w io.Writer) error {
		return write(writerFunc(func(b []byte) (int, error) {
			*size += int64(len(b))
			return w.Write(b)
		}))
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func textFile(name, text string) File {
	return File{Path: name, Write: func(w io.Writer) error { _, err := io.WriteString(w, text); return err }}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// only fails unless a folder holds just the named entries.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %v, want %v", dir, got, names)
	}
}

func TestFolderIsReplacedAsAWhole(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "public")
	if err := Write(dir, []File{textFile("index.html", "one"), textFile("a/b.html", "one")}); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, []File{textFile("index.html", "two")}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "index.html")); got != "two" {
		t.Errorf("it holds %q", got)
	}
	only(t, dir, "index.html", markerName)
	broken := errors.New("broken")
	err := Write(dir, []File{textFile("index.html", "three"), {Path: "x.html", Write: func(io.Writer) error { return broken }}})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if got := read(t, filepath.Join(dir, "index.html")); got != "two" {
		t.Errorf("after a failure it holds %q", got)
	}
	only(t, parent, "public")
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder's rights: %v, %v", info.Mode(), err)
	}
	link := filepath.Join(parent, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []File{textFile("index.html", "four")}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "index.html")); got != "four" {
		t.Errorf("through a link it became %q", got)
	}
}

func TestFolderThatIsNoReport(t *testing.T) {
	files := []File{textFile("index.html", "new")}
	for name, prepare := range map[string]func(dir string) error{
		"a file": func(dir string) error { return os.WriteFile(dir, nil, 0o644) },
		"somebody's folder": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(dir+"/thesis.txt", nil, 0o644))
		},
		"another program's": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(dir+"/"+markerName, []byte(`{"files":[]}`), 0o644))
		},
		"a report and a file": func(dir string) error { return errors.Join(Write(dir, files), os.WriteFile(dir+"/CNAME", nil, 0o644)) },
		"a report, and folder": func(dir string) error {
			return errors.Join(Write(dir, files), os.MkdirAll(dir+"/.git/objects", 0o755), os.WriteFile(dir+"/.git/HEAD", nil, 0o644))
		},
	} {
		dir := filepath.Join(t.TempDir(), "x")
		if err := prepare(dir); err != nil {
			t.Fatal(name, err)
		}
		err := Write(dir, files)
		if _, refused := errors.AsType[*FolderError](err); !refused {
			t.Errorf("%s: error %v", name, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), dir+": ") {
			t.Errorf("%s: %v does not begin with the folder", name, err)
		}
	}
	empty := t.TempDir()
	if err := Write(empty, files); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	if err := Write(filepath.Join(t.TempDir(), "none", "x"), files); err == nil {
		t.Error("a folder below none was written")
	}
}

func TestWhatWasLeftBesideAReportIsRemoved(t *testing.T) {
	parent, elsewhere := t.TempDir(), t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for _, name := range []string{".versweep-report-1", ".versweep-report-2", ".versweep-report-3x", ".versweep-report-", "x.versweep-report-4"} {
		if err := os.MkdirAll(filepath.Join(parent, name, "new"), 0o755); err != nil {
			t.Fatal(err)
		}
		if name == ".versweep-report-2" {
			continue // that one may be in use
		}
		if err := os.Chtimes(filepath.Join(parent, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(parent, ".versweep-report-5")
	if err := errors.Join(
		os.WriteFile(file, nil, 0o600), os.Chtimes(file, old, old),
		os.WriteFile(filepath.Join(elsewhere, "kept"), nil, 0o600), os.Chtimes(elsewhere, old, old),
		os.Symlink(elsewhere, filepath.Join(parent, ".versweep-report-6")),
	); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(parent, "public"), []File{textFile("index.html", "one")}); err != nil {
		t.Fatal(err)
	}
	only(t, parent, ".versweep-report-", ".versweep-report-2", ".versweep-report-3x", ".versweep-report-5", ".versweep-report-6", "public", "x.versweep-report-4")
	only(t, elsewhere, "kept")
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("full") }

// What a disk refuses is told once, whether it comes while a file is written or at its
// end.
func TestRefusedFileIsToldOnce(t *testing.T) {
	for _, bytes := range []int{1, 1 << 20} {
		f := File{Path: "x", Write: func(w io.Writer) error {
			_, err := w.Write(make([]byte, bytes))
			return err
		}}
		if err := f.writeTo(fullDisk{}); err == nil || err.Error() != "full" {
			t.Errorf("%d bytes: %v", bytes, err)
		}
	}
}

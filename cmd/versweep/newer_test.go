package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Issue 7: a store that a newer versweep made is refused by every command, and
// left as it is to the byte, with what is in its -wal file. testdata/newer holds
// one whose process still had it open.
func TestEveryCommandLeavesANewerStoreAlone(t *testing.T) {
	commands := map[string][]string{
		"run":     {"run", "node", "--versions", "20.0.0", "--yes"},
		"resume":  {"resume"},
		"table":   {"table", "node"},
		"chart":   {"chart", "node", "-o", "x.png"},
		"check":   {"check", "node"},
		"nightly": {"nightly", "--config", "versweep.yaml"},
		"bisect":  {"bisect", "node", "18.0.0", "20.0.0"},
		"compare": {"compare", "node", "18.0.0", "20.0.0"},
		"ack":     {"ack", "node-qps-20.0.0"},
		"report":  {"report", "-o", "pages"},
		"serve":   {"serve", "--listen", "127.0.0.1:0"},
		"import":  {"import", "csv", "figures.csv"},
		"export":  {"export", "csv", "node"},
		"gc":      {"gc"},
		"merge":   {"merge", "newer/versweep.db", "other.db"},
	}
	without := []string{"targets", "init", "versions", "load", "doctor", "man", "completion", "help", "plan", "work", "load-engine"}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("figures.csv", []byte("target,version,round,qps\nx,1.0.0,1,100\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("versweep.yaml", []byte("targets: [{name: node}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range (&app{stdout: io.Discard, stderr: io.Discard}).command().Commands() {
		args, reads := commands[c.Name()]
		if !reads {
			if !slices.Contains(without, c.Name()) {
				t.Errorf("%s: does it use the store?", c.Name())
			}
			continue
		}
		t.Run(c.Name(), func(t *testing.T) {
			folder := t.TempDir()
			was := newerStore(t, folder)
			var stdout, stderr bytes.Buffer
			status := run(append(args, "--db", filepath.Join(folder, "versweep.db")), strings.NewReader(""), &stdout, &stderr)
			if status != exitFailure || stdout.Len() > 0 || !strings.Contains(stderr.String(), "made by a newer versweep (schema 90001; this one knows up to ") ||
				!strings.Contains(stderr.String(), "hint: use the newer versweep; the file was left as it is") {
				t.Errorf("status %d\n%s%s", status, &stdout, &stderr)
			}
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				is, err := os.ReadFile(filepath.Join(folder, e.Name()))
				if err != nil || !bytes.Equal(is, was[e.Name()]) && !strings.HasSuffix(e.Name(), "-shm") {
					t.Errorf("%s was changed, or made: %v", e.Name(), err)
				}
			}
			if len(entries) < len(was) {
				t.Errorf("%d files are left of %d", len(entries), len(was))
			}
		})
	}
}

// newerStore writes the files of the newer store into folder and returns them.
func newerStore(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"versweep.db", "versweep.db-wal"} {
		f, err := os.Open(filepath.Join(testdata, "newer", name+".gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		if files[name], err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), files[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// testdata is the folder of that name, wherever a test works.
var testdata = func() string {
	folder, err := filepath.Abs("testdata")
	if err != nil {
		panic(err)
	}
	return folder
}()

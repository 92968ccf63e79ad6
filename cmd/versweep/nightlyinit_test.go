package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"versweep/cmd/versweep/settings"
	"versweep/docs"
)

// nightlyLine carries out a command line below nightly in the working folder.
func nightlyLine(args ...string) (stdout, stderr string, status int) {
	a, out, told := nightlyApp()
	parent := &cobra.Command{Use: "nightly", SilenceErrors: true, SilenceUsage: true}
	parent.AddCommand(a.nightlyInitCommand(), a.nightlySchemaCommand())
	parent.PersistentFlags().BoolVar(&a.json, "json", false, "")
	parent.SetArgs(args)
	if err := parent.Execute(); err != nil {
		status = a.tell(context.Background(), err)
	}
	return out.String(), told.String(), status
}

func TestNightlyInitWritesWhatWorks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", dir)
	if out, told, status := nightlyLine("init"); out != "wrote versweep.yaml\nwrote nightly.schema.json\nnext: versweep nightly\n" || told != "" || status != 0 {
		t.Errorf("%d %s%s", status, out, told)
	}
	a, _, stderr := nightlyApp()
	s, err := a.readNightly(context.Background(), settings.Name, noFlag)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.targets) != 1 || s.targets[0].selection.Range != ">=20" || a.db != "versweep.db" || s.outputs.charts != "charts/{target}.png" {
		t.Errorf("%+v %s", s, stderr)
	}
	if text, err := os.ReadFile(nightlySchemaFile); err != nil || !bytes.Equal(text, docs.NightlySchema) {
		t.Errorf("another schema, %v", err)
	}
	if out, _, status := nightlyLine("schema"); status != 0 || out != string(docs.NightlySchema) {
		t.Errorf("%d %s", status, out)
	}

	// Nothing is overwritten.
	if err := os.WriteFile(settings.Name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, told, status := nightlyLine("init"); told != "versweep: versweep.yaml is there already\nhint: name another file, or move what is there away\n" || status != exitMisuse {
		t.Errorf("%d %s", status, told)
	}
	if text, err := os.ReadFile(settings.Name); err != nil || string(text) != "mine" {
		t.Errorf("%s %v", text, err)
	}

	// Elsewhere, beside a schema of something else.
	if err := os.Mkdir("a b", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("a b/nightly.schema.json", []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, told, status := nightlyLine("init", "a b/x.yaml", "--json")
	if want := `"next": [
    "versweep nightly --config 'a b/x.yaml'"
  ]`; status != 0 || !strings.Contains(out, want) || !strings.HasPrefix(told, "warning: a b/nightly.schema.json is something else and was left as it is") {
		t.Errorf("%d %s%s", status, out, told)
	}
	if _, told, status := nightlyLine("init", "no/x.yaml"); status != exitFailure || !strings.Contains(told, "hint: name a file in a folder that is there") {
		t.Errorf("%d %s", status, told)
	}
	if _, err := os.Stat(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

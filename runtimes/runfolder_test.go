//go:build linux

package runtimes

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestOnlyFoldersOfGoneProcessesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	this := os.Getpid()
	want := map[string]bool{
		runFolder() + "123": true, // ours, in use
		fmt.Sprintf("%s%s-%d-1-123", runFolderPrefix, thisMachine(), this):  false, // this number, another start
		fmt.Sprintf("%s%s-999999999-5-123", runFolderPrefix, thisMachine()): false, // no such process
		fmt.Sprintf("%s00000000-%d-1-123", runFolderPrefix, this):           true,  // another machine's
		runFolderPrefix + "123": true, // not in this form
		"another-folder":        true,
	}
	for name := range want {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeRunFolders(dir); err != nil {
		t.Fatal(err)
	}
	for name, stays := range want {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: stays %v, want %v", name, err == nil, stays)
		}
	}
}

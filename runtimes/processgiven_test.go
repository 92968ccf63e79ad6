//go:build linux

package runtimes

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"versweep/sweep"
)

// What a server that runs as a process is given of this one: little.
func TestWhatAProcessIsGiven(t *testing.T) {
	plantSecrets(t)
	// A descriptor that this program was started with, as a shell's "9>lock"
	// gives one.
	lock := filepath.Join(t.TempDir(), "lock")
	fd, err := syscall.Open(lock, syscall.O_CREAT|syscall.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	given := func() []string {
		_, err := startFake(t, "looks around", nil)
		failed, ok := errors.AsType[*sweep.StartError](err)
		if !ok || len(failed.Log) == 0 || !strings.Contains(failed.Reason, "exit status 7") {
			t.Fatalf("got %v", err)
		}
		return failed.Log
	}
	if log := given(); !strings.Contains(strings.Join(log, "\n"), lock) {
		t.Fatalf("the test sees no descriptors: %q", log)
	}
	if err := KeepDescriptors(); err != nil {
		t.Fatal(err)
	}
	var variables, descriptors []string
	for _, line := range given() {
		switch what, rest, _ := strings.Cut(line, " "); what {
		case "variable":
			name, value, _ := strings.Cut(rest, "=")
			variables = append(variables, name)
			if name == "HOME" && !strings.Contains(value, runFolderPrefix) {
				t.Errorf("its home is %s, which others may write to", value)
			}
		case "descriptor":
			descriptors = append(descriptors, rest)
		case "folder":
			if !strings.Contains(rest, runFolderPrefix) || !strings.HasSuffix(rest, "drwx------") {
				t.Errorf("its folder: %s", rest)
			}
		case "leads":
			if line != "leads its group true" {
				t.Error("it is in the group of others")
			}
		}
		for _, secret := range guestSecrets {
			if strings.Contains(line, secret) {
				t.Errorf("it is given a secret: %s", line)
			}
		}
	}
	if want := []string{"FAKE_SERVER", "HOME", "LANG", "PATH", "PORT"}; !slices.Equal(slices.Sorted(slices.Values(variables)), want) {
		t.Errorf("variables %q, want %q", variables, want)
	}
	streams := regexp.MustCompile(`^0 /dev/null$|^[12] pipe:`)
	for _, d := range descriptors {
		if !streams.MatchString(d) {
			t.Errorf("it has descriptor %s", d)
		}
	}
	if len(descriptors) != 3 {
		t.Errorf("descriptors %q", descriptors)
	}
}

// A folder of another user in the shared folder for temporary files is no
// obstacle, and what a link leads to is not touched.
func TestFoldersOfOthersStay(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	kept := filepath.Join(outside, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, runFolderPrefix+"999999999-5-link")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, runFolderPrefix+"999999999-5-other")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := os.Chown(folder, 12345, 12345) == nil // only root may
	if err := removeRunFolders(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(link); err != nil {
		t.Error("a link that only has such a name was removed")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error("what a link leads to was removed")
	}
	if _, err := os.Stat(folder); (err == nil) != foreign {
		t.Errorf("the folder stays %v, want %v", err == nil, foreign)
	}
}

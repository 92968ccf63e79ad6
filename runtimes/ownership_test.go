//go:build unix

package runtimes

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUntrustedFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "targets")
	if why := UntrustedFolder(folder); why != "" {
		t.Errorf("one that is not there: %s", why)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if why := UntrustedFolder(folder); why != "" {
		t.Errorf("one's own: %s", why)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if why := UntrustedFolder(folder); why != "every user may write to it" {
		t.Errorf("everybody's: %q", why)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Chown(folder, 12345, 12345) != nil {
		t.Skip("left out: only root can make a folder of another user")
	}
	if why := UntrustedFolder(folder); why != "it belongs to another user" {
		t.Errorf("another user's: %q", why)
	}
}

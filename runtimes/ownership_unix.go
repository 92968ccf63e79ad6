//go:build unix

package runtimes

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByThisUser tells whether a file is of the user that this process runs
// as; false where nothing says so.
func ownedByThisUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// UntrustedFolder says why a folder of targets that nobody named is not to be
// read; empty where it may be, or is not there. Definitions hold commands, which
// run as the user that sweeps: those that another user of the machine has put
// beside a store, in a shared folder, must not be taken unasked.
func UntrustedFolder(folder string) string {
	info, err := os.Stat(folder)
	if err != nil {
		return ""
	}
	const writableByAll = 0o002
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return "it belongs to another user"
	case info.Mode().Perm()&writableByAll != 0:
		return "every user may write to it"
	}
	return ""
}

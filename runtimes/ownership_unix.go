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

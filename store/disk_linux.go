package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// ownDisks are kinds of file systems that one kernel has to itself. All others may be
// shared with other machines, or guests of this one, that do not see its locks.
var ownDisks = []int64{
	unix.EXT4_SUPER_MAGIC, // ext2 and ext3 too
	unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC,
	0x2fc12fc1, // ZFS
	0xca451a4e, // bcachefs
}

// onOwnDisk tells whether a file's folder is on a disk that only this kernel has.
func onOwnDisk(file string) bool {
	var at unix.Statfs_t
	return unix.Statfs(filepath.Dir(file), &at) == nil && slices.Contains(ownDisks, int64(uint32(at.Type)))
}

// bootID is another one after each start of the kernel; empty when it is not told.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// isFull tells whether a folder takes no more, be it bytes, files or what this user
// may have. It tries, with a file that has no name.
func isFull(folder string) bool {
	full := func(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }
	fd, err := unix.Open(folder, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return full(err)
	}
	defer unix.Close(fd)
	// As much as SQLite needs at once beside a store: a -shm file, a page.
	n, err := unix.Write(fd, make([]byte, 64<<10))
	return full(err) || err == nil && n < 64<<10 || full(unix.Fsync(fd))
}

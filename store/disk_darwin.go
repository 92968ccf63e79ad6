package store

import "golang.org/x/sys/unix"

// onOwnDisk is false: container engines on a Mac share its folders with a kernel of
// their own, which does not see its locks.
func onOwnDisk(string) bool { return false }

// bootID is another one after each start of the kernel; empty when it is not told.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

// isFull tells whether a folder's disk has hardly any room.
func isFull(folder string) bool {
	free, err := freeBytes(folder)
	return err == nil && free < 64<<10
}

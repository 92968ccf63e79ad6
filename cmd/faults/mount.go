//go:build linux

package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// smallDisk makes an empty file system of so many bytes at a new folder.
func smallDisk(at string, bytes int64) error {
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("faults", at, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		return fmt.Errorf("mounting a small disk at %s: %w", at, err)
	}
	return nil
}

// resizeDisk gives it more room, or makes it read-only.
func resizeDisk(at string, bytes int64, readOnly bool) error {
	flags := uintptr(unix.MS_REMOUNT)
	if readOnly {
		flags |= unix.MS_RDONLY
	}
	if err := unix.Mount("faults", at, "tmpfs", flags, fmt.Sprintf("size=%d", bytes)); err != nil {
		return fmt.Errorf("changing the small disk at %s: %w", at, err)
	}
	return nil
}

func unmount(at string) error {
	if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmounting %s: %w", at, err)
	}
	return nil
}

// fill writes a file until the disk is full.
func fill(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2 // what is left is less than that
		}
	}
	return nil
}

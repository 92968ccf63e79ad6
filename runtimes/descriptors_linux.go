package runtimes

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// KeepDescriptors keeps what this process was started with, beside its three
// standard streams, from the processes that it starts: the descriptors of a lock
// or of a service manager are no business of a release. It is for the beginning
// of a program, when nothing else opens files.
func KeepDescriptors() error {
	const firstOwn = 3
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("keeping descriptors from servers: %w", err)
	}
	for _, d := range open {
		if n, err := strconv.Atoi(d.Name()); err == nil && n >= firstOwn {
			unix.CloseOnExec(n)
		}
	}
	return nil
}

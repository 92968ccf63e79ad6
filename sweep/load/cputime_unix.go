//go:build unix

package load

import (
	"syscall"
	"time"
)

// cpuTime is the CPU time, user and system, used by all threads of the process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

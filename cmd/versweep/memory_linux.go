package main

import "golang.org/x/sys/unix"

// ownPeakRSS is this process's highest resident memory in bytes; 0 when unknown.
func ownPeakRSS() uint64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return uint64(u.Maxrss) << 10 // Linux counts in KiB
}

//go:build !linux

package load

import "runtime"

// pin does nothing: only Linux lets a process choose its CPUs.
func pin([]int) error { return nil }

// usableCPUs is the number of CPUs that the process may run on, at least 1.
func usableCPUs() int { return runtime.NumCPU() }

package load

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// pin moves every thread of the process onto the given CPUs; threads started
// later inherit them. It fails if one of the CPUs does not exist or may not be
// used.
func pin(cpus []int) error {
	if len(cpus) == 0 {
		return nil
	}
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if set.Count() == 0 {
		return misuse("cpus", "%v are beyond this machine", cpus)
	}
	// A thread may be started by one that was not moved yet, so go on until a
	// pass meets nobody new.
	moved := map[int]bool{}
	for again := true; again; {
		again = false
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return fmt.Errorf("listing own threads: %w", err)
		}
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err != nil || moved[id] {
				continue
			}
			if err := unix.SchedSetaffinity(id, &set); err != nil && err != unix.ESRCH {
				return misuse("cpus", "running on %v: %v", cpus, err)
			}
			moved[id], again = true, true
		}
	}
	return nil
}

// usableCPUs is the number of CPUs that the process may run on, at least 1.
func usableCPUs() int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return 1
	}
	return max(1, set.Count())
}

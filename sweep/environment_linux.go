package sweep

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// UsableCPUs lists the CPUs that this process may run on, ascending.
func UsableCPUs() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var cpus []int
	for cpu := range maxCPU + 1 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// ProbeEnvironment reads what this machine tells about itself. What it does
// not tell stays empty; launcher, engine and CPU sets are the caller's to add.
func ProbeEnvironment() Environment {
	e := Environment{Cores: len(UsableCPUs()), OS: runtime.GOOS + "/" + runtime.GOARCH, Method: MethodVersion}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		e.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	ThisMachine().addFacts(&e)
	return e
}

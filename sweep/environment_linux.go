package sweep

import (
	"os"
	"runtime"
	"strconv"
	"strings"

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
	cpu := cpuinfo()
	e := Environment{
		CPU: cpu["model name"], Microcode: cpu["microcode"], Cores: len(UsableCPUs()),
		Governor: firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		OS:       runtime.GOOS + "/" + runtime.GOARCH,
		Method:   MethodVersion,
	}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		e.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	if fields := strings.Fields(firstLine("/proc/meminfo")); len(fields) >= 2 { // MemTotal: N kB
		if kib, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
			e.Memory = kib << 10
		}
	}
	return e
}

// cpuinfo holds the first CPU's lines of /proc/cpuinfo by name.
func cpuinfo() map[string]string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(b), "\n\n")
	lines := map[string]string{}
	for line := range strings.Lines(first) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return lines
}

func firstLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

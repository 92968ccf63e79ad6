package load

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// PeakRSS is the highest resident memory, in bytes, that a process has had
// since it began to run its program; 0 when unknown. (The ru_maxrss of
// getrusage(2) would count the memory of the process that started it.)
func PeakRSS(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCPU bounds CPU numbers in lists that people write.
const maxCPU = 1023

// ParseCPUs reads a list of CPU numbers such as "0-3,6" into ascending order.
func ParseCPUs(list string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		first, err := strconv.Atoi(low)
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(high)
		}
		if err != nil || first < 0 || last < first || last > maxCPU {
			return nil, fmt.Errorf("CPU list %q: %q is neither a CPU number nor a range such as 0-3", list, part)
		}
		for cpu := first; cpu <= last; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// FormatCPUs is the reverse of ParseCPUs: "0-3,6". cpus is ascending.
func FormatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if j > i {
			parts = append(parts, fmt.Sprintf("%d-%d", cpus[i], cpus[j]))
		} else {
			parts = append(parts, strconv.Itoa(cpus[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// SplitCPUs divides the CPUs that this process may use into disjoint sets: the
// first n for the server, the rest for the load engine. At least one is left
// for the load engine; with a single CPU both sets are that one, and shared is
// true.
func SplitCPUs(usable []int, n int) (server, load []int, shared bool) {
	if len(usable) < 2 {
		return usable, usable, true
	}
	n = max(1, min(n, len(usable)-1))
	return usable[:n], usable[n:], false
}

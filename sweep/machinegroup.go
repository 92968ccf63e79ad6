package sweep

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// GroupCounters is what the kernel counted for a control group.
type GroupCounters struct {
	Throttled   time.Duration // that a CPU quota, its own or one above, kept it from running; summed over its CPUs
	OutOfMemory int64         // its processes that were killed for want of memory
}

// Group reads the counters of the control groups that a process is in, of
// version 1 or 2; both are zero where they cannot be read.
func (m Machine) Group(pid int) GroupCounters {
	var c GroupCounters
	for line := range strings.Lines(m.text(fmt.Sprintf("proc/%d/cgroup", pid))) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(fields) != 3 {
			continue
		}
		controllers := strings.Split(fields[1], ",")
		for _, controller := range controllers {
			switch controller {
			case "": // version 2, alone or beside version 1
				for _, root := range []string{groupRoot, groupRoot + "/unified"} {
					c.Throttled += m.throttled(root, fields[2], "throttled_usec", time.Microsecond)
					c.OutOfMemory += m.counter(path.Join(root, fields[2], "memory.events"), "oom_kill")
				}
			case "cpu":
				c.Throttled += m.throttled(path.Join(groupRoot, fields[1]), fields[2], "throttled_time", time.Nanosecond)
			case "memory":
				c.OutOfMemory += m.counter(path.Join(groupRoot, fields[1], fields[2], "memory.oom_control"), "oom_kill")
			}
		}
	}
	return c
}

// groupRoot is where control groups are mounted.
const groupRoot = "sys/fs/cgroup"

// throttled adds up a group and those above it: each counts its own quota only.
func (m Machine) throttled(root, group, name string, unit time.Duration) time.Duration {
	var sum time.Duration
	for {
		sum += time.Duration(m.counter(path.Join(root, group, "cpu.stat"), name)) * unit
		if group == "/" || group == "." {
			return sum
		}
		group = path.Dir(group)
	}
}

// counter is one number of a table; 0 when it is not there.
func (m Machine) counter(file, name string) int64 {
	return parseInt(m.table(file)[name])
}

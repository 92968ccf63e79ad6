package sweep

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// process is a process of the machine and the CPU time that it has used.
type process struct {
	pid, parent int
	name        string
	cpu         time.Duration
}

// processes lists those that /proc shows.
func (m Machine) processes() map[int]process {
	found := map[int]process{}
	for _, dir := range m.glob("proc/[0-9]*") {
		pid, err := strconv.Atoi(path.Base(dir))
		if err != nil {
			continue
		}
		stat := m.text(dir + "/stat")
		// The name in parentheses may hold anything, so count from its end.
		open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
		if open < 0 || end < open {
			continue
		}
		fields := strings.Fields(stat[end+1:]) // from the state on
		if len(fields) < 13 {
			continue
		}
		p := process{pid: pid, parent: int(parseInt(fields[1])), name: stat[open+1 : end]}
		p.cpu = time.Duration(parseInt(fields[11])+parseInt(fields[12])) * clockTick
		found[pid] = p
	}
	return found
}

// busiest lists the processes, at most three, that used the most CPU between
// two looks, with what they used; self is left out.
func busiest(before, after map[int]process, self int) []process {
	var busy []process
	for pid, p := range after {
		if p.cpu -= before[pid].cpu; p.cpu > 0 && pid != self && p.parent != self {
			busy = append(busy, p)
		}
	}
	slices.SortFunc(busy, func(a, b process) int { return cmp.Or(cmp.Compare(b.cpu, a.cpu), cmp.Compare(a.pid, b.pid)) })
	return busy[:min(len(busy), 3)]
}

// quota is the number of CPUs' worth of time that a process may use by its
// control groups; 0 when there is no limit.
func (m Machine) quota(pid int) float64 {
	var least float64
	limit := func(quota, period int64) {
		if quota > 0 && period > 0 && (least == 0 || float64(quota)/float64(period) < least) {
			least = float64(quota) / float64(period)
		}
	}
	for line := range strings.Lines(m.text(fmt.Sprintf("proc/%d/cgroup", pid))) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		for group := fields[2]; ; group = path.Dir(group) {
			if fields[1] == "" {
				quota, period, _ := strings.Cut(m.text(path.Join(groupRoot, group, "cpu.max")), " ")
				limit(parseInt(quota), parseInt(period)) // "max" is 0: no limit
			} else if slices.Contains(strings.Split(fields[1], ","), "cpu") {
				dir := path.Join(groupRoot, fields[1], group)
				limit(parseInt(m.text(dir+"/cpu.cfs_quota_us")), parseInt(m.text(dir+"/cpu.cfs_period_us")))
			}
			if group == "/" || group == "." {
				break
			}
		}
	}
	return least
}

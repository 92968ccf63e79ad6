package runtimes

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"versweep/sweep"
	"versweep/sweep/load"
)

// treeUsage adds up what a process and its descendants have used. CPU time is
// the kernel's scheduler clock, in nanoseconds, since the ticks in
// /proc/PID/stat are as coarse as 1 % of a one-second window. Peak memory is
// the sum of each process's own peak, pages that they share counted for each.
func treeUsage(root int) (sweep.Usage, error) {
	u := sweep.Usage{GroupCounters: sweep.ThisMachine().Group(root)}
	for _, pid := range processTree(root) {
		cpu, err := processCPU(pid)
		if err != nil {
			if pid == root {
				return sweep.Usage{}, err
			}
			continue // a child that has ended meanwhile
		}
		u.CPU += cpu
		u.PeakRSS += load.PeakRSS(pid)
	}
	return u, nil
}

// processCPU reads the CPU-time clock of another process: user and system time
// of all its threads, ended ones included.
func processCPU(pid int) (time.Duration, error) {
	// clock_getcpuclockid(3) for the scheduler's clock: ~pid << 3 | 2.
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &ts); err != nil {
		return 0, fmt.Errorf("reading the CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// processTree lists root and all its descendants, root first.
func processTree(root int) []int { return allProcesses().tree(root) }

// processTable says how the machine's processes hang together.
type processTable struct {
	children map[int][]int
	group    map[int]int // process group by process
}

// allProcesses reads /proc. It is empty where that cannot be read.
func allProcesses() processTable {
	t := processTable{map[int][]int{}, map[int]int{}}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return t
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		fields := statFields(filepath.Join("/proc", e.Name()))
		if len(fields) < 3 {
			continue // it has ended meanwhile
		}
		parent, err := strconv.Atoi(fields[1])
		group, groupErr := strconv.Atoi(fields[2])
		if err == nil && groupErr == nil {
			t.children[parent] = append(t.children[parent], pid)
			t.group[pid] = group
		}
	}
	return t
}

// tree lists root and all its descendants, root first.
func (t processTable) tree(root int) []int {
	tree := []int{root}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, t.children[tree[i]]...)
	}
	return tree
}

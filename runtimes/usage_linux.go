package runtimes

import (
	"bytes"
	"fmt"
	"os"
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
func processTree(root int) []int {
	children := map[int][]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return []int{root}
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			parent := parentOf(pid)
			children[parent] = append(children[parent], pid)
		}
	}
	tree := []int{root}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i]]...)
	}
	return tree
}

// parentOf is a process's parent; 0 when unknown.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold anything, so count from its end:
	// state, then parent.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return parent
}

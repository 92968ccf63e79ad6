package runtimes

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// memoryPace is how often a build's memory is looked at: a process can fill some
// hundred MiB meanwhile, for which a quarter of the machine's memory is left.
const memoryPace = 100 * time.Millisecond

// watch looks after the memory of a build by its first process, which leads a
// process group. What descends from it or is in its group counts. A build that
// takes too much is killed; stop then says why. It has to be called.
//
// RLIMIT_AS is no such bound, since Node.js and Go reserve far more address
// space than they use, and counts for each process alone; control groups can be
// made by root or under systemd only.
func (m *buildMemory) watch(leader int) (stop func() error) {
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		defer m.release(leader)
		pace := time.NewTicker(memoryPace)
		defer pace.Stop()
		var reason error
		for {
			select {
			case <-done:
				ended <- reason
				return
			case <-pace.C:
			}
			pids := buildProcesses(leader)
			if reason == nil {
				reason = m.look(leader, pids)
			}
			if reason != nil { // until all are gone
				signalGroup(leader, true)
				for _, pid := range pids {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
		}
	}()
	return func() error {
		close(done)
		return <-ended
	}
}

// look says whether a build of these processes has to end. Pages that several
// share are counted once, which takes long and is done only where it decides.
func (m *buildMemory) look(leader int, pids []int) error {
	var rough, exact int64
	each := make([]int64, len(pids))
	for i, pid := range pids {
		each[i], _ = memoryIn(pid, "status", "VmRSS", "VmSwap") // none when it is gone
		rough += each[i]
	}
	if m.fits(leader, rough) {
		return nil
	}
	for i, pid := range pids {
		bytes, ok := memoryIn(pid, "smaps_rollup", "Pss", "SwapPss")
		if !ok { // another user's, or the kernel is old
			bytes = each[i]
		}
		exact += bytes
	}
	return m.hold(leader, exact)
}

// memoryIn adds up figures of a file in a process's folder in /proc, in bytes;
// false when it cannot be read.
func memoryIn(pid int, file string, names ...string) (sum int64, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if fields := strings.Fields(value); slices.Contains(names, name) && len(fields) > 0 {
			kib, err := strconv.ParseInt(fields[0], 10, 64)
			if err != nil {
				return 0, false
			}
			sum += kib << 10
		}
	}
	return sum, true
}

// buildProcesses lists the processes that descend from leader or are in its
// process group, and those that descend from these.
func buildProcesses(leader int) []int {
	processes := allProcesses()
	found := map[int]bool{}
	var list []int
	add := func(pid int) {
		for _, p := range processes.tree(pid) {
			if !found[p] {
				found[p] = true
				list = append(list, p)
			}
		}
	}
	add(leader)
	for pid, group := range processes.group {
		if group == leader {
			add(pid)
		}
	}
	return list
}

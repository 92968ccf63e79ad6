//go:build linux

package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// serverOf finds the running server of a version, a container or else a
// process; "any" is of whichever. atWork wants one that answers requests. Empty
// when there is none.
func (b *bench) serverOf(version string, atWork bool) (container string, pid int) {
	if b.engine != nil {
		filters := []string{"label=versweep.target=" + targetName, "status=running"}
		if version != "any" {
			filters = append(filters, "label=versweep.version="+version)
		}
		ids, err := b.engine.containers(filters...)
		if err != nil {
			return "", 0
		}
		for _, id := range ids {
			log, err := b.engine.docker("logs", id)
			if err == nil && b.owns(id) && (!atWork || strings.Contains(log, "busy")) {
				return id, 0
			}
		}
		return "", 0
	}
	for _, pid := range processesWith(b.mark) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		args := strings.Split(string(line), "\x00") // server HOW VERSION …
		if args[0] == b.suite.server && (version == "any" || args[2] == version) && (!atWork || cpuTicks(pid) > 5) {
			return "", pid
		}
	}
	return "", 0
}

// killServer kills the server of a version once it is at work; false while there
// is none.
func (b *bench) killServer(version string) bool {
	container, pid := b.serverOf(version, true)
	switch {
	case container != "":
		_, err := b.engine.docker("kill", container)
		return err == nil
	case pid != 0:
		return syscall.Kill(pid, syscall.SIGKILL) == nil
	}
	return false
}

// cpuTicks is how much CPU time a process has used, in hundredths of a second;
// -1 when there is none. What works on requests uses some.
func cpuTicks(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return -1
	}
	var user, system int
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return user + system
}

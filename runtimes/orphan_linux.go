package runtimes

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// orphanTime is how long a process may take to end once it is killed.
const orphanTime = 2 * time.Second

// endOrphans ends what servers or builds of a program that is gone have started
// and left at work in folder: their first process has ended with the program, but
// its own children have not. Those in whose process group the first is alive are
// somebody else's, such as a person looking around.
func endOrphans(folder string) {
	deadline := time.Now().Add(orphanTime)
	for {
		groups := orphanGroups(folder)
		for _, group := range groups {
			signalGroup(group, true)
		}
		if len(groups) == 0 || time.Now().After(deadline) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// orphanGroups lists the process groups without a leader that have a member
// working in folder.
func orphanGroups(folder string) []int {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil
	}
	var groups []int
	for _, link := range links {
		at, err := os.Readlink(link) // others' processes cannot be read
		if err != nil || at != folder && !strings.HasPrefix(at, folder+"/") {
			continue
		}
		if group, ok := groupOf(filepath.Dir(link)); ok && group != syscall.Getpgrp() && !alive(group) {
			groups = append(groups, group)
		}
	}
	return groups
}

// groupOf reads the process group of a process in /proc.
func groupOf(dir string) (group int, ok bool) {
	fields := statFields(dir)
	if len(fields) < 3 || fields[0] == "Z" {
		return 0, false
	}
	group, err := strconv.Atoi(fields[2])
	return group, err == nil && group > 1
}

// alive tells whether there is a process of that number that has not ended.
func alive(pid int) bool {
	fields := statFields("/proc/" + strconv.Itoa(pid))
	return len(fields) > 0 && fields[0] != "Z"
}

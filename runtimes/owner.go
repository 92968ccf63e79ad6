package runtimes

import (
	"fmt"
	"os"
	"strings"
)

// ThisOwner names this process for good: a later process of the same number is
// another. Machine, boot, process and start of the process, parted by blanks.
func ThisOwner() string { return ownerOf(os.Getpid()) }

func ownerOf(pid int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		boot = []byte("unknown")
	}
	return fmt.Sprintf("%s %s %d %s", strings.ReplaceAll(host, " ", "_"), strings.TrimSpace(string(boot)), pid, startOf(pid))
}

// startOf is when a process started, in clock ticks since boot; "-" when there
// is no such process.
func startOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "-"
	}
	// The name in parentheses may hold blanks; the start is the 20th field
	// after it (proc(5): field 22).
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 {
		return "-"
	}
	return fields[19]
}

// OwnerIsGone tells whether the process that owner names has ended for sure:
// it ran on the machine that this names, and before its last boot or not any
// more. What other machines own is theirs.
func OwnerIsGone(owner, this string) bool {
	var host, boot, start, thisHost, thisBoot, thisStart string
	var pid, thisPID int
	if _, err := fmt.Sscan(owner, &host, &boot, &pid, &start); err != nil {
		return false
	}
	if _, err := fmt.Sscan(this, &thisHost, &thisBoot, &thisPID, &thisStart); err != nil {
		return false
	}
	if host != thisHost || start == "-" || thisStart == "-" {
		return false
	}
	return boot != thisBoot || startOf(pid) != start
}

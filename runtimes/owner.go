package runtimes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

// ReadOwner tells the machine and the process that owner names; ok is false for what
// ThisOwner did not write.
func ReadOwner(owner string) (host string, pid int, ok bool) {
	var boot, start string
	_, err := fmt.Sscan(owner, &host, &boot, &pid, &start)
	return host, pid, err == nil
}

// startOf is when a process started, in clock ticks since boot; "-" when there
// is no such process, or only what is left of one that its parent has not asked
// after: containers without an init keep those for ever.
func startOf(pid int) string {
	// The start is the 20th field after the name (proc(5): field 22).
	fields := statFields(fmt.Sprintf("/proc/%d", pid))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
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
	switch {
	case host != thisHost:
		return false
	case start == "-" || thisStart == "-": // a system that does not tell
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	return boot != thisBoot || startOf(pid) != start
}

// thisMachine names what numbers processes, since its last boot: 8 hex digits.
// Containers number their own and may share folders.
func thisMachine() string {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256(fmt.Append(nil, host, "\n", string(boot), "\n", space))
	return hex.EncodeToString(sum[:4])
}

// statFields are the fields of /proc/PID/stat behind the name, which may hold
// blanks: state, parent, process group (proc(5)); nil when it is gone.
func statFields(dir string) []string {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
}

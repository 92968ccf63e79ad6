package runtimes

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// listens tells whether a process of the tree under root listens on the TCP
// port. It is the proof that an answer came from the server just started and
// not from one that an earlier sample left behind.
func listens(root int, port int) (bool, error) {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		if err := addListeners(sockets, table, port); err != nil {
			return false, err
		}
	}
	for _, pid := range processTree(root) {
		links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil {
			return false, err
		}
		for _, link := range links {
			if target, err := os.Readlink(link); err == nil && sockets[target] {
				return true, nil
			}
		}
	}
	return false, nil
}

// addListeners adds the sockets of one of the kernel's tables that listen on
// port, by the name that /proc/PID/fd has for them. Columns as in proc(5):
// local address, remote address and state come second to fourth, the inode
// tenth.
func addListeners(sockets map[string]bool, table string, port int) error {
	f, err := os.Open(table)
	if os.IsNotExist(err) {
		return nil // no IPv6 here
	}
	if err != nil {
		return err
	}
	defer f.Close()
	suffix := fmt.Sprintf(":%04X", port)
	const listening = "0A"
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 10 && fields[3] == listening && strings.HasSuffix(fields[1], suffix) {
			sockets["socket:["+fields[9]+"]"] = true
		}
	}
	return lines.Err()
}

package runtimes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const runFolderPrefix = "versweep-run-"

// runFolder begins the names of the working folders of servers and builds that a
// process starts: with its machine, since a cache may be shared, its number and its
// start, so that what it leaves when it is killed can be told from what a process
// that still runs uses.
func runFolder(pid int) string {
	return fmt.Sprintf("%s%s-%d-%s", runFolderPrefix, machineMark(), pid, startOf(pid))
}

// machineMark is short for this machine's name, and fit for that of a file.
func machineMark() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	sum := sha256.Sum256([]byte(host))
	return hex.EncodeToString(sum[:4])
}

// removeRunFolders removes the working folders of processes of this machine
// that are gone, and ends what still works in them.
func removeRunFolders(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, runFolderPrefix+"*"))
	if err != nil {
		return err
	}
	for _, folder := range left {
		parts := strings.Split(strings.TrimPrefix(filepath.Base(folder), runFolderPrefix), "-")
		if len(parts) != 4 || parts[0] != machineMark() || parts[2] == "" {
			continue // another machine's, or on a system that tells no start
		}
		if pid, err := strconv.Atoi(parts[1]); err != nil || startOf(pid) == parts[2] {
			continue
		}
		endProcessesIn(folder)
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("removing what a killed sweep left: %w", err)
		}
	}
	return nil
}

// endProcessesIn ends the processes that work in a folder that a killed sweep
// left: what its builds and servers started in turn is not ended with it.
func endProcessesIn(folder string) {
	places, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return // the pattern is right
	}
	for _, place := range places {
		at, err := os.Readlink(place)
		if err != nil || at != folder && !strings.HasPrefix(at, folder+"/") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(place))); err == nil && pid != os.Getpid() {
			if p, err := os.FindProcess(pid); err == nil {
				p.Kill() // one that is not ours stays, and so does the folder then
			}
		}
	}
}

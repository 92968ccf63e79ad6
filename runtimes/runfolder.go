package runtimes

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const runFolderPrefix = "versweep-run-"

// runFolder begins the names of the working folders of servers that a process
// starts: with its number and its start, so that what it leaves when it is
// killed can be told from what a process that still runs uses.
func runFolder(pid int) string { return fmt.Sprintf("%s%d-%s", runFolderPrefix, pid, startOf(pid)) }

// removeRunFolders removes the working folders of processes of this machine
// that are gone.
func removeRunFolders(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, runFolderPrefix+"*"))
	if err != nil {
		return err
	}
	for _, folder := range left {
		parts := strings.Split(strings.TrimPrefix(filepath.Base(folder), runFolderPrefix), "-")
		if len(parts) != 3 || parts[1] == "" {
			continue // not named by this version, or on a system that tells no start
		}
		if pid, err := strconv.Atoi(parts[0]); err != nil || startOf(pid) == parts[1] {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("removing what a killed sweep left: %w", err)
		}
	}
	return nil
}

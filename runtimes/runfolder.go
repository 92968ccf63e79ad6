package runtimes

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const runFolderPrefix = "versweep-run-"

// runFolder begins the names of the folders for temporary files, the working
// folders of servers above all, that a process makes: with its number and its
// start, so that what it leaves when it is killed can be told from what a process
// that still runs uses.
func runFolder(pid int) string { return fmt.Sprintf("%s%d-%s", runFolderPrefix, pid, startOf(pid)) }

// removeRunFolders removes the working folders of processes of this machine
// that are gone, and ends what still works in them. Those of other users, in a
// folder for temporary files that is everybody's, are theirs to remove, and
// nothing that only has such a name is taken for one.
func removeRunFolders(dir string) error {
	left, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("looking for what killed sweeps left: %w", err)
	}
	for _, entry := range left {
		name, ours := strings.CutPrefix(entry.Name(), runFolderPrefix)
		parts := strings.Split(name, "-")
		if !ours || len(parts) != 3 || parts[1] == "" {
			continue // not named by this version, or on a system that tells no start
		}
		if info, err := entry.Info(); err != nil || !info.IsDir() || !ownedByThisUser(info) {
			continue
		}
		folder := filepath.Join(dir, entry.Name())
		if pid, err := strconv.Atoi(parts[0]); err != nil || startOf(pid) == parts[1] {
			continue
		}
		endOrphans(folder)
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("removing what a killed sweep left: %w", err)
		}
	}
	return nil
}

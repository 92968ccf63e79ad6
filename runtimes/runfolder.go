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
// folders of servers above all, that this process makes, so that what it leaves
// when it is killed can be told from what a process that still runs uses.
func runFolder() string { return runFolderPrefix + thisMaker() + "-" }

// thisMaker is the part of a folder's name that tells which process made it: its
// machine, since folders can be shared, its number and its start.
func thisMaker() string {
	return fmt.Sprintf("%s-%d-%s", thisMachine(), os.Getpid(), startOf(os.Getpid()))
}

// makerIsGone tells whether the process has ended that made a folder whose name
// goes on like this; known is false where that cannot be told from here.
func makerIsGone(name string) (gone, known bool) {
	parts := strings.Split(name, "-") // machine, process, start, number
	if len(parts) != 4 || parts[0] != thisMachine() || parts[2] == "" {
		return false, false
	}
	pid, err := strconv.Atoi(parts[1])
	return startOf(pid) != parts[2], err == nil
}

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
		maker, ours := strings.CutPrefix(entry.Name(), runFolderPrefix)
		if gone, _ := makerIsGone(maker); !ours || !gone {
			continue
		}
		if info, err := entry.Info(); err != nil || !info.IsDir() || !ownedByThisUser(info) {
			continue
		}
		folder := filepath.Join(dir, entry.Name())
		endOrphans(folder)
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("removing what a killed sweep left: %w", err)
		}
	}
	return nil
}

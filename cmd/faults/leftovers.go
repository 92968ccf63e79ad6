//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// processesWith lists the processes with a text in their command line or their
// environment.
func processesWith(mark string) []int {
	var found []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		for _, file := range []string{"cmdline", "environ"} {
			text, _ := os.ReadFile(filepath.Join("/proc", e.Name(), file))
			if strings.Contains(string(text), mark) {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

// left lists what lies about after a command has ended: processes, containers,
// volumes, networks and images without a name in the engine, working folders,
// unfinished builds, files beside the store, mounts. Empty is what it should be.
func (b *bench) left() []string {
	var found []string
	note := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, pid := range processesWith(b.mark) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		note("process %d %.200s", pid, strings.ReplaceAll(string(line), "\x00", " "))
	}
	if b.engine != nil {
		b.leftInEngine(note)
	}
	for what, folder := range map[string]string{"temporary file": b.tmp(), "unfinished build": filepath.Join(b.cache(), "scratch")} {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			note("%s %s", what, e.Name())
		}
	}
	entries, _ := os.ReadDir(b.storeDir())
	for _, e := range entries {
		if e.Name() != storeName && !slices.Contains(b.mayLie, e.Name()) {
			note("file %s beside the store", e.Name())
		}
	}
	for _, at := range mountsBelow(b.dir) {
		// Docker mounts its own folder onto itself, and forgets the layer that it
		// was making for a container when it was killed.
		ofEngine := b.ownEngine && (at == filepath.Join(b.engine.dir, "data") || strings.HasPrefix(at, b.engine.dir+"/") && strings.HasSuffix(at, "-init/merged"))
		if !slices.Contains(b.mounts, at) && !ofEngine {
			note("mount %s", at)
		}
	}
	return found
}

func (b *bench) leftInEngine(note func(string, ...any)) {
	for what, args := range map[string][]string{
		"container": {"ps", "-aq", "--no-trunc", "--filter", "label=versweep.owner"},
		"volume":    {"volume", "ls", "-q"},
		"network":   {"network", "ls", "-q", "--filter", "type=custom"},
		"image":     {"images", "-q", "--filter", "dangling=true"},
	} {
		if !b.ownEngine && what != "container" {
			continue // another scenario may be building
		}
		if b.ownEngine && what == "container" {
			args = []string{"ps", "-aq", "--no-trunc"}
		}
		out, err := b.engine.docker(args...)
		if err != nil {
			note("%s: unknown: %v", what, err)
		}
		for _, id := range strings.Fields(out) {
			if what == "image" && b.buildCut {
				continue
			}
			if b.ownEngine || what == "container" && b.owns(id) {
				note("%s %.12s", what, id)
			}
		}
	}
}

// owns tells whether one of the bench's commands made a container.
func (b *bench) owns(container string) bool {
	owner, err := b.engine.docker("inspect", "--format", `{{index .Config.Labels "versweep.owner"}}`, container)
	fields := strings.Fields(owner)
	if err != nil || len(fields) < 3 {
		return false // gone meanwhile
	}
	return slices.ContainsFunc(b.commands, func(c *command) bool { return fields[2] == strconv.Itoa(c.pid()) })
}

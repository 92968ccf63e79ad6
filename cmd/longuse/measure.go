package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"

	"versweep/store/simulated"
)

// trial is a command and what it is allowed.
type trial struct {
	args   []string
	within time.Duration // 0 when only the memory counts
	bytes  int64         // of the folder that it writes; 0 when it writes none
}

// mostMemory is what each command may take, resident.
const mostMemory = 300 << 20

// trials are all commands; one of them draws histograms, which a store may lack.
func trials(out string, histograms bool) []trial {
	list := []trial{
		{args: []string{"table", "node"}, within: 300 * time.Millisecond},
		{args: []string{"table", "node", "--json"}, within: 300 * time.Millisecond},
		{args: []string{"chart", "node", "-o", filepath.Join(out, "trend.png")}, within: 700 * time.Millisecond},
		{args: []string{"chart", "node", "--kind", "history", "-o", filepath.Join(out, "history.png")}, within: 5 * time.Second},
		{args: []string{"check", "node", "--json"}, within: 3 * time.Second},
		{args: []string{"compare", "node", "15.0.0", "latest"}, within: 3 * time.Second},
		{args: []string{"report", "-o", filepath.Join(out, "report")}, within: 3 * time.Second, bytes: 5 << 20},
		{args: []string{"export", "csv", "node", "-o", filepath.Join(out, "latest.csv")}, within: time.Second},
		{args: []string{"export", "csv", "node", "--all", "-o", filepath.Join(out, "all.csv")}},
		{args: []string{"__complete", "check", ""}, within: 100 * time.Millisecond},
		{args: []string{"targets", "--json"}, within: time.Second},
	}
	if histograms {
		list = append(list, trial{args: []string{"chart", "node", "--kind", "percentiles", "--versions", "12.2.0,latest", "-o", filepath.Join(out, "tail.png")}, within: time.Second})
	}
	return list
}

// measure writes the store of a form, unless it is there, and tries every
// command on it.
func (o options) measure(ctx context.Context, f form) error {
	db := filepath.Join(o.dir, f.name+".db")
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		began := time.Now()
		n, err := simulated.Write(ctx, db, f.nights)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s samples written in %.0f s\n", f.name, humanize.Comma(int64(n)), time.Since(began).Seconds())
	}
	info, err := os.Stat(db)
	if err != nil {
		return err
	}
	fmt.Printf("%s: the store has %s\n", f.name, humanize.IBytes(uint64(info.Size())))
	out := filepath.Join(o.dir, "out")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	fmt.Printf("%-52s %9s %9s %9s %9s %9s\n", "command", "time", "allowed", "CPU time", "memory", "output")
	for _, t := range trials(out, f.nights.Histograms) {
		if err := o.try(ctx, db, out, t); err != nil {
			return err
		}
	}
	return o.serve(ctx, db)
}

func (o options) try(ctx context.Context, db, out string, t trial) error {
	var took, used []time.Duration
	var memory int64
	var written int
	for range o.times {
		cmd := exec.CommandContext(ctx, o.program, append(slices.Clone(t.args), "--db", db)...)
		if t.args[0] == "__complete" {
			cmd = exec.CommandContext(ctx, o.program, append([]string{"__complete", "--db", db}, t.args[1:]...)...)
		}
		cmd.Stderr = nil
		began := time.Now()
		answer, err := cmd.Output()
		took = append(took, time.Since(began))
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 3 {
			err = nil // check found the regression
		} else if ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		if err != nil {
			return fmt.Errorf("versweep %s: %w", strings.Join(t.args, " "), err)
		}
		written = len(answer)
		used = append(used, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		memory = max(memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss*1024)
	}
	slices.Sort(took)
	slices.Sort(used)
	median := took[len(took)/2]
	allowed, size := "", strconv.Itoa(written)
	if t.within > 0 {
		allowed = t.within.String()
	}
	over := t.within > 0 && median > t.within || memory > mostMemory
	if at := slices.Index(t.args, "-o"); at >= 0 {
		bytes, err := sizeOf(t.args[at+1])
		if err != nil {
			return err
		}
		size = humanize.IBytes(uint64(bytes))
		over = over || t.bytes > 0 && bytes > t.bytes
	}
	words := strings.ReplaceAll(strings.Join(t.args, " "), out+"/", "")
	note := ""
	if over {
		note = "  OVER"
	}
	fmt.Printf("%-52s %7.0fms %9s %7.0fms %9s %9s%s\n", words, median.Seconds()*1000, allowed, used[len(used)/2].Seconds()*1000, humanize.IBytes(uint64(memory)), size, note)
	return nil
}

// sizeOf is the size of a file, or of all files in a folder.
func sizeOf(path string) (total int64, err error) {
	err = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
)

// serve tries versweep serve: the first page, the same again, and after changes of
// the target and of another one.
func (o options) serve(ctx context.Context, db string) error {
	cmd := exec.CommandContext(ctx, o.program, "serve", "--listen", "127.0.0.1:0", "--db", db)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		cmd.Process.Kill()
		return fmt.Errorf("versweep serve printed no address: %w", cmd.Wait())
	}
	for _, step := range []struct {
		name   string
		before []string // a command that changes the store
		stdin  string
	}{
		{name: "first page"}, {name: "again"},
		{"after an import of another target", []string{"import", "csv", "-", "--target", "other"}, fmt.Sprintf("version,qps\n1.0,%d\n1.1,101\n", time.Now().UnixNano()%1000+1)},
		{"after a finding was acknowledged", []string{"ack", "node-qps-15.0.0", "--note", time.Now().String()}, ""},
	} {
		if step.before != nil {
			change := exec.CommandContext(ctx, o.program, append(step.before, "--db", db)...)
			change.Stdin = strings.NewReader(step.stdin)
			if answer, err := change.CombinedOutput(); err != nil {
				cmd.Process.Kill()
				cmd.Wait()
				return fmt.Errorf("versweep %s: %w: %s", strings.Join(step.before, " "), err, answer)
			}
		}
		began := time.Now()
		answer, err := http.Get(lines.Text())
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if err != nil {
			return err
		}
		fmt.Printf("%-52s %7.0fms %9s %9s %9s %9s\n", "serve, "+step.name, time.Since(began).Seconds()*1000, "", "", "", humanize.IBytes(uint64(n)))
	}
	cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("versweep serve: %w", err)
	}
	memory := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * 1024
	fmt.Printf("%-52s %9s %9s %9s %9s\n", "serve, in all", "", "", "", humanize.IBytes(uint64(memory)))
	return nil
}

//go:build unix

package runtimes

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// stopGroup gives cmd a process group of its own, so that a terminal's Ctrl-C
// does not reach it, and lets the end of its context stop the whole group:
// npm starts children of its own.
func stopGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
}

// runGroup runs cmd to its end as stopGroup has it. Where the system can, cmd is
// ended with this program, however that ends: the signal for it hangs on the
// thread that starts cmd, which is therefore kept. One that takes too much memory
// is killed with its group and is a *memoryError.
func runGroup(cmd *exec.Cmd, memory *buildMemory) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	stopGroup(cmd)
	endWithThread(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := memory.watch(cmd.Process.Pid)
	err := cmd.Wait()
	if over := stop(); over != nil {
		return over
	}
	return err
}

// signalGroup ends a process group: asks first, then forces. A group that is
// gone is as good.
func signalGroup(pid int, force bool) {
	signal := syscall.SIGTERM
	if force {
		signal = syscall.SIGKILL
	}
	syscall.Kill(-pid, signal)
}

package runtimes

import (
	"fmt"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts the process on its CPUs. One system thread is given to it for
// its whole life: the new process inherits the thread's CPU affinity, so that
// not even its loader runs elsewhere, and is killed with the thread, so that
// it does not outlive this program, however that ends.
func (p *processInstance) start() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		var before unix.CPUSet
		err := unix.SchedGetaffinity(0, &before)
		if err == nil {
			err = p.startPinned()
		}
		started <- err
		if err == nil {
			p.waitErr = p.cmd.Wait()
			close(p.exited)
		}
		// A thread that cannot be given back stays locked and ends here.
		if unix.SchedSetaffinity(0, &before) == nil {
			runtime.UnlockOSThread()
		}
	}()
	return <-started
}

// endWithThread has cmd killed when the thread that starts it ends.
func endWithThread(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

func (p *processInstance) startPinned() error {
	if cpus := p.launcher.cpus.Server; len(cpus) > 0 {
		var set unix.CPUSet
		for _, cpu := range cpus {
			set.Set(cpu)
		}
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return fmt.Errorf("choosing CPUs %v: %w", cpus, err)
		}
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return p.cmd.Start()
}

//go:build unix && !linux

package runtimes

import (
	"errors"
	"os/exec"
	"syscall"

	"versweep/sweep"
)

// start starts the process. This system has no way to choose its CPUs.
func (p *processInstance) start() error {
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() {
		p.waitErr = p.cmd.Wait()
		close(p.exited)
	}()
	return nil
}

// endWithThread is not possible here.
func endWithThread(*exec.Cmd) {}

// listens cannot be told here; a fresh port has to do.
func listens(int, int) (bool, error) { return true, nil }

// treeUsage is not known here.
func treeUsage(int) (sweep.Usage, error) { return sweep.Usage{}, nil }

// dialInContainer is not possible here.
func dialInContainer(int, string) (dialFunc, error) { return nil, errors.ErrUnsupported }

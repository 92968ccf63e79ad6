//go:build linux

package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// engine is a Docker engine of the suite's own: apart from the machine's, it can
// be broken, and all that is in it was made by one suite.
type engine struct {
	suite      *suite
	dir        string
	containerd *daemon // a daemon of its own, as where systemd starts both
	dockerd    *daemon
}

// daemon is a process of the engine.
type daemon struct {
	cmd   *exec.Cmd
	log   string // file
	ended chan struct{}
}

// startDaemon starts a process whose output goes to a file.
func startDaemon(log string, command ...string) (*daemon, error) {
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d := &daemon{cmd: exec.Command(command[0], command[1:]...), log: log, ended: make(chan struct{})}
	d.cmd.Stdout, d.cmd.Stderr = f, f
	// A network of its own: a Docker daemon changes bridges and filters, and
	// with --bridge=none removes the machine's docker0.
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Cloneflags: syscall.CLONE_NEWNET}
	if err := d.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", command[0], err)
	}
	go func() { d.cmd.Wait(); close(d.ended) }()
	return d, nil
}

// until waits until a daemon does what is asked for.
func (d *daemon) until(ready func() error) error {
	var err error
	for range 600 {
		if err = ready(); err == nil {
			return nil
		}
		select {
		case <-d.ended:
			text, _ := os.ReadFile(d.log)
			return fmt.Errorf("%s ended: %s", d.cmd.Path, lastLines(string(text), 3))
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("%s does not answer: %w", d.cmd.Path, err)
}

// stop ends a daemon by a signal and waits for its end.
func (d *daemon) stop(signal syscall.Signal) error {
	if d == nil {
		return nil
	}
	d.cmd.Process.Signal(signal)
	select {
	case <-d.ended:
		return nil
	case <-time.After(30 * time.Second):
		d.cmd.Process.Kill()
		return fmt.Errorf("%s did not end within 30s", d.cmd.Path)
	}
}

// baseImage holds the misbehaving server alone, as /server.
const baseImage = "faults/server:1"

// newEngine starts an engine with its files in dir and puts the base image into
// it.
func newEngine(s *suite, dir string) (*engine, error) {
	e := &engine{suite: s, dir: dir}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := e.start(); err != nil {
		return nil, errors.Join(err, e.close())
	}
	if err := e.importBase(); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *engine) host() string { return "unix://" + filepath.Join(e.dir, "sock") }

// start starts the daemons that do not run and waits until they answer.
func (e *engine) start() error {
	var err error
	at := func(name string) string { return filepath.Join(e.dir, name) }
	if e.containerd == nil {
		config := "version = 2\ndisabled_plugins = [\"io.containerd.grpc.v1.cri\"]\n"
		if err := os.WriteFile(at("containerd.toml"), []byte(config), 0o644); err != nil {
			return err
		}
		e.containerd, err = startDaemon(at("containerd.log"), "containerd", "--config", at("containerd.toml"), "--root", at("containerd"), "--state", at("run"), "--address", at("containerd.sock"))
		if err != nil {
			return err
		}
		if err := e.containerd.until(func() error { _, err := os.Stat(at("containerd.sock")); return err }); err != nil {
			return err
		}
	}
	os.Remove(at("pid")) // of a daemon that was killed
	e.dockerd, err = startDaemon(at("dockerd.log"), "dockerd", "--containerd", at("containerd.sock"), "--data-root", at("data"), "--exec-root", at("exec"),
		"--pidfile", at("pid"), "--host", e.host(), "--bridge=none", "--iptables=false", "--ip-masq=false")
	if err != nil {
		return err
	}
	return e.dockerd.until(func() error { _, err := e.docker("version", "--format", "{{.Server.Version}}"); return err })
}

// stop ends the Docker daemon by a signal.
func (e *engine) stop(signal syscall.Signal) error { return e.dockerd.stop(signal) }

// docker runs the docker command and returns what it says, without the last
// line's end.
func (e *engine) docker(args ...string) (string, error) {
	return e.dockerWith(nil, args...)
}

func (e *engine) dockerWith(stdin []byte, args ...string) (string, error) {
	cmd := exec.Command("docker", args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+e.host(), "DOCKER_CONTEXT=")
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, lastLines(string(out), 2))
	}
	return strings.TrimSpace(string(out)), err
}

func (e *engine) importBase() error {
	program, err := os.ReadFile(e.suite.server)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: "server", Mode: 0o755, Size: int64(len(program))}); err != nil {
		return err
	}
	if _, err := w.Write(program); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_, err = e.dockerWith(archive.Bytes(), "import", "-", baseImage)
	return err
}

// containers are all that the engine has, running or not, by id, with their
// labels.
func (e *engine) containers(filters ...string) ([]string, error) {
	args := []string{"ps", "-aq", "--no-trunc"}
	for _, f := range filters {
		args = append(args, "--filter", f)
	}
	out, err := e.docker(args...)
	return strings.Fields(out), err
}

// running waits until a container runs, and lists those that do.
func (e *engine) running() (ids []string) {
	eventually(patience, func() bool {
		ids, _ = e.containers("status=running")
		return len(ids) > 0
	})
	return ids
}

// close removes the engine and all that it made.
func (e *engine) close() error {
	errs := []error{e.dockerd.stop(syscall.SIGTERM), e.containerd.stop(syscall.SIGTERM)}
	// What a killed daemon left running.
	for _, pid := range processesWith(e.dir + "/") {
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill()
		}
	}
	for _, at := range mountsBelow(e.dir) { // a daemon that was killed leaves some
		errs = append(errs, unmount(at))
	}
	return errors.Join(append(errs, os.RemoveAll(e.dir))...)
}

// lastLines joins the last lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}

package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// startNginx starts nginx with one worker on the server's CPU.
func (b *bench) startNginx(ctx context.Context) (stop func(), err error) {
	conf, err := b.writeScratch("nginx.conf", fmt.Sprintf(`daemon off; worker_processes 1; pid %[1]s/nginx.pid; error_log %[1]s/error.log;
events { worker_connections 30000; }
worker_rlimit_nofile 40000;
http {
  access_log off; keepalive_requests 1000000000;
  server { listen 127.0.0.1:%[2]d backlog=8192; location / { return 200 "hello world\n"; } }
}
`, b.scratch, b.port))
	if err != nil {
		return nil, err
	}
	return b.start(ctx, "nginx", "-p", b.scratch, "-c", conf, "-e", b.scratch+"/error.log")
}

// startNode starts the same program that the target node sweeps, in short.
func (b *bench) startNode(ctx context.Context) (stop func(), err error) {
	program, err := b.writeScratch("hello.js", fmt.Sprintf(`require('http').createServer(function (q, a) {
  a.writeHead(200, { 'Content-Type': 'text/plain' }); a.end('Hello World\n');
}).listen(%d, '127.0.0.1');
`, b.port))
	if err != nil {
		return nil, err
	}
	return b.start(ctx, b.node, program)
}

func (b *bench) nodeVersion(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, b.node, "--version").Output()
	if err != nil {
		return "of unknown version"
	}
	return strings.TrimSpace(string(out))
}

// start starts a server on its CPU and waits until its port is open.
func (b *bench) start(ctx context.Context, program string, args ...string) (stop func(), err error) {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", serverCPU, program}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		<-ended
	}
	for range 100 {
		select {
		case err := <-ended:
			return nil, fmt.Errorf("%s ended at once: %v", program, err)
		case <-time.After(50 * time.Millisecond):
		}
		if c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", b.port)); err == nil {
			c.Close()
			return stop, nil
		}
	}
	stop()
	return nil, fmt.Errorf("%s does not listen on port %d", program, b.port)
}

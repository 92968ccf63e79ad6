package runtimes

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// dialInContainer returns a dial function that connects from inside the network
// namespace of process pid. The error says that this process may not enter it.
func dialInContainer(pid int, address string) (dialFunc, error) {
	name := fmt.Sprintf("/proc/%d/ns/net", pid)
	if err := inNamespace(name, func() error { return nil }); err != nil {
		return nil, err
	}
	return func(ctx context.Context) (conn net.Conn, err error) {
		enterErr := inNamespace(name, func() error {
			var dialer net.Dialer
			conn, err = dialer.DialContext(ctx, "tcp4", address)
			return err
		})
		return conn, enterErr
	}, nil
}

// inNamespace runs f on a system thread that has entered a network namespace,
// and nothing else runs there meanwhile. A socket stays in the namespace in
// which it was made. The thread is led back afterwards; should that fail, it
// stays locked and ends with its goroutine.
func inNamespace(name string, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		back, err := os.Open("/proc/thread-self/ns/net")
		if err != nil {
			runtime.UnlockOSThread()
			done <- err
			return
		}
		defer back.Close()
		err = enter(name)
		if err == nil {
			err = f()
		}
		if unix.Setns(int(back.Fd()), unix.CLONE_NEWNET) == nil {
			runtime.UnlockOSThread()
		}
		done <- err
	}()
	return <-done
}

func enter(name string) error {
	namespace, err := os.Open(name)
	if err != nil {
		return err
	}
	defer namespace.Close()
	if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering the container's network: %w", err)
	}
	return nil
}

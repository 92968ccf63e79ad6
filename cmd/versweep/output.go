package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// interruptible returns a context that ends with the first signal that asks for
// an end: Ctrl-C, a service manager's, the closing of the terminal unless the
// program was started to outlive it. The second one ends the program at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	// Restoring the default handling lets a second one through.
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// errUnread says that nobody reads the output any more.
var errUnread = errors.New("nobody reads the output any more")

// surviveClosedOutput makes writing into a pipe that nobody reads any more an
// error where it would end the program by a signal, with servers left behind.
// What is started afterwards has the signal as usual.
func surviveClosedOutput() {
	// Not signal.Ignore, which would be handed down to servers and builds.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}

// output is a standard stream. When nobody reads it any more, it tells so once
// for each write.
type output struct {
	io.Writer
	unread func()
}

// Write implements io.Writer.
func (o output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.unread()
	}
	return n, err
}

// bare is the stream itself, for those that look whether it is a file.
func bare(w io.Writer) io.Writer {
	if o, ok := w.(output); ok {
		return o.Writer
	}
	return w
}

// Fd is the stream's descriptor; one that is none when it is no file.
func (o output) Fd() uintptr {
	if f, ok := o.Writer.(*os.File); ok {
		return f.Fd()
	}
	return ^uintptr(0)
}

package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// classify sorts a network error. What cannot be blamed on the server is our
// own fault.
func classify(err error) outcome {
	var ne net.Error
	switch {
	case errors.Is(err, io.EOF):
		return outcomeClosed
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, syscall.ETIMEDOUT), errors.As(err, &ne) && ne.Timeout():
		return outcomeTimeout
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return outcomeReset
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return outcomeRefused
	}
	return outcomeClient
}

// why explains a failure in a few words. err may be nil.
func (a *answer) why(o outcome, err error) string {
	switch o {
	case outcomeProtocol:
		return "protocol error: " + a.reason
	case outcomeStatus:
		return fmt.Sprintf("status %d instead of %d", a.status, a.want.status)
	case outcomeBody:
		return "the body is not the expected one"
	case outcomeClosed:
		return "connection closed before the answer was whole"
	case outcomeTimeout:
		return "no whole answer within the timeout"
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

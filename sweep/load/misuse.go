package load

import (
	"fmt"
	"math"
	"net"
	"strings"
	"time"
)

// MisuseError says that a run cannot be carried out as asked: the request for
// it is at fault, not the server nor the network. Its text is one line.
type MisuseError struct {
	What string // the setting at fault, as "connections"
	Why  string // what is wrong with it
	Hint string // what to do about it; may be empty
}

func (e *MisuseError) Error() string {
	s := e.What + ": " + e.Why
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func misuse(what, format string, a ...any) error {
	return &MisuseError{What: what, Why: fmt.Sprintf(format, a...)}
}

const (
	// maxRate is beyond what one machine sends; a higher rate is a slip.
	maxRate = 10e6
	// minRate makes a request an hour; a lower one is a slip, too.
	minRate = 1.0 / 3600
	// maxWindow and maxRequests bound one run; a soak test of a week fits.
	maxWindow   = 7 * 24 * time.Hour
	maxRequests = 1_000_000_000_000
	// maxTimeout is the end of the histogram's range.
	maxTimeout = time.Hour
)

// Validate reports, as a *MisuseError, what makes p impossible to carry out on
// this machine. It may raise the process's soft limit on open files.
func (p Profile) Validate() error {
	switch {
	case p.Shape == ShapeForeign:
		return misuse("shape", "another tool put this load on; it cannot be put on again")
	case p.Connections < 1 && p.Shape != ShapeRamp, p.Connections < 0:
		return &MisuseError{What: "connections", Why: fmt.Sprintf("%d is less than 1", p.Connections), Hint: "at least one is needed"}
	case p.Duration < 0:
		return misuse("duration", "%v is negative", p.Duration)
	case p.Requests < 0:
		return misuse("requests", "%d is negative", p.Requests)
	case p.Duration == 0 && p.Requests == 0:
		return misuse("duration", "neither a duration nor a number of requests is given")
	case p.Warmup < 0:
		return &MisuseError{What: "warmup", Why: fmt.Sprintf("%v is negative", p.Warmup), Hint: "0s is no warm-up"}
	case p.Duration > maxWindow || p.Warmup > maxWindow:
		return misuse("duration", "%v after %v of warm-up is more than %v", p.Duration, p.Warmup, maxWindow)
	case p.Requests > maxRequests:
		return misuse("requests", "%d is more than %d", p.Requests, int64(maxRequests))
	case p.Timeout <= 0:
		return &MisuseError{What: "timeout", Why: fmt.Sprintf("%v is not more than 0", p.Timeout), Hint: "give it a time such as 5s"}
	case p.Timeout > maxTimeout:
		return misuse("timeout", "%v is more than %v", p.Timeout, maxTimeout)
	case p.Calls < 0:
		return misuse("calls", "%d is negative", p.Calls)
	}
	switch p.Shape {
	case ShapeClosed:
	case ShapeRate:
		if err := validRate(p.Rate); err != nil {
			return err
		}
	case ShapeRamp:
		return p.validateSteps()
	default:
		return misuse("shape", "%q is not closed, rate or ramp", string(p.Shape))
	}
	return reserveConnections(p.Connections)
}

func validRate(rate float64) error {
	switch {
	case math.IsNaN(rate) || math.IsInf(rate, 0) || rate <= 0:
		return misuse("rate", "%v requests/s is not more than 0", rate)
	case rate > maxRate:
		return misuse("rate", "%g requests/s is more than any one machine sends (%g)", rate, maxRate)
	case rate < minRate:
		return misuse("rate", "%g requests/s is less than one an hour", rate)
	}
	return nil
}

func (p Profile) validateSteps() error {
	if len(p.Steps) == 0 {
		return misuse("steps", "a ramp needs at least one")
	}
	most := p.Connections
	for _, s := range p.Steps {
		switch p.StepBy {
		case StepByRate:
			if p.Connections < 1 {
				return misuse("connections", "%d is less than 1", p.Connections)
			}
			if err := validRate(s); err != nil {
				return err
			}
		case StepByConnections:
			if s < 1 || s != math.Trunc(s) || s > math.MaxInt32 {
				return misuse("steps", "%v is not a number of connections", s)
			}
			most = max(most, int(s))
		default:
			return misuse("step_by", "%q is not rate or connections", string(p.StepBy))
		}
	}
	return reserveConnections(most)
}

// validate checks all of the job but its address, which takes a look-up.
func (j Job) validate() error {
	if err := j.Profile.Validate(); err != nil {
		return err
	}
	if j.Profile.Shape == ShapeRamp {
		return misuse("shape", "a ramp is several runs; run its steps one by one")
	}
	if s := j.Expect.Status; s != 0 && (s < 200 || s > 599) {
		return misuse("expect-status", "%d is not between 200 and 599", s)
	}
	for _, cpu := range j.CPUs {
		if cpu < 0 {
			return misuse("cpus", "%d is negative", cpu)
		}
	}
	return j.Request.Validate()
}

// Validate reports, as a *MisuseError, what makes r impossible to send.
func (r Request) Validate() error {
	if r.Method != "" && !isToken([]byte(r.Method)) {
		return misuse("method", "%q is not an HTTP method", r.Method)
	}
	if r.Method == "CONNECT" {
		return misuse("method", "CONNECT opens a tunnel and cannot be measured")
	}
	if r.Path != "" && r.Path != "*" && r.Path[0] != '/' {
		return misuse("path", "%q does not start with /", r.Path)
	}
	if strings.ContainsFunc(r.Path, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return misuse("path", "%q holds blanks or control characters", r.Path)
	}
	if strings.ContainsFunc(r.Host, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '/' }) {
		return misuse("host", "%q is not a host name", r.Host)
	}
	for name, value := range r.Header {
		if name == "" || !isToken([]byte(name)) {
			return misuse("header", "%q is not a header name", name)
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return misuse("header", "the value of %s holds a line end or NUL", name)
		}
		switch strings.ToLower(name) {
		case "host":
			return &MisuseError{What: "header", Why: "Host is set by the engine", Hint: "give it as the host"}
		case "connection":
			return &MisuseError{What: "header", Why: "Connection is set by the engine", Hint: "use the number of calls a connection"}
		case "content-length", "transfer-encoding", "expect", "upgrade":
			return misuse("header", "%s is not supported", name)
		}
	}
	return nil
}

// resolve looks the address up once, so that no look-up falls into the window.
func (j Job) resolve() (*net.TCPAddr, error) {
	host, port, err := net.SplitHostPort(j.Address)
	if err != nil || host == "" || port == "" {
		return nil, misuse("address", "%q is not host:port", j.Address)
	}
	addr, err := net.ResolveTCPAddr("tcp", j.Address)
	if err != nil {
		return nil, misuse("address", "looking up %q: %v", j.Address, err)
	}
	return addr, nil
}

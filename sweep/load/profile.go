package load

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Shape tells how requests are spread over time.
type Shape string

const (
	// ShapeClosed keeps every connection busy: the next request leaves when
	// the answer to the one before has come.
	ShapeClosed Shape = "closed"
	// ShapeRate sends requests at fixed times, however slow the server is.
	ShapeRate Shape = "rate"
	// ShapeRamp is a list of steps, each a closed or rate load of its own.
	ShapeRamp Shape = "ramp"
	// ShapeForeign is a load that another tool put on. Of it no more is known
	// than what that tool calls it; it cannot be put on again.
	ShapeForeign Shape = "foreign"
)

// Profile is the load put on one server.
type Profile struct {
	Name        string        // "hello", or empty when built from flags
	Shape       Shape         // how requests are spread over time
	Connections int           // connections kept open at once, at least 1
	Duration    time.Duration // measuring window; 0 when Requests ends the run
	Requests    int64         // requests to make; 0 when Duration ends the run
	Warmup      time.Duration // same load before the window, thrown away
	Timeout     time.Duration // for connecting, and again for each answer
	Calls       int           // requests a connection; 0 is unlimited
	Rate        float64       // requests/s over all connections (ShapeRate)
	Steps       []float64     // rates (requests/s) or connection counts (ShapeRamp)
	StepBy      StepBy        // what Steps counts
	HTTP10      bool          // speak HTTP/1.0 without keep-alive
	Label       string        // what the other tool calls it; may be empty (ShapeForeign)
}

// StepBy says what the steps of a ramp raise.
type StepBy string

const (
	StepByRate        StepBy = "rate"        // requests/s
	StepByConnections StepBy = "connections" // connections open at once
)

// Request is what is asked, the same each time.
type Request struct {
	Method string            `json:"method"` // "GET" when empty
	Path   string            `json:"path"`   // "/" when empty
	Host   string            `json:"host"`   // Host header; the address when empty
	Header map[string]string `json:"header,omitempty"`
	Body   []byte            `json:"body,omitempty"`
}

// Expect is what a right answer looks like. An answer that differs is an
// error, never throughput.
type Expect struct {
	Status int     `json:"status"`         // 200 when 0
	Body   *string `json:"body,omitempty"` // the exact body; nil accepts any
}

// Job is everything that one run of the engine needs.
type Job struct {
	Address string  `json:"address"` // host:port
	Request Request `json:"request"`
	Expect  Expect  `json:"expect"`
	Profile Profile `json:"profile"`
	CPUs    []int   `json:"cpus,omitempty"` // CPUs to run on; empty leaves the choice to the system
}

// profileJSON is the outside form of a Profile: seconds as decimal numbers,
// with the unit in the key.
type profileJSON struct {
	Name        string    `json:"name,omitempty"`
	Shape       Shape     `json:"shape"`
	Connections int       `json:"connections"`
	DurationS   float64   `json:"duration_s"`
	Requests    int64     `json:"requests,omitempty"`
	WarmupS     float64   `json:"warmup_s"`
	TimeoutS    float64   `json:"timeout_s"`
	Calls       int       `json:"calls"`
	Rate        float64   `json:"rate_per_s,omitempty"`
	Steps       []float64 `json:"steps,omitempty"`
	StepBy      StepBy    `json:"step_by,omitempty"`
	HTTP10      bool      `json:"http10,omitempty"`
	Label       string    `json:"label,omitempty"`
}

// MarshalJSON writes durations as seconds, and of a foreign load only what is
// known.
func (p Profile) MarshalJSON() ([]byte, error) {
	if p.Shape == ShapeForeign {
		return json.Marshal(struct {
			Shape Shape  `json:"shape"`
			Label string `json:"label,omitempty"`
		}{p.Shape, p.Label})
	}
	return json.Marshal(profileJSON{
		Name: p.Name, Shape: p.Shape, Connections: p.Connections, DurationS: p.Duration.Seconds(),
		Requests: p.Requests, WarmupS: p.Warmup.Seconds(), TimeoutS: p.Timeout.Seconds(), Calls: p.Calls,
		Rate: p.Rate, Steps: p.Steps, StepBy: p.StepBy, HTTP10: p.HTTP10, Label: p.Label,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Profile) UnmarshalJSON(b []byte) error {
	var j profileJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("reading a load profile: %w", err)
	}
	*p = Profile{
		Name: j.Name, Shape: j.Shape, Connections: j.Connections, Duration: seconds(j.DurationS),
		Requests: j.Requests, Warmup: seconds(j.WarmupS), Timeout: seconds(j.TimeoutS), Calls: j.Calls,
		Rate: j.Rate, Steps: j.Steps, StepBy: j.StepBy, HTTP10: j.HTTP10, Label: j.Label,
	}
	return nil
}

// seconds rounds, so that a duration comes back from its JSON as it went.
func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

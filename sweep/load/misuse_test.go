package load

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// checkMisuse asserts a one-line *MisuseError that holds want.
func checkMisuse(t *testing.T, err error, want string) {
	t.Helper()
	var m *MisuseError
	if !errors.As(err, &m) || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("got %v, want misuse with %q", err, want)
	}
}

// What may be a password is not in what is said of a URL, however much of it is shown.
func TestURLMisuseTellsNoPassword(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://me:hu/sh@x.test/a":                         `"http://***@x.test/a" is no URL`,
		"http://me:hush@x.test/a":                          "user information is not sent",
		"http://me:hush" + strings.Repeat("x", 90) + "@:x": `"http://***@:x" is no URL`,
		"me:hush@x.test":                                   `"***@x.test" has no scheme`,
		"http://x.test:80x/":                               `"http://x.test:80x/": invalid port`,
	} {
		_, _, err := ParseURL(raw)
		checkMisuse(t, err, want)
		if err != nil && strings.Contains(err.Error(), "hu") {
			t.Errorf("the password is told: %v", err)
		}
	}
}

func TestProfileMisuse(t *testing.T) {
	t.Parallel()
	good := helloJob("").Profile
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, spoil := range map[string]func(*Profile){
		"connections: 0 is less than 1":                      func(p *Profile) { p.Connections = 0 },
		"duration: -1s is negative":                          func(p *Profile) { p.Duration = -time.Second },
		"duration: neither":                                  func(p *Profile) { p.Duration = 0 },
		"requests: -1 is negative":                           func(p *Profile) { p.Requests = -1 },
		"warmup: -1ns":                                       func(p *Profile) { p.Warmup = -1 },
		"timeout: 0s is not more than 0":                     func(p *Profile) { p.Timeout = 0 },
		"timeout: 2h0m0s is more than 1h0m0s":                func(p *Profile) { p.Timeout = 2 * time.Hour },
		"calls: -1":                                          func(p *Profile) { p.Calls = -1 },
		`shape: "square"`:                                    func(p *Profile) { p.Shape = "square" },
		"rate: 0 requests/s":                                 func(p *Profile) { p.Shape = ShapeRate },
		"rate: NaN":                                          func(p *Profile) { p.Shape, p.Rate = ShapeRate, math.NaN() },
		"rate: 2e+07 requests/s is more":                     func(p *Profile) { p.Shape, p.Rate = ShapeRate, 2e7 },
		"steps: a ramp needs":                                func(p *Profile) { p.Shape = ShapeRamp },
		`step_by: ""`:                                        func(p *Profile) { p.Shape, p.Steps = ShapeRamp, []float64{1} },
		"steps: 1.5 is not a number of connections":          func(p *Profile) { p.Shape, p.StepBy, p.Steps = ShapeRamp, StepByConnections, []float64{1.5} },
		"rate: -3 requests/s":                                func(p *Profile) { p.Shape, p.StepBy, p.Steps = ShapeRamp, StepByRate, []float64{1, -3} },
		"open files and the limit is":                        func(p *Profile) { p.Connections = math.MaxInt32 },
		"raise it with: ulimit -n 2147483679":                func(p *Profile) { p.Connections = math.MaxInt32 },
		"connections: 2000000000 need 2000000032 open files": func(p *Profile) { p.Shape, p.StepBy, p.Steps = ShapeRamp, StepByConnections, []float64{2e9} },
	} {
		p := good
		spoil(&p)
		checkMisuse(t, p.Validate(), want)
	}
}

func TestJobMisuse(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]func(*Job){
		`address: "localhost" is not host:port`:  func(j *Job) { j.Address = "localhost" },
		`address: looking up "no.invalid:80"`:    func(j *Job) { j.Address = "no.invalid:80" },
		`address: looking up "127.0.0.1:http+x"`: func(j *Job) { j.Address = "127.0.0.1:http+x" },
		`method: "GE T"`:                         func(j *Job) { j.Request.Method = "GE T" },
		"method: CONNECT":                        func(j *Job) { j.Request.Method = "CONNECT" },
		`path: "x" does not start with /`:        func(j *Job) { j.Request.Path = "x" },
		`path: "/a b"`:                           func(j *Job) { j.Request.Path = "/a b" },
		`path: "/\r\nX: y"`:                      func(j *Job) { j.Request.Path = "/\r\nX: y" },
		`host: "a\nb"`:                           func(j *Job) { j.Request.Host = "a\nb" },
		`header: "X Y" is not a header name`:     func(j *Job) { j.Request.Header = map[string]string{"X Y": ""} },
		"header: the value of X":                 func(j *Job) { j.Request.Header = map[string]string{"X": "a\r\nb"} },
		"header: Connection is set":              func(j *Job) { j.Request.Header = map[string]string{"connection": "close"} },
		"header: Host is set":                    func(j *Job) { j.Request.Header = map[string]string{"HOST": "x"} },
		"header: Content-Length":                 func(j *Job) { j.Request.Header = map[string]string{"Content-Length": "1"} },
		"expect-status: 99":                      func(j *Job) { j.Expect.Status = 99 },
		"cpus: -1":                               func(j *Job) { j.CPUs = []int{-1} },
		"shape: a ramp is several runs": func(j *Job) {
			j.Profile.Shape, j.Profile.StepBy, j.Profile.Steps = ShapeRamp, StepByRate, []float64{1}
		},
	} {
		j := helloJob("127.0.0.1:1")
		spoil(&j)
		_, err := Run(context.Background(), j, Hooks{})
		checkMisuse(t, err, want)
	}
}

func TestParseURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][3]string{
		"http://127.0.0.1:8080/a?b=c":  {"127.0.0.1:8080", "/a?b=c", "127.0.0.1:8080"},
		"http://localhost":             {"localhost:80", "/", "localhost"},
		"HTTP://[::1]:81/x%20y#part":   {"[::1]:81", "/x%20y", "[::1]:81"},
		"http://host/with blank":       {"host:80", "/with%20blank", "host"},
		"http://host:8080?query=first": {"host:8080", "/?query=first", "host:8080"},
	} {
		address, r, err := ParseURL(in)
		if err != nil || address != want[0] || r.Path != want[1] || r.Host != want[2] {
			t.Errorf("%s: %s, %+v, %v", in, address, r, err)
		}
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	for in, want := range map[string]string{
		"localhost:8080/":    "has no scheme",
		"/path":              "has no scheme",
		"":                   "has no scheme",
		"http:///path":       "has no host",
		"http://:80/":        "has no host",
		"https://localhost/": "https is not supported",
		"ftp://localhost/":   `scheme "ftp"`,
		"http://u:p@host/":   "user information",
		"http://a\nb/":       "invalid control character",
		"http://host:port/":  "invalid port",
		"http://host:0/":     "port",
		"http://host:99999/": "port",
		"http://" + string(make([]byte, 5000)) + "/": "…",
	} {
		_, _, err := ParseURL(in)
		checkMisuse(t, err, want)
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// loadKind is a load that several tools can put on a server.
type loadKind int

const (
	keepAlive      loadKind = iota // 100 connections kept open
	newConnections                 // 100 at once, a new one for each request
)

// tool is a load generator.
type tool struct {
	name    string
	program string // path
	// args are its arguments for a load; nil when it cannot make it.
	args func(load loadKind, window time.Duration, url string) []string
	// read finds the number of right answers and the answers/s, 0 when the
	// tool does not say, in what it printed.
	read func(out string) (answers, qps float64, err error)
}

// ourselves is versweep. Its warm-up is off: no peer has one.
func (b *bench) ourselves() tool {
	return tool{"versweep", b.versweep, func(load loadKind, window time.Duration, url string) []string {
		args := []string{"load", url, "--connections", "100", "--duration", window.String(), "--warmup", "0s", "--json", "--quiet"}
		if load == newConnections {
			args = append(args, "--calls", "1")
		}
		return args
	}, func(out string) (float64, float64, error) {
		r, err := readResult(out)
		for kind, n := range r.Errors {
			if n > 0 {
				return 0, 0, fmt.Errorf("%d errors of kind %s", n, kind)
			}
		}
		return r.OK, r.QPS, err
	}}
}

// findTools returns the peers that are on this machine or can be installed
// from their Go modules, and names the others.
func findTools(ctx context.Context, scratch string, out io.Writer) []tool {
	onlyKeepAlive := func(args func(seconds, url string) []string) func(loadKind, time.Duration, string) []string {
		return func(load loadKind, window time.Duration, url string) []string {
			if load != keepAlive {
				return nil
			}
			return args(wholeSeconds(window), url)
		}
	}
	all := []struct {
		tool
		module string // Go module of the program, when it has one
	}{
		{tool{name: "wrk", args: onlyKeepAlive(func(s, url string) []string {
			return []string{"-t1", "-c100", "-d" + s + "s", url}
		}), read: found(`(\d+) requests in`, `Requests/sec:\s+([\d.]+)`)}, ""},
		{tool{name: "ab", args: func(load loadKind, window time.Duration, url string) []string {
			args := []string{"-q", "-c", "100", "-t", wholeSeconds(window), "-n", "100000000", url}
			if load == keepAlive {
				args = append([]string{"-k"}, args...)
			}
			return args
		}, read: found(`Complete requests:\s+(\d+)`, `Requests per second:\s+([\d.]+)`)}, ""},
		{tool{name: "h2load", args: onlyKeepAlive(func(s, url string) []string {
			return []string{"--h1", "-t1", "-c100", "-D" + s, url}
		}), read: found(`status codes: (\d+) 2xx`, `, ([\d.]+) req/s`)}, ""},
		{tool{name: "bombardier", args: func(load loadKind, window time.Duration, url string) []string {
			args := []string{"-c", "100", "-d", window.String(), "-p", "r", "-o", "plain-text", url}
			if load == newConnections {
				args = append([]string{"-H", "Connection: close"}, args...)
			}
			return args
		}, read: found(`2xx - (\d+)`, `Reqs/sec\s+([\d.]+)`)}, "github.com/codesenberg/bombardier@v1.2.6"},
		{tool{name: "hey", args: func(load loadKind, window time.Duration, url string) []string {
			args := []string{"-c", "100", "-z", window.String(), url}
			if load == newConnections {
				args = append([]string{"-disable-keepalive"}, args...)
			}
			return args
		}, read: found(`\[200\]\s+(\d+) responses`, `Requests/sec:\s+([\d.]+)`)}, "github.com/rakyll/hey@v0.1.4"},
	}
	var tools []tool
	for _, t := range all {
		program, err := exec.LookPath(t.name)
		if err != nil && t.module != "" {
			program, err = install(ctx, scratch, t.module, t.name)
		}
		if err != nil {
			fmt.Fprintf(out, "left out: %s is missing (%v)\n", t.name, err)
			continue
		}
		t.program = program
		tools = append(tools, t.tool)
	}
	fmt.Fprintln(out, "left out: wrk2 has no Debian package and no Go module")
	return tools
}

func install(ctx context.Context, scratch, module, name string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "install", module)
	cmd.Env = append(os.Environ(), "GOBIN="+scratch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("installing %s: %s", module, strings.TrimSpace(string(out)))
	}
	return filepath.Join(scratch, name), nil
}

func wholeSeconds(d time.Duration) string { return strconv.Itoa(max(1, int(d.Seconds()+0.5))) }

// found reads two numbers from a tool's report by their patterns.
func found(answers, qps string) func(string) (float64, float64, error) {
	answersAt, qpsAt := regexp.MustCompile(answers), regexp.MustCompile(qps)
	return func(out string) (float64, float64, error) {
		a, q := answersAt.FindStringSubmatch(out), qpsAt.FindStringSubmatch(out)
		if a == nil || q == nil {
			return 0, 0, fmt.Errorf("its report cannot be read: %.200q", out)
		}
		n, err := strconv.ParseFloat(a[1], 64)
		if err != nil {
			return 0, 0, err
		}
		perSecond, err := strconv.ParseFloat(q[1], 64)
		return n, perSecond, err
	}
}

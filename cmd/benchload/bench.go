package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// bench holds the settings and what the comparisons share.
type bench struct {
	out      io.Writer
	versweep string
	rounds   int
	window   time.Duration
	port     int
	node     string

	scratch string
	peers   []tool // those that are there
}

// The server has CPU 0 to itself, the load CPU 1.
const (
	serverCPU = "0"
	loadCPU   = "1"
)

// run carries out all comparisons.
func (b *bench) run(ctx context.Context) (err error) {
	if b.scratch, err = os.MkdirTemp("", "benchload-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.scratch)
	for _, program := range []string{"taskset", "nginx", b.versweep} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing: %w", program, err)
		}
	}
	b.peers = findTools(ctx, b.scratch, b.out)

	stop, err := b.startNginx(ctx)
	if err != nil {
		return err
	}
	err = errors.Join(
		b.compare(ctx, "100 connections kept open, nginx answering 12 bytes", keepAlive),
		b.compare(ctx, "a new connection for each request, 100 at once", newConnections),
		b.many(ctx),
		b.openLoop(ctx),
	)
	stop()
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	stop, err = b.startNode(ctx)
	if err != nil {
		fmt.Fprintf(b.out, "\nleft out: the comparison on Node.js: %v\n", err)
		return nil
	}
	defer stop()
	return b.compare(ctx, "100 connections kept open, Node.js "+b.nodeVersion(ctx), keepAlive)
}

func (b *bench) url() string { return fmt.Sprintf("http://127.0.0.1:%d/", b.port) }

// figures are what one run of a tool gave.
type figures struct {
	qps float64 // right answers/s
	cpu float64 // CPU seconds of the tool for a request
}

// compare runs every tool that can do the load once a round, in an order that
// turns, and prints medians and the ratio to the first peer, round by round.
func (b *bench) compare(ctx context.Context, title string, load loadKind) error {
	var tools []tool
	for _, t := range append([]tool{b.ourselves()}, b.peers...) {
		if t.args(load, b.window, b.url()) != nil {
			tools = append(tools, t)
		}
	}
	runs := make([][]figures, len(tools))
	for round := range b.rounds {
		for i := range tools {
			k := (i + round) % len(tools)
			f, err := b.measure(ctx, tools[k], load)
			if err != nil {
				return fmt.Errorf("%s: %w", tools[k].name, err)
			}
			runs[k] = append(runs[k], f)
		}
	}
	fmt.Fprintf(b.out, "\n%s (%d rounds of %v, one CPU each for server and load)\n", title, b.rounds, b.window)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "tool\tanswers/s\tlowest\thighest\tversweep/it\tCPU µs/request\tversweep/it\t")
	for k, t := range tools {
		var qps, cpu, qpsRatio, cpuRatio []float64
		for round, f := range runs[k] {
			qps, cpu = append(qps, f.qps), append(cpu, f.cpu*1e6)
			qpsRatio, cpuRatio = append(qpsRatio, runs[0][round].qps/f.qps), append(cpuRatio, runs[0][round].cpu/f.cpu)
		}
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t\n", t.name, median(qps), slices.Min(qps), slices.Max(qps), median(qpsRatio), median(cpu), median(cpuRatio))
	}
	return w.Flush()
}

// measure runs a tool once.
func (b *bench) measure(ctx context.Context, t tool, load loadKind) (figures, error) {
	out, usage, elapsed, err := b.runPinned(ctx, t.program, t.args(load, b.window, b.url()))
	if err != nil {
		return figures{}, err
	}
	answers, qps, err := t.read(out)
	if err != nil {
		return figures{}, err
	}
	if qps == 0 {
		qps = answers / elapsed.Seconds()
	}
	return figures{qps: qps, cpu: cpuSeconds(usage) / answers}, nil
}

// runPinned runs a program on the load's CPU and returns what it printed.
func (b *bench) runPinned(ctx context.Context, program string, args []string) (string, *syscall.Rusage, time.Duration, error) {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", loadCPU, program}, args...)...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", nil, 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return string(out), cmd.ProcessState.SysUsage().(*syscall.Rusage), time.Since(start), nil
}

func cpuSeconds(u *syscall.Rusage) float64 {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// result is the part of versweep's JSON that is used here.
type result struct {
	OK      float64
	QPS     float64
	Errors  map[string]int64
	Offered float64             `json:"offered_qps"`
	Late    map[string]*float64 `json:"lateness_us"`
	CPU     float64             `json:"cpu_s"`
	Bound   bool                `json:"client_bound"`
}

func readResult(out string) (r result, err error) {
	_, object, _ := strings.Cut(out, "{")
	err = json.Unmarshal([]byte("{"+object), &r)
	return r, err
}

// many opens 10,000 connections and shows memory and errors.
func (b *bench) many(ctx context.Context) error {
	const connections = 10_000
	fmt.Fprintf(b.out, "\n%d connections kept open\n", connections)
	out, usage, _, err := b.runPinned(ctx, b.versweep, []string{
		"load", b.url(), "--connections", strconv.Itoa(connections), "--duration", b.window.String(), "--warmup", "2s", "--json", "--quiet",
	})
	if err != nil {
		return err
	}
	r, err := readResult(out)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "answers/s %.0f, errors %v, peak memory %.1f MiB\n", r.QPS, r.Errors, float64(usage.Maxrss)/1024)
	return nil
}

// openLoop sends at half of what the closed loop reached and shows how late
// requests left.
func (b *bench) openLoop(ctx context.Context) error {
	f, err := b.measure(ctx, b.ourselves(), keepAlive)
	if err != nil {
		return err
	}
	rate := math.Round(f.qps / 2)
	fmt.Fprintf(b.out, "\nopen loop at %.0f requests/s, half of capacity: lateness of sends, µs\n", rate)
	w := tabwriter.NewWriter(b.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	keys := []string{"mean", "p50", "p90", "p99", "p99_9", "max"}
	fmt.Fprintln(w, "round\t"+strings.Join(keys, "\t")+"\terrors\t")
	for round := range b.rounds {
		out, _, _, err := b.runPinned(ctx, b.versweep, []string{
			"load", b.url(), "--rate", fmt.Sprint(rate), "--duration", b.window.String(), "--json", "--quiet",
		})
		if err != nil {
			return err
		}
		r, err := readResult(out)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%d\t", round+1)
		for _, k := range keys {
			if v := r.Late[k]; v != nil {
				fmt.Fprintf(w, "%.1f\t", *v)
			} else {
				fmt.Fprint(w, "-\t")
			}
		}
		total := int64(0)
		for _, n := range r.Errors {
			total += n
		}
		fmt.Fprintf(w, "%d\t\n", total)
	}
	return w.Flush()
}

func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// writeScratch writes a file that the run needs.
func (b *bench) writeScratch(name, text string) (string, error) {
	file := filepath.Join(b.scratch, name)
	return file, os.WriteFile(file, []byte(text), 0o644)
}

package sweep

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"versweep/sweep/load"
)

// MarkKind says what may have spoilt a sample.
type MarkKind string

const (
	ClientBound  MarkKind = "client-bound"  // the load engine set the pace
	WrongAnswers MarkKind = "wrong-answers" // some requests failed
	OtherWork    MarkKind = "other-work"    // other processes took CPU
	Steal        MarkKind = "steal"         // the hypervisor took CPU
	Throttled    MarkKind = "throttled"     // a CPU quota held the server back
	OutOfMemory  MarkKind = "out-of-memory" // the kernel killed a process of the server
	Swap         MarkKind = "swap"          // the machine swapped
	Thermal      MarkKind = "thermal"       // a CPU was slowed
	Unbalanced   MarkKind = "unbalanced"    // throughput, latency and connections contradict each other
)

// MarkKinds lists them all, what spoils first. Callers must not change it.
var MarkKinds = []MarkKind{OtherWork, Steal, Throttled, Swap, OutOfMemory, Thermal, ClientBound, WrongAnswers, Unbalanced}

// Mark is a doubt about one sample.
type Mark struct {
	Kind   MarkKind
	Detail string // one line with figures: "other processes took 23 % of the server's CPU"
	Spoils bool   // the sample must not enter a verdict
}

// Spoilt tells whether s must not enter a verdict: what happened on the machine
// while it was measured says more about its figures than the version does.
func (s Sample) Spoilt() bool {
	return slices.ContainsFunc(s.Marks, func(m Mark) bool { return m.Spoils })
}

// worthAgain tells whether another attempt could come out clean: what spoilt s
// came from the machine and not from the version.
func (s Sample) worthAgain() bool {
	machine := []MarkKind{OtherWork, Steal, Throttled, Swap}
	return slices.ContainsFunc(s.Marks, func(m Mark) bool { return m.Spoils && slices.Contains(machine, m.Kind) })
}

// Thresholds. Samples of a quiet machine differ by 3.9 % (standard deviation,
// rounds removed; DESIGN.md), and the smallest effect of interest is 3 % unless
// asked otherwise.
const (
	// notedShare is the share of CPU from which a loss is told: less cannot
	// make up the smallest effect of interest. Of the virtual machine that this
	// was written on, the hypervisor took 0.2 % over hours.
	notedShare = 0.03
	// spoilingShare is the share from which it spoils a sample: two and a half
	// standard deviations of a quiet machine, so an outlier.
	spoilingShare = 0.10
	// spoilingThrottle is the share of the window in which a quota may hold the
	// server back. A quota stops it for tens of milliseconds at a time, which
	// rules the tail of the latency long before it shows in throughput.
	spoilingThrottle = 0.01
	// spoilingSwap is how much may be swapped in a window, in bytes: what idle
	// processes move in passing is less, a server that waits for pages more.
	spoilingSwap = 1 << 20
	// slowedShare is the fall of a CPU's frequency over the window that is
	// told. Turbo alone moves it by a few percent.
	slowedShare = 0.10
	// unbalancedShare is how far Little's law may be missed. What the engine
	// does between answer and next request is some percent.
	unbalancedShare = 0.10
	// countedRequests for each connection make the law hold: fewer, and the
	// window's edges show.
	countedRequests = 20
)

// starvedBelow is the share of one CPU below which a closed loop's server was
// kept from working: over many connections it always has something to do.
const starvedBelow = 0.9

// guard watches one pass over one instance.
type guard struct {
	usageInWindow
	machine    Machine
	interrupts interrupts
	from, to   reading
	atEnd      bool // the window ended
	serverCPUs []int
	loadCPUs   []int
}

func newGuard(i Instance, m Machine, e Environment) *guard {
	g := &guard{usageInWindow: usageInWindow{instance: i}, machine: m, interrupts: m.interrupts(), serverCPUs: e.ServerCPUs, loadCPUs: e.LoadCPUs}
	if len(g.serverCPUs) == 0 || len(g.loadCPUs) == 0 { // not pinned: anywhere
		g.serverCPUs, g.loadCPUs = UsableCPUs(), UsableCPUs()
	}
	return g
}

// hooks read the machine outside of the instance's own readings, so that what
// reading costs does not count as the server's.
func (g *guard) hooks() load.Hooks {
	usage := g.usageInWindow.hooks()
	return load.Hooks{
		WindowStart: func() { g.from = g.machine.read(); usage.WindowStart() },
		WindowEnd:   func() { usage.WindowEnd(); g.to = g.machine.read(); g.atEnd = true },
	}
}

// marks judges the pass once it is over.
func (g *guard) marks(p load.Profile, r load.Result, exit Exit) []Mark {
	var marks []Mark
	add := func(kind MarkKind, spoils bool, format string, args ...any) {
		marks = append(marks, Mark{kind, fmt.Sprintf(format, args...), spoils})
	}
	here := g.atEnd && !g.end.Elsewhere && !exit.Early
	if here {
		g.cpuMarks(r, add)
	}
	if throttled := g.end.Throttled - g.start.Throttled; r.Elapsed > 0 && throttled > 0 && !exit.Early {
		share := throttled.Seconds() / r.Elapsed.Seconds()
		add(Throttled, share >= spoilingThrottle, "a CPU quota kept the server from running for %v of %v",
			throttled.Round(time.Millisecond), r.Elapsed.Round(time.Millisecond))
	}
	if here {
		if bytes := g.to.swapped - g.from.swapped; bytes > 0 {
			if bytes *= int64(os.Getpagesize()); bytes >= spoilingSwap {
				add(Swap, true, "%.1f MiB were swapped", float64(bytes)/(1<<20))
			}
		}
		g.heatMarks(add)
	}
	killed := g.end.OutOfMemory - g.start.OutOfMemory
	switch {
	case exit.OutOfMemory, exit.Early && !g.end.Elsewhere && g.to.outOfMem > g.from.outOfMem:
		add(OutOfMemory, true, "the server was killed for want of memory")
	case killed > 0 && !exit.Early:
		add(OutOfMemory, true, "processes beside the server were killed for want of memory: %d", killed)
	}
	if failed := r.Errors.Total(); failed > 0 {
		// Only without any right answer does a sample say nothing at all;
		// failures that a version brings are a result of their own.
		add(WrongAnswers, r.OK == 0, "%.3g %% of the requests failed (%s)", 100*float64(failed)/float64(failed+r.OK), kinds(r.Errors))
	}
	if r.ClientBound {
		// A lower bound: the server may be faster, never slower.
		add(ClientBound, false, "the load engine was the limit")
	}
	g.lawMarks(p, r, exit, add)
	return marks
}

type addMark func(kind MarkKind, spoils bool, format string, args ...any)

// cpuMarks tells who else used the CPUs of the server and of the load engine.
func (g *guard) cpuMarks(r load.Result, add addMark) {
	server := g.end.CPU - g.start.CPU
	type place struct {
		whose string
		cpus  []int
		own   time.Duration
	}
	places := []place{{"the server's CPU", g.serverCPUs, server}, {"the load engine's CPU", g.loadCPUs, r.CPU}}
	if slices.ContainsFunc(g.loadCPUs, func(cpu int) bool { return slices.Contains(g.serverCPUs, cpu) }) {
		all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(g.serverCPUs, g.loadCPUs))))
		places = []place{{"the CPUs that server and load engine share", all, server + r.CPU}}
	}
	for i, p := range places {
		t, known := spent(g.from, g.to, p.cpus)
		if !known || p.own <= 0 {
			continue
		}
		total := t.total().Seconds()
		// A load engine that has time to spare is only a little late.
		spare := i == 1 && t.idle.Seconds()/total > spoilingShare
		if share := t.takenByOthers(p.own, g.interrupts).Seconds() / total; share >= notedShare {
			add(OtherWork, share >= spoilingShare && !spare, "other processes took %.0f %% of %s", 100*share, p.whose)
		}
		if share := t.steal.Seconds() / total; share >= notedShare {
			add(Steal, share >= spoilingShare && !spare, "the hypervisor took %.0f %% of %s", 100*share, p.whose)
		}
	}
}

// heatMarks only note: a machine that is hot once mostly stays so, for each
// version of a round alike.
func (g *guard) heatMarks(add addMark) {
	for _, cpu := range slices.Sorted(maps.Keys(g.to.thermal)) {
		if times := g.to.thermal[cpu] - g.from.thermal[cpu]; times > 0 && g.ours(cpu) {
			add(Thermal, false, "CPU %d was slowed %d times because of heat", cpu, times)
		}
	}
	for _, cpu := range slices.Sorted(maps.Keys(g.to.mhz)) {
		was, is := float64(g.from.mhz[cpu]), float64(g.to.mhz[cpu])
		if is < was*(1-slowedShare) && g.ours(cpu) {
			add(Thermal, false, "CPU %d fell from %.0f to %.0f MHz", cpu, was, is)
		}
	}
}

func (g *guard) ours(cpu int) bool {
	return slices.Contains(g.serverCPUs, cpu) || slices.Contains(g.loadCPUs, cpu)
}

// lawMarks checks what must hold in a closed loop: the server has work all the
// time, and by Little's law as many requests as there are connections.
func (g *guard) lawMarks(p load.Profile, r load.Result, exit Exit, add addMark) {
	if p.Shape != load.ShapeClosed || p.Calls != 0 || r.ClientBound || r.Errors.Total() > 0 || exit.Early || r.Elapsed <= 0 {
		return
	}
	_, known := spent(g.from, g.to, g.serverCPUs)
	if cpu := g.end.CPU - g.start.CPU; cpu > 0 && (!known || g.end.Elsewhere) {
		if share := cpu.Seconds() / r.Elapsed.Seconds(); share < starvedBelow {
			add(OtherWork, false, "the server had %.0f %% of a CPU, and the load engine was not the limit", 100*share)
		}
	}
	if r.OK < countedRequests*int64(p.Connections) {
		return
	}
	if at := r.Concurrency(); math.Abs(at/float64(p.Connections)-1) > unbalancedShare {
		add(Unbalanced, false, "throughput and latency make %.1f requests at a time, over %d connections", at, p.Connections)
	}
}

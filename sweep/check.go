package sweep

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// CheckState says what a Check came to.
type CheckState string

const (
	CheckOK      CheckState = "ok"
	CheckWarn    CheckState = "warn"    // figures are noisier or lower than they could be
	CheckBad     CheckState = "bad"     // a measurement would be spoilt
	CheckUnknown CheckState = "unknown" // the machine does not tell
)

// Check is one look at whether a machine can measure.
type Check struct {
	Name  string     `json:"name"` // "governor"
	State CheckState `json:"state"`
	Found string     `json:"found"` // one line
	Why   string     `json:"why"`   // it matters
	Fix   string     `json:"fix"`   // a command or advice; empty when there is nothing to do
}

// Checks looks at the machine while it should be idle: settings, and what
// happens while wait passes. server and engine are the CPUs that a sweep would
// use, empty when they cannot be chosen; self is the process to leave out.
func (m Machine) Checks(server, engine []int, self int, wait func()) []Check {
	processes, before := m.processes(), m.read()
	wait()
	after, later := m.read(), m.processes()
	ours := slices.Compact(slices.Sorted(slices.Values(slices.Concat(server, engine))))
	if len(ours) == 0 {
		for cpu := range after.cpus {
			ours = append(ours, cpu)
		}
		slices.Sort(ours)
	}
	return []Check{
		checkPlaces(server, engine), m.checkIsolated(server), m.checkSiblings(server, engine), m.checkNodes(ours),
		m.checkGovernor(ours), m.checkTurbo(), m.checkLimits(ours), m.checkHeat(ours, after),
		m.checkHypervisor(), checkSteal(after, before, ours),
		checkOthers(before, after, ours, busiest(processes, later, self)), m.checkQuota(self),
		m.checkMemory(), m.checkSwap(before, after),
		m.checkClock(), m.checkFiles(), m.checkPorts(), m.checkBacklog(),
		m.checkGroups(), m.checkHugePages(), m.checkLayout(), m.checkMitigations(),
	}
}

// verdict is the state of a share that others take, by the guards' thresholds.
func verdict(share float64) CheckState {
	switch {
	case share >= spoilingShare:
		return CheckBad
	case share >= notedShare:
		return CheckWarn
	}
	return CheckOK
}

func unknown(c Check) Check {
	c.State, c.Found, c.Fix = CheckUnknown, "this system does not tell", ""
	return c
}

func checkPlaces(server, engine []int) Check {
	c := Check{Name: "cpus", State: CheckOK, Why: "server and load engine must not take CPU from each other"}
	switch {
	case len(server) == 0 || len(engine) == 0:
		return unknown(c)
	case slices.ContainsFunc(engine, func(cpu int) bool { return slices.Contains(server, cpu) }):
		c.State, c.Found = CheckBad, "server and load engine share CPU "+FormatCPUs(server)
		c.Fix = "give the machine a second CPU, or widen the set of CPUs that this shell may use (taskset, cpuset)"
	default:
		c.Found = fmt.Sprintf("server on CPU %s, load engine on CPU %s", FormatCPUs(server), FormatCPUs(engine))
	}
	return c
}

func (m Machine) checkIsolated(server []int) Check {
	c := Check{Name: "isolated CPUs", State: CheckOK, Why: "the kernel puts no other work on isolated CPUs"}
	if len(m.glob("sys/devices/system/cpu/isolated")) == 0 {
		return unknown(c)
	}
	list := m.text("sys/devices/system/cpu/isolated")
	c.Found = "none: other work may run on the measured CPUs, and is noticed"
	if isolated, err := ParseCPUs(list); err == nil {
		c.Found = "CPU " + list
		if len(server) > 0 && !slices.Contains(isolated, server[0]) {
			c.State, c.Found = CheckWarn, c.Found+", but the server runs elsewhere"
			c.Fix = "versweep run --server-cpus " + list
		}
	}
	return c
}

func (m Machine) checkSiblings(server, engine []int) Check {
	c := Check{Name: "SMT siblings", State: CheckOK, Why: "two threads of one core share its units: what one does slows the other"}
	known := false
	for _, cpu := range server {
		siblings, err := ParseCPUs(m.text(cpuDir(cpu) + "/topology/thread_siblings_list"))
		if err != nil {
			continue
		}
		known = true
		for _, other := range engine {
			if other != cpu && slices.Contains(siblings, other) {
				c.State, c.Found = CheckWarn, fmt.Sprintf("the server's CPU %d and the load engine's CPU %d are threads of one core", cpu, other)
				c.Fix = "choose CPUs of different cores with --server-cpus and --load-cpus, or: echo off > /sys/devices/system/cpu/smt/control"
				return c
			}
		}
	}
	if !known {
		return unknown(c)
	}
	c.Found = "server and load engine are on cores of their own"
	return c
}

func (m Machine) checkNodes(ours []int) Check {
	c := Check{Name: "NUMA", State: CheckOK, Why: "memory of another node is slower to reach"}
	nodes := m.glob("sys/devices/system/node/node[0-9]*")
	if len(nodes) == 0 {
		return unknown(c)
	}
	used := 0
	for _, node := range nodes {
		cpus, err := ParseCPUs(m.text(node + "/cpulist"))
		if err == nil && slices.ContainsFunc(ours, func(cpu int) bool { return slices.Contains(cpus, cpu) }) {
			used++
		}
	}
	c.Found = fmt.Sprintf("%s, server and load engine on one", plural(len(nodes), "node"))
	if used > 1 {
		c.State, c.Found = CheckWarn, fmt.Sprintf("server and load engine are spread over %d nodes of %d", used, len(nodes))
		c.Fix = "choose CPUs of one node with --server-cpus and --load-cpus; lscpu shows them"
	}
	return c
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func (m Machine) checkHypervisor() Check {
	c := Check{Name: "virtual machine", State: CheckOK, Why: "neighbours on the same hardware come and go, and what they take is only partly seen"}
	if len(m.cpuinfo()) == 0 {
		return unknown(c)
	}
	name := m.hypervisor()
	c.Found = "no"
	if name != "" {
		c.State, c.Found = CheckWarn, "yes ("+name+")"
		c.Fix = "for effects of a few percent use bare metal or a host of its own; otherwise more rounds"
	}
	return c
}

func checkSteal(after, before reading, cpus []int) Check {
	c := Check{Name: "steal", Why: "time that the hypervisor gives to others is missing from the server"}
	since, known := spent(reading{cpus: zeroTimes(cpus)}, after, cpus)
	now, knownNow := spent(before, after, cpus)
	if !known || !knownNow {
		return unknown(c)
	}
	share := now.steal.Seconds() / now.total().Seconds()
	whole := since.steal.Seconds() / since.total().Seconds()
	c.State, c.Found = verdict(max(share, whole)), fmt.Sprintf("%.1f %% since the start of the system, %.1f %% in the last second", 100*whole, 100*share)
	if c.State != CheckOK {
		c.Fix = "ask the provider for dedicated CPUs, or measure at a quieter time; samples that lost much are taken again"
	}
	return c
}

func zeroTimes(cpus []int) map[int]cpuTimes {
	zero := map[int]cpuTimes{}
	for _, cpu := range cpus {
		zero[cpu] = cpuTimes{}
	}
	return zero
}

func checkOthers(before, after reading, cpus []int, top []process) Check {
	c := Check{Name: "other work", Why: "it takes CPU and cache from the server"}
	t, known := spent(before, after, cpus)
	if !known {
		return unknown(c)
	}
	share := t.takenByOthers(0, interruptsApart).Seconds() / t.total().Seconds()
	c.State, c.Found = verdict(share), fmt.Sprintf("other processes used %.0f %% of CPU %s in the last second", 100*share, FormatCPUs(cpus))
	if c.State == CheckOK {
		return c
	}
	var names []string
	for _, p := range top {
		if of := p.cpu.Seconds() / t.total().Seconds(); of >= 0.01 {
			names = append(names, fmt.Sprintf("%s (%d) %.0f %%", p.name, p.pid, 100*of))
		}
	}
	if len(names) > 0 {
		c.Found += ": " + strings.Join(names, ", ")
	}
	c.Fix = "end or pause them while a sweep runs, or keep them off these CPUs with taskset"
	return c
}

// checkQuota looks for a limit on CPU time that this program inherits to the
// servers that it starts as processes.
func (m Machine) checkQuota(self int) Check {
	c := Check{Name: "CPU quota", State: CheckOK, Found: "none", Why: "a quota stops a server for tens of milliseconds at a time"}
	if m.text(fmt.Sprintf("proc/%d/cgroup", self)) == "" {
		return unknown(c)
	}
	if cpus := m.quota(self); cpus > 0 {
		c.State, c.Found = CheckBad, fmt.Sprintf("%.2g CPUs' worth of time", cpus)
		c.Fix = "lift it (docker run without --cpus, no cpu limit in the pod, systemd CPUQuota=) and pin with a cpuset instead"
	}
	if throttled := m.Group(self).Throttled; throttled > 0 {
		c.Found += fmt.Sprintf(", throttled for %v so far", throttled.Round(time.Millisecond))
	}
	return c
}

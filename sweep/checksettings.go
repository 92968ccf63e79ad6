package sweep

import (
	"fmt"
	"path"
	"strings"
)

func (m Machine) checkGovernor(cpus []int) Check {
	c := Check{Name: "governor", State: CheckOK, Found: "performance", Why: "other governors change the frequency with the load, so that a busier server looks faster"}
	known := false
	for _, cpu := range cpus {
		governor := m.text(cpuDir(cpu) + "/cpufreq/scaling_governor")
		known = known || governor != ""
		if governor != "" && governor != "performance" {
			c.State, c.Found = CheckWarn, fmt.Sprintf("%s on CPU %d", governor, cpu)
			c.Fix = "cpupower frequency-set -g performance"
			return c
		}
	}
	if !known {
		return unknown(c)
	}
	return c
}

func (m Machine) checkTurbo() Check {
	c := Check{Name: "turbo", State: CheckOK, Found: m.turbo(), Why: "how much faster it makes a CPU depends on heat and on what the other cores do"}
	switch c.Found {
	case "":
		return unknown(c)
	case "on":
		c.State, c.Fix = CheckWarn, "echo 0 > /sys/devices/system/cpu/cpufreq/boost"
		if m.text("sys/devices/system/cpu/intel_pstate/no_turbo") != "" {
			c.Fix = "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
		}
	}
	return c
}

func (m Machine) checkLimits(cpus []int) Check {
	c := Check{Name: "frequency limit", State: CheckOK, Why: "a limit that differs between sweeps looks like a change of the version"}
	for _, cpu := range cpus {
		dir := path.Join(cpuDir(cpu), "cpufreq")
		limit, known := m.number(path.Join(dir, "scaling_max_freq"))
		can, knownMax := m.number(path.Join(dir, "cpuinfo_max_freq"))
		if !known || !knownMax {
			continue
		}
		if limit < can {
			c.State, c.Found = CheckWarn, fmt.Sprintf("CPU %d is held at %d MHz of %d", cpu, limit/1000, can/1000)
			c.Fix = fmt.Sprintf("cpupower frequency-set -u %dMHz, unless it is meant, and then for every sweep", can/1000)
			return c
		}
		c.Found = fmt.Sprintf("none, up to %d MHz", can/1000)
	}
	if c.Found == "" {
		return unknown(c)
	}
	return c
}

func (m Machine) checkHeat(cpus []int, r reading) Check {
	c := Check{Name: "heat", State: CheckOK, Found: "never slowed a CPU", Why: "a CPU that is too hot slows down"}
	var times int64
	for _, cpu := range cpus {
		times += r.thermal[cpu]
	}
	switch {
	case len(r.thermal) == 0:
		return unknown(c)
	case times > 0:
		c.State, c.Found = CheckWarn, fmt.Sprintf("slowed these CPUs %d times since the start of the system", times)
		c.Fix = "turn turbo off, mend the cooling, or put a pause between sweeps"
	}
	return c
}

// Memory below which servers get into trouble: one may have 2 GiB as a container.
const (
	littleMemory  = 2 << 30
	tooLittle     = 512 << 20
	bytesPerMiB   = 1 << 20
	fewFiles      = 4096
	shortBacklog  = 512
	seconds2MSL   = 60 // that the kernel keeps a port after its connection
	fewPortsASecs = 1000
)

func (m Machine) checkMemory() Check {
	c := Check{Name: "memory", State: CheckOK, Why: "a server that is short of memory measures the kernel"}
	free, total := m.memory("MemAvailable"), m.memory("MemTotal")
	if total == 0 {
		return unknown(c)
	}
	c.Found = fmt.Sprintf("%d MiB of %d available", free/bytesPerMiB, total/bytesPerMiB)
	switch {
	case free < tooLittle:
		c.State = CheckBad
	case free < littleMemory:
		c.State = CheckWarn
	}
	if c.State != CheckOK {
		c.Fix = "end what holds memory; a server may use 2 GiB"
	}
	return c
}

func (m Machine) checkSwap(before, after reading) Check {
	c := Check{Name: "swap", State: CheckOK, Why: "a page that comes back from disk takes thousands of requests' time"}
	total := m.memory("SwapTotal")
	used := total - m.memory("SwapFree")
	switch {
	case m.memory("MemTotal") == 0:
		return unknown(c)
	case after.swapped > before.swapped:
		c.State, c.Found = CheckBad, fmt.Sprintf("%d pages moved in the last second", after.swapped-before.swapped)
		c.Fix = "end what holds memory, then: swapoff -a"
	case total == 0:
		c.Found = "none"
	case used > 0:
		c.State, c.Found = CheckWarn, fmt.Sprintf("%d MiB of %d in use, none moved in the last second", used/bytesPerMiB, total/bytesPerMiB)
		c.Fix = "swapoff -a for the time of a sweep"
	default:
		c.Found = fmt.Sprintf("%d MiB, none in use", total/bytesPerMiB)
	}
	return c
}

func (m Machine) checkClock() Check {
	c := Check{Name: "clock source", State: CheckOK, Why: "other clocks cost a system call or a slow device for each time that is read"}
	c.Found = m.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
	switch c.Found {
	case "":
		return unknown(c)
	case "hpet", "acpi_pm", "jiffies", "refined-jiffies", "xen":
		c.State, c.Fix = CheckWarn, "dmesg | grep -i clocksource says why the kernel gave up the quick one"
	}
	return c
}

func (m Machine) checkFiles() Check {
	c := Check{Name: "open files", State: CheckOK, Why: "each connection takes one in the server and one in the load engine"}
	for line := range strings.Lines(m.text("proc/self/limits")) {
		rest, ok := strings.CutPrefix(line, "Max open files")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		c.Found = fmt.Sprintf("%s, at most %s", fields[0], fields[1])
		if n := parseInt(fields[1]); fields[1] != "unlimited" && n < fewFiles {
			c.State, c.Fix = CheckWarn, "ulimit -n 65536, or LimitNOFILE= of the service that starts versweep"
		}
		return c
	}
	return unknown(c)
}

func (m Machine) checkPorts() Check {
	c := Check{Name: "ports", State: CheckOK, Why: "loads that open a connection a request use them up: each rests for a minute"}
	ends := strings.Fields(m.text("proc/sys/net/ipv4/ip_local_port_range"))
	if len(ends) != 2 {
		return unknown(c)
	}
	ports := parseInt(ends[1]) - parseInt(ends[0]) + 1
	reuse := m.text("proc/sys/net/ipv4/tcp_tw_reuse")
	c.Found = fmt.Sprintf("%d ports, tcp_tw_reuse %s", ports, reuse)
	if reuse == "0" && ports/seconds2MSL < fewPortsASecs {
		c.State = CheckWarn
		c.Fix = "sysctl net.ipv4.tcp_tw_reuse=2 and net.ipv4.ip_local_port_range='10000 65535'"
	}
	return c
}

func (m Machine) checkBacklog() Check {
	c := Check{Name: "backlog", State: CheckOK, Why: "connections that find no place in the queue are tried again a second later"}
	n, known := m.number("proc/sys/net/core/somaxconn")
	if !known {
		return unknown(c)
	}
	c.Found = fmt.Sprintf("somaxconn %d", n)
	if n < shortBacklog {
		c.State, c.Fix = CheckWarn, "sysctl net.core.somaxconn=4096"
	}
	return c
}

func (m Machine) checkGroups() Check {
	c := Check{Name: "control groups", State: CheckOK, Why: "containers' limits and counters come from them"}
	switch {
	case m.text(groupRoot+"/cgroup.controllers") != "":
		c.Found = "version 2"
	case m.text(groupRoot+"/cpuset/cpuset.cpus") != "":
		c.Found = "version 1"
	default:
		return unknown(c)
	}
	return c
}

func (m Machine) checkHugePages() Check {
	c := Check{Name: "huge pages", State: CheckOK, Found: m.hugePages(), Why: "they change memory use and speed; sweeps of different settings are kept apart"}
	if c.Found == "" {
		return unknown(c)
	}
	return c
}

func (m Machine) checkLayout() Check {
	c := Check{Name: "address layout", State: CheckOK, Why: "a process's layout is part of its speed; random ones average out over the rounds"}
	switch m.text("proc/sys/kernel/randomize_va_space") {
	case "":
		return unknown(c)
	case "0":
		c.Found = "the same for each start: a lucky layout stays"
	default:
		c.Found = "random for each start"
	}
	return c
}

func (m Machine) checkMitigations() Check {
	c := Check{Name: "mitigations", State: CheckOK, Found: m.mitigations(), Why: "they make system calls slower; sweeps with others are kept apart"}
	switch {
	case len(m.glob("sys/devices/system/cpu/vulnerabilities/*")) == 0:
		return unknown(c)
	case c.Found == "":
		c.Found = "none"
	}
	return c
}

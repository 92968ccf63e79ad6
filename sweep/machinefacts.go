package sweep

import (
	"path"
	"slices"
	"strings"
)

// Facts about a machine that hold until it starts again or someone changes a
// setting. Each is empty where it is unknown.

// turbo is "on" when CPUs may run faster than their nominal frequency.
func (m Machine) turbo() string {
	for _, setting := range []struct{ file, on, off string }{
		{"sys/devices/system/cpu/intel_pstate/no_turbo", "0", "1"},
		{"sys/devices/system/cpu/cpufreq/boost", "1", "0"},
	} {
		switch m.text(setting.file) {
		case setting.on:
			return "on"
		case setting.off:
			return "off"
		}
	}
	return ""
}

// smt is "on" when some core runs two threads at a time.
func (m Machine) smt() string {
	switch m.text("sys/devices/system/cpu/smt/active") {
	case "1":
		return "on"
	case "0":
		return "off"
	}
	return ""
}

// hypervisor names what the machine runs under, "unnamed" when that has no name;
// empty on bare metal too.
func (m Machine) hypervisor() string {
	flags := strings.Fields(m.cpuinfo()["flags"])
	if kind := m.text("sys/hypervisor/type"); kind != "" {
		return kind
	}
	if !slices.Contains(flags, "hypervisor") {
		return ""
	}
	vendor := strings.TrimSpace(m.text("sys/class/dmi/id/sys_vendor") + " " + m.text("sys/class/dmi/id/product_name"))
	if vendor == "" {
		return "unnamed"
	}
	return vendor
}

// cpuinfo holds the first CPU's lines of /proc/cpuinfo by name.
func (m Machine) cpuinfo() map[string]string {
	first, _, _ := strings.Cut(m.text("proc/cpuinfo"), "\n\n")
	lines := map[string]string{}
	for line := range strings.Lines(first) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return lines
}

// hugePages is when the kernel gives them unasked: "always", "madvise", "never".
func (m Machine) hugePages() string { return m.chosen("sys/kernel/mm/transparent_hugepage/enabled") }

// mitigations lists the flaws of the CPU that the kernel works around, which
// costs system calls: "meltdown,spectre_v2". How it does so goes with the kernel.
func (m Machine) mitigations() string {
	var names []string
	for _, file := range m.glob("sys/devices/system/cpu/vulnerabilities/*") {
		if strings.HasPrefix(m.text(file), "Mitigation") {
			names = append(names, path.Base(file))
		}
	}
	return strings.Join(names, ",")
}

// addFacts puts into e what the machine tells of itself.
func (m Machine) addFacts(e *Environment) {
	cpu := m.cpuinfo()
	e.CPU, e.Microcode = cpu["model name"], cpu["microcode"]
	e.Governor = m.text(cpuDir(0) + "/cpufreq/scaling_governor")
	e.Memory = m.memory("MemTotal")
	e.Turbo, e.SMT, e.Hypervisor, e.THP, e.Mitigations = m.turbo(), m.smt(), m.hypervisor(), m.hugePages(), m.mitigations()
}

// memory is a figure of /proc/meminfo in bytes; 0 when unknown.
func (m Machine) memory(name string) int64 {
	kib, _, _ := strings.Cut(m.table("proc/meminfo")[name], " ")
	return parseInt(kib) << 10
}

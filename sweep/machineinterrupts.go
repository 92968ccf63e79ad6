package sweep

import (
	"compress/gzip"
	"io"
	"strings"
	"time"
)

// interrupts is how a kernel counts the time of interrupts, soft ones included.
// Under load most are ours, since they carry the requests: 5 % of a CPU's busy
// time on the machine that this was written on, and more at higher rates.
type interrupts int

const (
	interruptsUnknown interrupts = iota
	interruptsApart              // from the time of the process that they interrupt
	interruptsWithin             // as part of that process's time, and in /proc/stat once more apart
)

// irqOption is the kernel's option that decides it.
const irqOption = "CONFIG_IRQ_TIME_ACCOUNTING"

// interrupts reads what the kernel was built with.
func (m Machine) interrupts() interrupts {
	config := m.text("boot/config-" + m.text("proc/sys/kernel/osrelease"))
	if config == "" && m.files != nil {
		config = m.unzipped("proc/config.gz")
	}
	switch {
	case strings.Contains(config, irqOption+"=y\n"):
		return interruptsApart
	case strings.Contains(config, "# "+irqOption+" is not set\n"):
		return interruptsWithin
	}
	return interruptsUnknown
}

// unzipped is the content of a compressed file; empty when it cannot be read.
func (m Machine) unzipped(path string) string {
	f, err := m.files.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	z, err := gzip.NewReader(io.LimitReader(f, maxMachineFile))
	if err != nil {
		return ""
	}
	b, err := io.ReadAll(io.LimitReader(z, maxMachineFile))
	if err != nil {
		return ""
	}
	return string(b)
}

// takenByOthers is the CPU time that went to neither idling, nor the hypervisor,
// nor to our processes, which used own of it. How the kernel counts interrupts
// can be unknown: where ours have more than all the work that was counted,
// theirs holds the interrupts; else the answer may be too small by those.
func (t cpuTimes) takenByOthers(own time.Duration, how interrupts) time.Duration {
	others := t.work - own
	if how == interruptsWithin || how == interruptsUnknown && others < 0 {
		others += t.irq
	}
	return max(0, others)
}

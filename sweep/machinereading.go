package sweep

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
)

// reading is what a machine has counted up to one moment. Differences of two
// readings tell what happened in between.
type reading struct {
	cpus     map[int]cpuTimes // empty when unknown
	swapped  int64            // pages moved from and to swap
	thermal  map[int]int64    // times that a CPU was slowed because of heat; empty when not counted
	mhz      map[int]int64    // present frequency; empty when unknown
	outOfMem int64            // processes killed for want of memory, of any group
}

// cpuTimes is how one CPU spent its time since the system started: the columns
// of /proc/stat, see proc(5).
type cpuTimes struct {
	work  time.Duration // user, nice and system
	irq   time.Duration // interrupts, soft ones included
	idle  time.Duration // waiting for input and output included
	steal time.Duration // the hypervisor ran something else
}

func (t cpuTimes) total() time.Duration { return t.work + t.irq + t.idle + t.steal }

func (t cpuTimes) plus(o cpuTimes, sign time.Duration) cpuTimes {
	return cpuTimes{t.work + sign*o.work, t.irq + sign*o.irq, t.idle + sign*o.idle, t.steal + sign*o.steal}
}

// clockTick is the unit of /proc/stat: the kernel converts to USER_HZ, which is
// 100 on every architecture that Go runs on.
const clockTick = 10 * time.Millisecond

// read takes a reading. On two CPUs it costs a quarter of a millisecond.
func (m Machine) read() reading {
	r := reading{cpus: m.cpuTimes(), thermal: map[int]int64{}, mhz: map[int]int64{}}
	vm := m.table("proc/vmstat")
	for into, names := range map[*int64][]string{&r.swapped: {"pswpin", "pswpout"}, &r.outOfMem: {"oom_kill"}} {
		for _, name := range names {
			*into += parseInt(vm[name])
		}
	}
	for cpu := range r.cpus {
		dir := cpuDir(cpu)
		core, known := m.number(path.Join(dir, "thermal_throttle/core_throttle_count"))
		if known {
			whole, _ := m.number(path.Join(dir, "thermal_throttle/package_throttle_count"))
			r.thermal[cpu] = core + whole
		}
		if khz, known := m.number(path.Join(dir, "cpufreq/scaling_cur_freq")); known {
			r.mhz[cpu] = khz / 1000
		}
	}
	return r
}

func cpuDir(cpu int) string { return fmt.Sprintf("sys/devices/system/cpu/cpu%d", cpu) }

// cpuTimes reads the lines of single CPUs in /proc/stat.
func (m Machine) cpuTimes() map[int]cpuTimes {
	cpus := map[int]cpuTimes{}
	for line := range strings.Lines(m.text("proc/stat")) {
		fields := strings.Fields(line)
		if len(fields) < 9 {
			continue
		}
		cpu, err := strconv.Atoi(strings.TrimPrefix(fields[0], "cpu"))
		if err != nil || !strings.HasPrefix(fields[0], "cpu") {
			continue
		}
		var n [8]time.Duration // user nice system idle iowait irq softirq steal
		for i := range n {
			ticks, err := strconv.ParseInt(fields[i+1], 10, 64)
			if err != nil {
				return nil
			}
			n[i] = time.Duration(ticks) * clockTick
		}
		cpus[cpu] = cpuTimes{work: n[0] + n[1] + n[2], irq: n[5] + n[6], idle: n[3] + n[4], steal: n[7]}
	}
	return cpus
}

// spent is how some CPUs spent their time from one reading to the next; false
// when one of them was not read.
func spent(from, to reading, cpus []int) (cpuTimes, bool) {
	var sum cpuTimes
	for _, cpu := range cpus {
		a, known := from.cpus[cpu]
		b, knownAfter := to.cpus[cpu]
		if !known || !knownAfter {
			return cpuTimes{}, false
		}
		sum = sum.plus(b, 1).plus(a, -1)
	}
	return sum, sum.total() > 0
}

package sweep

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// server is a four-CPU machine of two cores as its owner should set it up.
func serverFiles() fstest.MapFS {
	files := fstest.MapFS{}
	for path, content := range map[string]string{
		"proc/cpuinfo":                          "processor : 0\nmodel name : Xeon\nmicrocode : 0x1\nflags : fpu sse\n\nprocessor : 1\n",
		"proc/meminfo":                          "MemTotal: 16777216 kB\nMemAvailable: 12582912 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
		"proc/vmstat":                           "pswpin 5\npswpout 5\n",
		"proc/9/cgroup":                         "0::/user.slice\n",
		"proc/9/stat":                           "9 (versweep) R 1 9 9 0 -1 0 0 0 0 0 10 10 0 0 20 0 1 0 5 0 0",
		"proc/stat":                             "cpu0 1000 0 0 9000 0 0 0 0 0 0\ncpu1 1000 0 0 9000 0 0 0 0 0 0\n",
		"proc/self/limits":                      "Limit Soft Hard Units\nMax open files            1024                 524288               files\n",
		"proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n", "proc/sys/net/ipv4/tcp_tw_reuse": "2\n",
		"proc/sys/net/core/somaxconn": "4096\n", "proc/sys/kernel/randomize_va_space": "2\n",
		"sys/fs/cgroup/cgroup.controllers": "cpuset cpu memory\n", "sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
		"sys/devices/system/cpu/isolated": "\n", "sys/devices/system/cpu/smt/active": "1\n",
		"sys/devices/system/cpu/intel_pstate/no_turbo":                    "1\n",
		"sys/devices/system/cpu/vulnerabilities/meltdown":                 "Mitigation: PTI\n",
		"sys/devices/system/cpu/vulnerabilities/l1tf":                     "Not affected\n",
		"sys/devices/system/cpu/vulnerabilities/mds":                      "Vulnerable\n",
		"sys/devices/system/cpu/vulnerabilities/spectre_v2":               "Mitigation: Retpolines\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
		"sys/devices/system/node/node0/cpulist":                           "0-3\n",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never\n",
	} {
		files[path] = text(content)
	}
	for cpu := range 2 {
		dir := cpuDir(cpu)
		files[dir+"/topology/thread_siblings_list"] = text(fmt.Sprintf("%d,%d\n", cpu, cpu+2))
		files[dir+"/cpufreq/scaling_governor"] = text("performance\n")
		files[dir+"/cpufreq/scaling_max_freq"] = text("3000000\n")
		files[dir+"/cpufreq/cpuinfo_max_freq"] = text("3000000\n")
		files[dir+"/thermal_throttle/core_throttle_count"] = text("0\n")
	}
	return files
}

// look runs the checks; later are files that change while doctor watches.
func look(files fstest.MapFS, later map[string]string, server, engine []int) map[string]Check {
	found := map[string]Check{}
	for _, c := range MachineIn(files).Checks(server, engine, 9, func() {
		for path, content := range later {
			files[path] = text(content)
		}
	}) {
		found[c.Name] = c
	}
	return found
}

// idle is a second in which nothing ran.
var idle = map[string]string{"proc/stat": "cpu0 1000 0 0 9100 0 0 0 0 0 0\ncpu1 1000 0 0 9100 0 0 0 0 0 0\n"}

func TestChecksOfAGoodServer(t *testing.T) {
	for name, c := range look(serverFiles(), idle, []int{0}, []int{1}) {
		if c.State != CheckOK || c.Found == "" || c.Why == "" || c.Fix != "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestChecksOfAnUnknownMachine(t *testing.T) {
	for _, c := range (Machine{}).Checks(nil, nil, 9, func() {}) {
		if c.State != CheckUnknown || c.Found == "" {
			t.Errorf("%+v", c)
		}
	}
}

func TestChecks(t *testing.T) {
	for name, tt := range map[string]struct {
		files  map[string]string
		later  map[string]string
		engine []int // CPU 1 when nil
		check  string
		state  CheckState
		found  string // part of it
		fix    string // part of it
	}{
		"one CPU for both":   {nil, nil, []int{0}, "cpus", CheckBad, "share CPU 0", "second CPU"},
		"siblings":           {map[string]string{"sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0-1\n"}, nil, nil, "SMT siblings", CheckWarn, "CPU 0 and the load engine's CPU 1", "smt/control"},
		"isolated elsewhere": {map[string]string{"sys/devices/system/cpu/isolated": "2-3\n"}, nil, nil, "isolated CPUs", CheckWarn, "CPU 2-3", "--server-cpus 2-3"},
		"two nodes": {map[string]string{"sys/devices/system/node/node0/cpulist": "0\n", "sys/devices/system/node/node1/cpulist": "1\n"}, nil, nil,
			"NUMA", CheckWarn, "2 nodes of 2", "one node"},
		"powersave":     {map[string]string{"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "powersave\n"}, nil, nil, "governor", CheckWarn, "powersave on CPU 1", "performance"},
		"turbo":         {map[string]string{"sys/devices/system/cpu/intel_pstate/no_turbo": "0\n"}, nil, nil, "turbo", CheckWarn, "on", "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"},
		"held down":     {map[string]string{"sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq": "2000000\n"}, nil, nil, "frequency limit", CheckWarn, "2000 MHz of 3000", "3000MHz"},
		"hot":           {map[string]string{"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "12\n"}, nil, nil, "heat", CheckWarn, "12 times", "cooling"},
		"virtual":       {map[string]string{"proc/cpuinfo": "flags : fpu hypervisor\n", "sys/class/dmi/id/sys_vendor": "QEMU\n"}, nil, nil, "virtual machine", CheckWarn, "yes (QEMU)", "bare metal"},
		"stolen before": {map[string]string{"proc/stat": "cpu0 500 0 0 9100 0 0 0 400 0 0\ncpu1 500 0 0 9100 0 0 0 400 0 0\n"}, map[string]string{"proc/stat": "cpu0 500 0 0 9200 0 0 0 400\ncpu1 500 0 0 9200 0 0 0 400\n"}, nil, "steal", CheckWarn, "4.0 % since the start of the system, 0.0 %", "dedicated"},
		"stolen now":    {nil, map[string]string{"proc/stat": "cpu0 1000 0 0 9080 0 0 0 20\ncpu1 1000 0 0 9080 0 0 0 20\n"}, nil, "steal", CheckBad, "20.0 % in the last second", "dedicated"},
		"another's work": {map[string]string{"proc/77/stat": "77 (make) (x) S 1 1 1 0 -1 0 0 0 0 0 100 0 0 0 20"}, map[string]string{
			"proc/stat": "cpu0 1090 0 0 9010 0 0 0 0\ncpu1 1000 0 0 9100 0 0 0 0\n", "proc/77/stat": "77 (make) (x) S 1 1 1 0 -1 0 0 0 0 0 150 40 0 0 20"},
			nil, "other work", CheckBad, "45 % of CPU 0-1 in the last second: make) (x (77) 45 %", "pause"},
		"quota": {map[string]string{"sys/fs/cgroup/user.slice/cpu.max": "150000 100000\n", "sys/fs/cgroup/user.slice/cpu.stat": "nr_throttled 2\nthrottled_usec 40000\n"}, nil, nil,
			"CPU quota", CheckBad, "1.5 CPUs' worth of time, throttled for 40ms", "--cpus"},
		"quota of version 1": {map[string]string{"proc/9/cgroup": "3:cpu,cpuacct:/not/here\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "50000\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n"}, nil, nil,
			"CPU quota", CheckBad, "0.5 CPUs", "--cpus"},
		"little memory": {map[string]string{"proc/meminfo": "MemTotal: 4194304 kB\nMemAvailable: 1048576 kB\n"}, nil, nil, "memory", CheckWarn, "1024 MiB of 4096", "2 GiB"},
		"no memory":     {map[string]string{"proc/meminfo": "MemTotal: 4194304 kB\nMemAvailable: 104857 kB\n"}, nil, nil, "memory", CheckBad, "102 MiB", "2 GiB"},
		"swap in use":   {map[string]string{"proc/meminfo": "MemTotal: 16777216 kB\nMemAvailable: 12582912 kB\nSwapTotal: 2048000 kB\nSwapFree: 1024000 kB\n"}, nil, nil, "swap", CheckWarn, "1000 MiB of 2000", "swapoff"},
		"swapping":      {nil, map[string]string{"proc/vmstat": "pswpin 5\npswpout 9\n"}, nil, "swap", CheckBad, "4 pages", "swapoff"},
		"slow clock":    {map[string]string{"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet\n"}, nil, nil, "clock source", CheckWarn, "hpet", "dmesg"},
		"few files":     {map[string]string{"proc/self/limits": "Max open files 256 1024 files\n"}, nil, nil, "open files", CheckWarn, "256, at most 1024", "ulimit"},
		"ports rest":    {map[string]string{"proc/sys/net/ipv4/tcp_tw_reuse": "0\n"}, nil, nil, "ports", CheckWarn, "28232 ports", "tcp_tw_reuse"},
		"short backlog": {map[string]string{"proc/sys/net/core/somaxconn": "128\n"}, nil, nil, "backlog", CheckWarn, "128", "somaxconn"},
		"old groups":    {map[string]string{"sys/fs/cgroup/cgroup.controllers": "", "sys/fs/cgroup/cpuset/cpuset.cpus": "0-3\n"}, nil, nil, "control groups", CheckOK, "version 1", ""},
		"fixed layout":  {map[string]string{"proc/sys/kernel/randomize_va_space": "0\n"}, nil, nil, "address layout", CheckOK, "the same for each start", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := serverFiles()
			for path, content := range tt.files {
				files[path] = text(content)
			}
			later := maps.Clone(idle)
			maps.Copy(later, tt.later)
			engine := tt.engine
			if engine == nil {
				engine = []int{1}
			}
			c := look(files, later, []int{0}, engine)[tt.check]
			if c.State != tt.state || !strings.Contains(c.Found, tt.found) || !strings.Contains(c.Fix, tt.fix) || c.State == CheckOK != (c.Fix == "") {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestFactsOfAMachine(t *testing.T) {
	var e Environment
	MachineIn(serverFiles()).addFacts(&e)
	want := Environment{
		CPU: "Xeon", Microcode: "0x1", Governor: "performance", Memory: 16 << 30,
		Turbo: "off", SMT: "on", THP: "madvise", Mitigations: "meltdown,spectre_v2",
	}
	if e.Hash() != want.Hash() {
		t.Errorf("got  %+v\nwant %+v", e, want)
	}
	// What is not known leaves the hash as it was before these facts were read.
	var none Environment
	Machine{}.addFacts(&none)
	if none.Hash() != "696fb51891da" {
		t.Errorf("hash %s", none.Hash())
	}
}

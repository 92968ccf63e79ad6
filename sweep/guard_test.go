package sweep

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"versweep/sweep/load"
)

// scene is /proc and /sys before and after a window of one second on two CPUs,
// the server on CPU 0 and the load engine on CPU 1.
type scene struct {
	stat  [2][8]int64 // ticks on each CPU: user nice system idle iowait irq softirq steal
	vm    string      // of /proc/vmstat afterwards
	files map[string][2]string
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

// machines are the machine before and after.
func (s scene) machines() (before, after Machine) {
	a, b := fstest.MapFS{"proc/vmstat": text("pswpin 100\npswpout 100\noom_kill 1\n")}, fstest.MapFS{}
	b["proc/vmstat"] = a["proc/vmstat"]
	if s.vm != "" {
		b["proc/vmstat"] = text(s.vm)
	}
	var was, is strings.Builder
	was.WriteString("cpu  2000 0 0 0 0 0 0 0 0 0\n")
	is.WriteString("cpu  2200 0 0 0 0 0 0 0 0 0\n")
	for cpu, ticks := range s.stat {
		fmt.Fprintf(&was, "cpu%d 1000 0 0 0 0 0 0 0 0 0\n", cpu)
		fmt.Fprintf(&is, "cpu%d %d %d %d %d %d %d %d %d 0 0\n", cpu, 1000+ticks[0], ticks[1], ticks[2], ticks[3], ticks[4], ticks[5], ticks[6], ticks[7])
	}
	a["proc/stat"], b["proc/stat"] = text(was.String()+"intr 1 2 3\n"), text(is.String()+"intr 1 2 3\n")
	for path, contents := range s.files {
		a[path], b[path] = text(contents[0]), text(contents[1])
	}
	return MachineIn(a), MachineIn(b)
}

// calm is a machine on which nothing else runs.
func calm() scene {
	return scene{stat: [2][8]int64{{60, 0, 40}, {30, 0, 20, 50}}}
}

// marksOf judges a window in which the server used all of its CPU, and the load
// engine half of its own, unless change says otherwise.
func marksOf(s scene, change func(g *guard, p *load.Profile, r *load.Result, e *Exit)) []Mark {
	before, after := s.machines()
	g := &guard{from: before.read(), to: after.read(), atEnd: true, serverCPUs: []int{0}, loadCPUs: []int{1}}
	g.end.CPU = time.Second
	r := window(1000, load.Errors{})
	r.CPU = time.Second / 2
	p, e := load.Profile{Shape: load.ShapeClosed, Connections: 2}, Exit{}
	if change != nil {
		change(g, &p, &r, &e)
	}
	return g.marks(p, r, e)
}

func TestMarks(t *testing.T) {
	own := func(d time.Duration) func(*guard, *load.Profile, *load.Result, *Exit) {
		return func(g *guard, _ *load.Profile, _ *load.Result, _ *Exit) { g.end.CPU = d }
	}
	with := func(change func(s *scene)) scene {
		s := calm()
		change(&s)
		return s
	}
	file := func(path, was, is string) scene {
		return with(func(s *scene) { s.files = map[string][2]string{path: {was, is}} })
	}
	for name, tt := range map[string]struct {
		scene  scene
		change func(*guard, *load.Profile, *load.Result, *Exit)
		want   string // "kind detail", with a ! where it spoils; empty for none
	}{
		"a quiet machine": {calm(), nil, ""},
		// The boundary neighbours of both thresholds.
		"others took 2 %":          {calm(), own(980 * time.Millisecond), ""},
		"others took 3 %":          {calm(), own(970 * time.Millisecond), "other-work other processes took 3 % of the server's CPU"},
		"others took 9 %":          {calm(), own(910 * time.Millisecond), "other-work other processes took 9 % of the server's CPU"},
		"others took 10 %":         {calm(), own(900 * time.Millisecond), "!other-work other processes took 10 % of the server's CPU"},
		"interrupts counted apart": {with(func(s *scene) { s.stat[0] = [8]int64{50, 0, 30, 0, 0, 5, 15, 0} }), own(800 * time.Millisecond), ""},
		"interrupts counted as the server's, and others": {with(func(s *scene) { s.stat[0] = [8]int64{40, 0, 40, 0, 0, 5, 15, 0} }), own(850 * time.Millisecond),
			"!other-work other processes took 15 % of the server's CPU"},
		"interrupts known to be the server's, and others": {with(func(s *scene) { s.stat[0] = [8]int64{40, 0, 45, 0, 0, 5, 10, 0} }),
			func(g *guard, _ *load.Profile, _ *load.Result, _ *Exit) {
				g.interrupts, g.end.CPU = interruptsWithin, 850*time.Millisecond
			},
			"!other-work other processes took 15 % of the server's CPU"},
		"a server that waits, and nobody else": {with(func(s *scene) { s.stat[0] = [8]int64{20, 0, 20, 50, 10} }), own(400 * time.Millisecond), ""},
		"others beside a load engine with time to spare": {with(func(s *scene) { s.stat[1] = [8]int64{50, 0, 20, 30} }), nil,
			"other-work other processes took 20 % of the load engine's CPU"},
		"others beside a load engine without": {with(func(s *scene) { s.stat[1] = [8]int64{50, 0, 45, 5} }), nil,
			"!other-work other processes took 45 % of the load engine's CPU"},
		"the hypervisor took 4 %": {with(func(s *scene) { s.stat[0] = [8]int64{96, 0, 0, 0, 0, 0, 0, 4} }), own(960 * time.Millisecond),
			"steal the hypervisor took 4 % of the server's CPU"},
		"the hypervisor took 30 %": {with(func(s *scene) { s.stat[0] = [8]int64{70, 0, 0, 0, 0, 0, 0, 30} }), own(700 * time.Millisecond),
			"!steal the hypervisor took 30 % of the server's CPU"},
		"one CPU for both": {with(func(s *scene) { s.stat[0] = [8]int64{100} }), func(g *guard, _ *load.Profile, r *load.Result, _ *Exit) {
			g.loadCPUs, g.end.CPU, r.CPU = []int{0}, 500*time.Millisecond, 300*time.Millisecond
		}, "!other-work other processes took 20 % of the CPUs that server and load engine share"},
		"an engine elsewhere": {calm(), func(g *guard, _ *load.Profile, _ *load.Result, _ *Exit) {
			g.end.Elsewhere, g.end.CPU = true, 950*time.Millisecond
		}, ""},
		"an engine elsewhere that is busy": {calm(), func(g *guard, _ *load.Profile, _ *load.Result, _ *Exit) {
			g.end.Elsewhere, g.end.CPU = true, 600*time.Millisecond
		}, "other-work the server had 60 % of a CPU, and the load engine was not the limit"},
		"a rate leaves it idle": {calm(), func(g *guard, p *load.Profile, _ *load.Result, _ *Exit) {
			g.end.Elsewhere, g.end.CPU, p.Shape = true, 600*time.Millisecond, load.ShapeRate
		}, ""},
		"throttled for a moment": {calm(), func(g *guard, _ *load.Profile, _ *load.Result, _ *Exit) { g.end.Throttled = 9 * time.Millisecond },
			"throttled a CPU quota kept the server from running for 9ms of 1s"},
		"throttled": {calm(), func(g *guard, _ *load.Profile, _ *load.Result, _ *Exit) { g.end.Throttled = 10 * time.Millisecond },
			"!throttled a CPU quota kept the server from running for 10ms of 1s"},
		"one page swapped": {with(func(s *scene) { s.vm = "pswpin 100\npswpout 101\noom_kill 1\n" }), nil, ""},
		"swapping":         {with(func(s *scene) { s.vm = "pswpin 4196\npswpout 4196\noom_kill 1\n" }), nil, "!swap 32.0 MiB were swapped"},
		"heat": {file("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7\n", "9\n"), nil,
			"thermal CPU 0 was slowed 2 times because of heat"},
		"a slower clock":     {file("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3400000\n", "2100000\n"), nil, "thermal CPU 1 fell from 3400 to 2100 MHz"},
		"a turbo that moves": {file("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3400000\n", "3300000\n"), nil, ""},
		"out of memory": {calm(), func(_ *guard, _ *load.Profile, _ *load.Result, e *Exit) { e.Early, e.OutOfMemory = true, true },
			"!out-of-memory the server was killed for want of memory"},
		"a process out of memory": {with(func(s *scene) { s.vm = "pswpin 100\npswpout 100\noom_kill 2\n" }),
			func(_ *guard, _ *load.Profile, _ *load.Result, e *Exit) { e.Early = true }, "!out-of-memory the server was killed for want of memory"},
		"a worker out of memory": {calm(), func(g *guard, _ *load.Profile, _ *load.Result, _ *Exit) { g.end.OutOfMemory = 1 },
			"!out-of-memory processes beside the server were killed for want of memory: 1"},
		"some wrong answers": {calm(), func(_ *guard, _ *load.Profile, r *load.Result, _ *Exit) { r.Errors.Status = 250 },
			"wrong-answers 20 % of the requests failed (wrong status: 250)"},
		"only wrong answers": {calm(), func(_ *guard, _ *load.Profile, r *load.Result, _ *Exit) { r.OK, r.Errors.Status = 0, 5 },
			"!wrong-answers 100 % of the requests failed (wrong status: 5)"},
		"the load engine": {calm(), func(_ *guard, _ *load.Profile, r *load.Result, _ *Exit) { r.ClientBound = true },
			"client-bound the load engine was the limit"},
		"Little's law broken": {calm(), func(_ *guard, p *load.Profile, _ *load.Result, _ *Exit) { p.Connections = 4 },
			"unbalanced throughput and latency make 2.0 requests at a time, over 4 connections"},
		"too few requests for the law": {calm(), func(_ *guard, p *load.Profile, r *load.Result, _ *Exit) { p.Connections = 64 }, ""},
		"nothing known": {scene{}, func(g *guard, _ *load.Profile, _ *load.Result, _ *Exit) {
			g.from, g.to = Machine{}.read(), Machine{}.read()
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, m := range marksOf(tt.scene, tt.change) {
				line := string(m.Kind) + " " + m.Detail
				if m.Spoils {
					line = "!" + line
				}
				got = append(got, line)
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestGroupCounters(t *testing.T) {
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  GroupCounters
	}{
		"version 2, quota above": {fstest.MapFS{
			"proc/7/cgroup":                               text("0::/a.slice/b.scope\n"),
			"sys/fs/cgroup/cpu.stat":                      text("usage_usec 9\n"),
			"sys/fs/cgroup/a.slice/cpu.stat":              text("usage_usec 5\nnr_throttled 4\nthrottled_usec 3000\n"),
			"sys/fs/cgroup/a.slice/b.scope/cpu.stat":      text("usage_usec 5\nnr_throttled 1\nthrottled_usec 500\n"),
			"sys/fs/cgroup/a.slice/b.scope/memory.events": text("low 0\noom 2\noom_kill 1\n"),
		}, GroupCounters{3500 * time.Microsecond, 1}},
		"version 1 beside an empty 2": {fstest.MapFS{
			"proc/7/cgroup": text("4:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n1:name=systemd:/docker/x\n0::/docker/x\n"),
			"sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.stat":      text("nr_periods 1\nnr_throttled 1\nthrottled_time 2000000\n"),
			"sys/fs/cgroup/memory/docker/x/memory.oom_control": text("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"),
			"sys/fs/cgroup/unified/docker/x/cpu.stat":          text("usage_usec 1\n"),
		}, GroupCounters{2 * time.Millisecond, 3}},
		"gone": {fstest.MapFS{}, GroupCounters{}},
	} {
		if got := MachineIn(tt.files).Group(7); got != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// busyFS is a /proc whose CPU 0 is taken by others in the windows that spoil
// says; both edges of a window read it once.
type busyFS struct {
	reads  int
	ticks  int64
	spoilt func(window int) bool
}

func (b *busyFS) Open(name string) (fs.File, error) {
	if name != "proc/stat" {
		return nil, fs.ErrNotExist
	}
	work := int64(50) // of 100 ticks, as much as the instance uses
	if b.spoilt(b.reads / 2) {
		work = 100
	}
	if b.reads%2 == 1 {
		b.ticks += work
	}
	idle := int64(b.reads+1)/2*100 - b.ticks
	b.reads++
	return fstest.MapFS{name: text(fmt.Sprintf("cpu0 %d 0 0 %d 0 0 0 0\ncpu1 0 0 0 %d 0 0 0 0\n", b.ticks, idle, b.reads*100))}.Open(name)
}

func retaking(t *testing.T, rounds int, spoilt func(window int) bool) (*memory, *Sweep) {
	t.Helper()
	m := &memory{}
	sw := newSweep(rounds, "1.0.0", "2.0.0")
	sw.Environment.ServerCPUs, sw.Environment.LoadCPUs = []int{0}, []int{1}
	r := Runner{Launcher: &fakeLauncher{}, Recorder: m, Now: time.Now, Machine: MachineIn(&busyFS{spoilt: spoilt})}
	if _, err := r.Run(t.Context(), sw); err != nil {
		t.Fatal(err)
	}
	return m, sw
}

func TestSpoiltSampleIsTakenAgain(t *testing.T) {
	m, sw := retaking(t, 2, func(window int) bool { return window == 1 })
	if len(m.samples) != 7 {
		t.Fatalf("%d samples, want 6 and one again", len(m.samples))
	}
	first, again := m.samples[1], m.samples[2]
	if !first.Spoilt() || first.Attempt != 0 || again.Spoilt() || again.Attempt != 1 ||
		again.Version != first.Version || again.Round != first.Round || again.Position != first.Position || again.Twin != first.Twin {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	if last := LastAttempts(sw.Samples); len(last) != 6 || last[1].ID != again.ID {
		t.Errorf("these count: %+v", last)
	}
	table := NewTable(*sw)
	if table.Samples != 6 || table.Again != 1 || table.LeftOut != 0 || table.Starved != 0 {
		t.Errorf("table %+v", table)
	}
}

// What a version brings on itself is its result, however often it is tried.
func TestOnlyTheMachinesFaultIsWorthAnotherAttempt(t *testing.T) {
	for _, kind := range MarkKinds {
		want := slices.Contains([]MarkKind{OtherWork, Steal, Throttled, Swap}, kind)
		if got := (Sample{Marks: []Mark{{Kind: kind, Spoils: true}}}).worthAgain(); got != want {
			t.Errorf("%s: %v", kind, got)
		}
		if (Sample{Marks: []Mark{{Kind: kind}}}).worthAgain() {
			t.Errorf("%s that does not spoil", kind)
		}
	}
	l := &fakeLauncher{result: func(string) (load.Result, Exit) { return window(0, load.Errors{Status: 5}), Exit{} }}
	m := &memory{}
	if err := carryOut(t, t.Context(), l, m, newSweep(1, "1.0.0")); err != nil || len(m.samples) != 2 {
		t.Errorf("%d samples of a version with only wrong answers, %v", len(m.samples), err)
	}
}

// On a machine that is always busy the sweep takes a third longer, not three
// times as long, and nothing that it shows claims to be sound.
func TestBusyMachineDoesNotHoldTheSweep(t *testing.T) {
	const rounds, places = 10, 30
	m, sw := retaking(t, rounds, func(int) bool { return true })
	if n := len(m.samples); n <= places || n > places+places/againOneIn+againToBegin {
		t.Errorf("%d samples for %d places", n, places)
	}
	for _, s := range m.samples {
		if s.Attempt > maxAgain {
			t.Errorf("attempt %d of %s in round %d", s.Attempt, s.Version, s.Round)
		}
	}
	for _, row := range NewTable(*sw).Rows {
		if row.Status != Degraded || row.Samples != rounds || row.Marks[OtherWork] != rounds || !strings.HasPrefix(row.Reason, "every sample is spoilt") {
			t.Errorf("row %+v", row)
		}
	}
}

func TestSpoiltSamplesAreInNoFigure(t *testing.T) {
	sample := func(round int, qps float64, marks ...Mark) Sample {
		return Sample{Version: "1.0.0", Round: round, Status: OK, Values: map[string]float64{QPS: qps}, Load: &load.Result{}, Marks: marks}
	}
	sw := newSweep(3, "1.0.0")
	sw.Samples = []Sample{
		sample(1, 1000), sample(2, 200, Mark{Steal, "the hypervisor took 50 % of the server's CPU", true}),
		sample(3, 980, Mark{Steal, "the hypervisor took 4 % of the server's CPU", false}),
	}
	table := NewTable(*sw)
	row := table.Rows[0]
	if row.Metrics[QPS] != (Estimate{990, 980, 1000, 2}) || row.Samples != 2 || row.LeftOut != 1 || row.Status != OK || row.Marks[Steal] != 2 {
		t.Errorf("row %+v", row)
	}
	if len(row.Notes) != 1 || row.Notes[0] != "1 of 3 samples are left out: the hypervisor took 50 % of the server's CPU" {
		t.Errorf("notes %q", row.Notes)
	}
	if table.LeftOut != 1 || table.Starved != 2 || table.Samples != 3 {
		t.Errorf("table %+v", table)
	}
}

func TestInterrupts(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, "CONFIG_X86=y\n# CONFIG_IRQ_TIME_ACCOUNTING is not set\nCONFIG_PSI=y\n")
	z.Close()
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  interrupts
	}{
		"in /boot": {fstest.MapFS{
			"proc/sys/kernel/osrelease": text("6.1.0-amd64\n"), "boot/config-6.1.0-amd64": text("CONFIG_IRQ_TIME_ACCOUNTING=y\nCONFIG_X=y\n"),
		}, interruptsApart},
		"in /proc":    {fstest.MapFS{"proc/config.gz": {Data: zipped.Bytes()}}, interruptsWithin},
		"cut short":   {fstest.MapFS{"proc/config.gz": {Data: zipped.Bytes()[:zipped.Len()/2]}}, interruptsUnknown},
		"not there":   {fstest.MapFS{}, interruptsUnknown},
		"says naught": {fstest.MapFS{"boot/config-": text("CONFIG_X=y\n")}, interruptsUnknown},
	} {
		if got := MachineIn(tt.files).interrupts(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

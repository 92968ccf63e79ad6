//go:build linux

// Command guest is a hostile release: it says what it sees of the container
// that it runs in, and tries to get out of it. confinement_test.go builds it
// and reads the one line of JSON that it prints: findings by name.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	found := map[string]string{}
	switch os.Args[len(os.Args)-1] {
	case "wait": // a child that does nothing
		time.Sleep(time.Hour)
	case "fork":
		found["forked"] = strconv.Itoa(fork())
	default:
		// The last argument is what to connect to, parted by commas.
		look(found)
		try(found)
		reach(found, strings.Split(os.Args[len(os.Args)-1], ","))
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}

// look gathers what can be seen.
func look(found map[string]string) {
	for line := range strings.Lines(read("/proc/self/status")) {
		key, value, _ := strings.Cut(line, ":")
		found["status "+key] = strings.Join(strings.Fields(value), " ")
	}
	var writable []string
	for line := range strings.Lines(read("/proc/self/mounts")) {
		f := strings.Fields(line)
		found["mount "+f[1]] = f[2] + " " + f[3]
		probe := filepath.Join(f[1], "versweep-probe")
		if err := os.WriteFile(probe, nil, 0o755); err == nil {
			os.Remove(probe)
			writable = append(writable, f[1])
		}
	}
	found["writable"] = strings.Join(writable, " ")
	found["interfaces"] = names("/sys/class/net")
	found["devices"] = names("/dev")
	found["pids limit"] = first("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max")
	found["memory limit"] = first("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
	found["hostname"] = first("/proc/sys/kernel/hostname")
	var variables []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		variables = append(variables, name)
	}
	slices.Sort(variables)
	found["variables"] = strings.Join(variables, " ")
	found["environment"] = strings.Join(os.Environ(), "\n")
	var open []string
	for _, name := range strings.Fields(names("/proc/self/fd")) {
		if n, _ := strconv.Atoi(name); n > 2 {
			if to, err := os.Readlink("/proc/self/fd/" + name); err == nil && !strings.Contains(to, "eventpoll") && !strings.Contains(to, "eventfd") && !strings.HasPrefix(to, "/sys/fs/cgroup/") { // Go looks for its CPU quota
				open = append(open, to)
			}
		}
	}
	found["descriptors"] = strings.Join(open, " ")
	found["stdin"], _ = os.Readlink("/proc/self/fd/0")
	var processes []string
	for _, name := range strings.Fields(names("/proc")) {
		if _, err := strconv.Atoi(name); err == nil && name != strconv.Itoa(os.Getpid()) {
			processes = append(processes, name+" "+read("/proc/"+name+"/comm"))
		}
	}
	found["other processes"] = strings.Join(processes, " ")
	for _, masked := range []string{"/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats"} {
		if n := len(read(masked)); n > 0 {
			found["masked"] += masked + " "
		}
	}
	found["firmware"] = names("/sys/firmware")
	for _, socket := range []string{"/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/crio/crio.sock"} {
		if _, err := os.Stat(socket); err == nil {
			found["engine"] += socket + " "
		}
	}
}

// try tries what root or the kernel might let it; "done" where it could.
func try(found map[string]string) {
	note := func(what string, err error) {
		found["try "+what] = "done"
		if err != nil {
			found["try "+what] = err.Error()
		}
	}
	socket := func(domain, kind, protocol int) error {
		fd, err := syscall.Socket(domain, kind, protocol)
		if err == nil {
			syscall.Close(fd)
		}
		return err
	}
	call := func(number, a, b, c uintptr) error {
		if _, _, errno := syscall.Syscall6(number, a, b, c, 0, 0, 0); errno != 0 {
			return errno
		}
		return nil
	}
	note("write /", os.WriteFile("/x", nil, 0o644))
	note("write /etc/passwd", os.WriteFile("/etc/passwd", nil, 0o644))
	note("write /proc/sys", os.WriteFile("/proc/sys/kernel/core_pattern", []byte("|/x"), 0o644))
	note("write sysrq", os.WriteFile("/proc/sysrq-trigger", []byte("h"), 0o644))
	note("write /sys", os.WriteFile("/sys/kernel/uevent_helper", []byte("/x"), 0o644))
	note("write cgroup", os.Mkdir("/sys/fs/cgroup/x", 0o755))
	note("mount", syscall.Mount("tmpfs", "/tmp", "tmpfs", 0, ""))
	note("remount /", syscall.Mount("", "/", "", syscall.MS_REMOUNT|syscall.MS_BIND, ""))
	note("pivot_root", syscall.PivotRoot("/", "/tmp"))
	note("chroot", syscall.Chroot("/tmp"))
	note("mknod", syscall.Mknod("/tmp/disk", syscall.S_IFBLK|0o666, 8<<8))
	note("setuid", syscall.Setuid(0))
	note("setgroups", syscall.Setgroups([]int{0}))
	note("raw socket", socket(syscall.AF_INET, syscall.SOCK_RAW, syscall.IPPROTO_ICMP))
	note("packet socket", socket(syscall.AF_PACKET, syscall.SOCK_RAW, 0))
	note("vsock", socket(40, syscall.SOCK_STREAM, 0))
	note("ptrace", syscall.PtraceAttach(1))
	note("sethostname", syscall.Sethostname([]byte("x")))
	note("settime", syscall.Settimeofday(&syscall.Timeval{}))
	note("reboot", call(syscall.SYS_REBOOT, 0, 0, 0))
	note("bpf", call(321, 0, 0, 0))
	note("keyctl", call(syscall.SYS_KEYCTL, 0, 0, 0))
	note("init_module", call(syscall.SYS_INIT_MODULE, 0, 0, 0))
	note("userfaultfd", call(323, 0, 0, 0))
	note("kexec", call(syscall.SYS_KEXEC_LOAD, 0, 0, 0))
	note("new user namespace", call(syscall.SYS_UNSHARE, syscall.CLONE_NEWUSER, 0, 0))
	note("new mount namespace", call(syscall.SYS_UNSHARE, syscall.CLONE_NEWNS, 0, 0))
	mnt := []byte("/proc/1/ns/net\x00")
	if fd, err := syscall.Open(string(mnt[:len(mnt)-1]), syscall.O_RDONLY, 0); err == nil {
		note("setns", call(308, uintptr(fd), 0, 0))
	}
	note("quotactl", call(syscall.SYS_QUOTACTL, 0, uintptr(unsafe.Pointer(&mnt[0])), 0))
	note("run from /tmp", runCopy("/tmp/guest"))
	note("run from /dev/shm", runCopy("/dev/shm/guest"))
	found["setuid program"] = setuidProgram()
	found["filled /tmp"] = fill("/tmp/big")
	found["filled /dev/shm"] = fill("/dev/shm/big")
}

// runCopy runs a copy of this program from a place that can be written to.
func runCopy(to string) error {
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(to, text, 0o755)
	}
	if err != nil {
		return err
	}
	defer os.Remove(to)
	cmd := exec.Command(to, "wait")
	if err := cmd.Start(); err != nil {
		return err
	}
	cmd.Process.Kill()
	cmd.Wait()
	return nil
}

// setuidProgram starts su, which is root's and setuid, and says as whom it runs.
func setuidProgram() string {
	cmd := exec.Command("/usr/bin/su")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err.Error()
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		return err.Error()
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for range 100 {
		if comm := read(fmt.Sprintf("/proc/%d/comm", cmd.Process.Pid)); comm == "su\n" {
			for line := range strings.Lines(read(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))) {
				if rest, ok := strings.CutPrefix(line, "Uid:"); ok {
					return strings.Join(strings.Fields(rest), " ")
				}
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	return "ended at once"
}

// fill writes up to 256 MiB and says how much could be written.
func fill(name string) string {
	f, err := os.Create(name)
	if err != nil {
		return err.Error()
	}
	defer os.Remove(name)
	defer f.Close()
	n, block := 0, make([]byte, 1<<20)
	for range 256 {
		k, err := f.Write(block)
		if n += k; err != nil {
			break
		}
	}
	return strconv.Itoa(n)
}

// reach tries to connect.
func reach(found map[string]string, addresses []string) {
	var reached, listened []string
	for _, a := range addresses {
		network := "tcp"
		if strings.HasPrefix(a, "@") {
			network = "unix"
		}
		if c, err := net.DialTimeout(network, a, time.Second); err == nil {
			c.Close()
			reached = append(reached, a)
		}
	}
	if c, err := net.Dial("udp", "192.0.2.1:53"); err == nil {
		c.Close()
		listened = append(listened, "udp")
	}
	found["reached"] = strings.Join(append(reached, listened...), " ")
	if _, err := net.LookupHost("example.org"); err == nil {
		found["reached"] += " names"
	}
}

// fork starts children until no more can be had, and ends them.
func fork() int {
	var children []*exec.Cmd
	for range 5000 {
		cmd := exec.Command("/proc/self/exe", "wait")
		if cmd.Start() != nil {
			break
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		cmd.Process.Kill()
	}
	return len(children)
}

func read(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b := make([]byte, 64<<10)
	n, _ := f.Read(b)
	return string(b[:n])
}

func first(files ...string) string {
	for _, name := range files {
		if text := read(name); text != "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

func names(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return strings.Join(list, " ")
}

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// workerVariable turns the test program into an engine process.
const workerVariable = "VERSWEEP_TEST_LOAD_WORK"

func TestMain(m *testing.M) {
	if os.Getenv(workerVariable) != "" {
		if err := Work(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A real process: pinned to its CPUs, stopped by closing its input, and
// noticed when it is killed.
func TestEngineProcess(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		act  func(cmd *exec.Cmd, stdin interface{ Close() error })
		want string // in Follow's error; empty for a result
	}{
		"to the end":     {func(*exec.Cmd, interface{ Close() error }) {}, ""},
		"parent is gone": {func(_ *exec.Cmd, stdin interface{ Close() error }) { stdin.Close() }, ErrParentGone.Error()},
		"killed":         {func(cmd *exec.Cmd, _ interface{ Close() error }) { cmd.Process.Signal(syscall.SIGKILL) }, "ended without a result"},
	} {
		j := helloJob(serve(t, slowly(time.Millisecond)))
		j.CPUs = []int{firstCPU(t)}
		j.Profile.Duration, j.Profile.Requests = 0, 200
		if c.want != "" {
			j.Profile.Duration, j.Profile.Requests = time.Minute, 0
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), workerVariable+"=1")
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(stdin).Encode(j); err != nil {
			t.Fatal(err)
		}
		var allowed string
		r, err := Follow(stdout, Hooks{WindowStart: func() {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			_, allowed, _ = strings.Cut(string(status), "Cpus_allowed_list:\t")
			allowed, _, _ = strings.Cut(allowed, "\n")
			c.act(cmd, stdin)
		}})
		stdin.Close()
		cmd.Wait()
		if allowed != fmt.Sprint(j.CPUs[0]) {
			t.Errorf("%s: may run on %q, want %d", name, allowed, j.CPUs[0])
		}
		if c.want == "" {
			if err != nil || r.OK == 0 || r.CPU == 0 {
				t.Errorf("%s: ok %d, CPU %v, %v", name, r.OK, r.CPU, err)
			}
			checkAccounts(t, r)
		} else if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// firstCPU is one that this process may run on.
func firstCPU(t *testing.T) int {
	t.Helper()
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			return cpu
		}
	}
	t.Fatal("no CPU")
	return 0
}

// A listener whose queue is full drops connection attempts.
func TestConnectTimeout(t *testing.T) {
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
			t.Fatal(err)
		}
		if err := unix.Listen(fd, 0); err != nil {
			t.Fatal(err)
		}
		name, err := unix.Getsockname(fd)
		if err != nil {
			t.Fatal(err)
		}
		j := helloJob(fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port))
		j.Profile.Connections, j.Profile.Timeout, j.Profile.Duration = 8, 200*time.Millisecond, 500*time.Millisecond
		r := load(j)
		if r.OK != 0 || r.Errors.Timeout < 8 || r.Errors.Timeout != r.Errors.Total() || r.Connections > 6 {
			t.Errorf("errors %+v (%s), connections %d", r.Errors, r.FirstError, r.Connections)
		}
	})
}

func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here")
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				b := make([]byte, 4096)
				for {
					if _, err := conn.Read(b); err != nil {
						return
					}
					conn.Write([]byte(hello()))
				}
			}()
		}
	}()
	onEngines(t, func(t *testing.T, load func(Job) Result) {
		j := helloJob(l.Addr().String())
		j.Profile.Duration, j.Profile.Requests = 0, 100
		if r := load(j); r.OK != 100 {
			t.Errorf("ok %d, errors %+v (%s)", r.OK, r.Errors, r.FirstError)
		}
	})
}

func TestFaultsAreSorted(t *testing.T) {
	t.Parallel()
	for e, want := range map[syscall.Errno]outcome{
		unix.ECONNRESET: outcomeReset, unix.EPIPE: outcomeReset, unix.ECONNREFUSED: outcomeRefused,
		unix.ETIMEDOUT: outcomeTimeout, unix.EADDRNOTAVAIL: outcomeClient, unix.EMFILE: outcomeClient, unix.ENOMEM: outcomeClient,
	} {
		if got := classify(fmt.Errorf("wrapped: %w", e)); got != want {
			t.Errorf("%v is sorted as %d, want %d", e, got, want)
		}
	}
}

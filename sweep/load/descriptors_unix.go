//go:build unix

package load

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// spareDescriptors are left for standard streams, the poller and the rest of
// the program.
const spareDescriptors = 32

// reserveConnections makes sure that n connections can be open at once, and
// raises the soft limit on open files up to the hard one where that helps.
func reserveConnections(n int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("reading the limit on open files: %w", err)
	}
	need := uint64(n) + spareDescriptors
	if need > uint64(limit.Cur) && limit.Cur < limit.Max {
		raised := limit
		raised.Cur = limit.Max
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised) == nil {
			limit = raised
		}
	}
	if need > uint64(limit.Cur) {
		return &MisuseError{
			What: "connections",
			Why:  fmt.Sprintf("%d need %d open files and the limit is %d", n, need, uint64(limit.Cur)),
			Hint: fmt.Sprintf("raise it with: ulimit -n %d", need),
		}
	}
	return reservePorts(n)
}

// reservePorts compares n with the ports that the kernel gives to outgoing
// connections, where it says so.
func reservePorts(n int) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return nil
	}
	var first, last int
	if _, err := fmt.Sscan(strings.TrimSpace(string(text)), &first, &last); err != nil || n <= last-first+1 {
		return nil
	}
	return &MisuseError{
		What: "connections",
		Why:  fmt.Sprintf("%d are more than the %d local ports (%d to %d)", n, last-first+1, first, last),
		Hint: `raise it with: sysctl -w net.ipv4.ip_local_port_range="1024 65535"`,
	}
}

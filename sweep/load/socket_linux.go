package load

import (
	"net"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The calls below never block, so they skip the scheduler's bookkeeping around
// a system call (RawSyscall), which costs about as much as a small call. They
// return errno rather than error, which would allocate.

// receive reads from a socket; 0 and no error is the end of the stream.
func receive(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0, 0, 0)
	return int(n), e
}

// send writes to a socket. b must not be empty.
func send(fd int, b []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), unix.MSG_NOSIGNAL, 0, 0)
	return int(n), e
}

// peerAddress is a socket address ready for the connect call.
type peerAddress struct {
	family int
	size   uintptr
	in4    unix.RawSockaddrInet4
	in6    unix.RawSockaddrInet6
}

func newPeerAddress(a *net.TCPAddr) *peerAddress {
	// Ports are in network byte order whatever the machine's is.
	port := [2]byte{byte(a.Port >> 8), byte(a.Port)}
	if ip := a.IP.To4(); ip != nil || len(a.IP) == 0 {
		p := &peerAddress{family: unix.AF_INET, size: unix.SizeofSockaddrInet4}
		p.in4.Family = unix.AF_INET
		*(*[2]byte)(unsafe.Pointer(&p.in4.Port)) = port
		if ip == nil {
			ip = net.IPv4(127, 0, 0, 1).To4()
		}
		copy(p.in4.Addr[:], ip)
		return p
	}
	p := &peerAddress{family: unix.AF_INET6, size: unix.SizeofSockaddrInet6}
	p.in6.Family = unix.AF_INET6
	*(*[2]byte)(unsafe.Pointer(&p.in6.Port)) = port
	copy(p.in6.Addr[:], a.IP.To16())
	if zone, err := net.InterfaceByName(a.Zone); err == nil {
		p.in6.Scope_id = uint32(zone.Index)
	}
	return p
}

// dial starts connecting. EINPROGRESS is no failure and gives a descriptor.
func (p *peerAddress) dial() (fd int, e syscall.Errno) {
	r, _, e := syscall.RawSyscall(unix.SYS_SOCKET, uintptr(p.family), unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if e != 0 {
		return -1, e
	}
	fd = int(r)
	at := unsafe.Pointer(&p.in4)
	if p.family == unix.AF_INET6 {
		at = unsafe.Pointer(&p.in6)
	}
	_, _, e = syscall.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(at), p.size)
	if e != 0 && e != unix.EINPROGRESS {
		closeSocket(fd)
		return -1, e
	}
	return fd, 0
}

// growDescriptorTable makes room for n descriptors. The kernel doubles the
// table when it is full and, in a process of several threads, waits some ms for
// all CPUs then (synchronize_rcu); that would stall a loop in the window. It
// tries less when n is beyond the limit.
func (p *poller) growDescriptorTable(n int) {
	for ; n > 64; n /= 2 {
		// The lowest free descriptor from n on, so nothing is overwritten.
		if fd, err := unix.FcntlInt(uintptr(p.fd), unix.F_DUPFD_CLOEXEC, n); err == nil {
			closeSocket(fd)
			return
		}
	}
}

// noDelay has the last, short segment of a request sent at once (Nagle's
// algorithm would keep it back). That it fails is harmless.
func noDelay(fd int) {
	on := int32(1)
	syscall.RawSyscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.IPPROTO_TCP, unix.TCP_NODELAY, uintptr(unsafe.Pointer(&on)), unsafe.Sizeof(on), 0)
}

func closeSocket(fd int) {
	syscall.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0)
}

// poller is an epoll instance.
type poller struct {
	fd     int
	coarse bool // the kernel lacks epoll_pwait2: waits in whole ms
	events [512]unix.EpollEvent
}

func newPoller() (*poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return &poller{fd: fd}, nil
}

// watch asks for edge-triggered events on fd, once for its whole life. They
// carry the two numbers back.
func (p *poller) watch(fd int, index, generation int32) syscall.Errno {
	ev := unix.EpollEvent{
		Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | (unix.EPOLLET & 0xffffffff),
		Fd:     index, Pad: generation,
	}
	_, _, e := syscall.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(p.fd), unix.EPOLL_CTL_ADD, uintptr(fd), uintptr(unsafe.Pointer(&ev)), 0, 0)
	return e
}

// poll takes what events there are, without waiting.
func (p *poller) poll() []unix.EpollEvent {
	n, _, e := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), 0, 0, 0)
	if e != 0 {
		return nil
	}
	return p.events[:n]
}

// wait takes events, waiting for the first at most d. It may return early
// with none.
func (p *poller) wait(d time.Duration) []unix.EpollEvent {
	if !p.coarse {
		ts := unix.NsecToTimespec(int64(d))
		n, _, e := syscall.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), uintptr(unsafe.Pointer(&ts)), 0, 0)
		switch e {
		case 0:
			return p.events[:n]
		case unix.ENOSYS, unix.EPERM:
			p.coarse = true // an old kernel, or a container's filter
		default:
			return nil
		}
	}
	n, _, e := syscall.Syscall6(unix.SYS_EPOLL_PWAIT, uintptr(p.fd), uintptr(unsafe.Pointer(&p.events[0])), uintptr(len(p.events)), uintptr(d.Milliseconds()), 0, 0)
	if e != 0 {
		return nil
	}
	return p.events[:n]
}

func (p *poller) close() { closeSocket(p.fd) }

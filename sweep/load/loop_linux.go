package load

import (
	"bytes"
	"math"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// loop drives its share of the connections from one goroutine. Nothing is
// allocated for a request once its connection's buffers have their size.
type loop struct {
	*task
	*tally
	peer    *peerAddress
	poller  *poller
	stopped *atomic.Bool
	index   int64 // this loop takes arrivals index, index + stride, …
	stride  int64

	links  []link
	free   ring    // links without a request in flight
	spares []*link // links beyond the share, to take over from lingering ones
	buffer []byte  // received bytes; all are parsed at once, so all links share it
	likely []byte  // the last right answer that came whole in one read
	phase  *phase  // the current one
	next   int64   // the next arrival
	owed   int     // counted requests in flight
	waited int64   // ns without work since restart
	tick   int64   // when deadlines are looked at next
	rest   int64   // when the first resting link may go on; closed loop
	unread []unread
}

// unread is a link that had more to read than one turn allows. Events come on
// edges, so none will tell of it again.
type unread struct {
	link       *link
	generation int32
	flags      uint32
}

// link is one connection and its current request.
type link struct {
	exchange
	fd         int
	index      int32
	generation int32 // told in events, to know those meant for a former fd
	state      linkState
	since      int64 // free since then; or, closed loop, free from then on
}

type linkState uint8

const (
	linkClosed linkState = iota
	linkConnecting
	linkOpen
	linkLingering // all is done; the server is about to close
)

const (
	receiveBuffer = 64 << 10
	likelyLimit   = 16 << 10
	// smallRequest always fits into one segment, which TCP sends at once.
	smallRequest = 1 << 10

	// maxSpares bounds the lingering connections of one loop.
	maxSpares = 1024
	// lingerTime is how long a server that was asked to close may take.
	lingerTime = time.Second
	// spinTime is how long before a request is due a loop stops sleeping. It
	// covers the timer slack of Linux (50 µs) and a wake-up.
	spinTime = 100 * time.Microsecond
	// readsInATurn bounds how long a server that floods one connection keeps a
	// loop from its other connections and from the clock.
	readsInATurn = 16
	// longestWait bounds how long a stop goes unnoticed.
	longestWait = 50 * time.Millisecond
)

func newLoop(t *task, peer *peerAddress, share int) (*loop, error) {
	poller, err := newPoller()
	if err != nil {
		return nil, err
	}
	spares := min(share, maxSpares)
	l := &loop{
		task: t, tally: newTally(t.rate), peer: peer, poller: poller,
		links: make([]link, share+spares), buffer: make([]byte, receiveBuffer),
	}
	l.free.slots = make([]*link, share)
	for i := range l.links {
		c := &l.links[i]
		c.fd, c.index, c.answer.want = -1, int32(i), t.want
		if i < share {
			l.free.push(c)
		} else {
			l.spares = append(l.spares, c)
		}
	}
	return l, nil
}

// ring is a queue of fixed capacity: requests go round the free connections.
type ring struct {
	slots   []*link
	head, n int
}

func (r *ring) push(c *link) {
	at := r.head + r.n
	if at >= len(r.slots) {
		at -= len(r.slots)
	}
	r.slots[at] = c
	r.n++
}

func (r *ring) pop() *link {
	c := r.slots[r.head]
	if r.head++; r.head == len(r.slots) {
		r.head = 0
	}
	r.n--
	return c
}

func (l *loop) restart(start, end int64, counted bool) {
	l.tally.restart(start, end)
	l.owed, l.waited = 0, 0
	for i := range l.links {
		c := &l.links[i]
		l.carry(&c.exchange, c.state == linkOpen, counted)
		if c.busy && c.counted {
			l.owed++
		}
	}
}

func (l *loop) close() {
	for i := range l.links {
		l.drop(&l.links[i])
	}
	l.poller.close()
}

// run carries out one phase.
func (l *loop) run(p *phase) {
	l.phase, l.next, l.rest = p, l.index, 0
	for !l.stopped.Load() {
		now := l.now()
		if now >= l.tick {
			l.expire(now)
		}
		if l.dispatch(now) {
			now = l.now()
		}
		if (p.end > 0 && now >= p.end) || (l.owed == 0 && !p.open()) {
			return
		}
		events := l.poller.poll()
		if len(events) == 0 && len(l.unread) == 0 {
			if d := l.pause(now); d > 0 {
				events = l.poller.wait(d)
			}
			l.waited += l.now() - now
		}
		for i := range events {
			ev := &events[i]
			if c := &l.links[ev.Fd]; c.generation == ev.Pad {
				l.handle(c, ev.Events)
			}
		}
		l.readOn()
	}
}

// readOn gives the links that had more to read their next turn.
func (l *loop) readOn() {
	turn := len(l.unread)
	for _, u := range l.unread[:turn] {
		if u.link.generation == u.generation {
			l.handle(u.link, u.flags)
		}
	}
	l.unread = append(l.unread[:0], l.unread[turn:]...)
}

// pause is how long there is certainly nothing to do but for events.
func (l *loop) pause(now int64) time.Duration {
	until := min(l.tick, now+int64(longestWait))
	if l.phase.end > 0 {
		until = min(until, l.phase.end)
	}
	if l.free.n > 0 && l.phase.open() {
		if a := l.phase.plan; a == nil {
			until = min(until, l.rest)
		} else if due := a.due(l.next); due < a.end {
			until = min(until, due-int64(spinTime))
		}
	}
	return time.Duration(until - now)
}

// dispatch begins the requests that are due on free connections, and reports
// whether it took time to do so.
func (l *loop) dispatch(now int64) bool {
	if l.free.n == 0 || !l.phase.open() {
		return false
	}
	if a := l.phase.plan; a != nil {
		first := l.next
		for l.free.n > 0 {
			due := a.due(l.next)
			if due > now || due >= a.end {
				break
			}
			c := l.free.pop()
			l.next += l.stride
			l.start(c, due, l.now(), c.since)
		}
		return l.next != first
	}
	if now < l.rest {
		return false
	}
	l.rest = math.MaxInt64
	for range l.free.n {
		if c := l.free.pop(); c.since <= now && l.phase.spend() {
			l.start(c, now, now, now)
		} else {
			l.release(c)
		}
	}
	return true
}

// release puts c among the free links.
func (l *loop) release(c *link) {
	l.free.push(c)
	l.rest = min(l.rest, c.since)
}

// proceed gives c, whose request has just ended, the next one if there is one.
func (l *loop) proceed(c *link, now int64) {
	c.since = now
	if a := l.phase.plan; a != nil && !l.phase.drain {
		if due := a.due(l.next); l.free.n == 0 && due <= now && due < a.end {
			l.next += l.stride
			// The request has been waiting for this connection: sending it
			// late is the server's doing.
			l.start(c, due, now, now)
			return
		}
	} else if (l.phase.end == 0 || now < l.phase.end) && l.phase.spend() {
		l.start(c, now, now, now)
		return
	}
	l.release(c)
}

// start begins a request on c, over a new connection if need be. One that
// fails at once leaves c free, not proceeding, so that it cannot recurse.
func (l *loop) start(c *link, due, now, free int64) {
	l.begin(&c.exchange, due, now, free)
	l.owed++
	c.deadline = now + l.timeout
	if !c.answer.fresh() {
		c.answer.reset()
	}
	var e syscall.Errno
	if c.state == linkOpen {
		e = l.write(c)
	} else {
		e = l.open(c)
	}
	if e != 0 {
		l.fail(c, e, l.now())
		l.release(c)
	}
}

// open starts connecting c. Over loopback that is often done at once, so
// sending is tried without waiting for an event.
func (l *loop) open(c *link) syscall.Errno {
	fd, e := l.peer.dial()
	if e != 0 {
		return e
	}
	c.fd, c.state, c.calls = fd, linkConnecting, 1
	c.generation++
	if len(l.task.next) > smallRequest {
		noDelay(fd)
	}
	if e := l.poller.watch(fd, c.index, c.generation); e != 0 {
		return e
	}
	return l.write(c)
}

// write sends what is left of c's request. If not all can be sent, an event
// will tell when to go on.
func (l *loop) write(c *link) syscall.Errno {
	request := l.request(c.calls)
	for c.sent < len(request) {
		n, e := send(c.fd, request[c.sent:])
		if e == unix.EAGAIN {
			return 0
		}
		if e != 0 {
			return e
		}
		if c.state == linkConnecting {
			c.state = linkOpen
			l.tally.connections++
			c.deadline = l.now() + l.timeout
		}
		c.sent += n
	}
	return 0
}

// handle acts on one event.
func (l *loop) handle(c *link, flags uint32) {
	const gone = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	if c.state == linkLingering {
		if flags&(gone|unix.EPOLLIN) != 0 {
			l.drop(c)
			l.spares = append(l.spares, c)
		}
		return
	}
	var unsent syscall.Errno
	if c.busy && c.sent < len(l.request(c.calls)) {
		unsent = l.write(c)
	}
	// A server may answer and close before it has read all, so an answer is
	// looked for even then.
	if unsent != 0 && (c.state != linkOpen || flags&unix.EPOLLIN == 0) {
		l.fail(c, unsent, l.now())
		l.release(c)
		return
	}
	if c.state != linkOpen || flags&(gone|unix.EPOLLIN) == 0 {
		return
	}
	// A reset is told as closed, too, but is to fail the next request.
	closed := flags&unix.EPOLLRDHUP != 0 && flags&unix.EPOLLERR == 0
	for turn := 1; ; turn++ {
		n, e := receive(c.fd, l.buffer)
		now := l.now()
		switch {
		case unsent != 0 && (e != 0 || n == 0):
			l.fail(c, unsent, now)
			l.release(c)
			return
		case e == unix.EAGAIN:
			return
		case !c.busy:
			// Closed while free, or sent without having been asked.
			if n > 0 && l.firstError == "" {
				l.firstError = "protocol error: bytes after the end of the answer"
			}
			l.drop(c)
			return
		case e != 0:
			l.fail(c, e, now)
			l.release(c)
			return
		case n == 0:
			l.conclude(c, c.answer.finish(), now, true)
			return
		}
		l.bytesIn += int64(n)
		b := l.buffer[:n]
		// The outcome is a function of the bytes alone, so the same bytes need
		// no second look. Servers write the date once a second.
		fresh := c.answer.fresh()
		if fresh && bytes.Equal(b, l.likely) {
			l.conclude(c, outcomeOK, now, closed)
			return
		}
		if c.answer.feed(b) {
			if fresh && c.answer.outcome == outcomeOK && n <= likelyLimit && c.answer.reusable() {
				l.likely = append(l.likely[:0], b...)
			}
			l.conclude(c, c.answer.outcome, now, closed)
			return
		}
		// Events come on edges: a full buffer or a closed peer will not be told
		// of again.
		if n < len(l.buffer) && flags&gone == 0 {
			return
		}
		if turn == readsInATurn {
			l.unread = append(l.unread, unread{c, c.generation, flags})
			return
		}
	}
}

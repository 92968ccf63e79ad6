package load

import (
	"syscall"
	"time"
)

// conclude ends c's request with an answer, right or wrong, or with the end of
// the stream, and goes on with the next. closed tells that the server has
// closed its side.
func (l *loop) conclude(c *link, o outcome, now int64, closed bool) {
	whole := c.sent == len(l.request(c.calls))
	last := c.calls == l.calls
	l.settle(c, o, now, nil)
	// An answer taken for its likeness left the parser untouched; only those
	// that allow reuse are likely.
	reusable := c.answer.fresh() || c.answer.reusable()
	switch {
	case !closed && whole && !last && reusable:
	case !closed && whole && o != outcomeProtocol && len(l.spares) > 0:
		c = l.linger(c, now)
	default:
		l.drop(c)
	}
	l.proceed(c, now)
}

// fail ends c's request with a network error and closes the connection. The
// caller releases c.
func (l *loop) fail(c *link, e syscall.Errno, now int64) {
	opening := c.state != linkOpen
	l.settle(c, classify(e), now, e)
	l.drop(c)
	c.since = now
	if opening && !l.rate {
		c.since = now + int64(reopenPause)
	}
}

// settle closes the books on c's request.
func (l *loop) settle(c *link, o outcome, now int64, err error) {
	if c.counted {
		l.owed--
	}
	l.finish(&c.exchange, o, now, err)
}

// linger leaves c to be closed by the server, which was asked to or said that
// it would, and returns a link to go on with. Closing first would leave our
// end in TIME_WAIT, and so use up one local port a connection.
func (l *loop) linger(c *link, now int64) *link {
	c.state = linkLingering
	c.deadline = now + int64(lingerTime)
	n := len(l.spares) - 1
	successor := l.spares[n]
	l.spares = l.spares[:n]
	return successor
}

func (l *loop) drop(c *link) {
	if c.fd >= 0 {
		closeSocket(c.fd)
	}
	c.fd, c.state, c.calls = -1, linkClosed, 0
	c.generation++
}

// expire fails the requests whose time is over. It looks at all links, which
// costs less than keeping them in order of their deadlines.
func (l *loop) expire(now int64) {
	l.tick = now + min(max(l.timeout/50, int64(time.Millisecond)), int64(longestWait))
	for i := range l.links {
		c := &l.links[i]
		switch {
		case c.state == linkLingering && now > c.deadline:
			l.drop(c)
			l.spares = append(l.spares, c)
		case c.busy && now > c.deadline:
			l.fail(c, syscall.ETIMEDOUT, now)
			l.release(c)
		}
	}
}

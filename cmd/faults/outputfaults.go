//go:build linux

package main

import (
	"bufio"
	"os"
	"syscall"
	"time"
)

// outputClosed closes progress and results under a sweep, as `2>&1 | head -1`
// does.
func outputClosed(b *bench) row {
	b.target("well", "none")
	c := b.prepare(b.sweepArgs()...)
	b.readOneLine(c, func() {
		b.reach(c, 2)
	})
	status, ok := c.ends(time.Minute)
	b.must(ok, "it goes on a minute after its output was closed")
	if status != 130 {
		b.wrong("status %d", status)
	}
	sw := b.stored()
	b.once(sw)
	b.noneFailed(sw)
	return row{
		fault: "nobody reads the output of a sweep any more (`2>&1 \\| head`)", seen: "status 130",
		stored: "what was measured; " + b.afterResume(), left: b.nothingLeft(),
	}
}

// tableClosed closes the output of a command that only prints.
func tableClosed(b *bench) row {
	b.target("well", "none")
	b.run(b.sweepArgs("--rounds", "1")...)
	c := b.prepare("table", targetName)
	read, write, err := os.Pipe()
	b.need(err)
	c.cmd.Stdout = write
	read.Close() // before there is anything to read
	b.launch(c)
	write.Close()
	status, ok := c.ends(time.Minute)
	b.must(ok && status == 130, "status %d", status)
	if said := c.stderr.String(); said != "" {
		b.wrong("it says: %s", said)
	}
	b.whole(b.stored())
	return row{fault: "nobody reads a table (`\\| head`)", seen: "status 130, no message", stored: "all that was there", left: b.nothingLeft()}
}

// readOneLine gives a command one pipe for all its output, reads a line of it,
// and closes it after something has happened.
func (b *bench) readOneLine(c *command, happen func()) {
	read, write, err := os.Pipe()
	b.need(err)
	c.cmd.Stdout, c.cmd.Stderr = write, write
	b.need(syscall.SetNonblock(int(read.Fd()), false))
	b.launch(c)
	write.Close()
	defer read.Close()
	_, err = bufio.NewReader(read).ReadString('\n')
	b.need(err)
	happen()
}

// Command tinyserver answers every request with "Hello World" and starts in a
// few milliseconds. Its arguments are its version and a file: each start adds a
// line to that, where it can be written to. From version 2 on it takes its time to
// answer. Like servers with workers it has a child process, which does not end
// with it.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"
)

func main() {
	if f, err := os.OpenFile(os.Args[2], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		fmt.Fprintln(f, os.Args[1])
		f.Close()
	}
	if err := exec.Command("sleep", "600").Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go serve(c)
	}
}

func serve(c net.Conn) {
	defer c.Close()
	for lines := bufio.NewScanner(c); lines.Scan(); {
		if len(lines.Bytes()) > 0 {
			continue // the scanner takes the carriage return away
		}
		if os.Args[1] >= "2" {
			time.Sleep(2 * time.Millisecond)
		}
		if _, err := c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nHello World\n")); err != nil {
			return
		}
	}
}

// Command server is the hello-world server of the fault suite. It misbehaves as
// it is told, but only as the version that is told to:
//
//	server HOW VERSION BAD-VERSION PORT MARK
//	server sleep TIME MARK
//
// MARK is there to be found in the list of processes.
package main

import (
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// After so many answers a server that is to fail while it is measured fails.
const enough = 20

func main() {
	if len(os.Args) == 4 && os.Args[1] == "sleep" { // a build that takes long
		long, err := time.ParseDuration(os.Args[2])
		if err != nil {
			panic(err)
		}
		time.Sleep(long)
		return
	}
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: server HOW VERSION BAD-VERSION PORT MARK, or server sleep TIME MARK")
		os.Exit(2)
	}
	how, version, bad, port := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	if version != bad && bad != "all" {
		how = "well"
	}
	if how == "mute" {
		fmt.Println("thinking about it")
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	}
	var answers atomic.Int64
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		n := answers.Add(1)
		if n == enough {
			fmt.Println("busy")
		}
		if n >= enough {
			switch how {
			case "silent":
				<-r.Context().Done()
				return
			case "wrong":
				http.Error(w, "out of order", http.StatusServiceUnavailable)
				return
			case "greedy":
				takeMemory()
			}
		}
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "Hello World\n")
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+port, nil))
	os.Exit(1)
}

// takeMemory takes 16 GiB, unless somebody stops it.
func takeMemory() {
	var all [][]byte
	for range 1 << 10 {
		part := make([]byte, 16<<20)
		for i := 0; i < len(part); i += 4096 {
			part[i] = 1
		}
		all = append(all, part)
	}
	fmt.Println(len(all))
}

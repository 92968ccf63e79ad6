//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// networkFaults are servers that stop in the middle of an answer.
func networkFaults() []scenario {
	return []scenario{
		{name: "network-gone-listing", run: networkGoneListing},
		{name: "network-reset-fetching", run: networkResetFetching},
		{name: "network-stalls-fetching", long: true, run: networkStallsFetching},
	}
}

// breakage says what a git server does to its answers.
type breakage struct {
	stallListing  atomic.Bool
	stallFetching atomic.Bool // after some bytes
	resetFetching atomic.Bool // the same, but the connection ends
	asked         atomic.Int64
}

// gitServer serves the bench's repository over HTTP and breaks as it is told.
// It returns the address.
func (b *bench) gitServer(how *breakage) (address string, stop func()) {
	repository := b.repository()
	path, err := exec.Command("git", "--exec-path").Output()
	b.need(err)
	backend := &cgi.Handler{
		Path:   filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"),
		Env:    []string{"GIT_PROJECT_ROOT=" + filepath.Dir(repository), "GIT_HTTP_EXPORT_ALL=1", "HOME=" + b.dir, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
		Stderr: io.Discard,
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	b.need(err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetching := r.Method == http.MethodPost
		switch {
		case !fetching && how.stallListing.Load():
			how.asked.Add(1)
			<-r.Context().Done()
		case fetching && (how.stallFetching.Load() || how.resetFetching.Load()):
			how.asked.Add(1)
			backend.ServeHTTP(&cutWriter{ResponseWriter: w, left: 8 << 10, cut: func() {
				if how.stallFetching.Load() {
					<-r.Context().Done()
				}
				panic(http.ErrAbortHandler)
			}}, r)
		default:
			backend.ServeHTTP(w, r)
		}
	})}
	go server.Serve(l)
	return fmt.Sprintf("http://%s/repository/.git", l.Addr()), func() { server.Close() }
}

// cutWriter passes on so many bytes and then calls cut.
type cutWriter struct {
	http.ResponseWriter
	left int
	cut  func()
}

// Write implements http.ResponseWriter.
func (w *cutWriter) Write(p []byte) (int, error) {
	if len(p) > w.left {
		w.ResponseWriter.Write(p[:w.left])
		w.ResponseWriter.(http.Flusher).Flush()
		w.cut()
	}
	w.left -= len(p)
	return w.ResponseWriter.Write(p)
}

// served is the bench's target, its versions from a server.
func (b *bench) served(how *breakage) (stop func()) {
	address, stop := b.gitServer(how)
	b.define(fmt.Sprintf("sources: [{git: {repository: %q, tags: \"v{version}\"}}]", address),
		fmt.Sprintf(`start: [%q, well, "{version}", none, "{port}", %q]`, b.suite.server, b.mark))
	return stop
}

// listing waits in the middle of listing versions.
func listing(b *bench) *command {
	how := &breakage{}
	how.stallListing.Store(true)
	b.stops = append(b.stops, b.served(how))
	return b.startUntilAsked(how)
}

// fetching waits in the middle of fetching versions.
func fetching(b *bench) *command {
	how := &breakage{}
	b.stops = append(b.stops, b.served(how))
	// Listing fetches tags, too.
	c, status := b.run("versions", targetName)
	b.must(status == 0, "listing: %s", c.stderr.String())
	how.stallFetching.Store(true)
	return b.startUntilAsked(how)
}

func (b *bench) startUntilAsked(how *breakage) *command {
	c := b.start(b.sweepArgs()...)
	b.must(eventually(patience, func() bool { return how.asked.Load() > 0 || !c.running() }) && c.running(), "nothing is asked for: %s", c.stderr.String())
	time.Sleep(200 * time.Millisecond)
	return c
}

func networkGoneListing(b *bench) row {
	how := &breakage{}
	b.served(how)() // stopped again
	c, _ := b.run(b.sweepArgs()...)
	r := row{fault: "no network when versions are listed", seen: b.seen(c, 1, `connection refused`)}
	b.must(b.nothingStored(), "a sweep is stored")
	r.stored, r.left = "nothing: the sweep had not begun", b.nothingLeft()
	return r
}

func networkResetFetching(b *bench) row {
	how := &breakage{}
	how.resetFetching.Store(true)
	return b.fetchCut(how, row{fault: "the connection breaks while versions are fetched"}, `unexpected EOF`, time.Minute)
}

func networkStallsFetching(b *bench) row {
	how := &breakage{}
	how.stallFetching.Store(true)
	return b.fetchCut(how, row{fault: "the network stands still while versions are fetched"}, `nothing came for 1m0s`, 3*time.Minute)
}

func (b *bench) fetchCut(how *breakage, r row, reason string, within time.Duration) row {
	stop := b.served(how)
	defer stop()
	c := b.start(b.sweepArgs()...)
	_, ok := c.ends(within)
	b.must(ok, "%s goes on %v after its network stood still", c.line, within)
	r.seen = b.seen(c, 1, reason)
	r.left = b.nothingLeft()
	how.resetFetching.Store(false)
	how.stallFetching.Store(false)
	again, status := b.run(b.sweepArgs("--rounds", "1")...)
	b.must(status == 0, "with a network it ended with status %d: %s", status, lastLines(again.stderr.String(), 3))
	r.stored = "what could not be had, and why. With a network, the same command measures all"
	return r
}

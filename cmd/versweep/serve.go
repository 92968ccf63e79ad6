package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/netutil"

	"versweep/charts/report"
)

const defaultListen = "127.0.0.1:8042"

func (a *app) serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the report's pages in a browser, live from the store",
		Long: `serve shows the pages of versweep report, made anew from the store when it has
changed. It only reads. It listens on this machine alone unless --listen names
another address, and answers only to that address, to localhost and, where others
can reach it, to this machine's host name, so that no other site can read the pages
through a browser.

It ends with Ctrl-C, with exit status 0.`,
		Example: "  versweep serve --listen 127.0.0.1:9000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			host, _, err := net.SplitHostPort(listen)
			if err != nil {
				return misuse("addresses look like "+defaultListen, "--listen: %q is not an address and a port", listen)
			}
			h, err := a.openHistory(cmd.Context())
			if err != nil {
				return err
			}
			if err := h.Close(); err != nil {
				return err
			}
			return a.serve(cmd.Context(), listen, host)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", defaultListen, "address and port to listen on; port 0 takes any that is free")
	return cmd
}

// serveJSON is what serve prints once it listens.
type serveJSON struct {
	Schema int    `json:"schema"`
	URL    string `json:"url"`
}

// Bounds of a request. Pages are small and made in less than seconds.
const (
	headerTimeout = 5 * time.Second
	answerTimeout = time.Minute
	idleTimeout   = time.Minute
	maxHeader     = 16 << 10 // bytes
	lastAnswers   = 2 * time.Second
	// maxConnections are open at once; more wait to be accepted. A browser
	// opens six.
	maxConnections = 128
)

// serve answers until ctx ends, which is how it is meant to end.
func (a *app) serve(ctx context.Context, listen, host string) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return &hintedError{fmt.Errorf("listening on %s: the port is in use", listen), "--listen 127.0.0.1:0 takes any that is free"}
	}
	if err != nil {
		return &hintedError{fmt.Errorf("listening on %s: %w", listen, err), "addresses look like " + defaultListen}
	}
	p := &pages{app: a, host: host}
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		p.machine, _ = os.Hostname() // without one it goes by addresses alone
		a.warn("%s can be reached from other machines: whoever does can read every result in the store", l.Addr())
	}
	url := "http://" + l.Addr().String() + "/"
	if a.json {
		err = a.printJSON(serveJSON{jsonSchema, url})
	} else {
		_, err = fmt.Fprintln(a.stdout, url)
	}
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server := &http.Server{
		Handler: p, ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout, WriteTimeout: answerTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(l, maxConnections)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving %s: %w", url, err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
	defer cancel()
	if server.Shutdown(last) != nil {
		server.Close() // what hangs is not waited for
	}
	return nil
}

// pages answers with the report's files.
type pages struct {
	app     *app
	host    string // that --listen names; empty for all addresses
	machine string // the machine's host name where others can reach it; else empty

	mu    sync.Mutex
	stamp string // of the store's files when they were read
	known known  // targets as they were judged then
	files map[string]report.File
}

func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", report.Policy()+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache") // asked for again, by its ETag
	switch {
	case !p.named(r):
		http.Error(w, "this server does not go by that name", http.StatusForbidden)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "the pages can only be read", http.StatusMethodNotAllowed)
		return
	}
	// What one reader no longer waits for, the next one wants.
	files, err := p.current(context.WithoutCancel(r.Context()))
	if err != nil {
		p.fail(w, err)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	} else if _, folder := files[name+"/index.html"]; folder {
		h.Set("Location", name[strings.LastIndex(name, "/")+1:]+"/")
		w.WriteHeader(http.StatusMovedPermanently)
		return
	}
	f, ok := files[name]
	if !ok {
		http.Error(w, "there is no such page: the store has no such target or version", http.StatusNotFound)
		return
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		p.fail(w, err)
		return
	}
	sum := sha256.Sum256(b.Bytes())
	h.Set("Content-Type", f.Type)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b.Bytes()))
}

func (p *pages) fail(w http.ResponseWriter, err error) {
	line, _, _ := p.app.explain(context.Background(), err)
	p.app.warn("%s", line)
	http.Error(w, line, http.StatusInternalServerError)
}

// named tells whether a request calls the server by a name that is its own. A
// page of another site whose name was made to lead here (DNS rebinding) does
// not.
func (p *pages) named(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	for _, own := range []string{"localhost", p.host, p.machine} {
		// In full, names end with a dot.
		if own != "" && strings.EqualFold(strings.TrimSuffix(host, "."), strings.TrimSuffix(own, ".")) {
			return true
		}
	}
	ip := net.ParseIP(host)
	if ip == nil {
		return false
	}
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip.IsLoopback() || ok && ip.Equal(at.IP)
}

// current is the files as the store has them now.
func (p *pages) current(ctx context.Context) (map[string]report.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stamp := storeStamp(p.app.db)
	if p.files != nil && stamp == p.stamp {
		return p.files, nil
	}
	if p.known == nil {
		p.known = known{}
	}
	site, err := p.app.site(ctx, nil, p.known)
	if err != nil {
		return nil, err
	}
	list, err := site.Files()
	if err != nil {
		return nil, err
	}
	p.files, p.stamp = make(map[string]report.File, len(list)), stamp
	for _, f := range list {
		p.files[f.Path] = f
	}
	return p.files, nil
}

// storeStamp differs when the store's files were written to. What is read after
// it may be newer, and is then read once more.
func storeStamp(db string) string {
	var b strings.Builder
	for _, name := range []string{db, db + "-wal"} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return time.Now().String()
		}
		fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}
